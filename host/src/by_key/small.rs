//! Reductions by key in one launch, which finds the runs and reduces them. It is for few keys that are equal exactly if their bytes are.

use warpfold_kernels::segments::{window_count, window_shift};

use super::{Keyed, Outputs, Starts};
use crate::error::Result;
use crate::kernel::Row;
use crate::launch::{Made, Position, Queue, SegmentedReduceWords};

impl Keyed {
    /// Whether the outputs have room for a run for each key.
    pub(super) fn has_room_for_all(&self, outputs: Outputs, starts: Starts) -> bool {
        let key_count = self.keys.item_count;
        self.room(Made::Reduction, outputs) == key_count && starts.numbers.item_count > key_count
    }

    /// Queues the launch, if the keys are few and of the right type. Returns whether it did.
    pub(super) fn reduce_small(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        outputs: Outputs,
        starts: Starts,
    ) -> Result<bool> {
        let item_count = self.keys.item_count as u64;
        let env = |n: &str, d: u64| std::env::var(n).ok().and_then(|v| v.parse().ok()).unwrap_or(d);
        if !self.chooser.compares_bytes || !matches!(self.keys.item.bytes, 4 | 8) || !self.keys.address.is_multiple_of(16) || item_count == 0 || item_count > env("WF_ONE", 1 << 21) {
            return Ok(false);
        }
        let kernel = queue.entered.kernel(&row.entry)?;
        let resident_blocks = kernel.short.resident_blocks as u64;
        let most = resident_blocks * 4 / env("WF_BPS", 4);
        let window_shift = window_shift(row.division.chunk_items, item_count, most);
        let windows = window_count(item_count, window_shift);
        if windows > resident_blocks {
            return Ok(false);
        }
        // A slot for each window's value, and one for its heads.
        let state_words = windows * (row.division.accumulator_words + 1);
        let scratch = queue.scratch(Position::Whole, state_words)?;
        let mut arguments = SegmentedReduceWords {
            input: self.values.address,
            item_count,
            offsets: starts.numbers.address,
            offset_bytes: starts.numbers.item.bytes as u64,
            row_items: 0,
            segment_count: item_count,
            segment_count_at: starts.count.address,
            control: scratch.control,
            states: scratch.states,
            state_words: scratch.state_words,
            output: outputs.results.address,
            report: 0,
            windows_per_block: 1,
            window_shift: window_shift.into(),
            keys: self.keys.address,
            key_bytes: self.keys.item.bytes as u64,
            item_count_at: self.count.map_or(0, |count| count.address),
            first_keys: outputs.unique_keys.map_or(0, |keys| keys.address),
        };
        let block = kernel.short.block;
        // SAFETY: the words are those of a segmented reduction with keys. Keys, values and the number of keys can be read. All outputs have
        // room for a run for each key. The workspace has the state words, and there is a short block for each window.
        unsafe {
            queue.launch(Position::Whole, kernel, block, windows, arguments.list())?;
        }
        Ok(true)
    }
}
