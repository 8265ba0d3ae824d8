//! The folds of a work's leaves, of up to 16 items each, and the steps that run for each leaf or node.

use crate::contract::{THREAD_VECTORS, WARP_LANES};
use crate::element::VECTOR_WORDS;
use crate::element::{accumulator_word, first_words, for_each_item, item_of};
use crate::element::{Accumulator, Element, Words};
use crate::op::Op;
use crate::segments::tuning::SHORT_LEAF;
use crate::segments::{has_vectors, vector_items, Task, Work, FAN};
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
    /// The leaf's number in the chunk.
    pub number: u32,
    /// The place of its first item.
    pub begin: u32,
    /// One past the place of its last item.
    pub end: u32,
    /// The first item's index in its segment.
    pub index: u64,
    /// Whether the warp reads whole vectors. Then the leaves of all its lanes have 16 items, and begin where a vector begins.
    pub are_whole: bool,
    /// Whether the leaves of all lanes have at most `SHORT_LEAF` items, or items are read one by one anyway.
    pub are_short: bool,
}

impl Leaf {
    /// The only leaf of a short chunk, whose first item has the given index in its segment.
    #[inline(always)]
    pub fn of_short(chunk: Chunk, index: u64) -> Self {
        Leaf {
            chunk,
            number: 0,
            begin: chunk.start,
            end: chunk.end,
            index,
            are_whole: false,
            are_short: true,
        }
    }
}

/// A step for each of a work's leaves, or for each of its nodes. It is a trait, since not every compiler inlines a closure.
pub trait Step<P> {
    /// Runs the step for one leaf or node.
    ///
    /// # Safety
    /// `part` is a leaf or node of `work`, one of the block's works, and no other thread takes this part. The other conditions depend on
    /// the step:
    /// - [`Fold`] of a leaf: the conditions of [`Launch::fold_one_leaf`]; of a node: those of [`Launch::fold_one_node`].
    /// - `Downsweep` of a leaf: the conditions of `Launch::place_items`; of a node: the values of its leaves are written, and so are the
    ///   prefixes of the chunk and of its nodes.
    unsafe fn run<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        part: P,
    );
}

/// A step that folds a leaf's items, or the values of a node's leaves.
pub struct Fold;

/// A node of a chunk in shared memory.
#[derive(Clone, Copy)]
pub struct Node {
    pub chunk: Chunk,
    /// The node's number in the chunk.
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
        // SAFETY: `run`'s conditions are those of `fold_one_leaf`.
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
        // SAFETY: `run`'s conditions are those of `fold_one_node`.
        unsafe { launch.fold_one_node(work, room, &node) };
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether leaves may be read in vectors. Vectors of the widest items would fill the registers.
    pub const READS_VECTORS: bool = has_vectors::<T>() && size_of::<T>() <= THREAD_VECTORS;

    /// Whether values may be combined in any order, because every order gives the same bits. It is false for exact operators with narrow
    /// accumulators: the skeletons for narrow accumulators also serve operators whose results depend on the order.
    pub const IS_EXACT: bool = O::EXACT && O::Accumulator::IS_WIDE;

    /// Whether a reduction that is not by key first folds whole leaves without their items' indices. A value then consists of an index and
    /// a key: the part by which items are compared. The value of a whole leaf has the key of the winning item, but the index of the leaf's
    /// first item. [`Self::located`] later finds the winning item's own index. If a chunk has only one leaf, that leaf is folded with its
    /// items' indices at once.
    const FINDS_LATE: bool = O::FINDS_LATE && Self::READS_VECTORS && size_of::<T>() == 4;

    /// Whether a reduction that is not by key keeps the value of a leaf or node in a shorter form. The short form has the value's key, and
    /// an offset in the chunk in place of the value's index. The index counts from the segment's start.
    pub const KEEPS_OFFSETS: bool = Self::FINDS_LATE;

    /// Whether a reduction combines a leaf of 16 items by totals of vectors even if the leaf does not begin where a vector begins.
    const TOTALS_ANYWHERE: bool = has_vector_totals::<O, T>() && Self::READS_VECTORS;

    /// The number of vectors that are read at once, for a leaf that may begin inside a vector. For items of 4 bytes, these are all vectors
    /// of the leaf.
    const VECTORS_AT_ONCE: usize = match size_of::<T>() {
        4 => 5,
        8 => 3,
        _ => 1,
    };

