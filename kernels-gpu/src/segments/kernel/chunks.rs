//! Segments that several blocks share: the values that blocks publish for each other.

use crate::contract::WARP_LANES;
use crate::element::{Accumulator, Element};
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::{chunk_items, Task, Window, FAN, NODE_ITEMS};
use crate::thread::for_each_vector;
use crate::{simt, warp};

use super::Launch;

/// A segment of which several values are published: those of its chunks. If segments start at heads, the values of its nodes are published,
/// and nodes take the place of chunks in this file.
#[derive(Clone, Copy)]
pub struct Long {
    /// The diagonal at which the segment begins. In two cases, this is the number of the segment's first item instead: if segments start at
    /// heads, or if chunk `c` of the launch has slot `c` of the board (see `later`).
    pub diagonal: u64,
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Combines the tail of each of the block's windows with earlier chunks, if [`Window::is_combined`] says so. If such a tail is its
    /// segment's last chunk, writes the segment's result. Otherwise publishes the combined value.
    ///
    /// # Safety
    /// Convergent: the whole warp 0 of the block. The header and the values of tails are written.
    #[inline(always)]
    pub unsafe fn settle(&self) {
        let mut number = 0;
        while number < self.windows_per_block {
            let step = simt::opaque_one() as u32;
            // SAFETY: the whole warp is here, and the header and the tails' values are written: this function's conditions. Warp 0 alone
            // settles windows. `number < windows_per_block`. The branch depends on shared memory and ballots, so it goes the same way on
            // all lanes.
            unsafe {
                let window = self.window(number);
                if window.is_combined() && !self.settle_window(number, &window) {
                    self.refuse();
                    return;
                }
            }
            number += step;
        }
    }

    /// The segment of a window's tail.
    #[inline(always)]
    fn long(&self, window: &Window) -> Long {
        Long {
            diagonal: window.begin + window.segment,
        }
    }

    /// As [`Self::settle`], for one window whose tail [must be combined](Window::is_combined) with earlier chunks. Returns false if a value
    /// is missing because offsets are refused.
    ///
    /// # Safety
    /// Convergent: the whole warp 0 of the block. The header is written, `window` is the block's window `number`, and the value of its tail
    /// is written. Nobody else settles the window.
    #[inline(always)]
    pub unsafe fn settle_window(&self, number: u32, window: &Window) -> bool {
        // SAFETY: the whole warp is here, and the header and the tail's value are written: this function's conditions. `combine_before`
        // returns `None` on all lanes or on none, so they leave together. Lane 0 alone writes. The segment belongs to the launch, and has a
        // result (the launch's condition 5). The board has a slot for the window (condition 6), which nobody else publishes.
        unsafe {
            let long = self.long(window);
            let is_last = window.is_last != 0;
            let tail = self.tail(number).read();
            let at = [window.index, 1];
            let Some(value) = self.combine_before(long, at, is_last, tail, None) else {
                return false;
            };
            if simt::lane() == 0 {
                if is_last && self.task == Task::Reduce {
                    write_result!(O, T, self.output, window.segment as usize, value);
                } else if !is_last {
                    let number = self.window_number(number) as u32;
                    self.board().publish(number, value);
                }
            }
        }
        true
    }

