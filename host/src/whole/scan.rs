//! Scans of all items: the plan, and the launches. A scan may have several launches if its items are a slice of the host, or if a group of
//! GPUs shares it. The options are an initial value, an output for the total, a count in device memory, and the direction.

use std::ops::Range;

use warpfold_kernels::launch::SCAN_HAS_INITIAL;
#[cfg(feature = "nccl")]
use warpfold_kernels::launch::SCAN_PUBLISHES_ONLY;
use warpfold_kernels::workspace::INITIAL_OFFSET;

use super::Destination;
use crate::driver::{self, Address};
use crate::error::{Argument, Result};
use crate::gpu::Way;
use crate::kernel::Row;
use crate::launch::{Position, Queue, Region, ScanWords, Span, number_of};

/// The options of a scan.
#[derive(Clone, Copy)]
pub(crate) struct ScanExtras<'a> {
    /// Whether the scan goes from the last item to the first.
    pub is_reversed: bool,
    /// The initial value: the bytes of an accumulator.
    pub initial: Option<&'a [u8]>,
    /// Where the total is written.
    pub total: Option<Destination>,
    /// Device memory with the number of items.
    pub count: Option<Span>,
}

impl ScanExtras<'_> {
    /// No options.
    pub const NONE: Self = Self {
        is_reversed: false,
        initial: None,
        total: None,
        count: None,
    };
}

/// A launch of a scan, and the number of state words that all launches of the scan share.
struct ScanPlan {
    part: Position,
    is_short: bool,
    /// The most tiles that the launch may have.
    most_tiles: u64,
    state_words: u64,
}

impl ScanPlan {
    /// The launch for `tiles`, which are some of the tiles of a scan of `item_count` items.
    fn of_tiles(row: &Row, item_count: u64, tiles: &Range<u64>) -> Self {
        let scan_tiles = row.division.scan_tiles;
        Self {
            part: Position::new(tiles, scan_tiles.count(item_count)),
            is_short: scan_tiles.is_short(item_count),
            most_tiles: tiles.end - tiles.start,
            state_words: (row.division.scan_state_words)(scan_tiles, item_count),
        }
    }

    /// The launch of a whole scan of any number of items up to `most_items`. `tiles` are the tiles of a scan of `most_items` items.
    fn of_most(row: &Row, most_items: u64, tiles: &Range<u64>) -> Self {
        let plan = Self::of_tiles(row, most_items, tiles);
        if plan.is_short {
            return plan;
        }
        // The scan may turn out to be short, and the longest short scan has more tiles than some long scans.
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
    /// Queues a scan of `input`. The results are written to the first items of `output`.
    pub fn scan(&mut self, row: &'static Row, input: Span, output: Span) -> Result<()> {
        self.scan_with(row, input, output, ScanExtras::NONE)
    }

    /// Queues a scan of `input` with options. The results are written to the first items of `output`.
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
        // SAFETY: `check` has made sure that the items, the results, the caller's total and the count are memory of the context, aligned
        // and long enough. It has also made sure that no result and no total overlaps anything, except that the results may replace the
        // items in place. A total in the library's own memory has room for any result (conditions 1 to 3). All tiles are in one launch
        // (condition 4). An initial value is an accumulator's bytes (condition 5).
        unsafe { self.scan_tiles(row, input, output.address, tiles, 0, extras) }
    }

    /// Queues a write of the total of an empty input, if the total is requested. A total in the library's own memory is not written: the
    /// host knows this total.
    fn write_total_of_nothing(&self, row: &Row, extras: ScanExtras<'_>) -> Result<()> {
        match extras.total {
            Some(Destination::Callers(total)) => {
                self.write_lowered(row, extras.initial, total.address)
            }
            Some(Destination::Own(_)) | None => Ok(()),
        }
    }

