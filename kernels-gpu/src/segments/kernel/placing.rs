//! A scan's way down: the prefix of each chunk, node, leaf and item, and the results.
//!
//! A chunk's first node has the chunk's prefix. Each other node has its neighbour's prefix, combined with the neighbour. Leaves and items
//! follow the same rule. The prefixes replace the totals, which are not used again.

use crate::direction::Heading;
use crate::element::VECTOR_WORDS;
use crate::element::{first_bytes, for_each_item, item_of, put_item, Element, Vector};
use crate::op::Op;
use crate::segments::tuning::VECTORS_AT_ONCE;
use crate::segments::{vector_items, Work, FAN};
use crate::simt;
use crate::thread::{for_each_vector, Access};

use super::items::Room;
use super::leaves::{Leaf, Node, Step};
use super::Launch;

/// The way down: prefixes replace totals.
struct Place;

impl Step<Leaf> for Place {
    #[inline(always)]
    unsafe fn run<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        leaf: Leaf,
    ) {
        // SAFETY: the caller's.
        unsafe { launch.place_items(work, room, leaf) };
    }
}

impl Step<Node> for Place {
    #[inline(always)]
    unsafe fn run<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        node: Node,
    ) {
        let chunk = node.chunk;
        // SAFETY: the caller's.
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
    /// Whether results replace their items in shared memory, and are stored from there together.
    const STAYS: bool = size_of::<T>() == size_of::<O::Output>();

    /// Items of a vector that gives way to a vector of results.
    const HAS_VECTORS: bool = Self::STAYS && Self::READS_VECTORS;

    /// Writes the results of a work, whose totals are there. False, if the offsets are refused.
    ///
    /// # Safety
    /// Convergent: the whole block. Items, starts and totals are written, perhaps just now.
    #[inline(always)]
    pub unsafe fn place(&self, number: u32, room: Room<T, O::Accumulator>) -> bool {
        // SAFETY: the caller's. The conditions have the same values on all threads.
        unsafe {
            let work = self.work(number);
            if work.tail_chunk == 0 {
                // Orders a chunk's total, if it is in the header, before warp 0's read.
                simt::barrier();
                if simt::warp() == 0 {
                    self.find_value_before(&work);
                }
            }
            // Orders the writes of the chunk's prefix and of the nodes' totals before the reads by the threads that place nodes.
            simt::barrier();
            if self.is_refused() {
                return false;
            }
            if self.has_roots(room) {
                self.place_nodes(&work, room);
                // Orders the writes of the nodes' prefixes before the reads by the threads that place leaves.
                simt::barrier();
            }
            self.place_leaves(&work, room);
            // Orders the writes of the leaves' prefixes before the reads by the threads that place items.
            simt::barrier();
            self.for_each_leaf::<Place>(&work, room);
            // Orders the writes of the results before the reads by the threads that store them.
            simt::barrier();
            if Self::STAYS {
                self.take_out(&work, room);
            }
            true
        }
    }

    /// Replaces the total of the window's chunk of an earlier segment by its prefix, when that is known.
    ///
    /// # Safety
    /// Convergent: the whole warp 0 of the block.
    #[inline(always)]
    unsafe fn find_value_before(&self, work: &Work) {
        // SAFETY: the caller's.
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
            // Orders the lanes' reads of the total before the write in its place.
            simt::warp_barrier();
            match before {
                Some(value) => {
                    if simt::lane() == 0 {
                        self.tail(work.window).write(value);
                    }
                }
                None => {
                    simt::store_shared_atomically(&raw mut (*self.header).is_refused, 1);
                    self.refuse();
                }
            }
        }
    }

    /// A chunk's prefix.
    ///
    /// # Safety
    /// The prefix of the window's chunk of an earlier segment is known.
    #[inline(always)]
    unsafe fn before_chunk(&self, work: &Work, chunk: u32) -> O::Accumulator {
        if chunk == work.tail_chunk {
            // SAFETY: the caller's.
            unsafe { self.tail(work.window).read() }
        } else {
            O::identity()
        }
    }

    /// Replaces each node's total by its prefix.
    ///
    /// # Safety
    /// The whole block. The chunks' prefixes are known.
    #[inline(always)]
    unsafe fn place_nodes(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let mut slot = simt::thread_index();
        while slot < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's.
            unsafe {
                let chunk = self.chunk(room, slot);
                let count = chunk.node_count();
                if count > 1 {
                    let before = self.before_chunk(work, chunk.number);
                    self.place_values(room.node(chunk.start, 0), count, before);
                }
            }
            slot += step * self.threads();
        }
    }

    /// Replaces each leaf's total by its prefix.
    ///
    /// # Safety
    /// The whole block. The prefixes of nodes, and of chunks with a single node, are known.
    #[inline(always)]
    unsafe fn place_leaves(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the caller's.
        unsafe { self.for_each_node::<Place>(work, room) };
    }

    /// Replaces each of `count` values by its prefix.
    ///
    /// # Safety
    /// They are written, and the calling thread's.
    #[inline(always)]
    unsafe fn place_values(
        &self,
        values: *mut O::Accumulator,
        count: u32,
        mut before: O::Accumulator,
    ) {
        let mut place = 0;
        while place < count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's; the last value stands for those after, and these are not written.
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

    /// Writes the results of a leaf's items.
    ///
    /// # Safety
    /// The leaf's prefix is known.
    #[inline(always)]
    unsafe fn place_items(&self, work: &Work, room: Room<T, O::Accumulator>, leaf: Leaf) {
        let chunk = leaf.chunk;
        // SAFETY: the caller's; the items are the calling thread's.
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

    /// The prefix after an item, and the item's result.
    #[inline(always)]
    fn result_of(
        &self,
        before: O::Accumulator,
        item: T,
        index: u64,
    ) -> (O::Accumulator, O::Output) {
        let after = O::combine(before, O::lift_at(item, index));
        let result = O::lower(if self.is_exclusive { before } else { after });
        (after, result)
    }

    /// Writes the results of 16 items that are whole vectors.
    ///
    /// # Safety
    /// The same as for [`Self::place_items`].
    #[inline(always)]
    unsafe fn place_whole_leaf(
        &self,
        room: Room<T, O::Accumulator>,
        leaf: &Leaf,
        mut before: O::Accumulator,
    ) {
        let items = vector_items::<T>();
        for_each_vector!(V => {
            if V < size_of::<T>() {
                let place = leaf.begin + V as u32 * items;
                // SAFETY: the caller's.
                let vector = unsafe { room.vector(place) };
                let mut results: Vector = [0; VECTOR_WORDS];
                for_each_item!(P of T => {
                    let index = leaf.index + (V as u32 * items) as u64 + P as u64;
                    let (after, result) = self.result_of(before, item_of(&vector, P), index);
                    put_item::<T>(&mut results, P, first_bytes(result));
                    before = after;
                });
                // SAFETY: the caller's; results have their items' widths.
                unsafe { room.put_vector(place, results) };
            }
        });
        // The value after the leaf is not used.
        let _ = before;
    }

    /// Writes the results of a leaf's items one by one.
    ///
    /// # Safety
    /// The same as for [`Self::place_items`].
    #[inline(always)]
    unsafe fn place_each(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        leaf: &Leaf,
        mut before: O::Accumulator,
    ) {
        let mut place = leaf.begin;
        while place < leaf.end {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's; there is a result for each item.
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

    /// The address of the result of the item at a place.
    #[inline(always)]
    fn result(&self, work: &Work, place: u32) -> *mut O::Output {
        let item = work.base.wrapping_add(place as u64);
        let to = self.offsets.direction.place(item, self.offsets.item_count);
        self.output.wrapping_add(to as usize)
    }

    /// The address of the results of the vector that begins at a place.
    #[inline(always)]
    fn results(&self, work: &Work, place: u32) -> *mut O::Output {
        let item = work.base.wrapping_add(place as u64);
        self.output.wrapping_add(self.lowest(item))
    }

    /// Writes the results in shared memory to global memory: in vectors, where these lie there as they lie here.
    ///
    /// # Safety
    /// The whole block. The results are written.
    #[inline(always)]
    unsafe fn take_out(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let items = vector_items::<T>();
        let access = Access::new(16, 16);
        let lies_alike = self.results(work, 0).addr().is_multiple_of(16);
        let mut place = simt::thread_index() * items;
        let places = items * self.threads();
        if Self::HAS_VECTORS && lies_alike && place >= work.begin {
            while place + (VECTORS_AT_ONCE - 1) * places + items <= work.end {
                let step = simt::opaque_one() as u32;
                let to: *mut u32 = self.results(work, place).cast();
                let far = places as u64 * size_of::<O::Output>() as u64;
                let far = self.offsets.direction.signed(far) as usize;
                for_each_vector!(V in 0 1 2 3 => {
                    let to = to.wrapping_byte_add(far.wrapping_mul(V));
                    let place = place + V as u32 * places;
                    // SAFETY: the caller's; there is a result for each item.
                    unsafe { access.store(to, room.vector_in_memory(place)) };
                });
                place += VECTORS_AT_ONCE * places * step;
            }
        }
        while place < work.end {
            let step = simt::opaque_one() as u32;
            let is_vector = lies_alike && place >= work.begin && place + items <= work.end;
            // SAFETY: the caller's; there is a result for each item.
            unsafe {
                if Self::HAS_VECTORS && is_vector {
                    let to = self.results(work, place).cast();
                    access.store(to, room.vector_in_memory(place));
                } else {
                    self.take_out_each(work, room, place);
                }
            }
            place += places * step;
        }
    }

    /// Writes the results of a vector that the work has, one by one.
    ///
    /// # Safety
    /// The same as for [`Self::take_out`].
    #[inline(always)]
    unsafe fn take_out_each(&self, work: &Work, room: Room<T, O::Accumulator>, vector: u32) {
        let mut place = Ord::max(vector, work.begin);
        let end = Ord::min(vector + vector_items::<T>(), work.end);
        while place < end {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's; there is a result for each item.
            unsafe {
                let result = item_of::<T>(&room.item(place), 0);
                self.result(work, place).write(first_bytes(result));
            }
            place += step;
        }
    }
}
