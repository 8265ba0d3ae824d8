//! Blocks whose chunks are long: each warp that has a ring takes whole chunks, and copies their items through its ring (see
//! [`rings`](super::rings)).
//!
//! If few segments begin in a block's windows, the block's chunks have many leaves. If the whole block worked on one window after the
//! other, its warps would wait for each other several times in each window: after they copied the items, after they folded the leaves, and
//! after they folded the nodes. So a reduction with rings takes another way if a block's windows have at least [`STEP_ITEMS`] diagonals for
//! each segment that begins in them. If the block has one window, at least `LEAST_SEGMENTS` segments must also begin in it. The warps take
//! the block's chunks in turn, with no barrier of the block between chunks. There are no starts and no slots.
//!
//! Sums of 2^28 `f32` in segments of 1,024 and of 65,536 took 252 and 254 µs on an H200 (2026-11-26). When the block worked on one window
//! after the other, they took 274 and 256 µs. Since then, all copies begin at rows, and a warp computes once for each chunk what it had
//! computed for each step. Now these sums take 242 and 247 µs (2026-11-27).
//!
//! First, warp 0 finds and checks all chunks of the block, one on each lane (see `deal`). So no lane has to describe windows and
//! works for the whole block, as [`write_windows`](Launch::write_windows) does. Sums of `f32` on an H200, in µs (2026-11-27,
//! `warpfold-bench shapes`); blocks have one window up to 2^22 items, and three windows above:
//!
//! | | 2^20, segments of 1,024 | 2^22 | 2^24 | 2^26 | 2^24, segments of 65,536 | 2^26 |
//! |---|---|---|---|---|---|---|
//! | one lane describes each window | 4.8 | 6.9 | 23.9 | 69.7 | 24.1 | 70.2 |
//! | warp 0 finds the chunks | 4.4 | 6.4 | 23.7 | 70.1 | 24.6 | 71.2 |
//! | each warp finds all chunks | 4.4 | 7.1 | 22.9 | 68.2 | 23.5 | 69.6 |
//!
//! (With the code of the last row, or with both ways in one kernel, launches without long chunks took 0.05 to 0.15 µs more.)
//!
//! In one variant, the warps of a block with few chunks shared the steps of each chunk, so that no warp was idle. It was slower: the
//! threads spilled 20 bytes, and sums of 2^28 `f32` in segments of 1,024 and of 65,536 both took 274 µs (2026-11-27).
//!
//! With three windows, a block has three long chunks if segments are very long. So one of its four warps is idle. In another variant,
//! blocks had four windows in launches with long segments. Sums of 2^24 and of 2^28 `f32` in segments of 65,536 took 20.6 and 248 µs,
//! instead of 23.1 and 251 (2026-11-27). But a block whose chunks are not long then has four windows too. The header has room for all their
//! works only if a work takes 40 bytes instead of 56, and its other fields are computed. Then all other reductions and scans by offsets
//! took 3 to 5 % longer. When such a block took its windows in two rounds instead, the threads spilled at least 64 bytes.

mod deal;

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::op::Op;
use crate::segments::rings::*;
use crate::segments::{Task, FAN};
use crate::{simt, warp};

use super::rings::Values;
use super::Launch;