    /// Runs a step for each leaf of a work, except for the leaves that `fold_short` has finished. Each leaf has one thread.
    ///
    /// # Safety
    /// 1. Convergent: the whole block. `work` is one of the block's works.
    /// 2. The starts and the slots are written.
    /// 3. The conditions of `S::run` hold for each of these leaves.
    #[inline(always)]
    pub unsafe fn for_each_leaf<S: Step<Leaf>>(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let slots = self.slots(work, FAN);
        let mut first = simt::warp() * WARP_LANES;
        while first < slots.count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the whole warp takes part in the ballots, since all lanes have the same `first`. The slots are written (condition 2),
            // and the work has `slot`. Each leaf has one slot, and so one thread. The step's other conditions hold by condition 3.
            unsafe {
                let slot = Ord::min(first + simt::lane(), slots.count - 1);
                let chunk = self.chunk_of_slot(work, room, slot);
                let number = slot - slots.first(chunk.number, chunk.start);
                let begin = chunk.start + number * FAN;
                let exists = begin < chunk.end
                    && first + simt::lane() < slots.count
                    && !self.is_done(work, chunk);
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

    /// Whether a chunk needs no step for its leaf, because [`Self::fold_short`] has finished it.
    #[inline(always)]
    fn is_done(&self, work: &Work, chunk: Chunk) -> bool {
        // In a scan, `fold_short` does not finish the tail.
        let is_left = self.task == Task::Scan && chunk.number == work.tail_chunk;
        work.is_dense() && chunk.end - chunk.start <= FAN && !is_left
    }

    /// Folds the leaves of a work. In a reduction, the value of a segment of one leaf is lowered to the segment's result.
    ///
    /// # Safety
    /// 1. Convergent: the whole block. The header is written, and `number < work_count`.
    /// 2. The work's items, starts and slots are written. No thread uses the values of an earlier work's leaves any more.
    #[inline(always)]
    pub unsafe fn fold_leaves(&self, number: u32, room: Room<T, O::Accumulator>) {
        // SAFETY: the whole block is here, the header is written and has the work: condition 1. Items, starts and slots are written:
        // condition 2.
        unsafe {
            let work = self.work(number);
            self.for_each_leaf::<Fold>(&work, room);
        }
    }

    /// As [`Self::fold_leaves`], for one leaf.
    ///
    /// # Safety
    /// Condition 2 of [`Self::fold_leaves`]. The header is written. The leaf belongs to `work`, one of the block's works, and no other
    /// thread takes it.
    #[inline(always)]
    unsafe fn fold_one_leaf(&self, work: &Work, room: Room<T, O::Accumulator>, leaf: &Leaf) {
        let chunk = leaf.chunk;
        let is_alone = chunk.end - chunk.start <= FAN;
        // A scan does not use the value of a chunk of one leaf: such a chunk is the last of its segment.
        if is_alone && self.task == Task::Scan {
            return;
        }
        let Leaf {
            begin, end, index, ..
        } = *leaf;
        // SAFETY: the header and the leaf's items are written (this function's conditions), and a leaf has at least one item. If
        // `are_whole`, it has 16 items, and begins where a vector begins. No other thread takes the leaf (this function's condition). So if
        // the chunk has only this leaf, nobody else finishes the chunk. Different leaves' values do not overlap.
        unsafe {
            let value = match leaf.are_whole {
                true if Self::FINDS_LATE && !is_alone && self.reduces_segments() => {
                    O::bound_of_four(Self::four_vectors(room, begin), index)
                }
                true => self.fold_whole_leaf(room, begin, index),
                false
                    if Self::TOTALS_ANYWHERE && self.task == Task::Reduce && end - begin == FAN =>
                {
                    let vectors = room.sixteen(begin);
                    sixteens::leaf::<O, T>(|v| first_words(&vectors[v]), index)
                }
                false if Self::READS_VECTORS && !leaf.are_short && !O::PAIRS_SIXTEENS => {
                    self.fold_leaf(room, begin, end, index)
                }
                false => self.fold_each(room, begin, end, index),
            };
            if is_alone {
                self.finish(work, chunk.number, value);
            } else if Self::KEEPS_OFFSETS && self.reduces_segments() {
                let before = if chunk.number == 0 { work.index } else { 0 };
                let mut offset = leaf.number * FAN;
                if !leaf.are_whole {
                    offset = O::index_of(value).wrapping_sub(before) as u32;
                }
                let place = room.late_leaf(chunk.start, leaf.number);
                place.write([accumulator_word(value, 0), offset]);
            } else {
                room.leaf(chunk.start, leaf.number).write(value);
            }
        }
    }

    /// The fold of a leaf of 16 items that begins where a vector begins. `index` is the first item's index.
    ///
    /// # Safety
    /// The items are written.
    #[inline(always)]
    pub unsafe fn fold_whole_leaf(
        &self,
        room: Room<T, O::Accumulator>,
        begin: u32,
        index: u64,
    ) -> O::Accumulator {
        let items = vector_items::<T>();
        let mut vectors: Vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
        for_each_vector!(V => {
            if V < size_of::<T>() {
                // SAFETY: all 16 items are written: this function's condition.
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

    /// The 16 items from place `begin` on, as four vectors. Items have 4 bytes, and a vector begins at place `begin`.
    ///
    /// # Safety
    /// The items are written.
    #[inline(always)]
    unsafe fn four_vectors(room: Room<T, O::Accumulator>, begin: u32) -> [Words; 4] {
        let mut vectors: [Words; 4] = [[0; 4]; 4];
        for_each_vector!(V in 0 1 2 3 => {
            // SAFETY: all 16 items are written: this function's condition.
            let vector = unsafe { room.vector(begin + V as u32 * vector_items::<T>()) };
            vectors[V] = first_words(&vector);
        });
        vectors
    }

    /// Returns a chunk's value with the index of the winning item itself. A value without an index is returned as it is. If the winning
    /// item's leaf is whole, `value` may still have the index of that leaf's first item (see [`Self::FINDS_LATE`]). Then the leaf's items
    /// are combined again, with their indices.
    ///
    /// # Safety
    /// The items of the chunk are written.
    #[inline(always)]
    pub unsafe fn located(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        chunk: Chunk,
        value: O::Accumulator,
    ) -> O::Accumulator {
        if !Self::FINDS_LATE || !self.reduces_segments() {
            return value;
        }
        let before = if chunk.number == 0 { work.index } else { 0 };
        let offset = O::index_of(value).wrapping_sub(before) as u32;
        let place = chunk.start.wrapping_add(offset);
        let is_first = offset.is_multiple_of(FAN) && place.is_multiple_of(vector_items::<T>());
        let item_count = chunk.end - chunk.start;
        if !is_first || offset >= item_count || item_count - offset < FAN {
            return value;
        }
        // SAFETY: the chunk has 16 items from `place` on, checked above, and they are written: this function's condition.
        O::total_of_four(
            unsafe { Self::four_vectors(room, place) },
            O::index_of(value),
        )
    }

    /// The left fold of 1 to 16 items, read in vectors. `index` is the first item's index.
    ///
    /// # Safety
    /// The items are written, and there is at least one.
    #[inline(always)]
    pub unsafe fn fold_leaf(
        &self,
        room: Room<T, O::Accumulator>,
        begin: u32,
        end: u32,
        index: u64,
    ) -> O::Accumulator {
        let items = vector_items::<T>();
        let offset = begin % items;
        // Bit `i` says whether place `i` of the vectors has an item of the leaf.
        let mut mask = ((1 << (end - begin)) - 1) << offset;
        let mut place = begin - offset;
        let mut value = O::identity();
        while mask != 0 {
            let step = simt::opaque_one() as u32;
            let mut vectors: Vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
            for_each_vector!(V => {
                if V < Self::VECTORS_AT_ONCE {
                    // SAFETY: the items are written (this function's condition), and each vector has one of these items: past the end, the
                    // last item's vector is read again.
                    vectors[V] = unsafe {
                        room.vector(Ord::min(place + V as u32 * items, end - 1))
                    };
                }
            });
            for_each_vector!(V => {
                if V < Self::VECTORS_AT_ONCE {
                    for_each_item!(P of T => {
                        let bit = V as u32 * items + P as u32;
                        // Places without a bit may hold anything, so the operator never gets them.
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

    /// The fold of at most 16 items, which are read one by one. The fold is pairwise if the operator [pairs sixteens](Op::PAIRS_SIXTEENS),
    /// and otherwise from the left. `index` is the first item's index.
    ///
    /// # Safety
    /// The items are written. There is at least one if the operator combines sixteens pairwise.
    #[inline(always)]
    pub unsafe fn fold_each(
        &self,
        room: Room<T, O::Accumulator>,
        begin: u32,
        end: u32,
        index: u64,
    ) -> O::Accumulator {
        let lifted = |place: u32| {
            // SAFETY: `place < end - begin`, and these items are written: this function's conditions.
            let item = unsafe { room.item(begin + place) };
            O::lift_at(item_of(&item, 0), index + place as u64)
        };
        let count = end - begin;
        if O::PAIRS_SIXTEENS {
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
}
