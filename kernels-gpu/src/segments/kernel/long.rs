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
//! after the other, they took 274 and 256 µs.
//!
//! Each warp with a ring finds all chunks of the block: each of its lanes has at most one chunk, finds the chunk's start and end, and
//! checks them. All these warps find the same chunks, unless other work rewrites the offsets meanwhile. Even then, only one warp takes a
//! chunk with a given number, and only this warp writes the chunk's result. If a warp refuses the offsets of a chunk, the warp leaves, and
//! the block stops at its next barrier.

use crate::contract::WARP_LANES;
use crate::element::{item_of, Element};
use crate::op::Op;
use crate::segments::rings::*;
use crate::segments::{vector_items, Task, FAN, NARROW_CHUNK_ITEMS, VECTOR_BYTES};
use crate::thread::Access;
use crate::{simt, warp};

use super::rings::{place_of_vector, Values};
use super::Launch;

/// A block with one window has long chunks only if this many segments, or more, begin in it. With fewer, there may be too few chunks for
/// the warps.
const LEAST_SEGMENTS: u64 = 3;

/// The chunks of a block, one on each lane.
#[derive(Clone, Copy)]
struct Dealt {
    /// The number of the chunk's first item.
    first: u64,
    /// How many items the chunk has; 0 if the lane has no chunk.
    items: u32,
    /// The first item's place in its vector.
    before: u32,
    /// The number of the chunk's work in the block, and the number of the chunk in this work.
    work: u32,
    chunk: u32,
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether the block's chunks are long, and go through rings. Then there are at most as many chunks as a warp has lanes.
    ///
    /// # Safety
    /// The header is written.
    #[inline(always)]
    pub unsafe fn has_long_chunks(&self) -> bool {
        if !has_rings::<O, T>() || self.task == Task::Scan {
            return false;
        }
        // SAFETY: the borders are written with the header: this function's condition.
        let segments = unsafe { self.segments_begun() };
        let windows = self.windows_per_block as u64;
        segments << STEP_SHIFT <= windows << self.window_shift
            && (windows > 1 || segments >= LEAST_SEGMENTS)
    }

    /// Reduces the block's chunks, which are long. Refuses offsets that do not ascend.
    ///
    /// # Safety
    /// Convergent: the whole block. The header is written, and the block's chunks [are long](Self::has_long_chunks). No thread uses the
    /// block's shared memory beyond the header.
    #[inline(always)]
    pub unsafe fn reduce_long_chunks(&self) {
        // The number of a block's warps is a power of two.
        let warps = Ord::min(self.threads() / WARP_LANES, RING_WARPS);
        if simt::warp() >= warps {
            return;
        }
        // A bit for each lane whose chunk the warp takes: the lane with the warp's number, and every `warps`-th lane after it.
        let mut own = 1_u32 << simt::warp();
        let mut far = warps;
        while far < WARP_LANES {
            own |= own << far;
            far *= 2 * simt::opaque_one() as u32;
        }
        // SAFETY: the whole warp is here, so the branches go the same way on all lanes. The header is written, and there are at most as
        // many chunks as lanes (this function's condition). Each chunk belongs to one warp.
        let Some(dealt) = (unsafe { self.deal(own) }) else {
            return;
        };
        let slot_bytes = const { slot_bytes::<T>() as u32 };
        let (ring, values) = self.ring_of(simt::warp());
        // SAFETY: as above. The ring and the values are in the block's shared memory (`has_rings`), and belong to the warp. A slot's copies
        // are done before the slot's step is folded: `await_copies_before_last` waits for all copies, except those to the other slot. New
        // copies to a slot begin only after all lanes have read the slot: the loop's second barrier orders this. The items of a dealt chunk
        // exist. `finish` is called by one lane for each chunk with items, since each chunk belongs to one warp.
        unsafe {
            let mut to_fold = own & simt::ballot(dealt.items > 0);
            let (mut to_bring, mut brought) = (to_fold, 0);
            let mut bring = |slot: u32| {
                if to_bring != 0 {
                    let chunk = to_bring.trailing_zeros();
                    let items = simt::shuffle_from(dealt.items, chunk);
                    let before = simt::shuffle_from(dealt.before, chunk);
                    let first = warp::shuffle_from(dealt.first, chunk) + brought as u64;
                    let count = Ord::min(items - brought, STEP_ITEMS);
                    let all = self.offsets.item_count;
                    self.bring_step(ring, slot, first, count, before, all);
                    brought += STEP_ITEMS;
                    if brought >= items {
                        to_bring &= to_bring - 1;
                        brought = 0;
                    }
                }
                simt::end_copies();
            };
            let mut slot = 0;
            while slot < SLOTS * slot_bytes {
                bring(slot);
                slot += slot_bytes * simt::opaque_one() as u32;
            }
            let (mut slot, mut folded) = (0, 0);
            while to_fold != 0 {
                let one = simt::opaque_one() as u32;
                simt::await_copies_before_last();
                // Orders the other lanes' copies before the reads below. Orders the reads of the values of an earlier chunk before the
                // writes below.
                simt::warp_barrier();
                let chunk = to_fold.trailing_zeros();
                let items = simt::shuffle_from(dealt.items, chunk);
                let before = simt::shuffle_from(dealt.before, chunk);
                let place = folded + simt::lane() * FAN;
                let index = self.index_of(&dealt, chunk) + place as u64;
                let value = if items - folded >= STEP_ITEMS {
                    self.fold_slot(ring, slot, before, index)
                } else {
                    let count = Ord::min(items.saturating_sub(place), FAN);
                    self.fold_rest(ring, slot, before, count, index)
                };
                if place < items {
                    values.address(place / FAN).write(value);
                }
                // Orders the reads of the slot before the copies below, and the writes of the leaves' values before the reads by
                // `fold_chunk`.
                simt::warp_barrier();
                bring(slot);
                folded += STEP_ITEMS * one;
                if folded >= items {
                    let value = Self::fold_chunk(values, items);
                    if simt::lane() == chunk {
                        self.finish(&self.work(dealt.work), dealt.chunk, value);
                    }
                    to_fold &= to_fold - 1;
                    folded = 0;
                }
                slot = SLOTS / 2 * slot_bytes - slot;
            }
        }
    }

