//! Reductions of all items: the plan, and the launches. A reduction may have several launches if its items are a slice of the host, or if a
//! group of GPUs shares it.

use std::ops::Range;

use super::Destination;
use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::kernel::Row;
use crate::launch::{Position, Queue, ReduceWords, Region, Span};

/// A launch of a reduction: its chunks, and the state words of the whole reduction.
pub(crate) struct ReducePlan {
    pub part: Position,
    /// The chunks of this launch, which has a block for each chunk.
    pub chunks: Range<u64>,
    pub state_words: u64,
}

impl ReducePlan {
    /// The launch for `chunks`, which are some of the chunks of a reduction of `item_count` items.
    pub fn of_chunks(row: &Row, item_count: u64, chunks: Range<u64>) -> Self {
        let whole = Self::whole(row, item_count);
        Self {
            part: Position::new(&chunks, whole.chunks.end),
            chunks,
            ..whole
        }
    }

    /// The launch of a whole reduction of `item_count` items.
    pub fn whole(row: &Row, item_count: u64) -> Self {
        Self::of_count(row, row.division.reduce_tiles.chunk_count(item_count))
    }

    /// The launch of a whole reduction of any number of items up to `most_items`.
    fn of_most(row: &Row, most_items: u64) -> Self {
        Self::of_count(row, row.division.reduce_tiles.most_chunks(most_items))
    }

    fn of_count(row: &Row, chunk_count: u64) -> Self {
        Self {
            part: Position::Whole,
            chunks: 0..chunk_count,
            state_words: chunk_count * row.division.accumulator_words,
        }
    }
}

impl Queue<'_> {
    /// Queues a reduction of `input`. If only the device knows the number of items, `count` is the device memory with this number. The
    /// result of an empty input is the operator's identity, lowered.
    #[inline]
    pub fn reduce(
        &mut self,
        row: &'static Row,
        input: Span,
        count: Option<Span>,
        to: Destination,
    ) -> Result<()> {
        self.check(&[
            Some(Region::read(Argument::Input, input)),
            count.map(Region::count),
            to.region(Argument::Output),
        ])?;
        let item_count = input.item_count as u64;
        let plan = match count {
            None if item_count == 0 => return self.write_lowered(row, None, to.address()),
            None => ReducePlan::whole(row, item_count),
            Some(_) => ReducePlan::of_most(row, item_count),
        };
        // SAFETY: `check` has made sure that the items, the count and a result in the caller's memory are aligned memory of the context,
        // and that the result overlaps neither the items nor the count. A span has `item_count` items, and the library's own memory has
        // room for any result (conditions 1 and 2). With a count, `of_most` makes the plan (condition 3).
        unsafe { self.launch_reduction(row, &plan, (input, count), to.address()) }
    }

    /// Queues a reduction of all of `input`, which has at least one item. The result goes to `output`. Nothing is checked.
    ///
    /// # Safety
    ///
    /// The conditions of [`Self::reduce_piece`], for all chunks.
    pub unsafe fn reduce_unchecked(
        &mut self,
        row: &'static Row,
        input: Span,
        output: Address,
    ) -> Result<()> {
        let plan = ReducePlan::whole(row, input.item_count as u64);
        // SAFETY: condition 1 of `launch_reduction` is this function's own condition. Conditions 2 and 3 are about `count`, which is
        // `None`.
        unsafe { self.launch_reduction(row, &plan, (input, None), output) }
    }

    /// Queues one part of a reduction of `input`: the part that consists of `chunks`. The last part writes the result to `output`.
    ///
    /// # Safety
    ///
    /// Until the work is done,
    ///
    /// - the items of these chunks, counted from `input.address`, are memory that the device can read in this context. No other item of
    ///   `input` need exist, so the address itself may lie outside any allocation;
    /// - if this is the last part, `output` is memory for a result, which the device can write in this context;
    /// - `input.address` is aligned for the row's items, and `output` is aligned for its result. The result does not overlap the items.
    ///
    /// For a correct result, all parts are queued in order, with an `input` of the same number of items, and no other launch uses the
    /// workspace between them.
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
        // SAFETY: condition 1 of `launch_reduction` consists of this function's own conditions, and the plan has these chunks. Conditions 2
        // and 3 are about `count`, which is `None`.
        unsafe { self.launch_reduction(row, &plan, (input, None), output) }
    }

    /// Queues a planned launch of a reduction of `input`. If only the device knows the number of items, `count` is the device memory with
    /// this number.
    ///
    /// # Safety
    ///
    /// - The conditions of [`Self::reduce_piece`] hold, for the chunks of the plan;
    /// - `count`, if it is given, is 8 aligned bytes that the device can read in this context;
    /// - if `count` is given, [`ReducePlan::of_most`] has made the plan, for every number of items up to the length of `input`.
    unsafe fn launch_reduction(
        &mut self,
        row: &'static Row,
        plan: &ReducePlan,
        (input, count): (Span, Option<Span>),
        output: Address,
    ) -> Result<()> {
        let kernel = self.entered.kernel(&row.entry)?;
        let scratch = self.scratch(plan.part, plan.state_words)?;
        let mut arguments = ReduceWords {
            input: input.address,
            item_count: input.item_count as u64,
            item_count_at: count.map_or(0, |count| count.address),
            first_chunk: plan.chunks.start,
            control: scratch.control,
            states: scratch.states,
            state_words: scratch.state_words,
            output,
        };
        let blocks = plan.chunks.end - plan.chunks.start;
        // SAFETY: the words are those of a reduction. Block `i` reads chunk `chunks.start + i`, and the last part writes `output`
        // (condition 1). The kernel reads the count (condition 2), and takes the smaller of the count and `item_count`. The workspace has
        // the state words of the plan, also with a count (condition 3).
        unsafe {
            self.launch(
                plan.part,
                kernel,
                kernel.long.block,
                blocks,
                arguments.list(),
            )
        }
    }
}
