//! The folds of a work's chunks: leaves of 16 items, nodes of 16 leaves, roots of 16 nodes.

use crate::contract::{THREAD_VECTORS, WARP_LANES};
use crate::element::VECTOR_WORDS;
use crate::element::{first_words, for_each_item, item_of, Element};
use crate::op::Op;
use crate::segments::tuning::SHORT_LEAF;
use crate::segments::{chunk_items, has_vectors, vector_items, Task, Work, FAN};
use crate::simt;
use crate::sixteens::{self, has_vector_totals};
use crate::thread::{for_each_vector, Vectors};

use super::items::Room;
use super::starts::Chunk;
use super::Launch;

/// A leaf of a chunk in shared memory.
#[derive(Clone, Copy)]
pub struct Leaf {
    pub chunk: Chunk,
    /// Which of the chunk's it is.
    pub number: u32,
    /// The place of its first item.
    pub begin: u32,
    /// The place after its last item.
    pub end: u32,
    /// The index in its segment of its first item.
    pub index: u64,
    /// Whether all leaves of the warp are whole and begin with a vector.
    pub are_whole: bool,
    /// Whether all leaves of the warp have few items.
    pub are_short: bool,
}

/// What is done with a work's leaves, or with its nodes. A trait, since not every compiler takes in a closure.
pub trait Step<P> {
    /// Does it, with one of them.
    ///
    /// # Safety
    /// That of the step's function.
    unsafe fn run<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        part: P,
    );
}

/// The way up: values are folded.
struct Fold;

/// A node of a chunk in shared memory.
#[derive(Clone, Copy)]
pub struct Node {
    pub chunk: Chunk,
    /// Which of the chunk's it is.
    pub number: u32,
    /// How many leaves it has.
    pub leaf_count: u32,
}

impl Step<Leaf> for Fold {
    #[inline(always)]
    unsafe fn run<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        leaf: Leaf,
    ) {
        // SAFETY: the caller's.
        unsafe { launch.fold_one_leaf(work, room, &leaf) };
    }
}

