//! Launches of which only the device knows how many items they have: no more than a span's, and as many as a number in the device's
//! memory says.

use warpfold_kernels::arguments::ReduceArguments;
use warpfold_kernels::contract::reduce_most_chunks;
use warpfold_kernels::workspace::{Control, reduce_most_state_words};

use super::pieces::Part;
use super::{Queue, Span, check_reduce, overlap};
use crate::error::{Argument, Result};
use crate::kernel::{Item, Kernel, kind};

impl Queue<'_> {
    /// Queues a reduction of the first items of `input`, as many as the number at the first place of `count` says, to the first item of
    /// `output`.
    pub fn reduce_counted<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        input: Span,
        count: Span,
        output: Span,
    ) -> Result<()> {
        check_reduce::<T, O::Output>(input, output)?;
        let result = output.first();
        self.check_count::<O::Output>(count, result)?;
        if input.item_count > 0 {
            self.check_memory(Argument::Input, input)?;
        }
        self.check_memory(Argument::Output, output)?;
        let kernel = self.entered.kernel(O::entry())?;
        let item_count = input.item_count as u64;
        let state_words = reduce_most_state_words::<T, O::Accumulator>(item_count);
        let scratch = self.scratch(Part::Whole, state_words)?;
        let mut arguments = ReduceArguments::<T, O::Output> {
            input: input.address as *const T,
            item_count,
            item_count_at: count.address as *const u64,
            first_chunk: 0,
            control: scratch.control as *mut Control,
            states: scratch.states as *mut u64,
            state_words: scratch.state_words,
            output: output.address as *mut O::Output,
        };
        let pointers = &mut arguments.pointers();
        let blocks = reduce_most_chunks::<T>(item_count);
        // SAFETY: these are a reduction's arguments. The items, the number and the result are memory of the context, of the lengths
        // that their owner gave them; however large the number is, no other item is read. The rest is the stream's workspace, with
        // state words for as many items as there may be.
        unsafe { self.launch(Part::Whole, &kernel, kernel.long.block, blocks, pointers) }
    }

    /// Checks the memory for a number of items, which lies apart from results of type `R`.
    pub(super) fn check_count<R>(&self, count: Span, results: Span) -> Result<()> {
        let count = count.first_of_a_count()?;
        count.check_alignment::<u64>(Argument::Count)?;
        if count.overlaps::<u64, R>(results) {
            return Err(overlap(count, results));
        }
        self.check_memory(Argument::Count, count)
    }
}