/// A block with one window has long chunks only if this many segments, or more, begin in it. With fewer, there may be too few chunks for
/// the warps.
const LEAST_SEGMENTS: u64 = 3;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether the block's chunks are long, and go through rings.
    ///
    /// # Safety
    /// The borders are written.
    #[inline(always)]
    pub unsafe fn has_long_chunks(&self) -> bool {
        if !has_rings::<O, T>() || self.task == Task::Scan {
            return false;
        }
        // SAFETY: the borders are written: this function's condition.
        let segments = unsafe { self.segments_begun() };
        let windows = self.windows_per_block as u64;
        segments << STEP_SHIFT <= windows << self.window_shift
            && (windows > 1 || segments >= LEAST_SEGMENTS)
    }

    /// Reduces the block's chunks, which are long, and writes the block's windows and the values of their tails to the header. Returns
    /// false on all threads if the block refuses the offsets. If it returns true, a barrier has followed the last of these writes.
    ///
    /// # Safety
    /// Convergent: the whole block. [`Self::begin`] has written the ticket, the tag and the borders, and the block's chunks [are
    /// long](Self::has_long_chunks). No thread uses the block's shared memory beyond the header.
    #[inline(always)]
    pub unsafe fn reduce_long_chunks(&self) -> bool {
        // The number of a block's warps is a power of two.
        let warps = Ord::min(self.threads() / WARP_LANES, RING_WARPS);
        // SAFETY: the whole block is here, and the conditions are this function's. The return depends on shared memory, so all threads
        // return or none. The other branches go the same way on all lanes of a warp. A barrier comes between the writes of the chunks and
        // their reads.
        unsafe {
            if simt::warp() == 0 {
                self.deal();
            }
            // Orders the writes of the chunks and windows, or of a refusal, before all threads' reads.
            simt::barrier();
            if self.is_refused() {
                return false;
            }
            if simt::warp() < warps {
                self.take_long_chunks(warps);
            }
            // Orders the writes of tails' values before the reads by the warp that combines them.
            simt::barrier();
        }
        true
    }

    /// Reduces those of the block's chunks that the calling warp takes. `warps` is the number of warps that take chunks.
    ///
    /// # Safety
    /// Convergent: the whole warp, whose number is less than `warps`. `warps` is at most [`RING_WARPS`]. [`Self::deal`] has written the
    /// chunks and windows. No other warp takes the warp's chunks. No thread uses the block's shared memory beyond the header.
    #[inline(always)]
    unsafe fn take_long_chunks(&self, warps: u32) {
        // A bit for each lane whose chunk the warp takes: the lane with the warp's number, and every `warps`-th lane after it.
        let mut own = 1_u32 << simt::warp();
        let mut far = warps;
        while far < WARP_LANES {
            own |= own << far;
            far *= 2 * simt::opaque_one() as u32;
        }
        // SAFETY: the chunks are written: this function's condition.
        let dealt = unsafe { self.dealt() };
        let slot_bytes = const { slot_bytes::<T>() as u32 };
        let (ring, values) = self.ring_of(simt::warp());
        // SAFETY: the whole warp is here, so the branches go the same way on all lanes. The ring and the values are in the block's shared
        // memory (`has_rings`), and belong to the warp. A slot's copies are done before the slot's step is folded:
        // `await_copies_before_last` waits for all copies, except those to the other slot. New copies to a slot begin only after all lanes
        // have read the slot: the loop's second barrier orders this. The items of a dealt chunk exist. `finish_dealt` is called once for
        // each chunk with items, by the chunk's lane of the warp that takes the chunk.
        unsafe {
            let mut to_fold = own & simt::ballot(dealt.about.items() > 0);
            let mut to_bring = to_fold;
            // Of the chunk that is being copied: the first item that is left, how many items are left, the first item's place in its row,
            // and whether all items of the chunk's vectors exist.
            let (mut first, mut left, mut before, mut exist) = (0, 0, 0, false);
            let mut bring = |slot: u32| {
                if left == 0 && to_bring != 0 {
                    let chunk = to_bring.trailing_zeros();
                    let about = dealt.about.on_lane(chunk);
                    first = warp::shuffle_from(dealt.first, chunk);
                    (left, before) = (about.items(), about.before());
                    exist = self.vectors_exist(first, left, before);
                    to_bring &= to_bring - 1;
                }
                let count = Ord::min(left, STEP_ITEMS);
                if left > 0 && exist {
                    self.bring_vectors_of(ring, slot, first, count, before);
                } else if left > 0 {
                    let all = self.offsets.item_count;
                    self.bring_each_of(ring, slot, first, count, before, all);
                }
                first += STEP_ITEMS as u64;
                left -= count;
                simt::end_copies();
            };
            let mut slot = 0;
            while slot < SLOTS * slot_bytes {
                bring(slot);
                slot += slot_bytes * simt::opaque_one() as u32;
            }
            let mut slot = 0;
            while to_fold != 0 {
                let one = simt::opaque_one() as u32;
                let chunk = to_fold.trailing_zeros();
                let about = dealt.about.on_lane(chunk);
                let (items, before) = (about.items(), about.before());
                let first_index = self.index_of(about);
                let mut folded = 0;
                while folded < items {
                    simt::await_copies_before_last();
                    // Orders the other lanes' copies before the reads below. Orders the reads of the values of an earlier chunk before the
                    // writes below.
                    simt::warp_barrier();
                    let place = folded + simt::lane() * FAN;
                    let index = first_index + place as u64;
                    let value = if items - folded >= STEP_ITEMS {
                        self.fold_slot(ring, slot, before, index)
                    } else {
                        let count = Ord::min(items.saturating_sub(place), FAN);
                        self.fold_part(ring, slot, before, count, index)
                    };
                    if place < items {
                        values.address(place / FAN).write(value);
                    }
                    // Orders the reads of the slot before the copies below, and the writes of the leaves' values before the reads by
                    // `fold_chunk`.
                    simt::warp_barrier();
                    bring(slot);
                    folded += STEP_ITEMS * one;
                    slot = SLOTS / 2 * slot_bytes - slot;
                }
                let value = Self::fold_chunk(values, items);
                if simt::lane() == chunk {
                    self.finish_dealt(about, value);
                }
                to_fold &= to_fold - 1;
            }
        }
    }

    /// Computes the value of a chunk of `items` items from its leaves' values. Every lane gets the chunk's value.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments. The values are written, and belong to the warp. There is at least one item.
    #[inline(always)]
    unsafe fn fold_chunk(values: Values<O::Accumulator>, items: u32) -> O::Accumulator {
        let lane = simt::lane();
        let leaves = items.div_ceil(FAN);
        let nodes = leaves.div_ceil(FAN);
        // SAFETY: the whole warp is here, and the values are written: this function's conditions. A node has 1 to 16 leaves, and there are
        // 1 to 16 nodes.
        unsafe {
            let mut value = O::identity();
            if lane < nodes {
                let first = lane * FAN;
                value = Self::fold_consecutive(values, first, Ord::min(leaves - first, FAN));
            }
            if nodes == 1 {
                return warp::shuffle_from(value, 0);
            }
            Self::fold_lanes(value, nodes)
        }
    }
}
