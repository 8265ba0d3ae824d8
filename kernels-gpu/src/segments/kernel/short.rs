//! The short chunks of dense works, those of at most one leaf: each is taken by one thread, which needs no slots.

use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::{Task, Work, FAN, NO_CHUNK};
use crate::simt;

use super::items::Room;
use super::leaves::Leaf;
use super::starts::Chunk;
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Checks the chunks of a dense work, and folds the short ones: in a reduction, writes their results; in a scan, places their items. The
    /// prefix of a scan's tail is not known yet, so a short tail is left to [`Self::place_short_tail`]. Notes in the flags whether there
    /// are longer chunks, and refuses offsets that do not ascend.
    ///
    /// # Safety
    /// 1. The whole block. The header is written, and `work` is one of the block's works.
    /// 2. The work's items and starts are written, the starts perhaps without a check. The room's flags are cleared.
    #[inline(always)]
    pub unsafe fn fold_short(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // A tail is the first chunk, and a chunk that is cut is the last one.
        let first = (work.tail_chunk == 0) as u32;
        let upto = work.chunk_count - (work.cut_chunk != NO_CHUNK) as u32;
        let mut number = first + simt::thread_index();
        while number < upto {
            let step = simt::opaque_one() as u32;
            // SAFETY: the items and the starts are written, and the flags are cleared: condition 2. `number < chunk_count`, and no other
            // thread has the chunk. If it is not put off, it is a whole segment of at most 16 items, and the work has them.
            unsafe {
                let chunk = self.chunk(work, room, number);
                let Chunk { start, end, .. } = chunk;
                let is_ascending = work.begin <= start && start <= end && end <= work.end;
                if !is_ascending || end - start > FAN {
                    self.put_off(work, room, chunk);
                } else if self.task == Task::Reduce {
                    let value = self.fold_each(room, start, end, 0);
                    let segment = work.segment + number as u64;
                    write_result!(O, T, self.output, segment as usize, value);
                } else {
                    self.place_each(work, room, &Leaf::of_short(chunk, 0), O::identity());
                }
            }
            number += step * self.threads();
        }
        if simt::thread_index() == 0 {
            // SAFETY: as above; these chunks are left out of the loop. `finish` is called once for the tail.
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

    /// Checks a chunk, and notes in the flags if it is longer than a leaf. Returns false if the offsets are refused.
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
                self.note_long(room, end - start);
            }
            is_right
        }
    }

    /// Places the items of a scan's tail that is a short chunk.
    ///
    /// # Safety
    /// One thread. The work's items and starts are written. It has a tail of at most 16 items, whose prefix is written.
    #[inline(always)]
    pub unsafe fn place_short_tail(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the starts, the items and the prefix are written, and no other thread has the tail: this function's conditions.
        unsafe {
            let leaf = Leaf::of_short(self.chunk(work, room, 0), work.index);
            let before = self.before_chunk(work, 0);
            self.place_each(work, room, &leaf, before);
        }
    }
}
