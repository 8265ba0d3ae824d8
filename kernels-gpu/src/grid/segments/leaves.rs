//! The folds of a chunk: leaves of 16 items, nodes of 16 leaves, roots of 16 nodes.
//!
//! A **frame** is 16 consecutive items of those in shared memory. A thread folds the leaves that begin in its frame: one of a
//! long chunk, more of short ones. So each has about as much to do, whatever the chunks' lengths. A node that has more than one
//! leaf has more than 16 items, so at most one begins in a frame: it is for the same thread.

use crate::contract::{BLOCK_THREADS, THREAD_VECTORS};
use crate::element::{item_of, Element};
use crate::op::Op;
use crate::segments::{Work, FAN};
use crate::simt;
use crate::thread::{for_each_vector, Vectors};

use super::items::Room;
use super::Launch;

/// A chunk in shared memory.
#[derive(Clone, Copy)]
struct Chunk {
    number: u32,
    start: u32,
    end: u32,
}

impl Chunk {
    #[inline(always)]
    fn leaf_count(&self) -> u32 {
        (self.end - self.start).div_ceil(FAN)
    }

    #[inline(always)]
    fn node_count(&self) -> u32 {
        self.leaf_count().div_ceil(FAN)
    }

    /// The first leaf that begins at an item, or behind it.
    #[inline(always)]
    fn leaf_from(&self, item: u32) -> u32 {
        item.saturating_sub(self.start).div_ceil(FAN)
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Writes the results of segments without items.
    ///
    /// # Safety
    /// The starts are written.
    #[inline(always)]
    pub unsafe fn write_empty(&self) {
        // SAFETY: the caller's.
        let work = unsafe { &self.work() };
        let mut chunk = simt::thread_index();
        while chunk < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's; there is a result for each segment.
            unsafe {
                if self.room.start(chunk) == self.room.start(chunk + 1) {
                    let segment = work.segment + chunk as u64;
                    let result = O::lower(O::identity());
                    self.output.add(segment as usize).write(result);
                }
            }
            chunk += step * BLOCK_THREADS;
        }
    }

    /// Whether a thread has the registers for half of a leaf.
    const HOLDS_LEAVES: bool = Room::<T, O::Accumulator>::ITEMS_AT_ONCE == 8;

