//! Reductions and scans of all items.

mod pairs;
mod reduce;
pub(crate) mod reference;
mod scan;

pub(crate) use self::pairs::PairSpan;
pub(crate) use self::reduce::ReducePlan;
pub(crate) use self::scan::ScanExtras;
#[cfg(feature = "nccl")]
pub(crate) use self::scan::check_scan;

use crate::driver::{self, Address};
use crate::error::{Argument, Result};
use crate::kernel::{RESULT_MAX_BYTES, Row};
use crate::launch::{Queue, Region, Span};

/// Where a single result is written: the result of a reduction, or the total of a scan.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Destination {
    /// To the first item of the caller's span.
    Callers(Span),
    /// To the library's own memory, which has room for any result.
    Own(Address),
}

impl Destination {
    pub fn address(self) -> Address {
        match self {
            Destination::Callers(Span { address, .. }) | Destination::Own(address) => address,
        }
    }

    /// The caller's memory that is written; `None` for the library's own memory.
    fn region(self, argument: Argument) -> Option<Region> {
        match self {
            Destination::Callers(span) => Some(Region::written(argument, span, 1)),
            Destination::Own(_) => None,
        }
    }
}

impl Queue<'_> {
    /// Lowers an accumulator, and queues a write of the result. `value` is the accumulator's bytes; if it is `None`, the accumulator is the
    /// identity.
    fn write_lowered(&self, row: &Row, value: Option<&[u8]>, address: Address) -> Result<()> {
        let mut room = [0; RESULT_MAX_BYTES];
        let result = &mut room[..row.result.bytes];
        row.lower(value, result);
        Ok(driver::write_item(address, result, self.stream)?)
    }
}

#[cfg(test)]
mod tests;
