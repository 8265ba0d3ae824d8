//! The upsweep of narrow items. It computes the values of leaves, and lists the chunks that have several leaves, but fewer than 256 items.
//! Such a chunk is one node.
//!
//! A scan does not use the value of the last leaf of a segment. Any other leaf has 16 items. So of the leaves that begin at 16 consecutive
//! places, at most one has a value that is used. If chunks begin at these places, this leaf belongs to the last of these chunks. Otherwise
//! it belongs to the chunk that goes on there.

use crate::contract::{THREAD_VECTORS, WARP_LANES};
use crate::element::{for_each_item, item_of, Accumulator, Element, VECTOR_WORDS};
use crate::op::Op;
use crate::segments::tuning::{KEYED_BLOCK_THREADS, LONG_BLOCK_THREADS, SHORT_BLOCK_THREADS};
use crate::segments::{vector_items, Layout, Work, FAN};
use crate::simt;
use crate::thread::{for_each_vector, Vectors};

use super::super::items::Room;
use super::super::starts::Chunk;
use super::super::Launch;
use super::runs::{Around, Places, Run, HAS_LONG, HAS_ROOTS, NODE};
use super::words::FLAG_BYTES;

/// More flags of a work. Each is set if its condition holds for the 16 places of at least one lane. `IS_RAGGED` is set in three cases: the
/// last chunk that begins at these places is short; a leaf of fewer than 16 items begins at these places, in a chunk from earlier places;
/// the leaf whose value is used does not begin where a vector begins. `GOES_ON`: a chunk from earlier places goes on there.
pub const IS_RAGGED: u32 = 8;
pub const GOES_ON: u32 = 16;

impl<T: Element, A: Accumulator> Room<T, A> {
    /// How many entries the lists of all warps of a block of 2^n threads have room for together. At most one listed chunk begins at the 16
    /// places of a lane, since a listed chunk has more than 16 items.
    const LISTED: u32 = Self::WINDOW_WORDS * u32::BITS / FAN;

