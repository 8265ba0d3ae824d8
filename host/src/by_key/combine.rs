//! The launch that reduces or scans the runs, whose heads an earlier launch has marked.

use std::mem::offset_of;

use warpfold_kernels::heads::{Layout, Summary};

use super::Keyed;
use crate::error::Result;
use crate::gpu::{LoadedKernel, Need, WorkspaceSpan};
use crate::kernel::Row;
use crate::launch::{ByKeyReduceWords, ByKeyScanWords, Made, Position, Queue, Span};

/// The kernel and the workspace of a launch on runs.
pub struct Prepared<'a> {
    kernel: &'a LoadedKernel,
    pub scratch: WorkspaceSpan,
    windows: u64,
}

impl<'a> Queue<'a> {
    /// Gets the kernel that reduces or scans runs of `values`, and a workspace that also has room for their heads.
    pub fn prepare_runs(
        &mut self,
        row: &'static Row,
        values: Span,
        is_backward: bool,
    ) -> Result<Prepared<'a>> {
        let item_count = values.item_count as u64;
        let need = Need {
            state_words: (row.division.segments_state_words)(item_count, 0),
            head_bytes: Layout::of(item_count).bytes,
        };
        Ok(Prepared {
            kernel: self.entered.kernel_in(&row.entry, is_backward)?,
            scratch: self.scratch_for(Position::Whole, need)?,
            windows: (row.division.window_count)(item_count, 0),
        })
    }

    /// Queues the reduction or the scan of each run.
    ///
    /// # Safety
    ///
    /// Until the work is done, in memory of this context and aligned for their types:
    ///
    /// - the values can be read. Work that is already queued marks the heads of as many items in the same direction, in the prepared
    ///   workspace, which nothing else uses since;
    /// - `output` has room for `room` results or, for a scan, for a result for each value, and overlaps none of these.
    pub unsafe fn combine_runs(
        &mut self,
        prepared: &Prepared<'a>,
        keyed: &Keyed,
        made: Made,
        output: Span,
        room: usize,
    ) -> Result<()> {
        let Prepared {
            kernel,
            scratch,
            windows,
        } = *prepared;
        // The launch that marks the heads writes the number of items.
        let item_count_at = match keyed.count {
            Some(_) => scratch.heads + offset_of!(Summary, item_count) as u64,
            None => 0,
        };
        // If all windows are worked on at once, blocks have more threads.
        let grid = match windows <= kernel.short.resident_blocks as u64 {
            true => kernel.short,
            false => kernel.long,
        };
        let (mut reduction, mut scan);
        let words = match made {
            Made::Reduction => {
                reduction = ByKeyReduceWords {
                    input: keyed.values.address,
                    item_count: keyed.values.item_count as u64,
                    item_count_at,
                    heads: scratch.heads,
                    control: scratch.control,
                    states: scratch.states,
                    state_words: scratch.state_words,
                    output: output.address,
                    result_count: room as u64,
                };
                reduction.list()
            }
            Made::Scan(order) => {
                scan = ByKeyScanWords {
                    input: keyed.values.address,
                    item_count: keyed.values.item_count as u64,
                    item_count_at,
                    heads: scratch.heads,
                    control: scratch.control,
                    states: scratch.states,
                    state_words: scratch.state_words,
                    output: output.address,
                    is_exclusive: u64::from(order.is_exclusive),
                };
                scan.list()
            }
        };
        // SAFETY: the words are the kernel's. The values can be read, their heads are marked, and there is room for the results (this
        // function's conditions). The workspace was prepared for as many values, and there is a block for each window.
        unsafe { self.launch(Position::Whole, kernel, grid.block, windows, words) }
    }
}
