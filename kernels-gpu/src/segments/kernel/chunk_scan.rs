//! Scans of works whose chunks are long: each warp scans whole chunks, and no barrier of the block comes between.
//!
//! Usually, all warps of a block fold a work's leaves, then its nodes, then its roots, and then compute the prefixes in the opposite order.
//! The block has a barrier after each of these folds, and in most of them few threads have something to do. If a work has few chunks, and
//! none of them is much longer than the others, each warp takes whole chunks instead. It takes a chunk in **steps** of 32 leaves, one for
//! each lane. When it begins a step, it knows the prefix of the step's first leaf. So one pass over the chunk is enough:
//!
//! ```text
//! for each step of the chunk:
//!     fold the lane's leaf, and put its value into shared memory
//!     fold the values of the lane's node: the step has two nodes at most
//!     combine the node's prefix with the values of the leaves before the lane's leaf
//!     write the results of the leaf's items in place of the items
//! copy the chunk's results to global memory
//! ```
//!
//! The order of combination is the same. All chunks of such a work begin where vectors begin, so no two warps use the same vector.
//!
//! Inclusive sums of `f32` on an H200, in µs (2026-11-28). The titles of the columns give the lengths of the segments:
//!
//! | | 512 | 700 | 1,024 | 1,536 | 2,048 |
//! |---|---|---|---|---|---|
//! | 2^20, the block takes a work | 7.11 | 7.99 | 6.88 | | |
//! | each warp takes chunks | 5.16 | 6.82 | 5.52 | | |
//! | 2^24, the block takes a work | 45.3 | 50.4 | 45.0 | 50.0 | 45.0 |
//! | each warp takes chunks | 39.3 | 47.2 | 39.0 | 47.4 | 40.9 |
//! | 2^28, the block takes a work | 607 | 678 | 603 | 664 | 604 |
//! | each warp takes chunks | 536 | 633 | 528 | 657 | 549 |
//!
//! If chunks begin inside vectors, the block takes the work. Launches with such segments then take 1 to 3 % longer, since the code for both
//! ways is longer.
//!
//! Two variants were slower. *Chunks that begin inside vectors* were taken by warps too, and vectors that two leaves share were moved item
//! by item: 2^28 items in segments of 300 took 1,175 µs instead of 737. The threads also spilled 88 bytes. *Steps of all chunks in turn:*
//! the warps folded the steps of all chunks, then one warp found the tail's prefix, then the warps wrote the results. So chunks of any
//! lengths could be taken. Each lane combined up to 15 values of nodes. This took 615 µs instead of 554 for segments of 4,096, and 738
//! instead of 676 for segments of 65,536.

use crate::contract::WARP_LANES;
use crate::element::{first_bytes, for_each_item, item_of, put_item};
use crate::element::{Element, Vector, VECTOR_WORDS};
use crate::op::Op;
use crate::segments::rings::{STEP_ITEMS, STEP_LEAVES};
use crate::segments::tuning::LEAST_SCANNED_ITEMS;
use crate::segments::{chunk_items, vector_items, Task, Work, FAN, NARROW_CHUNK_ITEMS};
use crate::thread::for_each_vector;
use crate::{simt, warp};

