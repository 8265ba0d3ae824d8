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
//! works for the whole block, as [`write_windows`](Launch::write_windows) does. Sums of `f32` in segments of 1,024 on an H200, in µs
//! (2026-11-27, `warpfold-bench shapes`), took 4.8 (2^20), 6.9 (2^22) and 23.9 (2^24) when one lane described each window. They took 4.4,
//! 6.4 and 23.7 when warp 0 found the chunks. Then it was not faster if each warp found all chunks for itself.
//!
//! In one variant, the warps of a block with few chunks shared the steps of each chunk, so that no warp was idle. It was slower: the
//! threads spilled 20 bytes, and sums of 2^28 `f32` in segments of 1,024 and of 65,536 both took 274 µs (2026-11-27).
//!
//! **Spans.** If segments have at least as many items as a chunk on average, and there are more windows than the device can work on at
//! once, a block takes a [span](super::super::rings::span_shift) of four or eight windows. It needs one search instead of one for each
//! border (see `spans`), and all of its warps have a chunk. With three windows, a block has three long chunks if segments are very long, so
//! one of its four warps is idle. A text for spans alone has no code for other blocks, and its threads have more registers: with those of
//! other large blocks, the threads spill 56 bytes, and 2^28 items took 260 µs instead of 242. Sums of `f32` in segments of 65,536 on an
//! H200, in µs (2026-11-28, all of a row on the same device):
//!
//! | windows | 3 | 4 | 8 | 16 |
//! |---|---|---|---|---|
//! | 2^23 | 12.7 | 8.7 | 9.4 | 12.6 |
//! | 2^24 | 22.3 | 20.4 | 20.3 | 21.4 |
//! | 2^26 | 68.1 | 67.8 | 66.8 | 67.0 |
//! | 2^28 | 250.7 | 248.3 | 246.3 | 251.7 |
//!
//! Segments of 1,024 in spans of four windows took 20.6 µs instead of 22.3 (2^24), but 249.8 instead of 245.6 (2^28).
//!
//! Two variants were not worth their code. *Spans of two sizes:* the launch's last blocks take spans of four windows, and the blocks before
//! them spans of eight, so that all blocks end at about the same time. At best, this took 245.9 µs instead of 247.5 (2^28) and 20.3 instead
//! of 20.1 (2^24). *Nine blocks on a multiprocessor* in place of eight (56 registers; the threads spill 12 bytes outside the loop) took the
//! same times.

mod deal;
mod dense;
mod reach;
mod spans;

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

    /// Reduces the block's chunks, which are long, or those of the block's span.
    ///
    /// # Safety
    /// Convergent: the whole block. Either the block takes a span, and has not used its shared memory yet. Or [`Self::begin`] has written
    /// the ticket, the tag and the borders, the block's chunks [are long](Self::has_long_chunks), and no thread uses the block's shared
    /// memory beyond the header.
    #[inline(always)]
    pub unsafe fn reduce_long_chunks(&self) {
        // The number of a block's warps is a power of two.
        let warps = Ord::min(self.threads() / WARP_LANES, RING_WARPS);
        // SAFETY: the whole block is here, and the conditions are this function's. The returns depend on shared memory, so all threads
        // return or none. The other branches go the same way on all lanes of a warp. A barrier comes between the writes of the header and
        // the chunks and their reads, and another one between the writes of tails' values and their reads. If a span is not dense, its end
        // is the second border.
        unsafe {
            if simt::warp() == 0 {
                self.find_long_chunks();
            }
            // Orders the writes of the header and the chunks, or of a refusal, before all threads' reads.
            simt::barrier();
            if self.is_refused() {
                return;
            }
            if self.takes_spans {
                let first = simt::read_shared(self.border(0));
                if self.is_dense(simt::read_shared(self.border(1)) - first) {
                    return self.reduce_dense_span();
                }
            }
            if simt::warp() < warps {
                self.take_long_chunks(warps);
                if self.takes_spans && simt::warp() == warps - 1 {
                    // The block of the next span finds its first segment by the same search.
                    if self.search_end() != simt::read_shared(self.border(1)) {
                        self.refuse();
                    }
                }
            }
            // Orders the writes of the values of tails before the reads by the warp that combines them.
            simt::barrier();
            if simt::warp() == 0 {
                self.settle_dealt(warps);
            }
        }
    }

    /// Finds the block's chunks, and writes them to shared memory, unless the block's span [is dense](Self::is_dense).
    ///
    /// # Safety
    /// Convergent: the whole warp 0. The conditions of [`Self::reduce_long_chunks`]. No other warp uses the works and windows before the
    /// next barrier.
    #[inline(always)]
    unsafe fn find_long_chunks(&self) {
        // SAFETY: the whole warp is here, and the conditions are this function's. `begin_span` writes what `deal` needs, and so does
        // `begin`. If a block that takes no span has long chunks, at most eight segments begin in each of its windows, so there are lanes
        // for all of them.
        unsafe {
            let ([first, end], offsets) = if self.takes_spans {
                self.begin_span()
            } else {
                let first = simt::read_shared(self.border(0));
                let end = simt::read_shared(self.border(self.windows_per_block));
                ([first, end], self.own_offsets(first.wrapping_sub(1)))
            };
            if !self.takes_spans || !self.is_dense(end - first) {
                self.deal(self.reach(first, end), offsets);
            }
        }
    }

    /// Reduces those of the block's chunks that the calling warp takes. `warps` is the number of warps that take chunks.
    ///
    /// # Safety
    /// Convergent: the whole warp, whose number is less than `warps`. `warps` is at most [`RING_WARPS`]. [`Self::deal`] has written the
    /// chunks and windows. No other warp takes the warp's chunks. No thread uses the block's shared memory beyond the header.
    #[inline(always)]
    unsafe fn take_long_chunks(&self, warps: u32) {
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
            let mut to_fold = self.chunks_of(simt::warp(), warps, dealt.about);
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
                    self.finish_dealt(about, values, value);
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
    pub unsafe fn fold_chunk(values: Values<O::Accumulator>, items: u32) -> O::Accumulator {
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
