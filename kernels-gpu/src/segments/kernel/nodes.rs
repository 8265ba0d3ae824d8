//! The folds of a chunk's nodes and root, and the store of the chunk's value.

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
    /// Whether each chunk is at most one node.
    const CHUNKS_ARE_NODES: bool = chunk_items::<T, O::Accumulator>() <= (FAN * FAN) as u64;

    /// Runs a step for each node of a work, on one thread for each node. Nodes of chunks with a single leaf are left out.
    ///
    /// # Safety
    /// 1. The whole block. `work` is one of the block's works.
    /// 2. The starts are written.
    /// 3. The conditions of `S::run` hold for each node.
    #[inline(always)]
    pub unsafe fn for_each_node<S: Step<Node>>(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the starts are written: condition 2.
        let (is_flat, has_roots) = unsafe { (self.is_flat(work, room), self.has_roots(room)) };
        if is_flat {
            return;
        }
        let nodes = if has_roots { work.end / (FAN * FAN) } else { 0 };
        let mut slot = simt::thread_index();
        while slot < nodes + work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the starts are written (condition 2). With roots the work has a chunk; without roots `slot < chunk_count`. Each node
            // has one slot, and so one thread. The step's other conditions hold by condition 3.
            unsafe {
                // If no chunk has two nodes, each chunk has one slot.
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

    /// Folds the nodes of chunks that have more than one leaf. The value of a segment of one node is the segment's result.
    ///
    /// # Safety
    /// 1. The whole block. The header is written, and `number < work_count`.
    /// 2. The work's items, starts and leaves' values are written. No thread uses the values of an earlier work's nodes any more.
    #[inline(always)]
    pub unsafe fn fold_nodes(&self, number: u32, room: Room<T, O::Accumulator>) {
        // SAFETY: the whole block is here, the header is written and has the work: condition 1. Items, starts and leaves' values are
        // written: condition 2.
        unsafe {
            let work = self.work(number);
            self.for_each_node::<Fold>(&work, room);
        }
    }

    /// As [`Self::fold_nodes`], for one node.
    ///
    /// # Safety
    /// Condition 2 of [`Self::fold_nodes`]. The header is written. The node is the work's, and no other thread has it.
    #[inline(always)]
    pub unsafe fn fold_one_node(&self, work: &Work, room: Room<T, O::Accumulator>, node: &Node) {
        let chunk = node.chunk;
        let is_alone = chunk.leaf_count() <= FAN;
        // A scan does not use the total of a segment of one node. But a full chunk of wide items is one node too, and other blocks may wait
        // for its value.
        let is_published = Self::CHUNKS_ARE_NODES
            && (chunk.number == work.tail_chunk || chunk.number == work.cut_chunk);
        if is_alone && self.task == Task::Scan && !is_published {
            return;
        }
        // SAFETY: the values and the items of the node's leaves are written (this function's condition), and there is at least one leaf. No
        // other thread has the node (this function's condition), so nobody else finishes its chunk, if the node is alone. Different nodes'
        // values do not overlap.
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

    /// Folds the nodes of each chunk that has more than one node.
    ///
    /// # Safety
    /// 1. The whole block. The header is written, and `number < work_count`.
    /// 2. The work's items, starts and nodes' values are written.
    #[inline(always)]
    pub unsafe fn fold_roots(&self, number: u32, room: Room<T, O::Accumulator>) {
        // SAFETY: the header is written, and has the work: condition 1.
        let work = unsafe { self.work(number) };
        let mut slot = simt::thread_index();
        while slot < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the starts, the items and the nodes' values are written (condition 2), and `slot < chunk_count`. Each chunk has one
            // thread, so nobody else finishes it.
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

    /// The fold of `count` values, 1 to 16: pairwise, or a left fold in steps of several values. In the last step, values past the end are
    /// left out.
    ///
    /// # Safety
    /// There is at least one value, and all of them are written.
    #[inline(always)]
    unsafe fn fold_values(&self, values: *const O::Accumulator, count: u32) -> O::Accumulator {
        // SAFETY: at least one value, and all are written: this function's conditions. Past the end, the last value is read again.
        let value = |place: u32| unsafe { values.add(Ord::min(place, count - 1) as usize).read() };
        if O::IS_PAIRWISE {
            return sixteens::pairwise::<O, T>(count, value);
        }
        if Self::IS_EXACT && count == FAN {
            let two = |place: u32| O::combine_equal(value(place), value(place + 1));
            let four = |place: u32| O::combine_equal(two(place), two(place + 2));
            let mut folded = four(0);
            let mut place = 4;
            // Only four at a time: more of the widest values would fill the registers.
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

    /// Stores a chunk's value. The value of a whole segment is its result. The value of a tail that is combined with earlier chunks goes to
    /// the header. Any other value is published on the board, where other blocks wait for it.
    ///
    /// # Safety
    /// The header is written, and `work` is one of the block's works. It has the chunk, and nobody else finishes it.
    #[inline(always)]
    pub unsafe fn finish(&self, work: &Work, chunk: u32, value: O::Accumulator) {
        // SAFETY: the work has the chunk, so its segment belongs to the launch, and has a result (the launch's condition 5). The header is
        // written, and has the work's window. The board has a slot for each window (condition 6), and a window publishes one chunk at most.
        // Nobody else finishes the chunk: this function's condition.
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