use super::items::Room;
use super::leaves::Leaf;
use super::starts::Chunk;
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether warps may scan whole chunks with this operator and these items.
    pub const SCANS_CHUNKS: bool = !O::PAIRS_SIXTEENS
        && Self::HAS_VECTORS
        && chunk_items::<T, O::Accumulator>() == NARROW_CHUNK_ITEMS;

    /// Whether each warp of the block scans whole chunks of a work. Then no other block waits for the value of one of these chunks.
    ///
    /// # Safety
    /// Convergent: the whole warp. The header and the work's starts are written.
    #[inline(always)]
    pub unsafe fn has_chunks_for_warps(&self, work: &Work, room: Room<T, O::Accumulator>) -> bool {
        let items = work.end - work.begin;
        if self.task == Task::Reduce
            || !self.warps_scan
            || work.chunk_count == 0
            || work.chunk_count * LEAST_SCANNED_ITEMS > items
        {
            return false;
        }
        // SAFETY: the whole warp is here, and the starts are written: this function's conditions. A work with this many items on average for
        // each chunk has fewer chunks than a warp has lanes.
        unsafe {
            let chunk = self.chunk(work, room, Ord::min(simt::lane(), work.chunk_count - 1));
            let own = chunk.end - chunk.start;
            let warps = self.threads() / WARP_LANES;
            // A full chunk may be cut, or be a tail that is not its segment's last chunk. Then other blocks wait for its value.
            let is_long =
                own >= NARROW_CHUNK_ITEMS as u32 || own > STEP_ITEMS && own * warps > 2 * items;
            let begins_inside = !chunk.start.is_multiple_of(vector_items::<T>());
            simt::ballot(is_long | begins_inside) == 0
        }
    }

    /// Scans the chunks of a work, and writes the results. The warps take the chunks in turn.
    ///
    /// # Safety
    /// The whole block. The header is written, and `number < work_count`. The work's items, its starts and the prefix of its tail are
    /// written. The work [has chunks for warps](Self::has_chunks_for_warps).
    #[inline(always)]
    pub unsafe fn scan_chunks(&self, number: u32, room: Room<T, O::Accumulator>) {
        let mut slot = simt::warp();
        // SAFETY: the whole warp is here, and all lanes have the same `slot`, so the branches go the same way on all of them. The header,
        // items, starts and the tail's prefix are written: this function's conditions. Each chunk has one warp.
        unsafe {
            while slot < self.work(number).chunk_count {
                let step = simt::opaque_one() as u32;
                let chunk = self.chunk(&self.work(number), room, slot);
                self.scan_chunk(number, room, chunk);
                slot += self.threads() / WARP_LANES * step;
            }
        }
    }

    /// Scans a chunk on one warp, and writes its results.
    ///
    /// # Safety
    /// Convergent: the whole warp. The header and the chunk's items are written, and so is the prefix of a tail. `number < work_count`. The
    /// chunk is one of the work's, and no other warp takes it. All chunks of the work begin where vectors begin.
    #[inline(always)]
    unsafe fn scan_chunk(&self, number: u32, room: Room<T, O::Accumulator>, chunk: Chunk) {
        let lane = simt::lane();
        let leaves = chunk.leaf_count();
        // SAFETY: the whole warp is here, and all lanes have the same chunk, so the branches around barriers and shuffles go the same way.
        // The header, the items and a tail's prefix are written (this function's conditions). Each lane has its own leaf, and no other warp
        // takes the chunk. If the chunk has several leaves, it has room for their values. The values of another step lie elsewhere.
        unsafe {
            let mut before = self.before_chunk(&self.work(number), chunk.number);
            let mut first = 0;
            while first < leaves {
                let leaf = self.leaf_of_step(number, chunk, first);
                let exists = leaf.number < leaves;
                if exists && leaves > 1 {
                    let value = match leaf.are_whole {
                        true => self.fold_whole_leaf(room, leaf.begin, leaf.index),
                        false => self.fold_leaf(room, leaf.begin, leaf.end, leaf.index),
                    };
                    room.leaf(chunk.start, leaf.number).write(value);
                }
                // Orders the writes of the leaves' values before the reads below.
                simt::warp_barrier();
                let prefix;
                (prefix, before) = self.prefixes(room, &leaf, before);
                if exists && leaf.are_whole {
                    self.place_whole_leaf(room, &leaf, prefix);
                } else if exists {
                    self.place_part(room, &leaf, prefix);
                }
                first += STEP_LEAVES * simt::opaque_one() as u32;
            }
            // Orders the results before they are copied.
            simt::warp_barrier();
            let places = [chunk.start, chunk.end];
            self.take_out_some(&self.work(number), room, places, [lane, WARP_LANES]);
        }
    }

    /// The lane's leaf in the step that begins with leaf `first` of a chunk. It may be beyond the chunk's end.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments. The header is written, and `number < work_count`. All chunks of the work begin
    /// where vectors begin.
    #[inline(always)]
    unsafe fn leaf_of_step(&self, number: u32, chunk: Chunk, first: u32) -> Leaf {
        let leaf = first + simt::lane();
        let begin = chunk.start + leaf * FAN;
        let end = Ord::min(begin + FAN, chunk.end);
        // SAFETY: the header has the work, and the whole warp is here: this function's conditions.
        unsafe {
            let before = match chunk.number {
                0 => self.work(number).index,
                _ => 0,
            };
            Leaf {
                chunk,
                number: leaf,
                begin,
                end,
                index: before + (leaf * FAN) as u64,
                are_whole: simt::ballot(begin < chunk.end && end - begin < FAN) == 0,
                are_short: false,
            }
        }
    }

    /// The prefix of the lane's leaf, and the prefix of the next step. `before` is the prefix of lane 0's leaf. Lanes beyond the chunk's
    /// leaves get any prefix.
    ///
    /// # Safety
    /// Convergent: the whole warp, whose lanes have the leaves of a step. If the chunk has several leaves, their values are written.
    #[inline(always)]
    unsafe fn prefixes(
        &self,
        room: Room<T, O::Accumulator>,
        leaf: &Leaf,
        before: O::Accumulator,
    ) -> (O::Accumulator, O::Accumulator) {
        let own = leaf.number % FAN;
        let leaves = leaf.chunk.leaf_count();
        let values = room.leaf(leaf.chunk.start, leaf.number - own);
        let count = Ord::min(leaves.saturating_sub(leaf.number - own), FAN);
        // SAFETY: the whole warp is here, and the values are written: this function's conditions. The value of a chunk's only leaf is not
        // read.
        unsafe {
            let mut total = O::identity();
            if leaves > FAN && count > 0 {
                total = self.fold_some(values, count);
            }
            let middle = O::combine(before, warp::shuffle_from(total, 0));
            let after = O::combine(middle, warp::shuffle_from(total, FAN));
            let mut prefix = if simt::lane() < FAN { before } else { middle };
            let mut place = 0;
            while place + 1 < count {
                let step = simt::opaque_one() as u32;
                // Past the end, the last value is read again.
                let value = |number: u32| values.add(Ord::min(place + number, count - 1) as usize);
                let next = [
                    value(0).read(),
                    value(1).read(),
                    value(2).read(),
                    value(3).read(),
                ];
                for_each_vector!(V in 0 1 2 3 => {
                    if place + (V as u32) < own {
                        prefix = O::combine(prefix, next[V]);
                    }
                });
                place += 4 * step;
            }
            (prefix, after)
        }
    }

    /// Writes the results of a leaf of at most 16 items in place of the items. The leaf begins where a vector begins, and `prefix` is its
    /// prefix.
    ///
    /// # Safety
    /// The leaf's items are written, and no other thread uses the leaf's vectors.
    #[inline(always)]
    unsafe fn place_part(
        &self,
        room: Room<T, O::Accumulator>,
        leaf: &Leaf,
        mut prefix: O::Accumulator,
    ) {
        let items = vector_items::<T>();
        let count = leaf.end - leaf.begin;
        for_each_vector!(V => {
            let first = V as u32 * items;
            if V < size_of::<T>() && first < count {
                // SAFETY: the vector's first item is one of the leaf's, and written: this function's condition.
                let vector = unsafe { room.vector(leaf.begin + first) };
                let mut results: Vector = [0; VECTOR_WORDS];
                for_each_item!(P of T => {
                    if first + (P as u32) < count {
                        let index = leaf.index + (first + P as u32) as u64;
                        let (after, result) = self.result_of(prefix, item_of(&vector, P), index);
                        prefix = after;
                        put_item::<T>(&mut results, P, first_bytes(result));
                    }
                });
                // SAFETY: no other thread uses the vector: this function's condition. Its other places hold no items of the work.
                unsafe { room.put_vector(leaf.begin + first, results) };
            }
        });
        // The accumulator after the leaf's last item is not used.
        let _ = prefix;
    }
}
