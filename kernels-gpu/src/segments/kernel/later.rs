//! Long rows whose chunks are combined by a later block.
//!
//! The chunks of a long row may belong to several blocks. If the block with the last chunk combined them, it would first wait for the other
//! blocks, and occupy a part of its multiprocessor meanwhile. So a block combines the rows that end in an earlier block, whose ticket is
//! [`LATER`] less than its own. By then, the values of all chunks of these rows have usually been published. For the last blocks of a
//! launch there is no later block. They also combine the rows that end in them.
//!
//! This is for [streamed](super::rows) rows of 2 to [`FAN`] whole chunks. If single warps combine [whole chunks](super::whole), chunk `c`
//! of the launch has slot `c` of the board. Otherwise a chunk has the slot of its window. The window in which a row's last chunk begins has
//! no chunk of a later row, since the last chunk reaches the window's end. So the value of each chunk, even of a row's last chunk, can be
//! published in the state words of the chunk's window.
//!
//! A block's last warp combines these rows. If chunks are combined from [pieces](super::rows), this warp has no window, and begins to
//! combine rows after the barrier that orders the writes of the pieces' values. The following times were measured on an H200 (2026-11-26),
//! before single warps combined whole chunks. `Moments` of 2^28 `f32` in rows of 65,536 took 284 µs when the last warp began after the
//! barrier. They took 297 µs when it found its rows and read their chunks' values before the barrier. They took 295 µs when it found its
//! rows before the barrier, and read the values after the barrier.

use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::tuning::LATER;
use crate::segments::{chunk_items, Task, FAN};
use crate::{simt, warp};

use super::chunks::Long;
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether a later block combines the rows, in a launch that has [streamed rows](Self::have_streams).
    #[inline(always)]
    pub fn settles_later(&self) -> bool {
        let row = self.offsets.row_items;
        let chunk = chunk_items::<T, O::Accumulator>();
        self.task == Task::Reduce
            && self.offsets.are_short_rows()
            && row > chunk
            && row <= FAN as u64 * chunk
            && row.is_multiple_of(chunk)
    }

    /// Combines the rows that end in the block [`LATER`] tickets before this one, if there is such a block. Then combines the rows that end
    /// in this block, if there is no block [`LATER`] tickets after this one.
    ///
    /// # Safety
    /// - Convergent: a whole warp, the only one of the block that calls this.
    /// - The header is written, and the launch [settles rows later](Self::settles_later).
    /// - The block's other warps publish the values of its chunks without waiting for this warp.
    #[inline(always)]
    pub unsafe fn settle_due(&self) {
        let offsets = &self.offsets;
        let chunk = chunk_items::<T, O::Accumulator>();
        let windows = self.windows_per_block as u64;
        // The distance from the diagonal at which a row begins to the diagonal at which its last chunk begins.
        let last = offsets.row_items - chunk;
        // SAFETY: the header is written, the whole warp is here, and the launch settles rows later, so rows have 2 to `FAN` whole chunks:
        // this function's conditions. Blocks with earlier tickets have started. All of them publish their values without waiting for this
        // warp, and so do this block's other warps. The rows that end in a block are combined once. If the block `LATER` tickets after it
        // has windows, that block combines them. Otherwise, the block in which they end combines them.
        unsafe {
            let own = self.window_number(0);
            let has_later = own + LATER as u64 * windows < self.window_count();
            for_each_due(own, LATER as u64 * windows, has_later, |first| {
                let begin = first << self.window_shift;
                let end = begin + (windows << self.window_shift);
                let row = offsets.border_of_rows(begin.saturating_sub(last));
                let stride = offsets.row_items + 1;
                self.settle_rows(row, stride, |row| row * stride + last < end);
            });
        }
    }

    /// Combines rows from row `row` on, until `is_due` is false for a row, or the launch has no more rows. The first chunk of row `r` has
    /// the slot of the window that contains diagonal `stride·r`. If chunk `c` of the launch has slot `c`, `stride` is the length of a row.
    /// If chunks have the slots of their windows, `stride` is the length of a row plus 1.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments. The tag is written. Rows have 2 to [`FAN`] whole chunks. The blocks with the
    /// chunks of these rows have started, and publish their values without waiting for this warp. Nobody else combines these rows.
    #[inline(always)]
    pub unsafe fn settle_rows(&self, mut row: u64, stride: u64, is_due: impl Fn(u64) -> bool) {
        let offsets = &self.offsets;
        let chunks = (offsets.row_items / chunk_items::<T, O::Accumulator>()) as u32;
        while row < offsets.segment_count && is_due(row) {
            let step = simt::opaque_one() as u64;
            let long = Long {
                diagonal: row * stride,
            };
            // SAFETY: the whole warp is here, since all lanes have the same `row`. The tag is written, the row has chunk `other`, and the
            // chunks' blocks have started (this function's conditions). The row belongs to the launch, and has a result (the launch's
            // condition 5), which only lane 0 writes. `delta` is a power of two, at most 8.
            unsafe {
                let other = Ord::min(simt::lane(), chunks - 1) as u64;
                let Some(mut value) = self.await_value(long, other, true) else {
                    return;
                };
                if simt::lane() >= chunks {
                    value = O::identity();
                }
                // All chunks are full. If their number is a power of two, both arguments of each combination that goes into the result have
                // equally many items. Otherwise, some arguments are the identity. On each lane whose value goes into the result, the first
                // argument of `combine` has earlier items than the second.
                let are_full = chunks.is_power_of_two();
                let mut delta = 1;
                while delta < chunks {
                    value = match are_full {
                        true => warp::join(value, delta, O::EQUAL_WORDS, O::combine_equal),
                        false => warp::join(value, delta, 0, O::combine),
                    };
                    delta *= 2 * simt::opaque_one() as u32;
                }
                if simt::lane() == 0 {
                    write_result!(O, T, self.output, row as usize, value);
                }
            }
            row += step;
        }
    }
}

/// Calls `settle` for the block that is `distance` before block `own`, if there is such a block. Then, unless `has_later`, calls `settle`
/// for block `own`. Blocks are numbered by their tickets, or by their first windows.
#[inline(always)]
pub fn for_each_due(own: u64, distance: u64, has_later: bool, settle: impl Fn(u64)) {
    let (mut block, mut is_due) = (own.wrapping_sub(distance), own >= distance);
    loop {
        if is_due {
            settle(block);
        }
        if block == own {
            return;
        }
        block = own;
        is_due = !has_later;
    }
}
