//! Reductions of pairs, whose values are in two arrays.

use std::ops::Range;

use warpfold_kernels::arguments::ReducePairsArguments;
use warpfold_kernels::contract::reduce_chunk_count;
use warpfold_kernels::op::Pair;
use warpfold_kernels::workspace::{Control, reduce_state_words};

use super::pieces::Part;
use super::{Queue, Span, all_chunks, check_lengths};
use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::gpu::{CallStream, Entered};
use crate::kernel::{Item, Kernel, kind};

/// Pairs in the device's memory: the addresses of the values of the first.
#[derive(Clone, Copy)]
pub(crate) struct PairSpan {
    pub left: Address,
    pub right: Address,
    pub item_count: usize,
}

impl PairSpan {
    /// The pairs of two arrays, which have to be equally long.
    pub fn new(left: Span, right: Span) -> Result<Self> {
        check_lengths(left.item_count, right.item_count)?;
        Ok(Self {
            left: left.address,
            right: right.address,
            item_count: left.item_count,
        })
    }

    /// Either array.
    fn spans(self) -> [Span; 2] {
        [self.left, self.right].map(|address| Span {
            address,
            item_count: self.item_count,
        })
    }
}

impl Queue<'_> {
    /// Queues a reduction of at least one pair to the first item of `output`.
    pub fn reduce_pairs<O, A, B>(&mut self, pairs: PairSpan, output: Span) -> Result<()>
    where
        A: Item,
        B: Item,
        O: Kernel<kind::reduce_pairs, Pair<A, B>>,
    {
        self.check_pairs::<A, B>(pairs)?;
        output.check_alignment::<O::Output>(Argument::Output)?;
        let [left, right] = pairs.spans();
        output.first().check_apart::<O::Output, A>(left)?;
        output.first().check_apart::<O::Output, B>(right)?;
        self.check_memory(Argument::Output, output)?;
        // SAFETY: all are memory of the context, of the lengths that their owner gave them; all chunks at once.
        unsafe {
            self.reduce_pairs_piece::<O, A, B>(
                pairs,
                all_chunks::<Pair<A, B>>(pairs.item_count),
                output.address,
            )
        }
    }

    /// Queues a reduction of at least one pair to the place for the result of a call on this queue's stream.
    fn reduce_pairs_for<O, A, B>(&mut self, call: &CallStream, pairs: PairSpan) -> Result<()>
    where
        A: Item,
        B: Item,
        O: Kernel<kind::reduce_pairs, Pair<A, B>>,
    {
        self.check_pairs::<A, B>(pairs)?;
        let result = call.result()?;
        // SAFETY: the inputs are memory of the context, of the lengths that their owner gave them, and the result has a place of
        // its own; all chunks at once.
        unsafe {
            self.reduce_pairs_piece::<O, A, B>(
                pairs,
                all_chunks::<Pair<A, B>>(pairs.item_count),
                result,
            )
        }
    }

    fn check_pairs<A: Item, B: Item>(&self, pairs: PairSpan) -> Result<()> {
        let [left, right] = pairs.spans();
        left.check_alignment::<A>(Argument::Input)?;
        right.check_alignment::<B>(Argument::Input)?;
        self.check_memory(Argument::Input, left)?;
        self.check_memory(Argument::Input, right)
    }

    /// Queues the part of a reduction of pairs that has these chunks; the last part writes the result to `output`.
    ///
    /// # Safety
    ///
    /// That of [`Self::reduce_piece`], of both inputs.
    pub unsafe fn reduce_pairs_piece<O, A, B>(
        &mut self,
        pairs: PairSpan,
        chunks: Range<u64>,
        output: Address,
    ) -> Result<()>
    where
        A: Item,
        B: Item,
        O: Kernel<kind::reduce_pairs, Pair<A, B>>,
    {
        let kernel = self.entered.kernel(O::entry())?;
        let item_count = pairs.item_count as u64;
        let part = Part::new(&chunks, reduce_chunk_count::<Pair<A, B>>(item_count));
        let state_words = reduce_state_words::<Pair<A, B>, O::Accumulator>(item_count);
        let scratch = self.scratch(part, state_words)?;
        let mut arguments = ReducePairsArguments::<A, B, O::Output> {
            left: pairs.left as *const A,
            right: pairs.right as *const B,
            item_count,
            first_chunk: chunks.start,
            control: scratch.control as *mut Control,
            states: scratch.states as *mut u64,
            state_words: scratch.state_words,
            output: output as *mut O::Output,
        };
        let pointers = &mut arguments.pointers();
        let blocks = chunks.end - chunks.start;
        // SAFETY: these are the arguments of a reduction of pairs. Block `i` reads chunk `chunks.start + i` of either input, and
        // the last one writes `output`: the caller answers for all. The rest is the stream's workspace, with the state words that
        // were asked for.
        unsafe { self.launch(part, &kernel, kernel.long.block, blocks, pointers) }
    }
}

/// Reduces at least one pair, and waits for the result.
pub(crate) fn reduce_pairs_to_host<O, A, B>(
    entered: Entered<'_>,
    pairs: PairSpan,
) -> Result<O::Output>
where
    A: Item,
    B: Item,
    O: Kernel<kind::reduce_pairs, Pair<A, B>>,
{
    let ((), call) = Queue::and_wait(entered, |queue, call| {
        queue.reduce_pairs_for::<O, A, B>(call, pairs)
    })?;
    // SAFETY: the reduction is done.
    unsafe { call.read_result() }
}
