//! Parts of a call, each a launch.

use std::ops::Range;

use warpfold_kernels::launch::SCAN_HAS_INITIAL;
#[cfg(feature = "nccl")]
use warpfold_kernels::launch::SCAN_PUBLISHES_ONLY;
use warpfold_kernels::reduce::ReduceArguments;
use warpfold_kernels::scan::ScanArguments;
use warpfold_kernels::workspace::{Control, INITIAL_OFFSET};

use super::{ScanExtras, Total};
use crate::driver::{self, Address};
use crate::error::{Argument, Result};
use crate::kernel::Row;
use crate::launch::{Part, Queue, Span, Untyped};

/// A launch of a reduction: which of its chunks, and the state words that all of them need.
pub(super) struct ReducePlan {
    pub part: Part,
    /// The launch has a block for each.
    pub chunks: Range<u64>,
    pub state_words: u64,
}

impl ReducePlan {
    /// These chunks of a reduction of `item_count` items.
    pub fn of_chunks(row: &Row, item_count: u64, chunks: Range<u64>) -> Self {
        Self {
            part: Part::new(&chunks, (row.division.reduce_chunk_count)(item_count)),
            chunks,
            state_words: (row.division.reduce_state_words)(item_count),
        }
    }

    /// A whole reduction of `item_count` items.
    pub fn whole(row: &Row, item_count: u64) -> Self {
        Self {
            part: Part::Whole,
            chunks: 0..(row.division.reduce_chunk_count)(item_count),
            state_words: (row.division.reduce_state_words)(item_count),
        }
    }

    /// A whole reduction of any number of items up to `most_items`.
    pub fn of_most(row: &Row, most_items: u64) -> Self {
        Self {
            part: Part::Whole,
            chunks: 0..(row.division.reduce_most_chunks)(most_items),
            state_words: (row.division.reduce_most_state_words)(most_items),
        }
    }
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
    /// Queues the part of a reduction of `input` that has these chunks; the last part writes the result to `output`.
    ///
    /// # Safety
    ///
    /// Until the work is done,
    ///
    /// - the items of these chunks, counted from `input.address`, are memory that the device reads in this context. No other
    ///   item of `input` need be there, so the address itself may lie outside of any allocation;
    /// - `output`, in the last part, is memory for a result that the device writes in this context;
    /// - `input.address` is aligned for the row's items, `output` for its result, and the result lies apart from the items.
    ///
    /// And, or the result is wrong: the parts of a reduction are queued in order, with nothing else in between on the stream, for
    /// the same number of items.
    pub unsafe fn reduce_piece(
        &mut self,
        row: &'static Row,
        input: Span,
        chunks: Range<u64>,
        output: Address,
    ) -> Result<()> {
        let plan = ReducePlan::of_chunks(row, input.item_count as u64, chunks);
        debug_assert!(input.check_alignment(Argument::Input).is_ok());
        debug_assert!(output.is_multiple_of(row.result.alignment as u64));
        // SAFETY: items and result are this function's conditions, which are the same; there is no number, and the plan is for these
        // chunks of this many items.
        unsafe { self.launch_reduction(row, &plan, (input, None), output) }
    }

    /// Queues a planned launch of a reduction of `input`, or of as many items of it as the number at the second span says.
    ///
    /// # Safety
    ///
    /// - Items and result are what [`Self::reduce_piece`] wants, for the chunks of the plan;
    /// - the number, where there is one, is 8 aligned bytes that the device reads in this context;
    /// - with a number, the plan is one for every number of items up to those of `input` ([`ReducePlan::of_most`]).
    pub(super) unsafe fn launch_reduction(
        &mut self,
        row: &'static Row,
        plan: &ReducePlan,
        (input, count): (Span, Option<Span>),
        output: Address,
    ) -> Result<()> {
        let kernel = self.entered.kernel(&row.entry)?;
        let scratch = self.scratch(plan.part, plan.state_words)?;
        let mut arguments = ReduceArguments::<Untyped, Untyped> {
            input: input.address as *const Untyped,
            item_count: input.item_count as u64,
            item_count_at: count.map_or(0, |count| count.address) as *const u64,
            first_chunk: plan.chunks.start,
            control: scratch.control as *mut Control,
            states: scratch.states as *mut u64,
            state_words: scratch.state_words,
            output: output as *mut Untyped,
        };
        let pointers = &mut arguments.pointers();
        let blocks = plan.chunks.end - plan.chunks.start;
        // SAFETY: these are a reduction's arguments, laid out as with the kernel's types. Block `i` reads chunk `chunks.start + i`, and
        // the last one writes `output`: these can be read and written by the first condition. The kernel reads the number, by the
        // second, and takes the smaller of it and `item_count`. The workspace has the state words that the plan needs.
        unsafe { self.launch(plan.part, &kernel, kernel.long.block, blocks, pointers) }
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
    pub(super) unsafe fn scan_tiles(
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
        let mut arguments = ScanArguments::<Untyped, Untyped> {
            input: input.address as *const Untyped,
            output: output as *mut Untyped,
            total: extras.total.map_or(0, Total::address) as *mut Untyped,
            item_count,
            item_count_at: extras.count.map_or(0, |count| count.address) as *const u64,
            first_tile: tiles.start,
            end_tile: tiles.end | bits,
            control: scratch.control as *mut Control,
            states: scratch.states as *mut u64,
            state_words: scratch.state_words,
        };
        let pointers = &mut arguments.pointers();
        let grid = match plan.is_short {
            true => kernel.short,
            false => kernel.long,
        };
        let blocks = plan.most_tiles.min(grid.resident_blocks as u64);
        // SAFETY: these are a scan's arguments, laid out as with the kernel's types. The blocks read and write the items of these tiles
        // alone, and the extras: the first three conditions. The workspace has the state words that the plan needs, also those of as many
        // items as a number may say; the kernel takes the smaller of that and `item_count`.
        unsafe { self.launch(plan.part, &kernel, grid.block, blocks, pointers) }
    }
}