    /// The value of a chunk, combined with earlier chunks of its segment. The segment's chunks form groups of sixteen, counted from its
    /// start. If the chunk is the last of its group, the group is combined. If the chunk is also the last of 256 chunks, the results of
    /// their sixteen groups are combined, and so on. If the chunk is the segment's last (`is_last`), the last group of every level is
    /// combined, even if it has fewer than sixteen values. `None` if a value is missing because offsets are refused.
    ///
    /// The chunk has number `place`, and `stride` is 1. Or `value` is that of the last group so far of `stride` chunks, and this group has
    /// number `place`. Either there is no `known` value, or it is that of the last group that is combined with `value`.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments. The tag is written. The segment's earlier chunks are in the launch's windows.
    #[inline(always)]
    pub unsafe fn combine_before(
        &self,
        long: Long,
        [mut place, mut stride]: [u64; 2],
        is_last: bool,
        mut value: O::Accumulator,
        mut known: Option<O::Accumulator>,
    ) -> Option<O::Accumulator> {
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
                let lane = Ord::min(simt::lane(), before - 1);
                let other = (place - before as u64 + lane as u64 + 1) * stride - 1;
                let is_known = known.is_some() && lane == before - 1;
                // SAFETY: the whole warp is here (this function's condition), and all lanes have the same `place` and `stride`: so they
                // wait, shuffle and leave together. The tag is written, and chunk `other` is an earlier chunk of the segment.
                unsafe {
                    let mut partial = self.await_value(long, other, !is_known)?;
                    if let Some(known) = known {
                        partial = if is_known { known } else { partial };
                    }
                    known = None;
                    value = match O::PAIRS_SIXTEENS || Self::IS_EXACT {
                        true => Self::combine_lanes(partial, before, value),
                        false => O::combine(Self::fold_lanes(partial, before), value),
                    };
                }
            }
            place /= FAN as u64;
            stride *= FAN as u64 * step;
        }
    }

    /// The left fold of the values of the first `count` lanes. `count` is at least 1. Every lane gets the result.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same `count`.
    #[inline(always)]
    pub unsafe fn fold_lanes(values: O::Accumulator, count: u32) -> O::Accumulator {
        // SAFETY: the whole warp is here, with the same `count`: this function's condition.
        unsafe {
            let first = warp::shuffle_from(values, 0);
            Self::combine_with_lanes(first, values, 1, count - 1)
        }
    }

    /// Combines `value` with the values of `count` lanes, one after the other. Lane `first` is the first of these lanes. Narrow values come
    /// four at a time from their lanes, so that a combination rarely waits for a shuffle.
    ///
    /// On an H200 (2026-11-27), scans by key of 2^20 `f32` in runs by a power law took 11.1 µs with one value at a time, and take 10.6 µs.
    /// Sums of 2^24 `f32` in segments of 65,536 took 23.7 µs, and take 23.0 µs. With eight at a time, scans by key spill 8 bytes.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same `first` and `count`.
    #[inline(always)]
    pub unsafe fn combine_with_lanes(
        mut value: O::Accumulator,
        values: O::Accumulator,
        first: u32,
        count: u32,
    ) -> O::Accumulator {
        // SAFETY: the whole warp is here, with the same arguments (this function's condition), and the lanes' numbers are less than 32.
        let of_lane = |lane: u32| unsafe { warp::shuffle_from(values, lane % WARP_LANES) };
        let mut place = 0;
        while place < count {
            let step = simt::opaque_one() as u32;
            if O::Accumulator::IS_WIDE {
                value = O::combine(value, of_lane(first + place));
                place += step;
                continue;
            }
            let mut next = [O::identity(); 4];
            for_each_vector!(K in 0 1 2 3 => { next[K] = of_lane(first + place + K as u32); });
            for_each_vector!(K in 0 1 2 3 => {
                if place + (K as u32) < count {
                    value = O::combine(value, next[K]);
                }
            });
            place += 4 * step;
        }
        value
    }

    /// Combines the values of the first `before` lanes, followed by the value `after`, in the pairwise order. `before` is at most sixteen.
    /// Every lane gets the result.
    ///
    /// # Safety
    /// Convergent: the whole warp.
    #[inline(always)]
    pub unsafe fn combine_lanes(
        partial: O::Accumulator,
        before: u32,
        after: O::Accumulator,
    ) -> O::Accumulator {
        let lane = simt::lane();
        let mut value = O::identity();
        if lane < before {
            value = partial;
        }
        if lane == before {
            value = after;
        }
        // SAFETY: the whole warp is here: the same condition as this function's.
        unsafe { warp::shuffle_from(warp::reduce_in_order::<O, T>(value), 0) }
    }

    /// The prefix of a window's tail, combined from published values. `None` if a value is missing because offsets are refused.
    ///
    /// # Safety
    /// Convergent: the whole warp. The tag is written, and `window` is one of the block's windows, with a tail.
    #[inline(always)]
    pub unsafe fn value_before(&self, window: &Window) -> Option<O::Accumulator> {
        let long = self.long(window);
        let fan_bits = FAN.trailing_zeros();
        let mut bits = 0;
        while window.index >> bits >= FAN as u64 {
            bits += fan_bits * simt::opaque_one() as u32;
        }
        let mut value = O::identity();
        loop {
            let step = simt::opaque_one() as u32;
            let place = window.index >> bits;
            let before = (place % FAN as u64) as u32;
            if before > 0 {
                let lane = Ord::min(simt::lane(), before - 1) as u64;
                let other = ((place - before as u64 + lane + 1) << bits) - 1;
                // SAFETY: the whole warp is here (this function's condition), and all lanes have the same `place`: so they wait, shuffle
                // and leave together. The tag is written, and chunk `other` is an earlier chunk of the segment.
                unsafe {
                    let partial = self.await_value(long, other, true)?;
                    value = Self::combine_with_lanes(value, partial, 0, before);
                }
            }
            if bits == 0 {
                return Some(value);
            }
            bits -= fan_bits * step;
        }
    }

    /// The slot of the board that has the value of a segment's chunk `chunk`.
    #[inline(always)]
    pub fn slot_of(&self, long: Long, chunk: u64) -> u32 {
        let slot = match self.starts_at_heads {
            true => long.diagonal / NODE_ITEMS + chunk,
            false => {
                let diagonal = long.diagonal + chunk * chunk_items::<T, O::Accumulator>();
                diagonal >> self.window_shift
            }
        };
        slot as u32
    }

    /// Waits until the value of each lane's chunk is published, for the lanes with `waits`. The other lanes may get any value. `None` on
    /// all lanes if a value is missing because offsets are refused.
    ///
    /// # Safety
    /// Convergent: the whole warp. The tag is written. The segment has chunk number `chunk`, in one of the launch's windows.
    #[inline(always)]
    pub unsafe fn await_value(
        &self,
        long: Long,
        chunk: u64,
        waits: bool,
    ) -> Option<O::Accumulator> {
        let slot = self.slot_of(long, chunk);
        // SAFETY: the tag is written: this function's condition.
        let board = unsafe { self.board() };
        loop {
            // SAFETY: the chunk is in one of the launch's windows (this function's condition), so the board has its slot (the launch's
            // condition 6). The whole warp takes part in the ballots, since all lanes leave the loop together. `control` belongs to the
            // workspace.
            unsafe {
                let (value, is_published) = board.read::<O::Accumulator>(slot);
                if simt::ballot(waits && !is_published) == 0 {
                    return Some(value);
                }
                // Heads are never refused.
                if !self.starts_at_heads {
                    let fault = simt::load_word(&raw const (*self.control).fault);
                    if simt::ballot(fault == board.tag() as u64) != 0 {
                        return None;
                    }
                }
            }
        }
    }
}
