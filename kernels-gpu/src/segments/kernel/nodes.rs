//! The folds of a chunk's nodes and root, and the store of the chunk's value.

use crate::contract::WARP_LANES;
use crate::element::{accumulator_of_words, accumulator_word, AccumulatorWords};
use crate::element::{Element, ACCUMULATOR_MAX_WORDS};
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::{chunk_items, Task, Work, FAN};
use crate::simt;
use crate::sixteens::{self, QUARTERS};
use crate::thread::for_each_vector;

use super::items::Room;
use super::leaves::{Fold, Node, Step};
use super::starts::{Chunk, Slots};
use super::Launch;

/// How many nodes or roots a warp folds at a time, on [`QUARTERS`] lanes each.
const SHARED_BY_WARP: u32 = WARP_LANES / QUARTERS;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether even a full chunk has only one node.
    const CHUNKS_ARE_NODES: bool = chunk_items::<T, O::Accumulator>() <= (FAN * FAN) as u64;

    /// Whether several lanes may share a node or a root, and combine its values in a tree. A left fold is a chain, so one thread folds it.
    const SHARES: bool = O::PAIRS_SIXTEENS || Self::IS_EXACT;

    /// Runs a step for each node of a work, on one thread for each node. Nodes of chunks with a single leaf are left out.
    ///
    /// # Safety
    /// 1. The whole block. `work` is one of the block's works.
    /// 2. The starts are written.
    /// 3. The conditions of `S::run` hold for each node.
    #[inline(always)]
    pub unsafe fn for_each_node<S: Step<Node>>(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the starts are written: condition 2.
        let has_roots = unsafe { self.has_roots(room) };
        let node_slots = self.slots(work, FAN * FAN);
        let slots = match has_roots {
            true => node_slots.count,
            false => work.chunk_count,
        };
        let mut slot = simt::thread_index();
        while slot < slots {
            let step = simt::opaque_one() as u32;
            // SAFETY: the starts are written (condition 2), and the work has the slot, since `slot < slots`. Each node has one slot, and so
            // one thread. The step's other conditions hold by condition 3.
            unsafe {
                let (chunk, number) = self.node_of_slot(work, room, node_slots, slot, has_roots);
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

    /// The chunk to which a node's slot belongs, and the node's number in the chunk. If `has_roots` is false, each chunk has one slot, and
    /// no chunk has more than one node. If no node has the slot, the returned number is at least the chunk's
    /// [`node_count`](Chunk::node_count).
    ///
    /// # Safety
    /// The starts are written, and the work has the slot.
    #[inline(always)]
    unsafe fn node_of_slot(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        slots: Slots,
        slot: u32,
        has_roots: bool,
    ) -> (Chunk, u32) {
        // SAFETY: the starts are written, and the work has the slot: this function's conditions. If `has_roots` is true, some chunk has
        // more than one node, so the work has a chunk. Otherwise, each chunk has one slot, so the work has chunk `slot`.
        unsafe {
            if has_roots {
                let chunk = self.chunk_of_node_slot(work, room, slots, slot);
                (chunk, slot - slots.first(chunk.number, chunk.start))
            } else {
                (self.chunk(work, room, slot), 0)
            }
        }
    }

    /// Folds the nodes of chunks that have more than one leaf, and stores the nodes' values, except values that [are not
    /// used](Self::is_unused). In a reduction, if a node is a whole segment, its value is lowered to the segment's result.
    ///
    /// # Safety
    /// 1. Convergent: the whole block. The header is written, and `number < work_count`.
    /// 2. The work's items, starts and leaves' values are written. No thread uses the values of an earlier work's nodes any more.
    #[inline(always)]
    pub unsafe fn fold_nodes(&self, number: u32, room: Room<T, O::Accumulator>) {
        // SAFETY: the whole block is here, the header is written and has the work: condition 1. Items, starts and leaves' values are
        // written: condition 2.
        unsafe {
            let work = self.work(number);
            if Self::SHARES {
                self.share_nodes(&work, room);
            } else {
                self.for_each_node::<Fold>(&work, room);
            }
        }
    }

    /// As [`Self::fold_nodes`], on [`QUARTERS`] lanes for each node.
    ///
    /// # Safety
    /// The conditions of [`Self::fold_nodes`]. `work` is one of the block's works.
    #[inline(always)]
    unsafe fn share_nodes(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the starts are written: this function's conditions.
        let has_roots = unsafe { self.has_roots(room) };
        let node_slots = self.slots(work, FAN * FAN);
        let slots = match has_roots {
            true => node_slots.count,
            false => work.chunk_count,
        };
        let mut first = simt::warp() * SHARED_BY_WARP;
        while first < slots {
            let step = simt::opaque_one() as u32;
            // SAFETY: the whole warp is here, since all lanes have the same `first`. The header, the starts, and the values and items of
            // the node's leaves are written (this function's conditions). The work has the slot, which is at most `slots - 1`. The lanes of
            // a node have the same slot, and only one of these lanes finishes the node.
            unsafe {
                let slot = first + simt::lane() / QUARTERS;
                let exists = slot < slots;
                let slot = Ord::min(slot, slots - 1);
                let (chunk, number) = self.node_of_slot(work, room, node_slots, slot, has_roots);
                let (leaf, leaves) = (number * FAN, chunk.leaf_count());
                let is_node = exists && leaves > 1 && leaf < leaves;
                let mut items = 0;
                if is_node {
                    items = Ord::min(chunk.end - chunk.start - leaf * FAN, FAN * FAN);
                }
                let (count, full) = (items.div_ceil(FAN), items / FAN);
                let value = if self.keeps_offsets() {
                    self.least(work, chunk, room.late_leaf(chunk.start, leaf), count)
                } else {
                    let values = room.leaf(chunk.start, leaf);
                    let value = |place| Self::read_value(values, place);
                    sixteens::shared::<O, T>(count, full, value)
                };
                if is_node && simt::lane().is_multiple_of(QUARTERS) {
                    let node = Node {
                        chunk,
                        number,
                        leaf_count: count,
                    };
                    self.finish_node(work, room, &node, value);
                }
            }
            first += step * (self.threads() / QUARTERS);
        }
    }

    /// As [`Self::fold_nodes`], for one node.
    ///
    /// # Safety
    /// The header is written, and so are the items and the values of the node's leaves. No thread uses the values of an earlier work's
    /// nodes any more. The node belongs to `work`, one of the block's works, and no other thread takes the node.
    #[inline(always)]
    pub unsafe fn fold_one_node(&self, work: &Work, room: Room<T, O::Accumulator>, node: &Node) {
        if self.is_unused(work, node) {
            return;
        }
        // SAFETY: the header, and the values and the items of the node's leaves are written (this function's conditions), and there is at
        // least one leaf. No other thread takes the node (this function's condition).
        unsafe {
            let leaves = room.leaf(node.chunk.start, node.number * FAN);
            let value = self.fold_some(leaves, node.leaf_count);
            self.finish_node(work, room, node, value);
        }
    }

    /// Whether the value of a node is not used. A scan does not use the value of a segment's last chunk. With narrow items, each chunk of
    /// one node is the last of its segment. With wide items, even a full chunk has one node, and further chunks of its segment may follow.
    /// So with wide items, the value of a tail or of a cut chunk counts as used: other blocks may wait for it.
    #[inline(always)]
    fn is_unused(&self, work: &Work, node: &Node) -> bool {
        let chunk = node.chunk;
        let is_published = Self::CHUNKS_ARE_NODES
            && (chunk.number == work.tail_chunk || chunk.number == work.cut_chunk);
        self.task == Task::Scan && chunk.leaf_count() <= FAN && !is_published
    }

    /// Stores the value of a node. The value of a chunk's only node is the chunk's value.
    ///
    /// # Safety
    /// The header is written, and so are the items of the node's leaves. The node belongs to `work`, one of the block's works, and no other
    /// thread takes the node.
    #[inline(always)]
    unsafe fn finish_node(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        node: &Node,
        value: O::Accumulator,
    ) {
        let chunk = node.chunk;
        if self.is_unused(work, node) {
            return;
        }
        // SAFETY: the header and the items are written, and no other thread takes the node (this function's conditions). So if the chunk
        // has only this node, nobody else finishes the chunk. Different nodes' values do not overlap.
        unsafe {
            if chunk.leaf_count() <= FAN {
                let value = self.located(work, room, chunk, value);
                self.finish(work, chunk.number, value);
            } else if self.keeps_offsets() {
                let before = if chunk.number == 0 { work.index } else { 0 };
                let offset = O::index_of(value).wrapping_sub(before) as u32;
                let place = room.late_node(chunk.start, node.number);
                place.write([accumulator_word(value, 0), offset]);
            } else {
                room.node(chunk.start, node.number).write(value);
            }
        }
    }

    /// Combines the values of the nodes of each chunk that has more than one node.
    ///
    /// # Safety
    /// 1. Convergent: the whole block. The header is written, and `number < work_count`.
    /// 2. The work's items, starts and nodes' values are written.
    #[inline(always)]
    pub unsafe fn fold_roots(&self, number: u32, room: Room<T, O::Accumulator>) {
        // SAFETY: the header is written, and has the work: condition 1.
        let work = unsafe { self.work(number) };
        if Self::SHARES {
            // SAFETY: the work is the block's. The rest are this function's conditions.
            unsafe { self.share_roots(&work, room) };
            return;
        }
        let mut slot = simt::thread_index();
        while slot < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the header, the starts, the items and the nodes' values are written (conditions 1 and 2), and `slot < chunk_count`.
            // Each chunk has one thread, so nobody else finishes it.
            unsafe {
                let chunk = self.chunk(&work, room, slot);
                let count = chunk.node_count();
                if count > 1 {
                    let value = self.fold_values(room.node(chunk.start, 0), count);
                    self.finish(&work, chunk.number, value);
                }
            }
            slot += step * self.threads();
        }
    }

    /// As [`Self::fold_roots`], on [`QUARTERS`] lanes for each chunk.
    ///
    /// # Safety
    /// The conditions of [`Self::fold_roots`]. `work` is one of the block's works.
    #[inline(always)]
    unsafe fn share_roots(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let mut first = simt::warp() * SHARED_BY_WARP;
        while first < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the whole warp is here, since all lanes have the same `first`. The header, the starts, the items and the nodes'
            // values are written (this function's conditions), and the number that `self.chunk` gets is less than `chunk_count`. The lanes
            // of a chunk have the same slot, and only one of these lanes finishes the chunk.
            unsafe {
                let slot = first + simt::lane() / QUARTERS;
                let chunk = self.chunk(work, room, Ord::min(slot, work.chunk_count - 1));
                let nodes = room.node(chunk.start, 0);
                let is_root = slot < work.chunk_count && chunk.node_count() > 1;
                let items = if is_root { chunk.end - chunk.start } else { 0 };
                let (count, full) = (items.div_ceil(FAN * FAN), items / (FAN * FAN));
                let value = if self.keeps_offsets() {
                    self.least(work, chunk, room.late_node(chunk.start, 0), count)
                } else {
                    let value = |place| Self::read_value(nodes, place);
                    sixteens::shared::<O, T>(count, full, value)
                };
                if is_root && simt::lane().is_multiple_of(QUARTERS) {
                    let value = self.located(work, room, chunk, value);
                    self.finish(work, chunk.number, value);
                }
            }
            first += step * (self.threads() / QUARTERS);
        }
    }

    /// Whether the value of each leaf or node is kept as a key and an offset (see [`Self::KEEPS_OFFSETS`]).
    #[inline(always)]
    fn keeps_offsets(&self) -> bool {
        Self::KEEPS_OFFSETS && self.reduces_segments()
    }

    /// Whether this is a reduction of segments or rows, and not a reduction by key.
    #[inline(always)]
    pub fn reduces_segments(&self) -> bool {
        self.task == Task::Reduce && !self.starts_at_heads
    }

    /// Finds the least of up to 16 keys, each of which has an offset, on [`QUARTERS`] lanes. Of equal keys the first wins. The first of
    /// these lanes gets the least key, and the index in the segment that follows from this key's offset.
    ///
    /// # Safety
    /// Convergent: the whole warp. From lane 0 on, each [`QUARTERS`] consecutive lanes form a group. The lanes of a group have the same
    /// arguments. `count` values are written.
    #[inline(always)]
    unsafe fn least(
        &self,
        work: &Work,
        chunk: Chunk,
        values: *const [u32; 2],
        count: u32,
    ) -> O::Accumulator {
        let least = |a: [u32; 2], b: [u32; 2]| if b[0] < a[0] { b } else { a };
        let mut found = [u32::MAX; 2];
        let place = simt::lane() % QUARTERS * 4;
        // SAFETY: `count` values are written, and each read takes one of them. The whole warp is here: this function's conditions.
        unsafe {
            if place < count {
                // Past the end, the last value is read again, which changes nothing.
                let value = |place: u32| {
                    let words: u64 = values
                        .cast::<u64>()
                        .add(Ord::min(place, count - 1) as usize)
                        .read();
                    [words as u32, (words >> 32) as u32]
                };
                let left = least(value(place), value(place + 1));
                found = least(left, least(value(place + 2), value(place + 3)));
            }
            found = least(
                found,
                found.map(|word| simt::shuffle_from(word, simt::lane() ^ 1)),
            );
            found = least(
                found,
                found.map(|word| simt::shuffle_from(word, simt::lane() ^ 2)),
            );
        }
        let before = if chunk.number == 0 { work.index } else { 0 };
        let index = before + found[1] as u64;
        let mut words: AccumulatorWords = [0; ACCUMULATOR_MAX_WORDS];
        [words[0], words[1], words[2]] = [found[0], index as u32, (index >> 32) as u32];
        accumulator_of_words(words)
    }

    /// Reads a value of a leaf or of a node.
    ///
    /// # Safety
    /// The value at `place` is written.
    #[inline(always)]
    unsafe fn read_value(values: *const O::Accumulator, place: u32) -> O::Accumulator {
        // SAFETY: the value is written, so the address is in bounds: this function's condition.
        unsafe { values.add(place as usize).read() }
    }

    /// Folds `count` values, 1 to 16, on one thread: in a left fold, or pairwise.
    ///
    /// # Safety
    /// The values are written, and there is at least one.
    #[inline(always)]
    pub unsafe fn fold_some(&self, values: *const O::Accumulator, count: u32) -> O::Accumulator {
        // SAFETY: the values are written, and `place < count`: this function's condition.
        unsafe {
            match O::PAIRS_SIXTEENS {
                true => sixteens::pairwise::<O, T>(count, |place| Self::read_value(values, place)),
                false => self.fold_values(values, count),
            }
        }
    }

    /// The left fold of `count` values, 1 to 16. If `count` is less than 16, each step combines three more values. The last step leaves out
    /// values past the end.
    ///
    /// # Safety
    /// There is at least one value, and all of them are written.
    #[inline(always)]
    unsafe fn fold_values(&self, values: *const O::Accumulator, count: u32) -> O::Accumulator {
        // SAFETY: there is at least one value, and all values are written: this function's conditions. Past the end, the last value is read
        // again.
        let value = |place: u32| unsafe { Self::read_value(values, Ord::min(place, count - 1)) };
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

    /// Stores a chunk's value. If the chunk is a whole segment, a reduction lowers the value and writes it as the segment's result, and a
    /// scan does not use the value. If the chunk is a tail that [must be combined](crate::segments::Window::is_combined) with earlier
    /// chunks, its value goes to the header. Any other chunk's value is published on the board.
    ///
    /// # Safety
    /// The header is written, and `work` is one of the block's works. The work has the chunk, and nobody else finishes the chunk.
    #[inline(always)]
    pub unsafe fn finish(&self, work: &Work, chunk: u32, value: O::Accumulator) {
        // SAFETY: the conditions are this function's.
        unsafe { self.finish_or_publish(work, chunk, value, false) }
    }

    /// As [`Self::finish`]. If `publishes_tails`, the value of a tail that must be combined with earlier chunks does not go to the header,
    /// but is published.
    ///
    /// # Safety
    /// The conditions of [`Self::finish`]. If `publishes_tails`, a window with such a tail has no other chunk to publish.
    #[inline(always)]
    pub unsafe fn finish_or_publish(
        &self,
        work: &Work,
        chunk: u32,
        value: O::Accumulator,
        publishes_tails: bool,
    ) {
        // SAFETY: the work has the chunk, so its segment belongs to the launch, and has a result (the launch's condition 5). The header is
        // written, and has the work's window. If segments start at heads, the words with the heads' bits are written with the header. A
        // chunk that is neither tail nor cut is the last of its run. The board has a slot for each window (condition 6), and a window
        // publishes the value of one chunk at most. Nobody else finishes the chunk: this function's condition.
        unsafe {
            if chunk != work.tail_chunk && chunk != work.cut_chunk {
                if self.task == Task::Reduce {
                    let segment = match self.starts_at_heads {
                        true => self.run_of(work, chunk),
                        false => work.segment + chunk as u64,
                    };
                    write_result!(O, T, self.output, segment as usize, value);
                }
                return;
            }
            let is_tail = chunk == work.tail_chunk;
            if is_tail && !publishes_tails && self.window(work.window).is_combined() {
                self.tail(work.window).write(value);
            } else {
                let number = self.window_number(work.window) as u32;
                self.board().publish(number, value);
            }
        }
    }
}