    /// Folds leaves. What a segment of one leaf has is its result.
    ///
    /// # Safety
    /// Items and starts are written.
    #[inline(always)]
    pub unsafe fn fold_leaves(&self) {
        // SAFETY: the caller's.
        let work = unsafe { &self.work() };
        let mut frame = simt::thread_index();
        while frame * FAN < work.item_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's.
            unsafe { self.fold_leaves_of_frame(work, frame) };
            frame += step * BLOCK_THREADS;
        }
    }

    /// Folds the leaves that begin in a frame, and keeps the number of the chunk, plus 1, of a node that does.
    ///
    /// # Safety
    /// That of [`Self::fold_leaves`]; the frame has items.
    #[inline(always)]
    unsafe fn fold_leaves_of_frame(&self, work: &Work, frame: u32) {
        let end = Ord::min((frame + 1) * FAN, work.item_count);
        let mut head = 0;
        let mut item = frame * FAN;
        // SAFETY: the caller's; a chunk has the item, and there is a place for each value.
        unsafe {
            let mut chunk = self.chunk_of(work, item, 0);
            while item < end {
                let step = simt::opaque_one() as u32;
                if item >= chunk.end {
                    chunk = self.chunk_of(work, item, chunk.number + 1);
                }
                let leaf = chunk.leaf_from(item);
                let begin = chunk.start + leaf * FAN;
                item = Ord::min(begin + FAN, chunk.end) * step;
                if begin < end && begin < chunk.end {
                    let value = self.fold_items(work, &chunk, begin, item);
                    let leaf_count = chunk.leaf_count();
                    if leaf_count == 1 {
                        self.finish(work, chunk.number, value);
                    } else if leaf.is_multiple_of(FAN) && leaf == leaf_count - 1 {
                        self.room.node(chunk.start, leaf / FAN).write(value);
                    } else {
                        self.room.leaf(chunk.start, leaf).write(value);
                        if leaf.is_multiple_of(FAN) {
                            head = chunk.number + 1;
                        }
                    }
                }
            }
            self.room.head(frame).write(head as u16);
        }
    }

    /// The chunk that has an item, from chunk `from` on.
    ///
    /// # Safety
    /// The starts are written; such a chunk has it.
    #[inline(always)]
    unsafe fn chunk_of(&self, work: &Work, item: u32, from: u32) -> Chunk {
        let (mut low, mut high) = (from, work.chunk_count);
        // SAFETY: the caller's.
        unsafe {
            // The chunk after the last is often the one.
            if from > 0 && self.room.start(from + 1) > item {
                high = from + 1;
            }
            while high - low > 1 {
                let step = simt::opaque_one() as u32;
                let middle = (low + high) / 2 * step;
                if self.room.start(middle) <= item {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            Chunk {
                number: low,
                start: self.room.start(low),
                end: self.room.start(low + 1),
            }
        }
    }

    /// The left fold of a leaf's items.
    ///
    /// # Safety
    /// The items are written, and there is at least one.
    #[inline(always)]
    unsafe fn fold_items(
        &self,
        work: &Work,
        chunk: &Chunk,
        begin: u32,
        end: u32,
    ) -> O::Accumulator {
        let before = if chunk.number == 0 { work.index } else { 0 };
        let index = before + (begin - chunk.start) as u64;
        // SAFETY: the caller's.
        unsafe {
            if end - begin == FAN && Self::HOLDS_LEAVES {
                self.fold_whole_leaf(begin, index)
            } else {
                self.fold_part_of_leaf(begin, end, index)
            }
        }
    }

    /// The left fold of 16 items, of which the first has an index.
    ///
    /// # Safety
    /// The items are written.
    #[inline(always)]
    unsafe fn fold_whole_leaf(&self, begin: u32, index: u64) -> O::Accumulator {
        let mut value = O::identity();
        // SAFETY: the caller's.
        unsafe {
            let half = self.leaf_items::<0>(begin);
            for_each_vector!(V => {
                let item = item_of(&half[V], 0);
                value = O::combine(value, O::lift_at(item, index + V as u64));
            });
            let half = self.leaf_items::<8>(begin);
            for_each_vector!(V => {
                let item = item_of(&half[V], 0);
                value = O::combine(value, O::lift_at(item, index + 8 + V as u64));
            });
        }
        value
    }

    /// Eight items of a leaf, from item `begin + FIRST` on.
    ///
    /// # Safety
    /// They are written.
    #[inline(always)]
    unsafe fn leaf_items<const FIRST: u32>(&self, begin: u32) -> Vectors {
        let room = &self.room;
        // SAFETY: the caller's.
        unsafe {
            if FIRST == 0 {
                [
                    room.leaf_item::<0>(begin),
                    room.leaf_item::<1>(begin),
                    room.leaf_item::<2>(begin),
                    room.leaf_item::<3>(begin),
                    room.leaf_item::<4>(begin),
                    room.leaf_item::<5>(begin),
                    room.leaf_item::<6>(begin),
                    room.leaf_item::<7>(begin),
                ]
            } else {
                [
                    room.leaf_item::<8>(begin),
                    room.leaf_item::<9>(begin),
                    room.leaf_item::<10>(begin),
                    room.leaf_item::<11>(begin),
                    room.leaf_item::<12>(begin),
                    room.leaf_item::<13>(begin),
                    room.leaf_item::<14>(begin),
                    room.leaf_item::<15>(begin),
                ]
            }
        }
    }

    /// The left fold of fewer than 16 items, of which the first has an index: four at a time, of which some may be left out.
    ///
    /// # Safety
    /// The items are written, and there is at least one.
    #[inline(always)]
    unsafe fn fold_part_of_leaf(&self, begin: u32, end: u32, index: u64) -> O::Accumulator {
        let mut value = O::identity();
        let at_once = if Self::HOLDS_LEAVES { 4 } else { 1 };
        let mut first = begin;
        while first < end {
            let step = simt::opaque_one() as u32;
            let mut items: Vectors = [[0; 8]; THREAD_VECTORS];
            for_each_vector!(V => {
                if V < at_once {
                    // SAFETY: the caller's; the last item stands for those that are left out.
                    items[V] = unsafe { self.room.item(Ord::min(first + V as u32, end - 1)) };
                }
            });
            let index = index + (first - begin) as u64;
            for_each_vector!(V => {
                if V < at_once {
                    let item = item_of(&items[V], 0);
                    let longer = O::combine(value, O::lift_at(item, index + V as u64));
                    value = if first + (V as u32) < end { longer } else { value };
                }
            });
            first += at_once as u32 * step;
        }
        value
    }

    /// Folds nodes of more than one leaf. What a segment of one node has is its result.
    ///
    /// # Safety
    /// The leaves are written.
    #[inline(always)]
    pub unsafe fn fold_nodes(&self) {
        // SAFETY: the caller's.
        let work = unsafe { &self.work() };
        let mut frame = simt::thread_index();
        while frame * FAN < work.item_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's; the frame's head is this thread's, and there is a place for each value.
            unsafe {
                if let Some(chunk) = self.chunk_at_head(frame) {
                    let leaf = chunk.leaf_from(frame * FAN);
                    let count = Ord::min(chunk.leaf_count() - leaf, FAN);
                    let value = self.fold_values(self.room.leaf(chunk.start, leaf), count);
                    if chunk.node_count() == 1 {
                        self.finish(work, chunk.number, value);
                    } else {
                        self.room.node(chunk.start, leaf / FAN).write(value);
                    }
                }
            }
            frame += step * BLOCK_THREADS;
        }
    }

    /// Folds the nodes of chunks that have more than one.
    ///
    /// # Safety
    /// The nodes are written.
    #[inline(always)]
    pub unsafe fn fold_roots(&self) {
        // SAFETY: the caller's.
        let work = unsafe { &self.work() };
        let mut frame = simt::thread_index();
        while frame * FAN < work.item_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's; the frame's head is this thread's.
            unsafe {
                if let Some(chunk) = self.chunk_at_head(frame) {
                    let count = chunk.node_count();
                    if count > 1 && chunk.leaf_from(frame * FAN) == 0 {
                        let value = self.fold_values(self.room.node(chunk.start, 0), count);
                        self.finish(work, chunk.number, value);
                    }
                }
            }
            frame += step * BLOCK_THREADS;
        }
    }

    /// The chunk of the node that begins in a frame.
    ///
    /// # Safety
    /// The calling thread has folded the frame's leaves.
    #[inline(always)]
    unsafe fn chunk_at_head(&self, frame: u32) -> Option<Chunk> {
        // SAFETY: the caller's.
        unsafe {
            let head = simt::read_shared(self.room.head(frame)) as u32;
            let number = head.checked_sub(1)?;
            Some(Chunk {
                number,
                start: self.room.start(number),
                end: self.room.start(number + 1),
            })
        }
    }

    /// The left fold of `count` values, at least one.
    ///
    /// # Safety
    /// They are written.
    #[inline(always)]
    unsafe fn fold_values(&self, values: *const O::Accumulator, count: u32) -> O::Accumulator {
        // SAFETY: the caller's.
        unsafe {
            let mut folded = values.read();
            let mut place = 1;
            while place < count {
                folded = O::combine(folded, values.add(place as usize).read());
                place += 1;
            }
            folded
        }
    }

    /// Puts a chunk's value where it belongs: a whole segment's to its result.
    ///
    /// # Safety
    /// Nobody else finishes the chunk.
    #[inline(always)]
    unsafe fn finish(&self, work: &Work, chunk: u32, value: O::Accumulator) {
        // SAFETY: the caller's; there is a result for each segment.
        unsafe {
            if chunk == work.tail_chunk {
                (*self.header).tail = value;
            } else if chunk == work.cut_chunk {
                (*self.header).cut = value;
            } else {
                let segment = work.segment + chunk as u64;
                self.output.add(segment as usize).write(O::lower(value));
            }
        }
    }
}
