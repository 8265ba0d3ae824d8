//! Scans with more than items and results: an initial value, a place for the total, a number of items that only the device knows.

use std::ptr;

use warpfold_kernels::arguments::ScanArguments;
use warpfold_kernels::contract::{SCAN_SHORT_BYTES, Wider, is_short_scan, scan_tile_count};
use warpfold_kernels::launch::SCAN_HAS_INITIAL;
use warpfold_kernels::workspace::{Control, INITIAL_OFFSET, scan_most_state_words};

use super::pieces::Part;
use super::{Queue, Span, check_scan, overlap};
use crate::driver::{self, Address};
use crate::error::{Argument, Error, Result};
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

/// Where the total of a scan goes.
#[derive(Clone, Copy)]
pub(crate) enum Total {
    /// To the first place of the caller's.
    Callers(Span),
    /// To a place of the library's own.
    Own(Address),
}

impl Total {
    fn address(self) -> Address {
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
        let results = Span {
            item_count: input.item_count,
            ..output
        };
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
        // SAFETY: both are memory of the context, of the lengths that their owner gave them, and so are the extras.
        unsafe { self.launch_scan::<K, O, T>(input, output, extras) }
    }

    /// Queues the launch.
    ///
    /// # Safety
    ///
    /// Until the work is done, there are at least one item and as many results, which are memory that the device reads and writes in this
    /// context; so are the extras. The two are the same, or lie apart; and the total lies apart from both.
    unsafe fn launch_scan<K: Kind, O: Kernel<K, T>, T: Item>(
        &mut self,
        input: Span,
        output: Span,
        extras: ScanExtras<O::Accumulator>,
    ) -> Result<()> {
        let kernel = self.entered.kernel(O::entry())?;
        let item_count = input.item_count as u64;
        let state_words = scan_most_state_words::<Wider<T, O::Output>, O::Accumulator>(item_count);
        let scratch = self.scratch(Part::Whole, state_words)?;
        let mut bits = 0;
        if let Some(initial) = extras.initial {
            let bytes = bytemuck::bytes_of(&initial);
            driver::write_item(scratch.control + INITIAL_OFFSET, bytes, self.stream)?;
            bits = SCAN_HAS_INITIAL;
        }
        let tiles = scan_tile_count::<Wider<T, O::Output>>(item_count);
        let mut arguments = ScanArguments::<T, O::Output> {
            input: input.address as *const T,
            output: output.address as *mut O::Output,
            total: extras
                .total
                .map_or(ptr::null_mut(), |total| total.address() as *mut _),
            item_count,
            item_count_at: extras
                .count
                .map_or(ptr::null(), |count| count.address as *const _),
            first_tile: 0,
            end_tile: tiles | bits,
            control: scratch.control as *mut Control,
            states: scratch.states as *mut u64,
            state_words: scratch.state_words,
        };
        let pointers = &mut arguments.pointers();
        let (grid, most_tiles) = match is_short_scan::<Wider<T, O::Output>>(item_count) {
            true => (kernel.short, tiles),
            false if extras.count.is_some() => (kernel.long, most_tiles::<T, O::Output>(tiles)),
            false => (kernel.long, tiles),
        };
        let blocks = most_tiles.min(grid.resident_blocks as u64);
        // SAFETY: these are a scan's arguments. The blocks read and write these items and results alone, however large the number in the
        // device's memory is: the caller answers for them and for the extras. The rest is the stream's workspace, with state words for
        // as many items as there may be.
        unsafe { self.launch(Part::Whole, &kernel, grid.block, blocks, pointers) }
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
        if total.item_count == 0 {
            return Err(Error::OutputTooShort {
                offered_items: 0,
                needed_items: 1,
            });
        }
        let total = total.first();
        total.check_alignment::<R>(Argument::Total)?;
        if total.overlaps::<R, R>(results) {
            return Err(overlap(total, results));
        }
        if input.overlaps::<T, R>(total) {
            return Err(overlap(input, total));
        }
        self.check_memory(Argument::Total, total)
    }
}

/// The most tiles of a scan of any number of items, of which the most have so many tiles.
fn most_tiles<T: Item, R: Item>(tiles: u64) -> u64 {
    let short_items = SCAN_SHORT_BYTES / size_of::<Wider<T, R>>() as u64;
    tiles.max(scan_tile_count::<Wider<T, R>>(short_items))
}
