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

/// Consecutive rows that a warp combines, one after the other.
#[derive(Clone, Copy)]
pub struct Due {
    /// The next of them.
    row: u64,
    /// The diagonal before which they begin.
    end: u64,
}

impl Due {
    /// No rows.
    pub const NOTHING: Self = Self { row: 0, end: 0 };
}

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

    /// The rows that end in the block [`LATER`] tickets before this one, if there is such a block.
    ///
    /// # Safety
    /// The header is written, and the launch [settles rows later](Self::settles_later).
    #[inline(always)]
    pub unsafe fn rows_due(&self) -> Due {
        // SAFETY: the header is written: this function's condition.
        let own = unsafe { self.window_number(0) };
        match own.checked_sub(self.windows_later()) {
            Some(first) => self.rows_that_end(first),
            None => Due::NOTHING,
        }
    }

    /// Combines the rows that are due. Then it combines the rows that end in this block, if no later block will do so.
    ///
    /// # Safety
    /// Convergent: a whole warp, the only one of the block that calls this. The conditions of [`Self::rows_due`], which has returned `due`.
    /// The block's other warps publish the values of its chunks without waiting for this warp.
    #[inline(always)]
    pub unsafe fn settle_due(&self, mut due: Due) {
        // SAFETY: the header is written, and the whole warp is here, with the same rows: this function's conditions. The earlier block has
        // started, and publishes its values without waiting; and so do this block's other warps. Only one block comes `LATER` tickets after
        // another. If that block has no windows, it does not exist.
        unsafe {
            let own = self.window_number(0);
            let mut is_next = own + self.windows_later() >= self.window_count();
            loop {
                let diagonal = due.row * (self.offsets.row_items + 1);
                if due.row < self.offsets.segment_count && diagonal < due.end {
                    if !self.settle_row(due.row, Long { diagonal }) {
                        return;
                    }
                    due.row += simt::opaque_one() as u64;
                } else if is_next {
                    is_next = false;
                    due = self.rows_that_end(own);
                } else {
                    return;
                }
            }
        }
    }

    /// The number of windows of [`LATER`] blocks.
    #[inline(always)]
    fn windows_later(&self) -> u64 {
        LATER as u64 * self.windows_per_block as u64
    }

    /// The rows whose last chunk begins in a block's windows, the first of which is window `first` of the launch.
    #[inline(always)]
    fn rows_that_end(&self, first: u64) -> Due {
        let chunk = chunk_items::<T, O::Accumulator>();
        let begin = first * chunk;
        let end = begin + self.windows_per_block as u64 * chunk;
        // From the diagonal at which a row begins to that at which its last chunk begins.
        let last = self.offsets.row_items - chunk;
        Due {
            row: self.offsets.border_of_rows(begin.saturating_sub(last)),
            end: end.saturating_sub(last),
        }
    }

    /// Combines a row's chunks. Returns false if another block has stopped the launch.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same row, which is one of the launch's and is described by `long`. The tag is written. The
    /// blocks with the row's chunks have started, and publish their values without waiting for this warp. Nobody else combines this row.
    #[inline(always)]
    unsafe fn settle_row(&self, row: u64, long: Long) -> bool {
        let chunks = (self.offsets.row_items / chunk_items::<T, O::Accumulator>()) as u32;
        // SAFETY: the whole warp is here. The tag is written, and the row has the chunks. `delta` is a power of two, at most 8. The row has a
        // result (the launch's condition 5), which only lane 0 writes.
        unsafe {
            let chunk = Ord::min(simt::lane(), chunks - 1) as u64;
            let Some(mut value) = self.await_value(long, chunk) else {
                return false;
            };
            if simt::lane() >= chunks {
                value = O::identity();
            }
            // Chunks are full. So all values have equally many items, unless some are the identity.
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
        true
    }
}
