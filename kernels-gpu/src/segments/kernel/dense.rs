//! Dense works: works whose chunks have few items on average.
//!
//! Their offsets are copied to shared memory together with the items, and checked there. Then each short chunk (a chunk of at most one
//! leaf) is folded by one thread. Short chunks need no slots. Only a scan's short tail is left for later, since its prefix is not known
//! yet. Longer chunks are folded as in works that are not dense.

use crate::direction::Heading;
use crate::element::Element;
use crate::indices::write_result;
use crate::launch::Copies;
use crate::op::Op;
use crate::segments::{Task, Work, FAN, NO_CHUNK, ROW_STARTS, START_BYTES, VECTOR_STARTS};
use crate::simt;

use super::items::Room;
use super::leaves::Leaf;
use super::starts::{Chunk, HAS_NODES, HAS_ROOTS};
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Writes the starts of a dense work's chunks. A start is the low half of an offset. The offsets are not checked here. The first
    /// chunk's start is the work's begin, and the last chunk's end is the work's end. These two were checked when the work was found, so no
    /// offset is read for them. If copies are asynchronous, the copies of 4-byte offsets may still be under way when this returns.
    ///
    /// # Safety
    /// 1. The whole block. The header is written, and `work` is one of the block's works.
    /// 2. No thread uses the starts of earlier works any more.
    #[inline(always)]
    pub unsafe fn copy_offsets(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let mut number = simt::thread_index();
        // SAFETY: the conditions are this function's. `number <= chunk_count`, so the start exists, and no other thread writes it.
        unsafe {
            if self.offsets.offset_bytes == 4 {
                self.copy_words(work, room);
                return;
            }
            while number <= work.chunk_count {
                let step = simt::opaque_one() as u32;
                let place = self.read_start(work, number);
                self.start_address(work, room, number)
                    .write(self.low_half(work, place));
                number += step * self.threads();
            }
        }
    }

    /// As [`Self::copy_offsets`], for offsets of 4 bytes. Copies whole vectors of offsets, and up to three offsets at each end one by one.
    ///
    /// # Safety
    /// The same conditions as for [`Self::copy_offsets`], and `offset_bytes` is 4.
    #[inline(always)]
    unsafe fn copy_words(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let count = work.chunk_count;
        let thread = simt::thread_index();
        let first = self.first_offset(work.segment, count);
        // Words are counted from the first word of the first row.
        let before = first.addr() as u32 / START_BYTES % ROW_STARTS;
        let from = first.wrapping_sub(before as usize);
        let behind = self.offsets.direction.if_backward(count as u64) as u32;
        let to = work.starts.wrapping_sub((before + behind) * START_BYTES);
        let (begin, end) = (before + 1, before + count);
        let whole = begin.next_multiple_of(VECTOR_STARTS);
        let rest = Ord::max(end / VECTOR_STARTS * VECTOR_STARTS, whole);
        // Each of the first four threads copies at most one word before the whole vectors. Each of the next four threads copies at most one
        // word after the whole vectors.
        let is_front = thread < VECTOR_STARTS;
        let (single, upto) = if is_front {
            (begin + thread, Ord::min(whole, end))
        } else {
            (rest + thread - VECTOR_STARTS, end)
        };
        // The first vector of each warp begins a row.
        let mut word = whole / ROW_STARTS * ROW_STARTS + thread * VECTOR_STARTS;
        // SAFETY: the words from `begin` to `end` are offsets of segments of the launch, so they are readable. There is room for the start
        // of each chunk and for the end of the last chunk. Each word is copied or written by one thread: the words from `whole` to `rest`
        // in vectors, and the words before and after these one by one. Vectors are aligned in both memories. No thread uses the starts of
        // earlier works (condition 2 of `copy_offsets`).
        unsafe {
            if word < whole {
                word += self.threads() * VECTOR_STARTS;
            }
            while word < rest {
                let step = simt::opaque_one() as u32;
                let from = from.wrapping_add(word as usize);
                Self::bring_vector(room.item_memory(), to + word * START_BYTES, from);
                word += self.threads() * VECTOR_STARTS * step;
            }
            if thread < 2 * VECTOR_STARTS && single < upto {
                let to = room.start(to + single * START_BYTES);
                let from = from.wrapping_add(single as usize);
                if simt::COPIES == Copies::Asynchronous {
                    simt::begin_copy_item::<u32>(to, from);
                } else {
                    to.write(from.read());
                }
            }
            if thread == 0 {
                self.start_address(work, room, 0)
                    .write(self.low_half(work, work.begin));
                self.start_address(work, room, count)
                    .write(self.low_half(work, work.end));
            }
        }
    }

    /// Writes the slots of a dense work, after its offsets were checked.
    ///
    /// # Safety
    /// The whole block. The starts are written, and `fold_short` has refused no offset. The room's bits were cleared for this work.
    #[inline(always)]
    pub unsafe fn write_slots(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let slots = self.slots(work, FAN);
        let mut number = simt::thread_index();
        while number < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the starts are written and right, and the bits are cleared: this function's conditions. So starts ascend up to the
            // work's end. `number < chunk_count`.
            unsafe {
                let Chunk { start, end, .. } = self.chunk(work, room, number);
                self.write_slots_of(slots, room, number, start, end);
            }
            number += step * self.threads();
        }
    }

    /// Checks the chunks of a dense work, and folds the short ones. A reduction writes their results, and stores the value of a short tail
    /// in the header. A scan writes the results of their items. It leaves a short tail for later, since the tail's prefix is not known yet.
    /// Both tasks note in the flags whether there are longer chunks, and refuse offsets that do not ascend.
    ///
    /// # Safety
    /// 1. The whole block. The header is written, and `work` is one of the block's works.
    /// 2. The work's items and starts are written. The starts need not have been checked. The room's flags are cleared.
    #[inline(always)]
    pub unsafe fn fold_short(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // A tail is the work's first chunk. The chunk of the cut segment is the work's last chunk.
        let first = (work.tail_chunk == 0) as u32;
        let upto = work.chunk_count - (work.cut_chunk != NO_CHUNK) as u32;
        let mut number = first + simt::thread_index();
        while number < upto {
            let step = simt::opaque_one() as u32;
            // SAFETY: the header, the items and the starts are written, and the flags are cleared: conditions 1 and 2. `number <
            // chunk_count`, and no other thread takes the chunk. If `put_off` is not called for the chunk, the chunk is a whole segment of
            // at most 16 items, and the work has these items.
            unsafe {
                let chunk = self.chunk(work, room, number);
                let Chunk { start, end, .. } = chunk;
                let is_ascending = work.begin <= start && start <= end && end <= work.end;
                if !is_ascending || end - start > FAN {
                    self.put_off(work, room, chunk);
                } else if self.task == Task::Reduce {
                    // A pairwise fold needs at least one item. A left fold of no items is the identity.
                    let value = match O::PAIRS_SIXTEENS && start == end {
                        true => O::identity(),
                        false => self.fold_each(room, start, end, 0),
                    };
                    let segment = work.segment + number as u64;
                    write_result!(O, T, self.output, segment as usize, value);
                } else {
                    self.place_each(work, room, &Leaf::of_short(chunk, 0), O::identity());
                }
            }
            number += step * self.threads();
        }
        if simt::thread_index() == 0 {
            // SAFETY: as above. The loop leaves out the tail and the chunk of the cut segment, so no other thread takes them. Nobody else
            // finishes a short tail.
            unsafe {
                if first != 0 {
                    let chunk = self.chunk(work, room, 0);
                    let is_right = self.put_off(work, room, chunk);
                    if is_right && chunk.end - chunk.start <= FAN && self.task == Task::Reduce {
                        let value = self.fold_each(room, chunk.start, chunk.end, work.index);
                        self.finish(work, 0, value);
                    }
                }
                if upto != work.chunk_count {
                    self.put_off(work, room, self.chunk(work, room, upto));
                }
            }
        }
    }

    /// Checks a chunk, and notes in the flags whether it has several leaves or several nodes. Returns false if it refuses the offsets.
    ///
    /// # Safety
    /// The header is written, and the room's flags were cleared for this work.
    #[inline(always)]
    unsafe fn put_off(&self, work: &Work, room: Room<T, O::Accumulator>, chunk: Chunk) -> bool {
        let Chunk { number, start, end } = chunk;
        // SAFETY: the header is written, and the flags were cleared: this function's conditions.
        unsafe {
            let is_right = self.check_start(work, number, start, end);
            if is_right && end - start > FAN {
                let roots = if end - start > FAN * FAN {
                    HAS_ROOTS
                } else {
                    0
                };
                simt::or_shared(room.flags(), HAS_NODES | roots);
            }
            is_right
        }
    }

    /// Whether a dense work has a chunk of several leaves. Such a work has slots, like a work that is not dense.
    ///
    /// # Safety
    /// The flags are written: `fold_short` is done, and a barrier of the block has followed.
    #[inline(always)]
    pub unsafe fn has_nodes(&self, room: Room<T, O::Accumulator>) -> bool {
        // SAFETY: the flags are in shared memory, and written: this function's condition.
        unsafe { simt::read_shared(room.flags()) & HAS_NODES != 0 }
    }

    /// Writes the results of the items of a scan's tail. The tail is a short chunk.
    ///
    /// # Safety
    /// One thread. The header is written, and `work` is one of the block's works. Its items and starts are written. It has a tail of at
    /// most 16 items, whose prefix is written.
    #[inline(always)]
    pub unsafe fn place_short_tail(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the header, the starts, the items and the prefix are written, and no other thread takes the tail: this function's
        // conditions.
        unsafe {
            let leaf = Leaf::of_short(self.chunk(work, room, 0), work.index);
            let before = self.before_chunk(work, 0);
            self.place_each(work, room, &leaf, before);
        }
    }
}
