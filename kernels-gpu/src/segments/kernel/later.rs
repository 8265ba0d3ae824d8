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

    /// Combines the rows that end in the block [`LATER`] tickets before this one, if there is such a block. Then it combines the rows that
    /// end in this block, if no later block will do so.
    ///
    /// # Safety
    /// Convergent: a whole warp, and the only one of the block that calls this. The header is written, and the launch
    /// [settles rows later](Self::settles_later). The block's other warps publish the values of its chunks without waiting for this warp.
    #[inline(always)]
    pub unsafe fn settle_due(&self) {
        let distance = LATER as u64 * self.windows_per_block as u64;
        // SAFETY: the header is written, and the whole warp is here: this function's conditions. The earlier block has started, and
        // publishes its values without waiting; and so do this block's other warps. Only one block comes `LATER` tickets after another. If
        // that block has no windows, it does not exist.
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
                // A chunk is full. So all values have equally many items, unless some are the identity.
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
