//! Scans of all items: the plan, the launches, of which a call may have several, and what a scan may have besides: an initial value, a
//! place for the total, a number of items that only the device knows.

use std::ops::Range;

use warpfold_kernels::launch::SCAN_HAS_INITIAL;
#[cfg(feature = "nccl")]
use warpfold_kernels::launch::SCAN_PUBLISHES_ONLY;
use warpfold_kernels::workspace::INITIAL_OFFSET;

use super::Destination;
use crate::driver::{self, Address};
use crate::error::{Argument, Result};
use crate::kernel::Row;
use crate::launch::{Part, Queue, Region, ScanWords, Span};

/// What a scan may be beside one of its items, from the first to the last, to results.
#[derive(Clone, Copy)]
pub(crate) struct ScanExtras<'a> {
    /// Whether it goes from the last item to the first.
    pub is_reversed: bool,
    /// What stands before the first item: the bytes of an accumulator.
    pub initial: Option<&'a [u8]>,
    /// Where the total goes.
    pub total: Option<Destination>,
    /// Where the number of items is.
    pub count: Option<Span>,
}

impl ScanExtras<'_> {
    /// None of them.
    pub const NONE: Self = Self {
        is_reversed: false,
        initial: None,
        total: None,
        count: None,
    };
}

/// A launch of a scan: which of its tiles, and what all of them need.
struct ScanPlan {
    part: Part,
    is_short: bool,
    /// The most tiles that the launch may have.
    most_tiles: u64,
    state_words: u64,
}

impl ScanPlan {
    /// These tiles of a scan of `item_count` items.
    fn of_tiles(row: &Row, item_count: u64, tiles: &Range<u64>) -> Self {
        let scan_tiles = row.division.scan_tiles;
        Self {
            part: Part::new(tiles, scan_tiles.count(item_count)),
            is_short: scan_tiles.is_short(item_count),
            most_tiles: tiles.end - tiles.start,
            state_words: (row.division.scan_state_words)(scan_tiles, item_count),
        }
    }

    /// A whole scan of any number of items up to `most_items`, which have these tiles.
    fn of_most(row: &Row, most_items: u64, tiles: &Range<u64>) -> Self {
        let plan = Self::of_tiles(row, most_items, tiles);
        if plan.is_short {
            return plan;
        }
        // It may turn out short, and the longest short one has more tiles than some long ones.
        let scan_tiles = row.division.scan_tiles;
        let short_tiles = scan_tiles.count(scan_tiles.short_items);
        Self {
            most_tiles: plan.most_tiles.max(short_tiles),
            state_words: (row.division.scan_most_state_words)(scan_tiles, most_items),
            ..plan
        }
    }
}