    /// Queues one part of a scan of `input`: the part that consists of `tiles`.
    ///
    /// # Safety
    ///
    /// Until the work is done,
    ///
    /// - the items of these tiles, counted from `input.address`, are memory that the device can read in this context. Their results,
    ///   counted from `output`, are memory that the device can write in this context. No other item need exist, so the addresses themselves
    ///   may lie outside any allocation;
    /// - the addresses are aligned for the row's items and results. Either the items of these tiles do not overlap their results, or items
    ///   and results have the same address and the same type.
    ///
    /// For correct results, and for the work to end, all parts are queued in order, with an `input` of the same number of items, and no
    /// other launch uses the workspace between them. If earlier parts are left out, the values that these tiles need from those parts are
    /// published by other means.
    pub unsafe fn scan_piece(
        &mut self,
        row: &'static Row,
        input: Span,
        output: Address,
        tiles: Range<u64>,
    ) -> Result<()> {
        debug_assert!(input.check_alignment(Argument::Input).is_ok());
        debug_assert!(output.is_multiple_of(row.result.alignment as u64));
        // SAFETY: condition 1 of `scan_tiles` consists of this function's own conditions. Conditions 2 to 5 are about extras, and there are
        // no extras.
        unsafe { self.scan_tiles(row, input, output, tiles, 0, ScanExtras::NONE) }
    }

    /// Queues a launch that stores no results. It publishes the aggregates of `tiles`, which are some of the tiles of a scan of `input`. It
    /// also publishes the aggregate of each tile group whose last tile is among `tiles`.
    ///
    /// # Safety
    ///
    /// - Until the work is done, the items of these tiles, counted from `input.address`, are memory that the device can read in this
    ///   context. No other item need exist.
    /// - `input.address` is aligned for the row's items.
    /// - If `tiles` begins inside a tile group, the aggregates of the tiles before `tiles` in this group are published. The prefix of the
    ///   tile group in which `tiles` begins is published too. If one of these values is not published, the work never ends.
    #[cfg(feature = "nccl")]
    pub unsafe fn publish_piece(
        &mut self,
        row: &'static Row,
        input: Span,
        tiles: Range<u64>,
    ) -> Result<()> {
        let extras = ScanExtras::NONE;
        debug_assert!(input.check_alignment(Argument::Input).is_ok());
        // SAFETY: with `SCAN_PUBLISHES_ONLY`, condition 1 of `scan_tiles` consists of this function's own conditions. The kernel stores no
        // result, so nothing is written to address 0. Conditions 2 to 5 are about extras, and there are no extras.
        unsafe { self.scan_tiles(row, input, 0, tiles, SCAN_PUBLISHES_ONLY, extras) }
    }

    /// Queues a launch of a scan, with extras. `bits` are set in the argument `end_tile`.
    ///
    /// # Safety
    ///
    /// - The conditions of [`Self::scan_piece`] hold. With the bit that [`Self::publish_piece`] sets, the conditions of that function hold
    ///   instead;
    /// - if the total is requested, its memory has room for a result, and the device can write this memory in this context until the work
    ///   is done. This memory is aligned, and does not overlap items, results or the count;
    /// - the count, if there is one, is 8 aligned bytes that the device can read in this context, and does not overlap results;
    /// - with a count, `tiles` are all tiles, so the scan has no other launch;
    /// - the initial value, if it is given, has the bytes of the row's accumulator.
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
        let form = Way::of_direction(extras.is_reversed)
            .form()
            .with_known_absence(number_of!(ScanWords.total), extras.total.is_none())
            .with_known_absence(number_of!(ScanWords.item_count_at), extras.count.is_none());
        let kernel = self.entered.kernel_in(&row.entry, form)?;
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
        // SAFETY: `arguments` has the words of a scan. Besides the workspace, the blocks read and write only the items and results of these
        // tiles, and the extras (conditions 1 to 3 and 5). The workspace has the state words of the plan. With a count, the kernel takes
        // the smaller of the count and `item_count`, and the plan is for `item_count` (condition 4). There is at least one block, since
        // there is a tile. The text knows only that there is no total or no count, if the words say so too.
        unsafe { self.launch(plan.part, kernel, grid.block, blocks, arguments.list()) }
    }
}

/// The input and the output of a scan.
fn of_scan(input: Span, output: Span) -> [Option<Region>; 2] {
    [
        Some(Region::read(Argument::Input, input)),
        Some(Region::written(Argument::Output, output, input.item_count).in_place()),
    ]
}

/// Checks a scan's arguments, as far as no driver is needed.
#[cfg(feature = "nccl")]
pub(crate) fn check_scan(input: Span, output: Span) -> Result<()> {
    crate::launch::check(&of_scan(input, output))
}
