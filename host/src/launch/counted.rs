//! Launches of which only the device knows how many items they have: no more than a span's, and as many as a number in the device's
//! memory says.

use super::pieces::ReducePlan;
use super::{Queue, Span, check_reduce};
use crate::error::{Argument, Result};
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

    /// Checks the memory for a number of items, which lies apart from results.
    pub(super) fn check_count(&self, count: Span, results: Span) -> Result<()> {
        let count = count.first_of_a_count()?;
        count.check_alignment(Argument::Count)?;
        results.check_apart(count)?;
        self.check_memory(Argument::Count, count)
    }
}
