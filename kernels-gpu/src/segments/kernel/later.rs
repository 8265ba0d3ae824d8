//! Long rows whose chunks are combined later, by a block that need not wait.
//!
//! The chunks of a long row belong to several blocks, which run at the same time. The block with the row's last chunk would wait for the
//! others at its end, and hold its place on the multiprocessor meanwhile. So the rows that end in a block are combined by a later block,
//! [`LATER`] tickets on, when all values have been published. The last blocks of a launch have no such successor, and combine their own
//! rows too.
//!
//! This is for [streamed](super::rows) rows of whole chunks, at most sixteen. The last chunk of such a row fills its window, in which no
//! other row begins. So its value can be published in the window's state words, like the values of the other chunks.

use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::tuning::LATER;
use crate::segments::{chunk_items, Task, FAN};
use crate::{simt, warp};

use super::chunks::Long;
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether long rows are combined by a later block. The launch has streams.
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

    /// Combines the rows that end in the block [`LATER`] tickets before this one, if there is such a block.
    ///
    /// # Safety
    /// Convergent: a whole warp, and the only one of the block that calls this. The header is written, and the launch
    /// [settles rows later](Self::settles_later).
    #[inline(always)]
    pub unsafe fn settle_before(&self) {
        // SAFETY: the header is written, and the whole warp is here: this function's conditions. The earlier block has started, and does
        // not wait before it publishes its values. Only one block comes `LATER` tickets after it.
        unsafe {
            let first = self.window_number(0);
            let distance = LATER as u64 * self.windows_per_block as u64;
            if first >= distance {
                self.settle_rows(first - distance);
            }
        }
    }

    /// Combines the rows that end in this block, if no later block does so.
    ///
    /// # Safety
    /// The conditions of [`Self::settle_before`]. The block's other warps publish the values of its chunks without waiting for this warp.
    #[inline(always)]
    pub unsafe fn settle_own(&self) {
        // SAFETY: the header is written, and the whole warp is here: this function's conditions. The other warps publish the block's values,
        // and earlier blocks publish theirs. A block with windows would have to come `LATER` tickets after this one, and there is none.
        unsafe {
            let first = self.window_number(0);
            let distance = LATER as u64 * self.windows_per_block as u64;
            if first + distance >= self.window_count() {
                self.settle_rows(first);
            }
        }
    }

    /// Combines the rows whose last chunk begins in a block's windows, the first of which is window `first` of the launch.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same argument. The tag is written. The block with these windows has started, and publishes its
    /// values without waiting for this warp. Nobody else combines these rows.
    #[inline(always)]
    unsafe fn settle_rows(&self, first: u64) {
        let offsets = &self.offsets;
        let chunk = chunk_items::<T, O::Accumulator>();
        let begin = first * chunk;
        let end = begin + self.windows_per_block as u64 * chunk;
        // From the diagonal at which a row begins to that at which its last chunk begins.
        let last = offsets.row_items - chunk;
        let chunks = (offsets.row_items / chunk) as u32;
        let mut row = offsets.border_of_rows(begin.saturating_sub(last));
        while row < offsets.segment_count && row * (offsets.row_items + 1) + last < end {
            let step = simt::opaque_one() as u64;
            let long = Long {
                diagonal: row * (offsets.row_items + 1),
            };
            // SAFETY: the whole warp is here, since all lanes have the same `row`. The tag is written, and the row has the chunks. Blocks
            // with its earlier chunks have started before the block with the last one. The row belongs to the launch, and has a result (the
            // launch's condition 5), which only lane 0 writes.
            unsafe {
                let other = Ord::min(simt::lane(), chunks - 1) as u64;
                let Some(mut value) = self.await_value(long, other) else {
                    return;
                };
                if simt::lane() >= chunks {
                    value = O::identity();
                }
                let mut delta = 1;
                while delta < chunks {
                    value = O::combine(value, warp::shuffle_down(value, delta));
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
