//! Where the chunks of a work start, which slots are theirs, and whose a slot is.
//!
//! Offsets are checked here, before they are used. Each is read once, or twice where two warps' chunks meet; then both readings are
//! compared. So starts ascend even if other work rewrites the offsets meanwhile.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::{chunk_items, Task, Work, FAN, WARP_CHUNKS};
use crate::simt;

use super::items::Room;
use super::Launch;

/// Facts about a work's chunks: whether one has more than one node and, in a dense work, whether one has more than one leaf.
const HAS_ROOTS: u32 = 1;
const HAS_NODES: u32 = 2;

/// A chunk in shared memory.
#[derive(Clone, Copy)]
pub struct Chunk {
    /// Which of the work's it is.
    pub number: u32,
    /// The place of its first item.
    pub start: u32,
    /// The place after its last item.
    pub end: u32,
}

impl Chunk {
    /// How many leaves it has.
    #[inline(always)]
    pub fn leaf_count(&self) -> u32 {
        (self.end - self.start).div_ceil(FAN)
    }

    /// How many nodes it has.
    #[inline(always)]
    pub fn node_count(&self) -> u32 {
        (self.end - self.start).div_ceil(FAN * FAN)
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Writes where chunks start and their slots, and the results of segments without items; and refuses offsets that do not
    /// ascend.
    ///
    /// A warp takes [`WARP_CHUNKS`] chunks at a time, and each lane reads one offset once: where its chunk begins, and the chunk before
    /// ends. So a warp's starts ascend, whatever it reads. The next warp also reads the end of its last chunk.
    ///
    /// # Safety Convergent: the whole block. No thread uses the data that the work before had in the room, and its bits are cleared.
    #[inline(always)]
    pub unsafe fn write_starts(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let lane = simt::lane();
        let mut group = simt::warp();
        while group * WARP_CHUNKS < work.chunk_count {
            let step = simt::opaque_one() as u32;
            let chunk = group * WARP_CHUNKS + lane;
            // SAFETY: all lanes have the same group. The room has a word of the next work for each group, which no other thread uses
            // meanwhile. All other writes go to the calling thread's chunk.
            unsafe {
                let begin = self.read_start(work, chunk);
                let end = simt::shuffle_down(begin, 1);
                if lane == WARP_CHUNKS {
                    room.next().count(group).write(begin);
                } else if chunk < work.chunk_count {
                    self.write_start(work, room, chunk, begin, end);
                }
            }
            group += step * (self.threads() / WARP_LANES);
        }
    }

    /// The place where a chunk starts, as its offset says, perhaps beyond the work; the work's end, if there is no such chunk.
    ///
    /// # Safety
    /// The work's segments exist.
    #[inline(always)]
    unsafe fn read_start(&self, work: &Work, chunk: u32) -> u32 {
        // The ends of the work were checked when it was found.
        if chunk == 0 {
            return work.begin;
        }
        if chunk >= work.chunk_count {
            return work.end;
        }
        // SAFETY: the chunk's segment is one of the work's.
        let offset = unsafe { self.offsets.get(work.segment + chunk as u64) };
        Ord::min(offset.wrapping_sub(work.base), u32::MAX as u64) as u32
    }

    /// As [`Self::write_starts`], of one chunk, which starts and ends at these places.
    ///
    /// # Safety The same as for [`Self::write_starts`]; there is such a chunk, and no other thread writes it.
    #[inline(always)]
    unsafe fn write_start(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        chunk: u32,
        begin: u32,
        end: u32,
    ) {
        // Other blocks wait for the value of a chunk that is cut.
        let is_short = chunk == work.cut_chunk
            && end.wrapping_sub(begin) as u64 != chunk_items::<T, O::Accumulator>();
        let is_wrong = begin > end || end > work.end || is_short;
        // SAFETY: the caller's; the words are those of slots that there are.
        unsafe {
            // A tail has items, and its value is combined with others.
            if is_wrong || self.task == Task::Reduce && begin == end && chunk == work.tail_chunk {
                simt::store_shared_atomically(&raw mut (*self.header).is_refused, 1);
                self.refuse();
                return;
            }
            room.start(chunk).write(begin as u16);
            if chunk == work.chunk_count - 1 {
                room.start(chunk + 1).write(end as u16);
            }
            if !work.is_dense() {
                self.write_slots_of(room, chunk, begin, end);
            } else if end - begin > FAN {
                simt::or_shared(room.flags(), HAS_NODES);
            }
            if begin == end && self.task == Task::Reduce {
                let segment = work.segment + chunk as u64;
                write_result!(O, T, self.output, segment as usize, O::identity());
            } else if end - begin > FAN * FAN {
                simt::or_shared(room.flags(), HAS_ROOTS);
            }
        }
    }

    /// Whether two warps have read different values of one offset, since other work rewrites it: then the starts may not ascend.
    ///
    /// # Safety
    /// Convergent: the whole warp. The starts are written, and none of them was refused.
    #[inline(always)]
    pub unsafe fn starts_differ(&self, work: &Work, room: Room<T, O::Accumulator>) -> bool {
        if !self.offsets.are_read() || work.chunk_count <= WARP_CHUNKS {
            return false;
        }
        let mut differ = false;
        let mut group = simt::lane() + 1;
        while group * WARP_CHUNKS < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's; a warp has had each of the two groups that meet here.
            unsafe {
                let end = simt::read_shared(room.next().count(group - 1));
                let begin = simt::read_shared(room.start(group * WARP_CHUNKS));
                differ |= end != begin as u32;
            }
            group += step * WARP_LANES;
        }
        // SAFETY: the caller's; all lanes have the same work.
        unsafe { simt::ballot(differ) != 0 }
    }

