//! Launches of which only the device knows how many items they have: no more than a span's, and as many as a number in the device's
//! memory says.

use warpfold_kernels::contract::reduce_most_chunks;
use warpfold_kernels::workspace::reduce_most_state_words;

use super::pieces::Part;
use super::{Queue, Span, check_reduce};
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
        self.check_count::<O::Output>(count, output.first())?;
        if input.item_count > 0 {
            self.check_memory(Argument::Input, input)?;
        }
        self.check_memory(Argument::Output, output)?;
        let item_count = input.item_count as u64;
        let chunks = 0..reduce_most_chunks::<T>(item_count);
        let state_words = reduce_most_state_words::<T, O::Accumulator>(item_count);
        let counted = (input, Some(count));
        // SAFETY: the items, the number and the result are memory of the context, of the lengths that their owner gave them, and there are
        // chunks and state words for as many items as there may be.
        unsafe {
            self.reduce_chunks::<O, T>(Part::Whole, counted, chunks, state_words, output.address)
        }
    }

    /// Checks the memory for a number of items, which lies apart from results of type `R`.
    pub(super) fn check_count<R>(&self, count: Span, results: Span) -> Result<()> {
        let count = count.first_of_a_count()?;
        count.check_alignment::<u64>(Argument::Count)?;
        results.check_apart::<R, u64>(count)?;
        self.check_memory(Argument::Count, count)
    }
}
