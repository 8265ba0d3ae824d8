//! The chunks of segments that several blocks have: what they tell each other.

use crate::element::Element;
use crate::op::Op;
use crate::segments::{chunk_items, FAN};
use crate::{simt, warp};

use super::Launch;

/// A segment that is longer than a chunk.
#[derive(Clone, Copy)]
struct Long {
    segment: u64,
    /// The diagonal at which it begins.
    diagonal: u64,
}

impl Long {
    /// The window in which a chunk begins.
    #[inline(always)]
    fn window<T>(&self, chunk: u64) -> u32 {
        (self.diagonal / chunk_items::<T>() + chunk) as u32
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Tells the value of a chunk that is not its segment's last, or writes the result of one that is.
    ///
    /// # Safety
    /// Convergent: the whole warp 0 of the block. The values in the header are written.
    #[inline(always)]
    pub unsafe fn settle(&self) {
        let is_first_lane = simt::lane() == 0;
        // SAFETY: the caller's. What decides is the same on all lanes.
        unsafe {
            let (window, board) = (self.window(), self.board());
            if window.is_cut != 0 && is_first_lane {
                let cut = (&raw const (*self.header).cut).read();
                board.publish(window.number, cut);
            }
            if window.has_tail == 0 {
                return;
            }
            let long = Long {
                segment: window.tail_segment,
                diagonal: window.tail_begin + window.tail_segment,
            };
            let is_last = window.tail_is_last != 0;
            let tail = (&raw const (*self.header).tail).read();
            let combined = self.combine_before(long, window.tail_index, is_last, tail);
            if !is_first_lane {
                return;
            }
            match combined {
                Some(value) if is_last => {
                    let result = O::lower(value);
                    self.output.add(long.segment as usize).write(result);
                }
                Some(value) => board.publish(window.number, value),
                None => self.refuse(),
            }
        }
    }

    /// The value of a chunk combined with what stands before it, as far as it is the last of sixteen, of 256, …, or of its
    /// segment. Nothing, if the offsets are refused.
    ///
    /// # Safety
    /// Convergent: the whole warp.
    #[inline(always)]
    unsafe fn combine_before(
        &self,
        long: Long,
        chunk: u64,
        is_last: bool,
        mut value: O::Accumulator,
    ) -> Option<O::Accumulator> {
        let (mut place, mut stride) = (chunk, 1);
        loop {
            let step = simt::opaque_one() as u64;
            let before = (place % FAN as u64) as u32;
            let goes_on = if is_last {
                place > 0
            } else {
                before == FAN - 1
            };
            if !goes_on {
                return Some(value);
            }
            if before > 0 {
                let lane = Ord::min(simt::lane(), before - 1) as u64;
                let other = (place - before as u64 + lane + 1) * stride - 1;
                // SAFETY: the caller's. All lanes have the same place and stride.
                unsafe {
                    let partial = self.await_value(long, other)?;
                    let mut folded = warp::shuffle_from(partial, 0);
                    let mut lane = 1;
                    while lane < before {
                        let step = simt::opaque_one() as u32;
                        folded = O::combine(folded, warp::shuffle_from(partial, lane));
                        lane += step;
                    }
                    value = O::combine(folded, value);
                }
            }
            place /= FAN as u64;
            stride *= FAN as u64 * step;
        }
    }

    /// The value that each lane's chunk tells. Nothing, if the offsets are refused.
    ///
    /// # Safety
    /// Convergent: the whole warp.
    #[inline(always)]
    unsafe fn await_value(&self, long: Long, chunk: u64) -> Option<O::Accumulator> {
        let window = long.window::<T>(chunk);
        // SAFETY: the header is written.
        let board = unsafe { self.board() };
        loop {
            // SAFETY: the caller's; the board has a slot for each window.
            unsafe {
                let (value, is_told) = board.read::<O::Accumulator>(window);
                if simt::ballot(!is_told) == 0 {
                    return Some(value);
                }
                let fault = simt::load_word(&raw const (*self.control).fault);
                if simt::ballot(fault == board.tag() as u64) != 0 {
                    return None;
                }
            }
        }
    }
}
