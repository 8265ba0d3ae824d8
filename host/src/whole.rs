//! Reductions and scans of all items.

mod counted;
mod pairs;
mod pieces;
pub(crate) mod reference;
mod scan;

use std::ops::Range;

pub(crate) use self::counted::reduce_counted_to_host;
pub(crate) use self::pairs::{PairSpan, reduce_pairs_to_host};
#[cfg(feature = "nccl")]
pub(crate) use self::scan::check_scan;
pub(crate) use self::scan::{ScanExtras, Total};

use self::pieces::ReducePlan;
use crate::driver::{self, Address};
use crate::error::{Argument, Result};
use crate::gpu::{CallStream, Entered};
use crate::kernel::{RESULT_MAX_BYTES, Row};
use crate::launch::{Queue, Region, Span};

impl Queue<'_> {
    /// Queues a reduction of `input` to the first item of `output`: of no items, the operator's identity.
    pub fn reduce(&mut self, row: &'static Row, input: Span, output: Span) -> Result<()> {
        self.check(&[
            Some(Region::read(Argument::Input, input)),
            Some(Region::written(Argument::Output, output, 1)),
        ])?;
        if input.item_count == 0 {
            return self.write_lowered(row, None, output.address);
        }
        let plan = ReducePlan::whole(row, input.item_count as u64);
        // SAFETY: the check above found the input and the place of the result to be memory of the context, aligned and apart; a
        // `DeviceSlice` is as long as it says. There is no number.
        unsafe { self.launch_reduction(row, &plan, (input, None), output.address) }
    }

    /// Queues a reduction of `input`, at least one item, to the place for the result of a call on this queue's stream.
    pub fn reduce_for(&mut self, row: &'static Row, call: &CallStream, input: Span) -> Result<()> {
        self.check(&[Some(Region::read(Argument::Input, input))])?;
        let result = call.result()?;
        let plan = ReducePlan::whole(row, input.item_count as u64);
        // SAFETY: the check above found the input to be memory of the context, and aligned; the result's place is page-locked memory of
        // the library's, a page long. There is no number.
        unsafe { self.launch_reduction(row, &plan, (input, None), result) }
    }

    /// Queues a scan of `input`, at least one item, to the first items of `output`.
    pub fn scan(&mut self, row: &'static Row, input: Span, output: Span) -> Result<()> {
        self.scan_with(row, input, output, ScanExtras::NONE)
    }

    /// Queues the writing of the result that is made of an accumulator of these bytes, or else of the identity.
    fn write_lowered(&self, row: &Row, value: Option<&[u8]>, address: Address) -> Result<()> {
        let mut room = [0; RESULT_MAX_BYTES];
        let result = &mut room[..row.result.bytes];
        row.lower(value, result);
        Ok(driver::write_item(address, result, self.stream)?)
    }
}

/// All chunks of a reduction of `item_count` items.
fn all_chunks(row: &Row, item_count: usize) -> Range<u64> {
    0..(row.division.reduce_chunk_count)(item_count as u64)
}

/// Reduces `input`, at least one item, waits for the result, and writes it to these bytes.
pub(crate) fn reduce_to_host(
    entered: Entered<'_>,
    row: &'static Row,
    input: Span,
    result: &mut [u8],
) -> Result<()> {
    let mut call = entered.ordered_call()?;
    Queue::for_caller(entered, &call).reduce_for(row, &call, input)?;
    call.wait()?;
    // SAFETY: the reduction is done.
    unsafe { call.read_result_to(result) }
}

#[cfg(test)]
mod tests;
