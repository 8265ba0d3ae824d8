//! The downsweep of a scan: the prefix of each chunk, node, leaf and item, and the results.
//!
//! The prefix of a chunk's first node is the chunk's prefix. The prefix of each other node is the prefix of the node before it, combined
//! with that node's total. Leaves and items follow the same rule. The *total* of a node or leaf is the value that the upsweep wrote for it.
//! The prefixes replace the totals, which are not used again.

use crate::direction::Heading;
use crate::element::VECTOR_WORDS;
use crate::element::{first_bytes, for_each_item, item_of, put_item, Element, Vector};
use crate::op::Op;
use crate::segments::{vector_items, Work, FAN};
use crate::simt;
use crate::thread::for_each_vector;

use super::items::Room;
use super::leaves::{Leaf, Node, Step};
use super::Launch;

/// A step of the downsweep. For a node, the prefixes of its leaves replace the leaves' totals. For a leaf, the results of its items are
/// written.
pub struct Downsweep;

impl Step<Leaf> for Downsweep {
    #[inline(always)]
    unsafe fn run<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        leaf: Leaf,
    ) {
        // SAFETY: `run`'s conditions are those of `place_items`.
        unsafe { launch.place_items(work, room, leaf) };
    }
}

impl Step<Node> for Downsweep {
    #[inline(always)]
    unsafe fn run<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        node: Node,
    ) {
        let chunk = node.chunk;
        // SAFETY: the prefixes of the chunk and of its nodes are written, and no other thread takes the node: `run`'s conditions. So no
        // other thread uses the values of its leaves. There is at least one leaf. The upsweep wrote the leaves' values, and a barrier
        // followed.
        unsafe {
            let before = match chunk.leaf_count() <= FAN {
                true => launch.before_chunk(work, chunk.number),
                false => room.node(chunk.start, node.number).read(),
            };
            let leaves = room.leaf(chunk.start, node.number * FAN);
            launch.place_values(leaves, node.leaf_count, before);
        }
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether results replace their items in shared memory, and are then copied to global memory together.
    pub const STAYS: bool = size_of::<T>() == size_of::<O::Output>();

    /// Whether whole vectors of results replace vectors of items.
    pub const HAS_VECTORS: bool = Self::STAYS && Self::READS_VECTORS;

    /// Writes the results of a work. Each warp scans whole chunks if `warps_scan`. Otherwise the folds are done. Returns false if the offsets
    /// are refused.
    ///
    /// # Safety
    /// 1. Convergent: the whole block. The header is written, and `number < work_count`.
    /// 2. The work's items and starts are written. If `warps_scan`, the work has [chunks for warps](Self::has_chunks_for_warps).
    /// 3. Otherwise the slots and the values of leaves, nodes and tails are written. The tail's value may have been written after the last
    ///    barrier.
    #[inline(always)]
    pub unsafe fn place(
        &self,
        number: u32,
        room: Room<T, O::Accumulator>,
        warps_scan: bool,
    ) -> bool {
        // SAFETY: the whole block is here, the header is written and has the work: condition 1. The branches around barriers and returns
        // depend on values in shared memory, so they go the same way on all threads. Items, starts, slots and values are written
        // (conditions 2 and 3), and a barrier comes before the read of the tail's value. If warps scan chunks, a tail is its segment's last
        // chunk, and `find_value_before` does not need its value. Each step writes the prefixes that the next one reads, with a barrier
        // between. `for_each_leaf` gives no leaf to two threads.
        unsafe {
            let work = self.work(number);
            if work.tail_chunk == 0 {
                if !warps_scan {
                    // Orders the write of the tail's value in the header before warp 0's read.
                    simt::barrier();
                }
                if simt::warp() == 0 {
                    self.find_value_before(&work);
                }
            }
            if work.tail_chunk == 0 || !warps_scan {
                // Orders the writes of the tail's prefix, or of a refusal, before all threads' reads.
                simt::barrier();
            }
            if self.has_waited_in_vain() {
                return false;
            }
            if warps_scan {
                self.scan_chunks(number, room);
                return true;
            }
            if self.has_roots(room) {
                self.place_nodes(&work, room);
                // Orders the writes of the nodes' prefixes before the reads by `place_leaves`.
                simt::barrier();
            }
            self.place_leaves(&work, room);
            // Orders the writes of the leaves' prefixes before the reads by `for_each_leaf`.
            simt::barrier();
            self.for_each_leaf::<Downsweep>(&work, room);
            // Orders the writes of the results before the reads by `take_out`.
            simt::barrier();
            if Self::STAYS {
                self.take_out(&work, room);
            }
            true
        }
    }

    /// Finishes a scan's dense work of short chunks, after [`Self::fold_short`]. Writes the results of the tail if there is one. If results
    /// stay in shared memory, copies them to global memory. Returns false if the offsets are refused.
    ///
    /// # Safety
    /// Convergent: the whole block. The header is written, and `number < work_count`. The work's items are written, and its offsets are
    /// copied. `fold_short` is done, a barrier has followed, and no chunk has several leaves.
    #[inline(always)]
    pub unsafe fn place_short(&self, number: u32, room: Room<T, O::Accumulator>) -> bool {
        // SAFETY: the whole block is here, and the header, items and starts are written: this function's conditions. A short tail is its
        // segment's last chunk, so `find_value_before` does not need its value. Lane 0 alone writes the results of the tail's items. The
        // branches around barriers and returns depend on values in shared memory, so they go the same way on all threads.
        unsafe {
            let work = self.work(number);
            if work.tail_chunk == 0 {
                if simt::warp() == 0 {
                    self.find_value_before(&work);
                    if simt::lane() == 0 {
                        self.place_short_tail(&work, room);
                    }
                }
                // Orders the writes of the tail's results, or of a refusal, before all threads' reads.
                simt::barrier();
                if self.has_waited_in_vain() {
                    return false;
                }
            }
            if Self::STAYS {
                self.take_out(&work, room);
            }
        }
        true
    }

    /// Waits for the prefix of the window's tail, and replaces the tail's total by it. If the tail is the last of sixteen chunks, but not
    /// the last chunk of its segment, the function first combines the tail's total with the values of earlier chunks, and publishes the
    /// result (see [`Self::settle_window`]). If the offsets are refused, writes to the header that the block stops.
    ///
    /// # Safety
    /// Convergent: the whole warp 0 of the block. The header is written, `work` is one of the block's works, and it has a tail. If the tail
    /// is the last of sixteen chunks, but not the last chunk of its segment, the tail's value is written.
    #[inline(always)]
    pub unsafe fn find_value_before(&self, work: &Work) {
        // SAFETY: the whole warp is here, and the header is written and has the work's window: this function's conditions. All lanes have
        // the same window, so the branches go the same way on all of them. `settle_window` is called only if the tail is the last of
        // sixteen chunks, but not the last chunk of its segment. So the tail's value is written. Lane 0 alone writes the tail, after the
        // warp's barrier.
        unsafe {
            let window = self.window(work.window);
            let is_published = window.is_last != 0
                || !window.is_combined()
                || self.settle_window(work.window, &window);
            let before = if is_published {
                self.value_before(&window)
            } else {
                None
            };
            // Orders the lanes' reads of the total before the write that replaces it.
            simt::warp_barrier();
            match before {
                Some(value) => {
                    if simt::lane() == 0 {
                        self.tail(work.window).write(value);
                    }
                }
                None => {
                    simt::store_shared_atomically(&raw mut (*self.header).waits_in_vain, 1);
                    self.refuse();
                }
            }
        }
    }

    /// Whether the last [`Self::find_value_before`] has refused the offsets.
    ///
    /// # Safety
    /// A barrier has followed the call.
    #[inline(always)]
    unsafe fn has_waited_in_vain(&self) -> bool {
        // SAFETY: the word is in shared memory. It was cleared with the header, and a barrier has followed the last write: this function's
        // condition.
        unsafe { simt::read_shared(&raw const (*self.header).waits_in_vain) != 0 }
    }

    /// A chunk's prefix.
    ///
    /// # Safety
    /// The header is written, and `work` is one of the block's works. If the chunk is the window's tail, its prefix is written.
    #[inline(always)]
    pub unsafe fn before_chunk(&self, work: &Work, chunk: u32) -> O::Accumulator {
        if chunk == work.tail_chunk {
            // SAFETY: the work's window is one of the block's windows, and the tail's prefix is written: this function's conditions.
            unsafe { self.tail(work.window).read() }
        } else {
            O::identity()
        }
    }

    /// Replaces each node's total by its prefix, in chunks of several nodes.
    ///
    /// # Safety
    /// The whole block. The header, the work's starts, the nodes' totals and the tail's prefix are written.
    #[inline(always)]
    unsafe fn place_nodes(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let mut slot = simt::thread_index();
        while slot < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: starts, totals and the tail's prefix are written (this function's condition), and `slot < chunk_count`. Each chunk
            // has one thread, so no other thread uses its nodes' values.
            unsafe {
                let chunk = self.chunk(work, room, slot);
                let count = chunk.node_count();
                if count > 1 {
                    let before = self.before_chunk(work, chunk.number);
                    self.place_values(room.node(chunk.start, 0), count, before);
                }
            }
            slot += step * self.threads();
        }
    }

    /// Replaces each leaf's total by its prefix, in chunks of several leaves.
    ///
    /// # Safety
    /// The whole block. The header, the work's starts, the leaves' totals and the prefixes of the tail and of nodes are written.
    #[inline(always)]
    unsafe fn place_leaves(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the whole block is here, and starts, totals and prefixes are written: this function's conditions. The step has no other
        // conditions.
        unsafe { self.for_each_node::<Downsweep>(work, room) };
    }

    /// Replaces each of `count` values by its prefix. `before` is the first value's prefix.
    ///
    /// One or two values by offsets need no loop: scans of 2^28 `f32` in segments of 32 took 671 µs on an H200, and take 661. By key, in
    /// runs by a power law, such a short way costs 4 %. If the loop takes eight values at once, not four, scans spill 24 bytes.
    ///
    /// # Safety
    /// The values are written, and no other thread uses them.
    #[inline(always)]
    pub unsafe fn place_values(
        &self,
        values: *mut O::Accumulator,
        count: u32,
        mut before: O::Accumulator,
    ) {
        if !self.starts_at_heads && count <= 2 {
            // SAFETY: there are `count` values, and no other thread uses them: this function's conditions.
            unsafe {
                if count == 2 {
                    values.add(1).write(O::combine(before, values.read()));
                }
                if count > 0 {
                    values.write(before);
                }
            }
            return;
        }
        let mut place = 0;
        while place < count {
            let step = simt::opaque_one() as u32;
            // SAFETY: `place < count`. The values are written, and no other thread uses them: this function's conditions. Past the end, the
            // last value is read again, and nothing is written.
            unsafe {
                let value = |number: u32| values.add(Ord::min(place + number, count - 1) as usize);
                let totals = [
                    value(0).read(),
                    value(1).read(),
                    value(2).read(),
                    value(3).read(),
                ];
                for_each_vector!(V in 0 1 2 3 => {
                    if place + (V as u32) < count {
                        value(V as u32).write(before);
                    }
                    before = O::combine(before, totals[V]);
                });
            }
            place += 4 * step;
        }
    }

    /// Writes the results of a leaf's items: to shared memory, if results stay there, otherwise to global memory.
    ///
    /// # Safety
    /// The header and the leaf's items are written, and so are the prefixes of the tail and of the leaf. The leaf is the work's, and no
    /// other thread takes it.
    #[inline(always)]
    unsafe fn place_items(&self, work: &Work, room: Room<T, O::Accumulator>, leaf: Leaf) {
        let chunk = leaf.chunk;
        // SAFETY: prefixes and items are written, and no other thread takes the leaf: this function's conditions. With `are_whole` the leaf
        // has 16 items, and begins where a vector begins.
        unsafe {
            let before = match chunk.end - chunk.start <= FAN {
                true => self.before_chunk(work, chunk.number),
                false => room.leaf(chunk.start, leaf.number).read(),
            };
            if Self::HAS_VECTORS && leaf.are_whole {
                self.place_whole_leaf(room, &leaf, before);
            } else {
                self.place_each(work, room, &leaf, before);
            }
        }
    }

    /// The prefix of the item after `item`, and the result of `item`. `before` is the prefix of `item`.
    #[inline(always)]
    pub fn result_of(
        &self,
        before: O::Accumulator,
        item: T,
        index: u64,
    ) -> (O::Accumulator, O::Output) {
        let after = O::combine(before, O::lift_at(item, index));
        let result = O::lower(if self.is_exclusive { before } else { after });
        (after, result)
    }

    /// Writes the results of a leaf of 16 items that begins where a vector begins.
    ///
    /// # Safety
    /// The same conditions as for [`Self::place_items`].
    #[inline(always)]
    pub unsafe fn place_whole_leaf(
        &self,
        room: Room<T, O::Accumulator>,
        leaf: &Leaf,
        mut before: O::Accumulator,
    ) {
        let items = vector_items::<T>();
        for_each_vector!(V => {
            if V < size_of::<T>() {
                let place = leaf.begin + V as u32 * items;
                // SAFETY: all items of the vector are the leaf's, and written: this function's condition.
                let vector = unsafe { room.vector(place) };
                let mut results: Vector = [0; VECTOR_WORDS];
                for_each_item!(P of T => {
                    let index = leaf.index + (V as u32 * items) as u64 + P as u64;
                    let (after, result) = self.result_of(before, item_of(&vector, P), index);
                    put_item::<T>(&mut results, P, first_bytes(result));
                    before = after;
                });
                // SAFETY: the results have the size of their items, and replace them. No other thread takes the leaf: this function's
                // condition.
                unsafe { room.put_vector(place, results) };
            }
        });
        // The accumulator after the leaf's last item is not used.
        let _ = before;
    }

    /// Writes the results of a leaf's items one by one.
    ///
    /// # Safety
    /// The same conditions as for [`Self::place_items`].
    #[inline(always)]
    pub unsafe fn place_each(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        leaf: &Leaf,
        mut before: O::Accumulator,
    ) {
        let mut place = leaf.begin;
        while place < leaf.end {
            let step = simt::opaque_one() as u32;
            // SAFETY: the item is the leaf's, and written (this function's condition). In shared memory the result has the item's size, and
            // replaces the item. Global memory has room for each item's result (the launch's condition 5). No other thread takes the leaf.
            unsafe {
                let item = item_of(&room.item(place), 0);
                let index = leaf.index + (place - leaf.begin) as u64;
                let (after, result) = self.result_of(before, item, index);
                before = after;
                if Self::STAYS {
                    let mut vector = [0; VECTOR_WORDS];
                    put_item::<T>(&mut vector, 0, first_bytes(result));
                    room.put(place, vector);
                } else {
                    self.result(work, place).write(result);
                }
            }
            place += step;
        }
    }

    /// Where the result of the item at a place lies in global memory.
    #[inline(always)]
    pub fn result(&self, work: &Work, place: u32) -> *mut O::Output {
        let item = work.base.wrapping_add(place as u64);
        let to = self.offsets.direction.place(item, self.offsets.item_count);
        self.output.wrapping_add(to as usize)
    }

    /// Where the results of a vector's items lie in global memory. The vector begins at the given place.
    #[inline(always)]
    pub fn results(&self, work: &Work, place: u32) -> *mut O::Output {
        let item = work.base.wrapping_add(place as u64);
        self.output.wrapping_add(self.lowest(item))
    }
}