impl Step<Node> for Fold {
    #[inline(always)]
    unsafe fn run<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        node: Node,
    ) {
        // SAFETY: the caller's.
        unsafe { launch.fold_one_node(work, room, &node) };
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether leaves are read in vectors. Of the widest items, vectors would fill the registers.
    pub const READS_VECTORS: bool = has_vectors::<T>() && size_of::<T>() <= THREAD_VECTORS;

    /// Whether a chunk has one node only.
    const CHUNKS_ARE_NODES: bool = chunk_items::<T, O::Accumulator>() <= (FAN * FAN) as u64;

    /// Vectors of a leaf that does not begin with one, read at once: all, where they have few items.
    const VECTORS_AT_ONCE: usize = match size_of::<T>() {
        4 => 5,
        8 => 3,
        _ => 1,
    };

    /// Does something with each leaf of a work, on a thread for each.
    ///
    /// # Safety
    /// Convergent: the whole block. Starts are written.
    #[inline(always)]
    pub unsafe fn for_each_leaf<S: Step<Leaf>>(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the caller's.
        if unsafe { self.is_flat(work, room) } {
            // SAFETY: the caller's.
            unsafe { self.for_each_chunk::<S>(work, room) };
            return;
        }
        let slots = work.end / FAN + work.chunk_count;
        let mut first = simt::warp() * WARP_LANES;
        while first < slots {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's; all lanes of a warp have the same first slot, and a slot that is none is not looked up.
            unsafe {
                let slot = Ord::min(first + simt::lane(), slots - 1);
                let chunk = self.chunk_of_slot(work, room, slot);
                let number = slot - chunk.start / FAN - chunk.number;
                let begin = chunk.start + number * FAN;
                let exists = begin < chunk.end && first + simt::lane() < slots;
                let end = Ord::min(begin + FAN, chunk.end);
                let is_whole = end - begin == FAN && begin.is_multiple_of(vector_items::<T>());
                let are_whole = Self::READS_VECTORS && simt::ballot(exists && !is_whole) == 0;
                let are_short = simt::ballot(exists && end - begin > SHORT_LEAF) == 0;
                if exists {
                    let before = if chunk.number == 0 { work.index } else { 0 };
                    let leaf = Leaf {
                        chunk,
                        number,
                        begin,
                        end,
                        index: before + (number * FAN) as u64,
                        are_whole,
                        are_short,
                    };
                    S::run(self, work, room, leaf);
                }
            }
            first += step * self.threads();
        }
    }

    /// Does something with each chunk of a work whose chunks are leaves, on a thread for each.
    ///
    /// # Safety
    /// The whole block. Starts are written.
    #[inline(always)]
    unsafe fn for_each_chunk<S: Step<Leaf>>(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let mut number = simt::thread_index();
        while number < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's.
            unsafe {
                let chunk = self.chunk(room, number);
                if chunk.start < chunk.end {
                    let leaf = Leaf {
                        chunk,
                        number: 0,
                        begin: chunk.start,
                        end: chunk.end,
                        index: if number == 0 { work.index } else { 0 },
                        are_whole: false,
                        are_short: true,
                    };
                    S::run(self, work, room, leaf);
                }
            }
            number += step * self.threads();
        }
    }

    /// Folds leaves. What a segment of one leaf has is its result.
    ///
    /// # Safety
    /// Convergent: the whole block. Items and starts are written.
    #[inline(always)]
    pub unsafe fn fold_leaves(&self, number: u32, room: Room<T, O::Accumulator>) {
        // SAFETY: the caller's.
        unsafe {
            let work = self.work(number);
            if self.task == Task::Scan && self.is_flat(&work, room) {
                // Each chunk is a leaf, and a segment's only one: nobody asks for its total.
                return;
            }
            self.for_each_leaf::<Fold>(&work, room);
        }
    }

    /// As [`Self::fold_leaves`], of one leaf.
    ///
    /// # Safety
    /// The same as for [`Self::fold_leaves`].
    #[inline(always)]
    unsafe fn fold_one_leaf(&self, work: &Work, room: Room<T, O::Accumulator>, leaf: &Leaf) {
        let chunk = leaf.chunk;
        let is_alone = chunk.end - chunk.start <= FAN;
        // A scan wants no total of a segment of one leaf.
        if is_alone && self.task == Task::Scan {
            return;
        }
        let Leaf {
            begin, end, index, ..
        } = *leaf;
        // SAFETY: the caller's; there is a place for each value.
        unsafe {
            let value = match leaf.are_whole {
                true => self.fold_whole_leaf(room, begin, index),
                false if Self::READS_VECTORS && !leaf.are_short && !O::IS_PAIRWISE => {
                    self.fold_leaf(room, begin, end, index)
                }
                false => self.fold_each(room, begin, end, index),
            };
            if is_alone {
                self.finish(work, chunk.number, value);
            } else {
                room.leaf(chunk.start, leaf.number).write(value);
            }
        }
    }

    /// The 16 items of a leaf that are whole vectors, combined; the first has an index.
    ///
    /// # Safety
    /// The items are written.
    #[inline(always)]
    unsafe fn fold_whole_leaf(
        &self,
        room: Room<T, O::Accumulator>,
        begin: u32,
        index: u64,
    ) -> O::Accumulator {
        let items = vector_items::<T>();
        let mut vectors: Vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
        for_each_vector!(V => {
            if V < size_of::<T>() {
                // SAFETY: the caller's.
                vectors[V] = unsafe { room.vector(begin + V as u32 * items) };
            }
        });
        if has_vector_totals::<O, T>() {
            return sixteens::leaf::<O, T>(|v| first_words(&vectors[v]), index);
        }
        let mut value = O::identity();
        for_each_vector!(V => {
            if V < size_of::<T>() {
                for_each_item!(P of T => {
                    let index = index + (V as u32 * items) as u64 + P as u64;
                    value = O::combine(value, O::lift_at(item_of(&vectors[V], P), index));
                });
            }
        });
        value
    }

    /// The left fold of 16 items or fewer, of which the first has an index, out of the vectors in which they lie.
    ///
    /// # Safety
    /// The items are written, and there is at least one.
    #[inline(always)]
    unsafe fn fold_leaf(
        &self,
        room: Room<T, O::Accumulator>,
        begin: u32,
        end: u32,
        index: u64,
    ) -> O::Accumulator {
        let items = vector_items::<T>();
        let offset = begin % items;
        // A bit for each place from the first vector on, where there is an item of the leaf's.
        let mut mask = ((1 << (end - begin)) - 1) << offset;
        let mut place = begin - offset;
        let mut value = O::identity();
        while mask != 0 {
            let step = simt::opaque_one() as u32;
            let mut vectors: Vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
            for_each_vector!(V => {
                if V < Self::VECTORS_AT_ONCE {
                    // SAFETY: the caller's; the last item's vector stands for those after.
                    vectors[V] = unsafe {
                        room.vector(Ord::min(place + V as u32 * items, end - 1))
                    };
                }
            });
            for_each_vector!(V => {
                if V < Self::VECTORS_AT_ONCE {
                    for_each_item!(P of T => {
                        let bit = V as u32 * items + P as u32;
                        // What lies in other places is perhaps no item: the operator never sees it.
                        if mask & 1 << bit != 0 {
                            let index = index + (place + bit).wrapping_sub(begin) as u64;
                            let item = O::lift_at(item_of(&vectors[V], P), index);
                            value = O::combine(value, item);
                        }
                    });
                }
            });
            let places = Self::VECTORS_AT_ONCE as u32 * items * step;
            place += places;
            mask >>= places;
        }
        value
    }

    /// 16 items or fewer combined, of which the first has an index, one by one: a left fold, or pairwise.
    ///
    /// # Safety
    /// The items are written, and there is at least one.
    #[inline(always)]
    unsafe fn fold_each(
        &self,
        room: Room<T, O::Accumulator>,
        begin: u32,
        end: u32,
        index: u64,
    ) -> O::Accumulator {
        let lifted = |place: u32| {
            // SAFETY: the caller's.
            let item = unsafe { room.item(begin + place) };
            O::lift_at(item_of(&item, 0), index + place as u64)
        };
        let count = end - begin;
        if O::IS_PAIRWISE {
            return sixteens::pairwise::<O, T>(count, lifted);
        }
        let mut value = O::identity();
        let mut place = 0;
        while place < count {
            let step = simt::opaque_one() as u32;
            value = O::combine(value, lifted(place));
            place += step;
        }
        value
    }

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

    /// Folds nodes of chunks that have more than one leaf. What a segment of one node has is its result.
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
    unsafe fn fold_one_node(&self, work: &Work, room: Room<T, O::Accumulator>, node: &Node) {
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
                    self.finish(&work, chunk.number, value);
                }
            }
            slot += step * self.threads();
        }
    }

    /// `count` values combined, at least one: a left fold, four at a time, of which some may be left out; or pairwise.
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

    /// Puts a chunk's value where it belongs: a whole segment's to its result, and what others wait for to the board.
    ///
    /// # Safety
    /// Nobody else finishes the chunk.
    #[inline(always)]
    unsafe fn finish(&self, work: &Work, chunk: u32, value: O::Accumulator) {
        // SAFETY: the caller's; there is a result for each segment.
        unsafe {
            if chunk != work.tail_chunk && chunk != work.cut_chunk {
                if self.task == Task::Reduce {
                    let segment = work.segment + chunk as u64;
                    self.output.add(segment as usize).write(O::lower(value));
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
