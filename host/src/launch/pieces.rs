//! Parts of a call, each a launch.

use std::ops::Range;

use warpfold_kernels::arguments::{ReduceArguments, ScanArguments};
use warpfold_kernels::contract::{
    SCAN_SHORT_BYTES, Wider, is_short_scan, reduce_chunk_count, scan_tile_count,
};
use warpfold_kernels::launch::SCAN_HAS_INITIAL;
#[cfg(feature = "nccl")]
use warpfold_kernels::launch::SCAN_PUBLISHES_ONLY;
use warpfold_kernels::workspace::{
    Control, INITIAL_OFFSET, reduce_state_words, scan_most_state_words, scan_state_words,
};

use super::{Queue, ScanExtras, Span, Total};
use crate::driver::{self, Address};
use crate::error::Result;
use crate::kernel::kind::Kind;
use crate::kernel::{Item, Kernel, kind};

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
    /// - `input.address` is aligned for `T`, `output` for the result, and the result lies apart from the items.
    ///
    /// And, or the result is wrong: the parts of a reduction are queued in order, with nothing else in between on the stream, for
    /// the same number of items.
    pub unsafe fn reduce_piece<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        input: Span,
        chunks: Range<u64>,
        output: Address,
    ) -> Result<()> {
        let item_count = input.item_count as u64;
        let part = Part::new(&chunks, reduce_chunk_count::<T>(item_count));
        let state_words = reduce_state_words::<T, O::Accumulator>(item_count);
        // SAFETY: the caller's.
        unsafe { self.reduce_chunks::<O, T>(part, (input, None), chunks, state_words, output) }
    }

    /// Queues a launch of a reduction of so many items, or of as many as the number at the second span says. It has a block for each of
    /// these chunks, and so many state words.
    ///
    /// # Safety
    ///
    /// That of [`Self::reduce_piece`]. With a number, which is memory that the device reads in this context, the launch is the
    /// reduction's only one, and there are blocks and state words for every number of items up to those of `input`.
    pub(super) unsafe fn reduce_chunks<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        part: Part,
        (input, count): (Span, Option<Span>),
        chunks: Range<u64>,
        state_words: u64,
        output: Address,
    ) -> Result<()> {
        let kernel = self.entered.kernel(O::entry())?;
        let scratch = self.scratch(part, state_words)?;
        let mut arguments = ReduceArguments::<T, O::Output> {
            input: input.address as *const T,
            item_count: input.item_count as u64,
            item_count_at: count.map_or(0, |count| count.address) as *const u64,
            first_chunk: chunks.start,
            control: scratch.control as *mut Control,
            states: scratch.states as *mut u64,
            state_words: scratch.state_words,
            output: output as *mut O::Output,
        };
        let pointers = &mut arguments.pointers();
        let blocks = chunks.end - chunks.start;
        // SAFETY: these are a reduction's arguments. Block `i` reads chunk `chunks.start + i`, and the last one writes `output`:
        // the caller answers for both, and for the number; however large that is, no other item is read. The rest is the stream's
        // workspace, with the state words that were asked for.
        unsafe { self.launch(part, &kernel, kernel.long.block, blocks, pointers) }
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
    /// - the addresses are aligned for `T` and for the results, and lie so far apart that no item of these tiles lies where a result
    ///   does; or they are the same, and so are the types.
    ///
    /// And, or the results are wrong or never come: the parts of a scan are queued in order, with nothing else in between on the
    /// stream, for the same number of items.
    pub unsafe fn scan_piece<K: Kind, O: Kernel<K, T>, T: Item>(
        &mut self,
        input: Span,
        output: Address,
        tiles: Range<u64>,
    ) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.scan_tiles::<K, O, T>(input, output, tiles, 0, ScanExtras::NONE) }
    }

    /// Queues a launch that publishes the aggregates of these tiles of a scan of `input`, and of the groups of which it has all
    /// tiles, and stores nothing.
    ///
    /// # Safety
    ///
    /// Until the work is done, the items of these tiles, counted from `input.address`, are memory that the device reads in this
    /// context, and aligned for `T`. No other item need be there.
    ///
    /// And, or the work never ends: the tiles before in the group of the first, and the prefix of that group, are published.
    #[cfg(feature = "nccl")]
    pub unsafe fn publish_piece<K: Kind, O: Kernel<K, T>, T: Item>(
        &mut self,
        input: Span,
        tiles: Range<u64>,
    ) -> Result<()> {
        // SAFETY: the caller's; nothing is written to address 0.
        unsafe {
            let extras = ScanExtras::NONE;
            self.scan_tiles::<K, O, T>(input, 0, tiles, SCAN_PUBLISHES_ONLY, extras)
        }
    }

    /// Queues a launch of a scan, with these bits in the argument for the end of its tiles, and with extras.
    ///
    /// # Safety
    ///
    /// That of [`Self::scan_piece`], or of [`Self::publish_piece`] with its bit. Extras are memory of this context, the total apart from
    /// items and results; with a number of items, the launch is the scan's only one.
    pub(super) unsafe fn scan_tiles<K: Kind, O: Kernel<K, T>, T: Item>(
        &mut self,
        input: Span,
        output: Address,
        tiles: Range<u64>,
        mut bits: u64,
        extras: ScanExtras<O::Accumulator>,
    ) -> Result<()> {
        let kernel = self.entered.kernel(O::entry())?;
        let item_count = input.item_count as u64;
        let part = Part::new(&tiles, scan_tile_count::<Wider<T, O::Output>>(item_count));
        let is_short = is_short_scan::<Wider<T, O::Output>>(item_count);
        let mut most_tiles = tiles.end - tiles.start;
        let mut state_words = scan_state_words::<Wider<T, O::Output>, O::Accumulator>(item_count);
        if extras.count.is_some() && !is_short {
            // It may turn out short, and the longest short one has more tiles than some long ones.
            let short_items = SCAN_SHORT_BYTES / size_of::<Wider<T, O::Output>>() as u64;
            most_tiles = most_tiles.max(scan_tile_count::<Wider<T, O::Output>>(short_items));
            state_words = scan_most_state_words::<Wider<T, O::Output>, O::Accumulator>(item_count);
        }
        let scratch = self.scratch(part, state_words)?;
        if let Some(initial) = extras.initial {
            let bytes = bytemuck::bytes_of(&initial);
            driver::write_item(scratch.control + INITIAL_OFFSET, bytes, self.stream)?;
            bits |= SCAN_HAS_INITIAL;
        }
        let mut arguments = ScanArguments::<T, O::Output> {
            input: input.address as *const T,
            output: output as *mut O::Output,
            total: extras.total.map_or(0, Total::address) as *mut O::Output,
            item_count,
            item_count_at: extras.count.map_or(0, |count| count.address) as *const u64,
            first_tile: tiles.start,
            end_tile: tiles.end | bits,
            control: scratch.control as *mut Control,
            states: scratch.states as *mut u64,
            state_words: scratch.state_words,
        };
        let pointers = &mut arguments.pointers();
        let grid = match is_short {
            true => kernel.short,
            false => kernel.long,
        };
        let blocks = most_tiles.min(grid.resident_blocks as u64);
        // SAFETY: these are a scan's arguments. The blocks read and write the items of these tiles alone: the caller answers for
        // them. The rest is the stream's workspace, with the state words that were asked for.
        unsafe { self.launch(part, &kernel, grid.block, blocks, pointers) }
    }
}

/// Where a launch stands among those of its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    First,
    Middle,
    Last,
}

impl Part {
    /// The part that the units of work in `range` are, of a call's `count`.
    pub fn new(range: &Range<u64>, count: u64) -> Self {
        match (range.start == 0, range.end == count) {
            (true, true) => Part::Whole,
            (true, false) => Part::First,
            (false, true) => Part::Last,
            (false, false) => Part::Middle,
        }
    }

    pub fn is_first(self) -> bool {
        matches!(self, Part::Whole | Part::First)
    }
}