impl Queue<'_> {
    /// Queues a scan of `input`, at least one item, to the first items of `output`.
    pub fn scan(&mut self, row: &'static Row, input: Span, output: Span) -> Result<()> {
        self.scan_with(row, input, output, ScanExtras::NONE)
    }

    /// Queues a scan of `input` to the first items of `output`, with extras.
    pub fn scan_with(
        &mut self,
        row: &'static Row,
        input: Span,
        output: Span,
        extras: ScanExtras<'_>,
    ) -> Result<()> {
        let [items, results] = of_scan(input, output);
        let total = extras.total.and_then(|to| to.region(Argument::Total));
        self.check(&[items, results, total, extras.count.map(Region::count)])?;
        if input.item_count == 0 {
            return self.write_total_of_nothing(row, extras);
        }
        let tiles = 0..row.division.scan_tiles.count(input.item_count as u64);
        // SAFETY: the check above found items, results and extras to be memory of the context, aligned, long enough, and each output
        // apart from all else, or the results in the items' place; a `DeviceSlice` is as long as it says. All tiles at once.
        unsafe { self.scan_tiles(row, input, output.address, tiles, 0, extras) }
    }

    /// Queues the writing of the total of no items, if it is asked for. To a place of the library's own nothing is written: the host
    /// knows it.
    fn write_total_of_nothing(&self, row: &Row, extras: ScanExtras<'_>) -> Result<()> {
        match extras.total {
            Some(Destination::Callers(total)) => {
                self.write_lowered(row, extras.initial, total.address)
            }
            Some(Destination::Own(_)) | None => Ok(()),
        }
    }

    /// Queues the part of a scan of `input` that has these tiles.
    ///
    /// # Safety
    ///
    /// Until the work is done,
    ///
    /// - the items of these tiles, counted from `input.address`, are memory that the device reads in this context, and those
    ///   counted from `output` memory that it writes. No other item need be there, so the addresses themselves may lie outside of
    ///   any allocation;
    /// - the addresses are aligned for the row's items and results, and lie so far apart that no item of these tiles lies where a result
    ///   does; or they are the same, and so are the types.
    ///
    /// And, or the results are wrong or never come: the parts of a scan are queued in order, with nothing else in between on the
    /// stream, for the same number of items.
    pub unsafe fn scan_piece(
        &mut self,
        row: &'static Row,
        input: Span,
        output: Address,
        tiles: Range<u64>,
    ) -> Result<()> {
        debug_assert!(input.check_alignment(Argument::Input).is_ok());
        debug_assert!(output.is_multiple_of(row.result.alignment as u64));
        // SAFETY: items and results are this function's conditions, which are the same; there are no bits and no extras.
        unsafe { self.scan_tiles(row, input, output, tiles, 0, ScanExtras::NONE) }
    }

    /// Queues a launch that publishes the aggregates of these tiles of a scan of `input`, and of the groups of which it has all
    /// tiles, and stores nothing.
    ///
    /// # Safety
    ///
    /// - Until the work is done, the items of these tiles, counted from `input.address`, are memory that the device reads in this
    ///   context. No other item need be there.
    /// - They are aligned for the row's items.
    /// - The tiles before in the group of the first, and the prefix of that group, are published; else the work never ends.
    #[cfg(feature = "nccl")]
    pub unsafe fn publish_piece(
        &mut self,
        row: &'static Row,
        input: Span,
        tiles: Range<u64>,
    ) -> Result<()> {
        let extras = ScanExtras::NONE;
        debug_assert!(input.check_alignment(Argument::Input).is_ok());
        // SAFETY: the items are this function's first and second condition, and the tiles before its third; with this bit the kernel stores
        // no result, so nothing is written to address 0; there are no extras.
        unsafe { self.scan_tiles(row, input, 0, tiles, SCAN_PUBLISHES_ONLY, extras) }
    }

    /// Queues a launch of a scan, with these bits in the argument for the end of its tiles, and with extras.
    ///
    /// # Safety
    ///
    /// - Items and results are what [`Self::scan_piece`] wants, or with the bit of [`Self::publish_piece`] what that wants;
    /// - the place of the total, where there is one, is memory for a result that the device writes in this context until the work is done,
    ///   aligned, apart from items, results and number;
    /// - the number of items, where there is one, is 8 aligned bytes that the device reads in this context, apart from results;
    /// - with a number of items, these are all tiles, so the launch is the scan's only one;
    /// - the initial value has the bytes of the row's accumulator.
    unsafe fn scan_tiles(
        &mut self,
        row: &'static Row,
        input: Span,
        output: Address,
        tiles: Range<u64>,
        mut bits: u64,
        extras: ScanExtras<'_>,
    ) -> Result<()> {
        debug_assert!(
            extras
                .count
                .is_none_or(|count| count.check_alignment(Argument::Count).is_ok())
        );
        debug_assert!(
            extras.total.is_none_or(|total| {
                total.address().is_multiple_of(row.result.alignment as u64)
            })
        );
        let item_count = input.item_count as u64;
        let plan = match extras.count {
            Some(_) => ScanPlan::of_most(row, item_count, &tiles),
            None => ScanPlan::of_tiles(row, item_count, &tiles),
        };
        let kernel = self.entered.kernel_in(&row.entry, extras.is_reversed)?;
        let scratch = self.scratch(plan.part, plan.state_words)?;
        if let Some(initial) = extras.initial {
            driver::write_item(scratch.control + INITIAL_OFFSET, initial, self.stream)?;
            bits |= SCAN_HAS_INITIAL;
        }
        let mut arguments = ScanWords {
            input: input.address,
            output,
            total: extras.total.map_or(0, Destination::address),
            item_count,
            item_count_at: extras.count.map_or(0, |count| count.address),
            first_tile: tiles.start,
            end_tile: tiles.end | bits,
            control: scratch.control,
            states: scratch.states,
            state_words: scratch.state_words,
        };
        let grid = match plan.is_short {
            true => kernel.short,
            false => kernel.long,
        };
        let blocks = plan.most_tiles.min(grid.resident_blocks as u64);
        // SAFETY: these are a scan's arguments. The blocks read and write the items of these tiles
        // alone, and the extras: the first three conditions. The workspace has the state words that the plan needs, also those of as many
        // items as a number may say; the kernel takes the smaller of that and `item_count`.
        unsafe { self.launch(plan.part, kernel, grid.block, blocks, arguments.list()) }
    }
}

/// What a scan reads and writes beside its options.
fn of_scan(input: Span, output: Span) -> [Option<Region>; 2] {
    [
        Some(Region::read(Argument::Input, input)),
        Some(Region::written(Argument::Output, output, input.item_count).in_place()),
    ]
}

/// Checks what can be known of a scan's arguments without the driver.
#[cfg(feature = "nccl")]
pub(crate) fn check_scan(input: Span, output: Span) -> Result<()> {
    crate::launch::check(&of_scan(input, output))
}
