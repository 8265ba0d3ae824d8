//! Long rows whose chunks are combined by a later block.
//!
//! The chunks of a long row belong to several blocks, which run at the same time. If the block with the last chunk combined them, it would
//! first wait for the other blocks, and keep its place on the multiprocessor meanwhile. So a block combines the rows that ended in an
//! earlier block, [`LATER`] tickets before. By then all their values have usually been published. For the last blocks of a launch there is
//! no later block. They also combine the rows that end in them.
//!
//! This is for [streamed](super::rows) rows of 2 to [`FAN`] whole chunks. The last chunk of such a row reaches its window's end, so no
//! other row begins there. The chunk's value is published in the window's state words, like the values of the other chunks.
//!
//! A block's last warp has no window, so it combines these rows. It begins after the block's last barrier. `Moments` of 2^28 `f32` in rows
//! of 65,536 took 284 µs on an H200 (2026-11-26). They took 297 µs if that warp found its rows and read their values before the barrier.
//! They took 295 µs if it found the rows before the barrier, and read the values after it.

use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::tuning::LATER;
use crate::segments::{chunk_items, Task, FAN};
use crate::{simt, warp};

use super::chunks::Long;
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether a later block combines the rows, in a launch that [has streams](Self::have_streams).
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

    /// Combines the rows that end in the block [`LATER`] tickets before this one, if there is such a block. Then it combines the rows that
    /// end in this block, if there is no block [`LATER`] tickets after it.
    ///
    /// # Safety
    /// - Convergent: a whole warp, the only one of the block that calls this.
    /// - The header is written, and the launch [settles rows later](Self::settles_later).
    /// - The block's other warps publish the values of its chunks without waiting for this warp.
    #[inline(always)]
    pub unsafe fn settle_due(&self) {
        let distance = LATER as u64 * self.windows_per_block as u64;
        // SAFETY: the header is written, and the whole warp is here: this function's conditions. Blocks with earlier tickets have started.
        // All of them publish their values without waiting for this warp, and so do this block's other warps. The rows of a block are
        // combined once: by the block `LATER` tickets after it, or by itself if the launch has no windows that far on.
        unsafe {
            let own = self.window_number(0);
            let (mut first, mut is_due) = (own.wrapping_sub(distance), own >= distance);
            loop {
                if is_due {
                    self.settle_rows(first);
                }
                if first == own {
                    return;
                }
                first = own;
                is_due = own + distance >= self.window_count();
            }
        }
    }

    /// Combines the rows whose last chunk begins in a block's windows, the first of which is window `first` of the launch.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same argument. The tag is written. The block with these windows has started, and publishes its
    /// values without waiting for this warp; so do all earlier blocks. Nobody else combines these rows.
    #[inline(always)]
    unsafe fn settle_rows(&self, first: u64) {
        let offsets = &self.offsets;
        let chunk = chunk_items::<T, O::Accumulator>();
        let begin = first << self.window_shift;
        let end = begin + ((self.windows_per_block as u64) << self.window_shift);
        // The distance from the diagonal at which a row begins to the diagonal at which its last chunk begins.
        let last = offsets.row_items - chunk;
        let chunks = (offsets.row_items / chunk) as u32;
        let mut row = offsets.border_of_rows(begin.saturating_sub(last));
        while row < offsets.segment_count && row * (offsets.row_items + 1) + last < end {
            let step = simt::opaque_one() as u64;
            let long = Long {
                diagonal: row * (offsets.row_items + 1),
            };
            // SAFETY: the whole warp is here, since all lanes have the same `row`. The tag is written, and the row has the chunks. Blocks
            // with earlier chunks started before the block with the last chunk. The row belongs to the launch, and has a result (the
            // launch's condition 5), which only lane 0 writes. `delta` is a power of two, at most 8.
            unsafe {
                let other = Ord::min(simt::lane(), chunks - 1) as u64;
                let Some(mut value) = self.await_value(long, other) else {
                    return;
                };
                if simt::lane() >= chunks {
                    value = O::identity();
                }
                // All chunks are full. If their number is a power of two, all values that go into the result have equally many items.
                // Otherwise, some are the identity. On each lane whose value goes into the result, the items of the left value come first.
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
