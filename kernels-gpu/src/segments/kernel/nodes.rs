//! The folds of a chunk's leaves, nodes and roots, and where the chunk's value goes.

use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::{chunk_items, Task, Work, FAN};
use crate::simt;
use crate::sixteens;
use crate::thread::for_each_vector;

use super::items::Room;
use super::leaves::{Fold, Node, Step};
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether a chunk has one node only.
    const CHUNKS_ARE_NODES: bool = chunk_items::<T, O::Accumulator>() <= (FAN * FAN) as u64;

    /// Does something with each node of a work that has more than one leaf, or is not its chunk's only one, on a thread for each.
    ///
    /// # Safety
    /// The whole block. Starts are written.
    #[inline(always)]
    pub unsafe fn for_each_node<S: Step<Node>>(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the caller's.
        let (is_flat, has_roots) = unsafe { (self.is_flat(work, room), self.has_roots(room)) };
        if is_flat {
            return;
        }
        let nodes = if has_roots { work.end / (FAN * FAN) } else { 0 };
        let mut slot = simt::thread_index();
        while slot < nodes + work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's.
            unsafe {
                // Where no chunk has two nodes, each has one slot.
                let (chunk, number) = if has_roots {
                    let chunk = self.chunk_of_node_slot(work, room, slot);
                    (chunk, slot - chunk.start / (FAN * FAN) - chunk.number)
                } else {
                    (self.chunk(room, slot), 0)
                };
                let (leaf, leaves) = (number * FAN, chunk.leaf_count());
                if leaves > 1 && leaf < leaves {
                    let node = Node {
                        chunk,
                        number,
                        leaf_count: Ord::min(leaves - leaf, FAN),
                    };
                    S::run(self, work, room, node);
                }
            }
            slot += step * self.threads();
        }
    }

    /// Folds nodes of chunks that have more than one leaf. The value of a segment of one node is its result.
    ///
    /// # Safety
    /// The whole block. The leaves are written.
    #[inline(always)]
    pub unsafe fn fold_nodes(&self, number: u32, room: Room<T, O::Accumulator>) {
        // SAFETY: the caller's; there is a place for each value.
        unsafe {
            let work = self.work(number);
            self.for_each_node::<Fold>(&work, room);
        }
    }

    /// As [`Self::fold_nodes`], of one node.
    ///
    /// # Safety
    /// The same as for [`Self::fold_nodes`].
    #[inline(always)]
    pub unsafe fn fold_one_node(&self, work: &Work, room: Room<T, O::Accumulator>, node: &Node) {
        let chunk = node.chunk;
        let is_alone = chunk.leaf_count() <= FAN;
        // A scan wants no total of a segment of one node; but a whole chunk of wide items has one, and others wait for it.
        let is_published = Self::CHUNKS_ARE_NODES
            && (chunk.number == work.tail_chunk || chunk.number == work.cut_chunk);
        if is_alone && self.task == Task::Scan && !is_published {
            return;
        }
        // SAFETY: the caller's; there is a place for each value.
        unsafe {
            let leaves = room.leaf(chunk.start, node.number * FAN);
            let value = self.fold_values(leaves, node.leaf_count);
            if is_alone {
                let value = self.located(work, room, chunk, value);
                self.finish(work, chunk.number, value);
            } else {
                room.node(chunk.start, node.number).write(value);
            }
        }
    }

    /// Folds the nodes of chunks that have more than one.
    ///
    /// # Safety
    /// The whole block. The nodes are written.
    #[inline(always)]
    pub unsafe fn fold_roots(&self, number: u32, room: Room<T, O::Accumulator>) {
        // SAFETY: the caller's.
        let work = unsafe { self.work(number) };
        let mut slot = simt::thread_index();
        while slot < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's.
            unsafe {
                let chunk = self.chunk(room, slot);
                let count = chunk.node_count();
                if count > 1 {
                    let value = self.fold_values(room.node(chunk.start, 0), count);
                    let value = self.located(&work, room, chunk, value);
                    self.finish(&work, chunk.number, value);
                }
            }
            slot += step * self.threads();
        }
    }

    /// `count` values combined, at least one: a left fold, four at a time (some of the last four may be left out), or pairwise. Each has items.
    ///
    /// # Safety
    /// They are written.
    #[inline(always)]
    unsafe fn fold_values(&self, values: *const O::Accumulator, count: u32) -> O::Accumulator {
        // SAFETY: the caller's; the last value stands for those after.
        let value = |place: u32| unsafe { values.add(Ord::min(place, count - 1) as usize).read() };
        if O::IS_PAIRWISE {
            return sixteens::pairwise::<O, T>(count, value);
        }
        if Self::IS_EXACT && count == FAN {
            let two = |place: u32| O::combine_equal(value(place), value(place + 1));
            let four = |place: u32| O::combine_equal(two(place), two(place + 2));
            let mut folded = four(0);
            let mut place = 4;
            // Of more at once, the widest would fill the registers.
            while place < FAN {
                let step = simt::opaque_one() as u32;
                folded = O::combine_equal(folded, four(place));
                place += 4 * step;
            }
            return folded;
        }
        let mut folded = value(0);
        let mut place = 1;
        if count == FAN {
            for_each_vector!(V => { folded = if V != 0 { O::combine(folded, value(V as u32)) } else { folded }; });
            for_each_vector!(V => { folded = O::combine(folded, value(V as u32 + 8)); });
            return folded;
        }
        while place < count {
            let step = simt::opaque_one() as u32;
            let next = [value(place), value(place + 1), value(place + 2)];
            let longer = O::combine(folded, next[0]);
            let both = O::combine(longer, next[1]);
            folded = if place + 1 < count { both } else { longer };
            let all = O::combine(folded, next[2]);
            folded = if place + 2 < count { all } else { folded };
            place += 3 * step;
        }
        folded
    }

    /// Stores a chunk's value: a whole segment's as its result, any other on the board, where other blocks wait for it.
    ///
    /// # Safety
    /// Nobody else finishes the chunk.
    #[inline(always)]
    pub unsafe fn finish(&self, work: &Work, chunk: u32, value: O::Accumulator) {
        // SAFETY: the caller's; there is a result for each segment.
        unsafe {
            if chunk != work.tail_chunk && chunk != work.cut_chunk {
                if self.task == Task::Reduce {
                    let segment = work.segment + chunk as u64;
                    write_result!(O, T, self.output, segment as usize, value);
                }
                return;
            }
            let is_tail = chunk == work.tail_chunk;
            if is_tail && self.window(work.window).is_combined() {
                self.tail(work.window).write(value);
            } else {
                let number = self.window_number(work.window) as u32;
                self.board().publish(number, value);
            }
        }
    }
}
