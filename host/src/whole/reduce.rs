//! Reductions of all items: the plan, and the launches, of which a call may have several.

use std::ops::Range;

use super::Destination;
use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::kernel::Row;
use crate::launch::{Part, Queue, ReduceWords, Region, Span};

/// A launch of a reduction: which of its chunks, and the state words that all of them need.
pub(crate) struct ReducePlan {
    pub part: Part,
    /// The launch has a block for each.
    pub chunks: Range<u64>,
    pub state_words: u64,
}

impl ReducePlan {
    /// These chunks of a reduction of `item_count` items.
    pub fn of_chunks(row: &Row, item_count: u64, chunks: Range<u64>) -> Self {
        let whole = Self::whole(row, item_count);
        Self {
            part: Part::new(&chunks, whole.chunks.end),
            chunks,
            ..whole
        }
    }

    /// A whole reduction of `item_count` items.
    pub fn whole(row: &Row, item_count: u64) -> Self {
        Self::of_count(row, row.division.reduce_tiles.chunk_count(item_count))
    }

    /// A whole reduction of any number of items up to `most_items`.
    fn of_most(row: &Row, most_items: u64) -> Self {
        Self::of_count(row, row.division.reduce_tiles.most_chunks(most_items))
    }

    fn of_count(row: &Row, chunk_count: u64) -> Self {
        Self {
            part: Part::Whole,
            chunks: 0..chunk_count,
            state_words: chunk_count * row.division.accumulator_words,
        }
    }
}

impl Queue<'_> {
    /// Queues a reduction of `input`, or of as many items of it as the number at the first place of `count` says. Of no items the result is
    /// the operator's identity.
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
        // SAFETY: the check above found the items, the number and the caller's place for the result to be memory of the context, aligned and
        // apart; a `DeviceSlice` is as long as it says. A place of the library's own has room for any result. With a number, the plan is
        // for as many items as there may be.
        unsafe { self.launch_reduction(row, &plan, (input, count), to.address()) }
    }

    /// Queues a reduction of all of `input`, at least one item, to `output`. Nothing is checked.
    ///
    /// # Safety
    ///
    /// Items and result are what [`Self::reduce_piece`] wants, for all chunks.
    pub unsafe fn reduce_unchecked(
        &mut self,
        row: &'static Row,
        input: Span,
        output: Address,
    ) -> Result<()> {
        let plan = ReducePlan::whole(row, input.item_count as u64);
        // SAFETY: items and result are this function's condition, which is the same; there is no number.
        unsafe { self.launch_reduction(row, &plan, (input, None), output) }
    }

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
        // SAFETY: these are a reduction's arguments. Block `i` reads chunk `chunks.start + i`, and
        // the last one writes `output`: these can be read and written by the first condition. The kernel reads the number, by the
        // second, and takes the smaller of it and `item_count`. The workspace has the state words that the plan needs.
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