    /// The block's chunks, one on each lane. `own` has a bit for each lane whose chunk the warp takes. If such a chunk has no items, the
    /// warp finishes it here. `None` on all lanes if the warp refuses the offsets.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same `own`. The header is written, and the block has at most as many chunks as the warp has
    /// lanes. No other warp finishes the warp's own chunks.
    #[inline(always)]
    unsafe fn deal(&self, own: u32) -> Option<Dealt> {
        let lane = simt::lane();
        let (mut number, mut before) = (0, 0);
        let (mut owner, mut chunk, mut has_chunk) = (0, 0, false);
        // SAFETY: the header is written (this function's condition), and `number < work_count`. If a lane has a chunk, work `owner` has a
        // chunk with number `chunk`. The whole warp takes part in the ballot. Only one thread finishes a chunk without items: one warp
        // takes the chunk, and one lane of this warp has it.
        unsafe {
            while number < self.work_count() {
                let step = simt::opaque_one() as u32;
                let chunks = self.work(number).chunk_count;
                let place = lane.wrapping_sub(before);
                if place < chunks {
                    (owner, chunk, has_chunk) = (number, place, true);
                }
                before += chunks;
                number = self.work_after(number) * step;
            }
            let work = self.work(owner);
            let mut dealt = Dealt {
                first: 0,
                items: 0,
                before: 0,
                work: owner,
                chunk,
            };
            let mut is_refused = false;
            if has_chunk {
                let begin = self.read_start(&work, chunk);
                let end = self.read_start(&work, chunk + 1);
                // A chunk of more than `NARROW_CHUNK_ITEMS` items is found only if the offsets do not ascend, or if other work rewrites
                // them.
                is_refused = !self.check_start(&work, chunk, begin, end)
                    || (end - begin) as u64 > NARROW_CHUNK_ITEMS;
                dealt.first = work.base.wrapping_add(begin as u64);
                dealt.items = end.wrapping_sub(begin);
                dealt.before = begin % vector_items::<T>();
            }
            if simt::ballot(is_refused) != 0 {
                simt::store_shared_atomically(&raw mut (*self.header).is_refused, 1);
                self.refuse();
                return None;
            }
            if has_chunk && dealt.items == 0 && own >> lane & 1 != 0 {
                self.finish(&work, chunk, O::identity());
            }
            Some(dealt)
        }
    }

    /// The index of a chunk's first item in its segment. Lane `lane` has the chunk.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same `lane`. The header is written, and the lane has a chunk.
    #[inline(always)]
    unsafe fn index_of(&self, dealt: &Dealt, lane: u32) -> u64 {
        // SAFETY: the whole warp is here, the header is written, and the work is one of the block's: this function's conditions.
        unsafe {
            let (work, chunk) = (
                simt::shuffle_from(dealt.work, lane),
                simt::shuffle_from(dealt.chunk, lane),
            );
            match chunk {
                0 => self.work(work).index,
                _ => 0,
            }
        }
    }

    /// Folds the first `count` items, at most 16, of the lane's leaf. The leaf lies in the slot that begins `slot` bytes after `ring`. It
    /// begins with item `before` of a vector. `index` is the index of the leaf's first item.
    ///
    /// # Safety
    /// The slot's copies are done, and the slot has these items.
    #[inline(always)]
    unsafe fn fold_rest(
        &self,
        ring: *const u8,
        slot: u32,
        before: u32,
        count: u32,
        index: u64,
    ) -> O::Accumulator {
        let mut value = O::identity();
        let mut item = 0;
        while item < count {
            let step = simt::opaque_one() as u32;
            let offset = (before + simt::lane() * FAN + item) * size_of::<T>() as u32;
            let place =
                place_of_vector(offset / VECTOR_BYTES as u32) + offset % VECTOR_BYTES as u32;
            let from = ring.wrapping_add((slot + place) as usize);
            // SAFETY: the item is in the slot, and written: this function's conditions.
            let words = unsafe {
                const { Access::new(size_of::<T>(), size_of::<T>()) }.read_shared(from.cast())
            };
            value = O::combine(value, O::lift_at(item_of(&words, 0), index + item as u64));
            item += step;
        }
        value
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