    /// The address of an entry of a warp's list of nodes, in a block of `threads` threads. The entry is the place where the node begins.
    /// The number of nodes in the list lies before the entries. The lists follow the flags.
    #[inline(always)]
    fn listed(&self, threads: u32, warp: u32, entry: u32) -> *mut u16 {
        const {
            let each = Self::LISTED * WARP_LANES / SHORT_BLOCK_THREADS + 1;
            let warps = KEYED_BLOCK_THREADS / WARP_LANES;
            let bytes = (warps * each) as usize * size_of::<u16>();
            let words = (Self::WINDOW_WORDS + 1) as usize * size_of::<u64>();
            // Only works of narrow items have lists.
            assert!(
                size_of::<T>() > 4 || words + FLAG_BYTES + bytes <= Layout::word_bytes::<T, A>()
            );
        }
        let each = match threads >= SHORT_BLOCK_THREADS {
            true => const { Self::LISTED * WARP_LANES / SHORT_BLOCK_THREADS + 1 },
            false => const { Self::LISTED * WARP_LANES / LONG_BLOCK_THREADS + 1 },
        };
        let lists: *mut u16 = self.after_flags().cast();
        lists.wrapping_add((warp * each + entry) as usize)
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Folds the leaves whose values are used, and lists the chunks that have several leaves, but fewer than 256 items. A thread looks at
    /// 16 places. Returns the flags that the thread has found.
    ///
    /// # Safety
    /// Convergent: the whole block. The words are written, and `work` is one of the block's works. Its items are written. No thread uses
    /// the values of an earlier work's leaves any more.
    #[inline(always)]
    pub unsafe fn fold_whole_leaves(&self, work: &Work, room: Room<T, O::Accumulator>) -> u32 {
        let places = Places::of(work);
        let (block, count) = places.blocks(FAN);
        let lane = simt::lane();
        let mut first = simt::warp() * WARP_LANES;
        let (mut found, mut nodes) = (0, 0);
        while first < count {
            let step = simt::opaque_one() as u32;
            let exists = first + lane < count;
            // SAFETY: the words are written (this function's condition), and cover the thread's 16 places. The whole warp takes part in the
            // ballots, since all lanes have the same `first`. Each leaf begins in one block of 16 places, and one thread looks at this
            // block. The leaf's items are written. The warp's list has room for its nodes.
            unsafe {
                let around = Around::sixteen(room, block + Ord::min(first + lane, count - 1));
                let is_vector = |place: u32| {
                    place
                        .wrapping_add(work.starts)
                        .is_multiple_of(vector_items::<T>())
                };
                let (over, last) = (around.over, around.last);
                let goes_on = exists && places.have(over, 0) && over.end > around.first;
                // The place, among these 16, at which the next leaf of chunk `over` would begin. It may be past the chunk's end.
                let next = around.part_of(over, FAN);
                let has_next = goes_on && next < over.end;
                let begins = exists && places.have(last, 0);
                let is_long = begins && last.length() > FAN;
                let is_node = is_long && last.length() < NODE;

                let (mut run, mut begin, mut is_used) =
                    (over, next, has_next && over.end - next >= FAN);
                if begins {
                    (run, begin, is_used) = (last, last.start, is_long);
                }
                let is_aligned = is_vector(begin);
                let is_cut = has_next & (over.end.wrapping_sub(next) < FAN);
                let is_ragged = (begins & !is_long) | (is_used & !is_aligned) | is_cut;
                let flag = |is_set: bool, flag: u32| is_set as u32 * flag;
                found |= flag(is_long, HAS_LONG)
                    | flag(is_long & !is_node, HAS_ROOTS)
                    | flag(goes_on, GOES_ON)
                    | flag(is_ragged, IS_RAGGED);

                let are_aligned = simt::ballot(is_used && !is_aligned) == 0;
                if is_used {
                    let is_first = run.start == places.begin;
                    let before = if is_first { work.index } else { 0 };
                    let number = (begin - run.start) / FAN;
                    let index = before + (number * FAN) as u64;
                    let begin = begin.wrapping_add(work.starts);
                    let value = match are_aligned {
                        true => self.fold_whole_leaf(room, begin, index),
                        false if O::PAIRS_SIXTEENS => {
                            self.fold_each(room, begin, begin + FAN, index)
                        }
                        false => self.fold_leaf_anywhere(room, begin, index),
                    };
                    let start = run.start.wrapping_add(work.starts);
                    room.leaf(start, number).write(value);
                }

                let of_nodes = simt::ballot(is_node);
                if is_node {
                    let upto = of_nodes & (2_u32 << lane).wrapping_sub(1);
                    let entry = nodes + upto.count_ones();
                    room.listed(self.threads(), simt::warp(), entry)
                        .write(last.start as u16);
                }
                nodes += of_nodes.count_ones();
            }
            first += step * self.threads();
        }
        if lane == 0 {
            let count = room.listed(self.threads(), simt::warp(), 0);
            // SAFETY: the list has room for the number, and no other thread writes it.
            unsafe { count.write(nodes as u16) };
        }
        found
    }

    /// The left fold of a leaf of 16 items that begins anywhere in a vector. `index` is the first item's index.
    ///
    /// # Safety
    /// The items are written.
    #[inline(always)]
    unsafe fn fold_leaf_anywhere(
        &self,
        room: Room<T, O::Accumulator>,
        begin: u32,
        index: u64,
    ) -> O::Accumulator {
        let items = vector_items::<T>();
        let skipped = begin % items;
        let mut vectors: Vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
        for_each_vector!(V => {
            if V < size_of::<T>() + 1 {
                // A leaf that begins where a vector begins has no items in a further vector. Then the first vector is read again.
                let number = match (V == size_of::<T>(), skipped) {
                    (true, 0) => 0,
                    _ => V as u32,
                };
                // SAFETY: the items are written (this function's condition), and each vector that is read has at least one of them.
                vectors[V] = unsafe { room.vector_from(begin - skipped + number * items) };
            }
        });
        let mut value = O::identity();
        for_each_vector!(V => {
            if V < size_of::<T>() + 1 {
                for_each_item!(P of T => {
                    let (vector, place) = (V, P as u32);
                    let is_own = match vector {
                        0 => place >= skipped,
                        _ if vector == size_of::<T>() => place < skipped,
                        _ => true,
                    };
                    // The vectors' other places may hold anything, so the operator never gets their values.
                    if is_own {
                        let index = index + (V as u32 * items + place - skipped) as u64;
                        let item = O::lift_at(item_of(&vectors[V], P), index);
                        value = O::combine(value, item);
                    }
                });
            }
        });
        value
    }

    /// In each chunk that warp `warp` has listed, except the tail, replaces each leaf's total by the leaf's prefix.
    ///
    /// # Safety
    /// The whole warp. The words, the lists and the leaves' totals are written. No other warp takes the list.
    #[inline(always)]
    pub unsafe fn place_listed(&self, work: &Work, room: Room<T, O::Accumulator>, warp: u32) {
        let mut entry = simt::lane();
        // SAFETY: the lists, the words and the leaves' totals are written: this function's conditions. Each chunk is in one list once, so
        // no other thread uses the values of its leaves.
        unsafe {
            while entry < self.listed_count(room, warp) {
                let step = simt::opaque_one() as u32;
                let chunk = self.listed_chunk(work, room, warp, entry);
                if chunk.number != work.tail_chunk {
                    let leaves = room.leaf(chunk.start, 0);
                    self.place_values(leaves, chunk.leaf_count(), O::identity());
                }
                entry += step * WARP_LANES;
            }
        }
    }

    /// As [`Self::place_listed`], for the tail, if it is listed.
    ///
    /// # Safety
    /// One thread. The header, the words, the lists, the leaves' totals and the tail's prefix are written.
    #[inline(always)]
    pub unsafe fn place_listed_tail(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the tail is the work's first chunk. If it is listed, it is the first in the list of warp 0. The lists, the words, its
        // leaves' totals and its prefix are written, and no other thread uses the values of its leaves: this function's conditions.
        unsafe {
            if self.listed_count(room, 0) == 0 {
                return;
            }
            let chunk = self.listed_chunk(work, room, 0, 0);
            if chunk.number == work.tail_chunk {
                let before = self.before_chunk(work, chunk.number);
                self.place_values(room.leaf(chunk.start, 0), chunk.leaf_count(), before);
            }
        }
    }

    /// How many nodes a warp has listed.
    ///
    /// # Safety
    /// The lists are written.
    #[inline(always)]
    unsafe fn listed_count(&self, room: Room<T, O::Accumulator>, warp: u32) -> u32 {
        // SAFETY: the number is written with the list: this function's condition.
        unsafe { room.listed(self.threads(), warp, 0).read() as u32 }
    }

    /// A chunk in a warp's list.
    ///
    /// # Safety
    /// The words are written, and the list has the entry.
    #[inline(always)]
    unsafe fn listed_chunk(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        warp: u32,
        entry: u32,
    ) -> Chunk {
        // SAFETY: the words and the entry are written: this function's conditions.
        unsafe {
            let start = room.listed(self.threads(), warp, entry + 1).read() as u32;
            let (number, bit) = (start / u32::BITS, start % u32::BITS);
            let end = room.word(number).end_of(number, bit);
            Places::of(work).chunk(work, Run { start, end })
        }
    }
}
