//! Dense spans: the segments of a span in which many segments begin.
//!
//! Each warp takes [`LANE_SEGMENTS`] consecutive segments at a time, one on each lane. A lane reduces a segment of at most one leaf by
//! itself. The warp reduces longer segments one after the other, a chunk at a time: each lane reads the items of its leaves from global
//! memory. This is slower than with rings, and slower than with windows. But a launch has spans only if its segments are long on average,
//! so it has few segments for its dense spans.
//!
//! **Progress.** A warp combines a tail as soon as it has reduced it, so it may wait before it has published later chunks. But it waits
//! only for earlier chunks of the same segment. All of them belong to the same warp, which has published them, or to blocks with earlier
//! tickets. Each warp takes its chunks in order. So of all chunks that are waited for, the first one is always published, or refused.

use crate::element::{for_each_item, Element};
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::rings::*;
use crate::segments::{FAN, NARROW_CHUNK_ITEMS};
use crate::{simt, warp};

use super::super::chunks::Long;
use super::super::rings::Values;
use super::super::Launch;
use super::reach::{Reach, CHUNK_SHIFT, LANE_SEGMENTS};

/// A lane's segment.
#[derive(Clone, Copy)]
struct Own {
    /// The segment's number. It may wrap on a lane that has no segment.
    segment: u64,
    /// The segment's items: the first, and one past the last.
    begin: u64,
    stop: u64,
    /// The number of the segment's first chunk in the span.
    index: u32,
    /// How many of the segment's chunks are in the span. 0 on a lane without a segment, and if the segment is empty.
    count: u32,
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Reduces the segments of a dense span.
    ///
    /// # Safety
    /// Convergent: the whole block. [`Self::begin_span`] has written the header, and a barrier has followed. The span is dense, and no
    /// thread uses the block's shared memory beyond the header.
    #[inline(always)]
    pub unsafe fn reduce_dense_span(&self) {
        let warp = simt::warp();
        // SAFETY: the whole block is here, so all threads reach the barriers. The other branches depend on ballots and on numbers that all
        // lanes of a warp have, so they go the same way on all lanes. The ticket and the first border are written: this function's
        // conditions. The header has the third border. A barrier comes between its write and its reads, and another one between the last
        // `or_shared` and the read by warp 0. Each warp takes other segments.
        unsafe {
            if warp == 0 {
                let end = self.search_end();
                if simt::lane() == 0 {
                    self.border(2).write(end);
                }
            }
            // Orders the write of the span's end before all threads' reads.
            simt::barrier();
            let first = simt::read_shared(self.border(0));
            let reach = self.reach(first, simt::read_shared(self.border(2)));
            let mut base = first.wrapping_sub(1);
            base = base.wrapping_add((warp * LANE_SEGMENTS) as u64);
            while base.wrapping_add(1) <= reach.end {
                let step = simt::opaque_one() as u64;
                let is_done = match self.own(reach, base) {
                    Some(own) => self.reduce_own(reach, &own),
                    None => false,
                };
                if !is_done {
                    self.refuse();
                    break;
                }
                base = base.wrapping_add(step * (LANE_SEGMENTS * RING_WARPS) as u64);
            }
            // Orders the warps' notes of published windows before the read by warp 0.
            simt::barrier();
            if warp == 0 {
                self.publish_others();
            }
        }
    }

    /// The lane's segment. Lane 0 has segment `base`, and the other lanes have the segments after it. `None` on all lanes if the offsets
    /// are wrong.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same `base`.
    #[inline(always)]
    unsafe fn own(&self, reach: Reach, base: u64) -> Option<Own> {
        let [from, upto] = reach.diagonals;
        let lane = simt::lane();
        let segment = base.wrapping_add(lane as u64);
        // SAFETY: the whole warp is here: this function's condition.
        let [begin, stop] = unsafe { self.own_offsets(base) };
        // This segment begins before the span.
        let is_outer = segment.wrapping_add(1) == reach.first;
        let exists = lane < LANE_SEGMENTS && segment < reach.end;
        let start = begin.wrapping_add(segment);
        let is_wrong = (begin > stop)
            | (stop > self.offsets.item_count)
            | ((start < from) != is_outer)
            | (start >= upto);
        // SAFETY: the whole warp is here: this function's condition.
        if unsafe { simt::ballot(exists & is_wrong) } != 0 {
            return None;
        }
        let chunks_to = |end: u64, from: u64| end.wrapping_sub(from).div_ceil(NARROW_CHUNK_ITEMS);
        let skipped = match is_outer {
            true => chunks_to(from, start),
            false => 0,
        };
        let count = match exists {
            true => {
                Ord::min(chunks_to(stop, begin), chunks_to(upto, start)).saturating_sub(skipped)
            }
            false => 0,
        };
        Some(Own {
            segment,
            begin,
            stop,
            index: skipped as u32,
            count: count as u32,
        })
    }

