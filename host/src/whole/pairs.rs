//! Reductions of pairs, whose values are in two arrays.

use std::ops::Range;

use super::Destination;
use super::reduce::ReducePlan;
use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::kernel::Row;
use crate::launch::{Queue, ReducePairsWords, Region, Span, check_lengths};

/// Pairs in the device's memory: two arrays of the same length.
#[derive(Clone, Copy)]
pub(crate) struct PairSpan {
    pub left: Span,
    pub right: Span,
}

impl PairSpan {
    /// The pairs of two arrays, which have to be equally long.
    pub fn new(left: Span, right: Span) -> Result<Self> {
        check_lengths(left.item_count, right.item_count)?;
        Ok(Self { left, right })
    }

    pub fn item_count(self) -> usize {
        self.left.item_count
    }

    fn regions(self) -> [Option<Region>; 2] {
        [self.left, self.right].map(|values| Some(Region::read(Argument::Input, values)))
    }
}

impl Queue<'_> {
    /// Queues a reduction of pairs. The result for no pairs is the operator's identity, lowered.
    pub fn reduce_pairs(
        &mut self,
        row: &'static Row,
        pairs: PairSpan,
        to: Destination,
    ) -> Result<()> {
        let [left, right] = pairs.regions();
        self.check(&[left, right, to.region(Argument::Output)])?;
        let item_count = pairs.item_count() as u64;
        if item_count == 0 {
            return self.write_lowered(row, None, to.address());
        }
        let chunks = 0..row.division.reduce_tiles.chunk_count(item_count);
        // SAFETY: each span has memory for `item_count` items. `check` found that both inputs are aligned memory of the context. The result
        // goes to memory of the caller or of the library. For the caller's memory, `check` found that it is aligned memory of the context
        // and overlaps no input. The library's memory is aligned, and has room for any result (conditions 1 to 3). All chunks are in one
        // launch.
        unsafe { self.reduce_pairs_piece(row, pairs, chunks, to.address()) }
    }

    /// Queues one part of a reduction of pairs: the part that consists of `chunks`. The last part writes the result to `output`.
    ///
    /// # Safety
    ///
    /// Until the work is done,
    ///
    /// - the values of these chunks' pairs are memory that the device reads in this context. In each of the two arrays, values are counted
    ///   from the array's address. No other value need exist;
    /// - if this is the last part, `output` is memory for a result that the device writes in this context, and does not overlap the values;
    /// - all addresses are aligned for their types.
    ///
    /// For a correct result, the parts are queued as [`Self::reduce_piece`] says.
    pub unsafe fn reduce_pairs_piece(
        &mut self,
        row: &'static Row,
        pairs: PairSpan,
        chunks: Range<u64>,
        output: Address,
    ) -> Result<()> {
        debug_assert_eq!(pairs.left.item_count, pairs.right.item_count);
        debug_assert!(output.is_multiple_of(row.result.alignment as u64));
        let item_count = pairs.item_count() as u64;
        let ReducePlan {
            part,
            chunks,
            state_words,
        } = ReducePlan::of_chunks(row, item_count, chunks);
        let kernel = self.entered.kernel(&row.entry)?;
        let scratch = self.scratch(part, state_words)?;
        let mut arguments = ReducePairsWords {
            left: pairs.left.address,
            right: pairs.right.address,
            item_count,
            first_chunk: chunks.start,
            control: scratch.control,
            states: scratch.states,
            state_words: scratch.state_words,
            output,
        };
        let blocks = chunks.end - chunks.start;
        // SAFETY: the words are those of a reduction of pairs. Block `i` reads chunk `chunks.start + i` of each input (condition 1), and
        // the last part writes `output` (condition 2). All addresses are aligned (condition 3). The workspace has the state words of the
        // plan, and there is a block for each chunk.
        unsafe { self.launch(part, kernel, kernel.long.block, blocks, arguments.list()) }
    }
}
