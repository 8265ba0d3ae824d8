//! Reductions by key with the kernel for runs. The kernel writes the results and the number of runs. If there is an output for the first
//! keys, it also writes these keys. If there is an output for the starts of the runs, it also writes the starts.
//!
//! The reduction has only one launch, in which the kernel finds the heads of the runs itself, if all of this holds:
//!
//! - There are [few keys](KEYED_ITEMS_PER_BLOCK).
//! - Two keys are equal exactly if their bytes are equal.
//! - The kernel [can compare](can_compare) the keys.
//!
//! Otherwise an earlier launch [marks](super::heads) the heads.

use warpfold_kernels::segments::tuning::KEYED_ITEMS_PER_BLOCK;

use super::heads::{mark, need_of};
use super::{Keyed, Outputs, RunsTo};
use crate::error::Result;
use crate::gpu::{Entered, Form, LoadedKernel, Way, WindowNumbers, Windowed};
use crate::kernel::Row;
use crate::launch::{ByKeyReduceWords, Made, Position, Queue, Span, number_of};

/// Whether a kernel that reduces or scans can compare the bytes of these keys: it loads vectors of 16 bytes, with 2 or 4 keys each.
pub(super) fn can_compare(keys: Span) -> bool {
    matches!(keys.item.bytes, 4 | 8) && keys.address.is_multiple_of(16)
}

/// The arguments that depend on how a reduction is divided.
const NUMBERS: WindowNumbers = WindowNumbers {
    window_shift: number_of!(ByKeyReduceWords.window_shift),
    windows_per_block: None,
};

/// The kernels of a reduction, and how its work is divided.
pub(super) struct Plan<'a> {
    row: &'static Row,
    windowed: Windowed<'a>,
    /// The kernel that marks the heads of the runs; `None` if the reduction compares the keys itself.
    marker: Option<&'a LoadedKernel>,
}

impl Keyed {
    /// The plan of a call. `row` is the operator's row for segments. Each of these conditions means that there is no plan:
    ///
    /// - There are no keys.
    /// - The call is a scan.
    /// - The operator has no kernel for runs.
    /// - The first keys are wanted, and have a size that the kernel cannot copy.
    /// - The outputs have room for fewer runs than there are keys.
    pub(super) fn plan<'a>(
        &self,
        entered: Entered<'a>,
        row: &'static Row,
        made: Made,
        outputs: Outputs,
        starts: Option<Span>,
    ) -> Result<Option<Plan<'a>>> {
        let key_count = self.keys.item_count;
        let has_room = self.room(made, outputs) == key_count
            && starts.is_none_or(|starts| starts.item_count > key_count);
        let can_copy =
            outputs.unique_keys.is_none() || matches!(self.keys.item.bytes, 1 | 2 | 4 | 8);
        let is_suited = matches!(made, Made::Reduction) && key_count > 0 && has_room && can_copy;
        let (Some(row), Some(marker), true) = (row.by_key, self.marker, is_suited) else {
            return Ok(None);
        };
        let row = row();
        let item_count = key_count as u64;
        if marker.compares_bytes && can_compare(self.keys) {
            // At most `most_blocks` blocks are resident on the device. If the call has too many keys even for `most_blocks` blocks, the
            // kernel for few keys is not compiled.
            let most_blocks = entered.most_blocks();
            let is_few =
                |blocks| item_count <= KEYED_ITEMS_PER_BLOCK.min(row.division.chunk_items) * blocks;
            if is_few(most_blocks) {
                let form = self.form(Way::Keyed, outputs, starts);
                let windowed = entered.windowed(row, form, NUMBERS, item_count, 0)?;
                if is_few(windowed.kernel.short.resident_blocks as u64) {
                    return Ok(Some(Plan {
                        row,
                        windowed,
                        marker: None,
                    }));
                }
            }
        }
        let form = self.form(Way::Plain, outputs, starts);
        let windowed = entered.windowed(row, form, NUMBERS, item_count, 0)?;
        let marker = Some(entered.kernel(marker.entry)?);
        Ok(Some(Plan {
            row,
            windowed,
            marker,
        }))
    }

    /// The form of the kernel's text for a reduction with these outputs.
    fn form(&self, way: Way, outputs: Outputs, starts: Option<Span>) -> Form {
        let mut form = way.form();
        if way == Way::Keyed {
            form = form.with_known(number_of!(ByKeyReduceWords.heads), 0);
        }
        // If the kernel neither compares keys nor writes first keys, one text serves keys of all sizes.
        if way == Way::Keyed || outputs.unique_keys.is_some() {
            let bytes = self.keys.item.bytes as u64;
            form = form.with_known(number_of!(ByKeyReduceWords.key_bytes), bytes);
        }
        form.with_known_absence(
            number_of!(ByKeyReduceWords.item_count_at),
            self.count.is_none(),
        )
        .with_known_absence(
            number_of!(ByKeyReduceWords.first_keys),
            outputs.unique_keys.is_none(),
        )
        .with_known_absence(number_of!(ByKeyReduceWords.starts), starts.is_none())
    }

    /// Queues the launch or the two launches of a plan. The workspace is made ready before the first launch is queued.
    ///
    /// # Safety
    ///
    /// - The conditions of [`Self::select_and_combine`];
    /// - the plan was made for these arguments.
    pub(super) unsafe fn reduce_runs(
        &self,
        queue: &mut Queue<'_>,
        plan: &Plan<'_>,
        outputs: Outputs,
        to: RunsTo,
    ) -> Result<()> {
        let item_count = self.keys.item_count as u64;
        let compares_keys = plan.marker.is_none();
        let need = need_of(
            &plan.row.division,
            item_count,
            plan.windowed.window_shift,
            compares_keys,
        );
        let scratch = queue.scratch_for(Position::Whole, need)?;
        let mut reduction = ByKeyReduceWords {
            input: self.values.address,
            item_count,
            item_count_at: self.count.map_or(0, |count| count.address),
            heads: 0,
            keys: self.keys.address,
            key_bytes: self.keys.item.bytes as u64,
            control: scratch.control,
            states: scratch.states,
            state_words: scratch.state_words,
            output: outputs.results.address,
            first_keys: outputs.unique_keys.map_or(0, |keys| keys.address),
            starts: to.starts.map_or(0, |starts| starts.address),
            start_bytes: to.starts.map_or(4, |starts| starts.item.bytes as u64),
            run_count: to.count.address,
            window_shift: plan.windowed.window_shift.into(),
        };
        if let Some(marker) = plan.marker {
            let (keys, count) = (self.keys, self.count);
            // SAFETY: there is a key, since there is a plan (condition 2). Keys and their number can be read (condition 1). The workspace
            // has room for the heads of all keys.
            reduction.item_count_at =
                unsafe { mark(queue, marker, keys, count, false, scratch.heads)? };
            reduction.heads = scratch.heads;
        }
        let Windowed {
            kernel,
            grid,
            windows,
            ..
        } = plan.windowed;
        // SAFETY: the words are those of a reduction by key. Keys, values and the number of keys can be read, and the results, first keys,
        // starts and the number of runs can be written (condition 1). There is room for a run for each key (condition 2). The heads are
        // marked, or the kernel can compare the keys (condition 2). The workspace has the state words, and there is a block for each
        // window. The text knows only values that are among the words: the plan took them from the same arguments (condition 2).
        unsafe {
            queue.launch(
                Position::Whole,
                kernel,
                grid.block,
                windows,
                reduction.list(),
            )
        }
    }
}