    /// Reduces the lanes' segments, and notes which windows get a value. Returns false if a value is missing because offsets are refused.
    ///
    /// # Safety
    /// Convergent: the whole warp. `own` is a result of [`Self::own`] for the same `reach`, so the segments' items exist. No other warp has
    /// these segments. [`Self::begin_span`] has written the header, and nobody else uses the warp's ring and values.
    #[inline(always)]
    unsafe fn reduce_own(&self, reach: Reach, own: &Own) -> bool {
        let (_, values) = self.ring_of(simt::warp());
        let length = own.stop.wrapping_sub(own.begin);
        let begins = own.segment >= reach.first && own.segment < reach.end;
        let is_short = begins && simt::lane() < LANE_SEGMENTS && length <= FAN as u64;
        // SAFETY: the whole warp is here, and the items exist: this function's conditions. All lanes have the same numbers in the loops, so
        // the branches there go the same way on all lanes. A segment that exists has a result (the launch's condition 5), and no other lane
        // or warp has this segment. The board has a slot for each window (condition 6), and a window's value is published by the one chunk
        // of the window that is not its segment's last. The segment's earlier chunks are in the launch's windows.
        unsafe {
            self.note_published(reach, own);
            if is_short {
                let value = self.fold_leaf_of_input(own.begin, length as u32, 0);
                write_result!(O, T, self.output, own.segment as usize, value);
            }
            let mut lanes = simt::ballot(own.count > 0 && !is_short);
            while lanes != 0 {
                let step = simt::opaque_one() as u32;
                let lane = lanes.trailing_zeros();
                let segment = warp::shuffle_from(own.segment, lane);
                let begin = warp::shuffle_from(own.begin, lane);
                let stop = warp::shuffle_from(own.stop, lane);
                let mut index = simt::shuffle_from(own.index, lane);
                let upto = index + simt::shuffle_from(own.count, lane);
                let long = Long {
                    diagonal: begin + segment,
                };
                while index < upto {
                    let before = (index as u64) << CHUNK_SHIFT;
                    let rest = stop - (begin + before);
                    let is_last = rest <= NARROW_CHUNK_ITEMS;
                    let items = Ord::min(rest, NARROW_CHUNK_ITEMS) as u32;
                    let value = self.fold_input(values, begin + before, items, before);
                    let at = [index as u64, 1];
                    let Some(value) = self.combine_before(long, at, is_last, value, None) else {
                        return false;
                    };
                    if simt::lane() == 0 {
                        if is_last {
                            write_result!(O, T, self.output, segment as usize, value);
                        } else {
                            self.board()
                                .publish(self.slot_of(long, index as u64), value);
                        }
                    }
                    index += step;
                }
                lanes &= lanes - 1;
            }
        }
        true
    }

    /// Sets a bit in the header for each window of the span for which one of the lanes has a chunk that is not its segment's last.
    ///
    /// # Safety
    /// Convergent: the whole warp. [`Self::begin_span`] has written the header.
    #[inline(always)]
    unsafe fn note_published(&self, reach: Reach, own: &Own) {
        let far = (own.index as u64 + own.count as u64) << CHUNK_SHIFT;
        let upto = own.begin.wrapping_add(far);
        let published = own.count.saturating_sub((upto >= own.stop) as u32);
        let mut bits = 0;
        if published > 0 {
            let first = own.begin + own.segment + ((own.index as u64) << CHUNK_SHIFT);
            let window = (first - reach.diagonals[0]) >> CHUNK_SHIFT;
            bits = ((1_u32 << published) - 1) << window;
        }
        // SAFETY: the whole warp is here, and the word is in shared memory: this function's conditions.
        unsafe {
            let bits = warp::or(bits);
            if simt::lane() == 0 {
                simt::or_shared(&raw mut (*self.header).waits_in_vain, bits);
            }
        }
    }

    /// Publishes the identity for the span's windows that have no chunk to publish. If all blocks have read the same offsets, none of them
    /// waits for these values. A block that has read other offsets may wait for them.
    ///
    /// # Safety
    /// Convergent: the whole warp. All warps of the block have noted which windows get a value.
    #[inline(always)]
    unsafe fn publish_others(&self) {
        let window = simt::lane();
        // SAFETY: the notes are written: this function's condition. The board has a slot for each of the launch's windows (the launch's
        // condition 6), and nobody else publishes a window without a note.
        unsafe {
            let noted = simt::read_shared(&raw const (*self.header).waits_in_vain);
            let number = self.window_number(window);
            let exists = window < self.windows_per_block && number < self.window_count();
            if exists && noted >> window & 1 == 0 {
                self.board().publish(number as u32, O::identity());
            }
        }
    }

    /// The fold of `count` items from item `first` on, at most 16. `index` is the index of the first item.
    ///
    /// # Safety
    /// The items exist.
    #[inline(always)]
    unsafe fn fold_leaf_of_input(&self, first: u64, count: u32, index: u64) -> O::Accumulator {
        let mut value = O::identity();
        let from = self.input.wrapping_add(first as usize);
        for_each_item!(I of u8 => {
            if (I as u32) < count {
                // SAFETY: the item exists (this function's condition), so it is readable (the launch's condition 2).
                let item = unsafe { from.add(I).read() };
                value = O::combine(value, O::lift_at(item, index + I as u64));
            }
        });
        value
    }

    /// The value of a chunk of `items` items, at least 1, from item `first` on. `index` is the index of the first item. Every lane gets the
    /// value.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments. The items exist. Nobody else uses the warp's `values`.
    #[inline(always)]
    unsafe fn fold_input(
        &self,
        values: Values<O::Accumulator>,
        first: u64,
        items: u32,
        index: u64,
    ) -> O::Accumulator {
        // SAFETY: the items exist, and the whole warp is here, with the same arguments: this function's conditions. There is room for the
        // values of a chunk's leaves. Warp barriers order the writes of the values before their reads, and these reads before the writes
        // for the next chunk.
        unsafe {
            let mut place = simt::lane() * FAN;
            while place < items {
                let step = simt::opaque_one() as u32;
                let (far, count) = (place as u64, Ord::min(items - place, FAN));
                let value = self.fold_leaf_of_input(first + far, count, index + far);
                values.address(place / FAN).write(value);
                place += step * STEP_ITEMS;
            }
            simt::warp_barrier();
            let value = Self::fold_chunk(values, items);
            simt::warp_barrier();
            value
        }
    }
}
