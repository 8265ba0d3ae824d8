//! Scans with more than items and results: an initial value, a place for the total, a number of items that only the device knows.

use warpfold_kernels::contract::{Wider, scan_tile_count};

use super::{Queue, Span, check_scan};
use crate::driver::{self, Address};
use crate::error::{Argument, Result};
use crate::kernel::kind::Kind;
use crate::kernel::{Item, Kernel};

/// What a scan may have beside its items and results.
#[derive(Clone, Copy)]
pub(crate) struct ScanExtras<A> {
    /// What stands before the first item.
    pub initial: Option<A>,
    /// Where the total goes.
    pub total: Option<Total>,
    /// Where the number of items is.
    pub count: Option<Span>,
}

impl<A> ScanExtras<A> {
    /// None of them.
    pub const NONE: Self = Self {
        initial: None,
        total: None,
        count: None,
    };
}

/// Where the total of a scan goes.
#[derive(Clone, Copy)]
pub(crate) enum Total {
    /// To the first place of the caller's.
    Callers(Span),
    /// To a place of the library's own.
    Own(Address),
}

impl Total {
    pub fn address(self) -> Address {
        match self {
            Total::Callers(Span { address, .. }) | Total::Own(address) => address,
        }
    }
}

impl Queue<'_> {
    /// Queues a scan of `input` to the first items of `output`, with extras.
    pub fn scan_with<K: Kind, O: Kernel<K, T>, T: Item>(
        &mut self,
        input: Span,
        output: Span,
        extras: ScanExtras<O::Accumulator>,
    ) -> Result<()> {
        check_scan::<T, O::Output>(input, output)?;
        let results = output.first_items(input.item_count);
        if let Some(Total::Callers(total)) = extras.total {
            self.check_total::<T, O::Output>(total, input, results)?;
        }
        if let Some(count) = extras.count {
            self.check_count::<O::Output>(count, results)?;
        }
        if input.item_count == 0 {
            return self.write_total_of_nothing::<K, O, T>(extras);
        }
        self.check_memory(Argument::Input, input)?;
        if output.address != input.address {
            self.check_memory(Argument::Output, output)?;
        }
        let tiles = 0..scan_tile_count::<Wider<T, O::Output>>(input.item_count as u64);
        // SAFETY: both are memory of the context, of the lengths that their owner gave them, and so are the extras; all tiles at once.
        unsafe { self.scan_tiles::<K, O, T>(input, output.address, tiles, 0, extras) }
    }

    /// Queues the writing of the total of no items, if it is asked for. To a place of the library's own nothing is written: the host
    /// knows it.
    fn write_total_of_nothing<K: Kind, O: Kernel<K, T>, T: Item>(
        &self,
        extras: ScanExtras<O::Accumulator>,
    ) -> Result<()> {
        let Some(Total::Callers(total)) = extras.total else {
            return Ok(());
        };
        let value = O::lower(extras.initial.unwrap_or_else(O::identity));
        Ok(driver::write_item(
            total.address,
            bytemuck::bytes_of(&value),
            self.stream,
        )?)
    }

    /// Checks the memory for a total of type `R`.
    fn check_total<T, R>(&self, total: Span, input: Span, results: Span) -> Result<()> {
        let total = total.one_place()?;
        total.check_alignment::<R>(Argument::Total)?;
        results.check_apart::<R, R>(total)?;
        total.check_apart::<R, T>(input)?;
        self.check_memory(Argument::Total, total)
    }
}