    /// Writes which slots are a chunk's.
    ///
    /// # Safety
    /// The same as for [`Self::write_starts`]; there is such a chunk.
    #[inline(always)]
    unsafe fn write_slots_of(
        &self,
        room: Room<T, O::Accumulator>,
        chunk: u32,
        begin: u32,
        end: u32,
    ) {
        let slot = begin / FAN + chunk;
        // SAFETY: the caller's.
        unsafe {
            simt::or_shared(room.bits(slot / 32), 1 << (slot % 32));
            // Of offsets that do not ascend, several threads write the same ones.
            if chunk == 0 {
                simt::store_shared_atomically(room.count(0), 0);
            }
            let mut word = slot / 32 + 1;
            while word <= (end / FAN + chunk + 1) / 32 {
                let step = simt::opaque_one() as u32;
                simt::store_shared_atomically(room.count(word), chunk + 1);
                word += step;
            }
        }
    }

    /// Writes the slots of a dense work that has chunks of several leaves.
    ///
    /// # Safety
    /// The whole block. The starts are written.
    #[inline(always)]
    pub unsafe fn write_slots(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let mut number = simt::thread_index();
        while number < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's.
            unsafe {
                let Chunk { start, end, .. } = self.chunk(room, number);
                self.write_slots_of(room, number, start, end);
            }
            number += step * self.threads();
        }
    }

    /// Whether a work is dense and has a chunk of several leaves.
    ///
    /// # Safety
    /// The starts are written.
    #[inline(always)]
    pub unsafe fn lacks_slots(&self, work: &Work, room: Room<T, O::Accumulator>) -> bool {
        // SAFETY: the caller's.
        work.is_dense() && unsafe { simt::read_shared(room.flags()) } & HAS_NODES != 0
    }

    /// Whether each chunk of a work is one leaf, or empty, and has no slots.
    ///
    /// # Safety
    /// The starts are written.
    #[inline(always)]
    pub unsafe fn is_flat(&self, work: &Work, room: Room<T, O::Accumulator>) -> bool {
        // SAFETY: the caller's.
        work.is_dense() && unsafe { simt::read_shared(room.flags()) } & HAS_NODES == 0
    }

    /// Clears the bits of a room.
    ///
    /// # Safety The whole block; no thread uses them before a barrier.
    #[inline(always)]
    pub unsafe fn clear_bits(&self, room: Room<T, O::Accumulator>) {
        let mut word = simt::thread_index();
        while word <= Room::<T, O::Accumulator>::BIT_WORDS {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's.
            unsafe { room.bits(word).write(0) };
            word += step * self.threads();
        }
    }

    /// Whether a chunk of the work has more than one node.
    ///
    /// # Safety
    /// The starts are written.
    #[inline(always)]
    pub unsafe fn has_roots(&self, room: Room<T, O::Accumulator>) -> bool {
        // SAFETY: the caller's.
        unsafe { simt::read_shared(room.flags()) & HAS_ROOTS != 0 }
    }

    /// A chunk of the work.
    ///
    /// # Safety
    /// The starts are written.
    #[inline(always)]
    pub unsafe fn chunk(&self, room: Room<T, O::Accumulator>, number: u32) -> Chunk {
        // SAFETY: the caller's.
        unsafe {
            Chunk {
                number,
                start: simt::read_shared(room.start(number)) as u32,
                end: simt::read_shared(room.start(number + 1)) as u32,
            }
        }
    }

    /// The chunk whose a slot is.
    ///
    /// # Safety
    /// The starts are written; there is such a slot.
    #[inline(always)]
    pub unsafe fn chunk_of_slot(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        slot: u32,
    ) -> Chunk {
        if work.chunk_count == 1 {
            return Chunk {
                number: 0,
                start: work.begin,
                end: work.end,
            };
        }
        // SAFETY: the caller's.
        unsafe {
            let bits = simt::read_shared(room.bits(slot / 32)) << (31 - slot % 32);
            let before = simt::read_shared(room.count(slot / 32));
            self.chunk(room, before + bits.count_ones() - 1)
        }
    }

    /// The chunk of a slot, if each chunk has a slot for each of its nodes: chunk `c`, which starts at place `p`, has the slots from `p /
    /// 256 + c` on.
    ///
    /// # Safety
    /// The starts are written; there is such a slot.
    #[inline(always)]
    pub unsafe fn chunk_of_node_slot(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        slot: u32,
    ) -> Chunk {
        let (mut low, mut high) = (0, work.chunk_count);
        // SAFETY: the caller's.
        unsafe {
            while high - low > 1 {
                let step = simt::opaque_one() as u32;
                let middle = (low + high) / 2 * step;
                let start = simt::read_shared(room.start(middle)) as u32;
                if start / (FAN * FAN) + middle <= slot {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            self.chunk(room, low)
        }
    }
}
