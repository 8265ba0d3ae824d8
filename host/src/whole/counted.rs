//! Launches of which only the device knows how many items they have: no more than a span's, and as many as a number in the device's
//! memory says.

use super::pieces::ReducePlan;
use crate::error::{Argument, Result};
use crate::gpu::{CallStream, Entered};
use crate::kernel::Row;
use crate::launch::{Queue, Region, Span};

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
        self.check(&[
            Some(Region::read(Argument::Input, input)),
            Some(Region::count(count)),
            Some(Region::written(Argument::Output, output, 1)),
        ])?;
        let plan = ReducePlan::of_most(row, input.item_count as u64);
        // SAFETY: the check above found the items, the number and the place of the result to be memory of the context, aligned and
        // apart; a `DeviceSlice` is as long as it says. The plan is for as many items as there may be.
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
        self.check(&[
            Some(Region::read(Argument::Input, input)),
            Some(Region::count(count)),
        ])?;
        let plan = ReducePlan::of_most(row, input.item_count as u64);
        // SAFETY: the check above found the items and the number to be memory of the context, aligned; the result has a place of its own,
        // in page-locked memory. The plan is for as many items as there may be.
        unsafe { self.launch_reduction(row, &plan, (input, Some(count)), call.result()?) }
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
    let mut call = entered.ordered_call()?;
    Queue::for_caller(entered, &call).reduce_counted_for(row, &call, input, count)?;
    call.wait()?;
    // SAFETY: the reduction is done.
    unsafe { call.read_result_to(result) }
}
