//! Reductions by key in one launch, which finds the runs and reduces them, and writes their first keys and starts. It is for few keys that
//! are equal exactly if their bytes are.

use warpfold_kernels::segments::tuning::KEYED_ITEMS_PER_BLOCK;
use warpfold_kernels::segments::{keyed_window_shift, window_count};

use super::{Keyed, Outputs, Starts};
use crate::error::Result;
use crate::kernel::Row;
use crate::launch::{ByKeyReduceWords, Made, Position, Queue, Span};

/// Whether a kernel that reduces or scans can compare the bytes of these keys: it loads vectors of 16 bytes, with 2 or 4 keys each.
pub(super) fn can_compare(keys: Span) -> bool {
    matches!(keys.item.bytes, 4 | 8) && keys.address.is_multiple_of(16)
}

impl Keyed {
    /// Queues a reduction in one launch. `row` is the operator's row for segments. Returns false, and queues nothing, if the operator has
    /// no kernel for it, or wide items and accumulators, if there are no keys or too many, if the kernel cannot compare the keys, or if the
    /// outputs have room for fewer runs than keys.
    ///
    /// # Safety
    ///
    /// The conditions of [`Self::queue_checked`].
    pub(super) unsafe fn reduce_at_once(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        outputs: Outputs,
        starts: Starts,
    ) -> Result<bool> {
        let key_count = self.keys.item_count;
        let has_room = self.room(Made::Reduction, outputs) == key_count
            && starts.numbers.item_count > key_count;
        let compares = self.chooser.compares_bytes && can_compare(self.keys);
        let (Some(row), true) = (row.by_key, key_count > 0 && has_room && compares) else {
            return Ok(false);
        };
        let row = row();
        let item_count = key_count as u64;
        let kernel = queue.entered.kernel(&row.entry)?;
        let resident_blocks = kernel.short.resident_blocks as u64;
        let division = row.division;
        if !division.short_runs_fit {
            return Ok(false);
        }
        let window_shift = keyed_window_shift(division.chunk_items, item_count, resident_blocks);
        let windows = window_count(item_count, window_shift);
        if windows > resident_blocks || item_count > KEYED_ITEMS_PER_BLOCK * resident_blocks {
            return Ok(false);
        }
        // A slot for each window's value, and a word for its heads.
        let state_words = windows * (division.accumulator_words + 1);
        let scratch = queue.scratch(Position::Whole, state_words)?;
        let mut arguments = ByKeyReduceWords {
            input: self.values.address,
            item_count,
            item_count_at: self.count.map_or(0, |count| count.address),
            keys: self.keys.address,
            key_bytes: self.keys.item.bytes as u64,
            control: scratch.control,
            states: scratch.states,
            state_words: scratch.state_words,
            output: outputs.results.address,
            first_keys: outputs.unique_keys.map_or(0, |keys| keys.address),
            starts: starts.numbers.address,
            start_bytes: starts.numbers.item.bytes as u64,
            run_count: starts.count.address,
            window_shift: window_shift.into(),
        };
        let block = kernel.short.block;
        // SAFETY: the words are those of a reduction by key. Keys, values and the number of keys can be read, and the results, first keys,
        // starts and their number can be written (this function's conditions); there is room for a run for each key, and short runs fit, as
        // checked above. The workspace has the state words, and there is a short block for each window.
        unsafe { queue.launch(Position::Whole, kernel, block, windows, arguments.list())? };
        Ok(true)
    }
}
