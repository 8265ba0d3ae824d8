//! Launches of which only the device knows how many items they have: no more than a span's, and as many as a number in the device's
//! memory says.

use super::pieces::ReducePlan;
use super::{Queue, Span, check_reduce};
use crate::error::{Argument, Result};
use crate::gpu::{CallStream, Entered};
use crate::kernel::Row;

impl Queue<'_> {
    /// Queues a reduction of the first items of `input`, as many as the number at the first place of `count` says, to the first item of
    /// `output`.
    pub fn reduce_counted(
        &mut self,
        row: &'static Row,
        input: Span,
        count: Span,
        output: Span,
    ) -> Result<()> {
        check_reduce(input, output)?;
        self.check_count(count, output.first())?;
        if input.item_count > 0 {
            self.check_memory(Argument::Input, input)?;
        }
        self.check_memory(Argument::Output, output)?;
        let plan = ReducePlan::of_most(row, input.item_count as u64);
        // SAFETY: the items, the number and the result are memory of the context, of the lengths that their owner gave them, and the plan
        // is for as many items as there may be.
        unsafe { self.launch_reduction(row, &plan, (input, Some(count)), output.address) }
    }

    /// Queues a reduction of the first items of `input`, as many as the number at the first place of `count` says, to the place for the result
    /// of a call on this queue's stream.
    fn reduce_counted_for(
        &mut self,
        row: &'static Row,
        call: &CallStream,
        input: Span,
        count: Span,
    ) -> Result<()> {
        input.check_alignment(Argument::Input)?;
        let count = count.first_of_a_count()?;
        count.check_alignment(Argument::Count)?;
        if input.item_count > 0 {
            self.check_memory(Argument::Input, input)?;
        }
        self.check_memory(Argument::Count, count)?;
        let plan = ReducePlan::of_most(row, input.item_count as u64);
        // SAFETY: the items and the number are memory of the context, of the lengths that their owner gave them; the result has a place of
        // its own, and the plan is for as many items as there may be.
        unsafe { self.launch_reduction(row, &plan, (input, Some(count)), call.result()?) }
    }

    /// Checks the memory for a number of items, which lies apart from results.
    pub(super) fn check_count(&self, count: Span, results: Span) -> Result<()> {
        let count = count.first_of_a_count()?;
        count.check_alignment(Argument::Count)?;
        results.check_apart(count)?;
        self.check_memory(Argument::Count, count)
    }
}

/// Reduces the first items of `input`, as many as the number at the first place of `count` says, waits for the result, and writes it to these
/// bytes.
pub(crate) fn reduce_counted_to_host(
    entered: Entered<'_>,
    row: &'static Row,
    input: Span,
    count: Span,
    result: &mut [u8],
) -> Result<()> {
    let ((), call) = Queue::and_wait(entered, |queue, call| {
        queue.reduce_counted_for(row, call, input, count)
    })?;
    // SAFETY: the reduction is done.
    unsafe { call.read_result_to(result) }
}
