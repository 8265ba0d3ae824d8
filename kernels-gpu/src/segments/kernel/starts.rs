//! The starts of a work's chunks, the slots of each chunk, and the chunk of each slot.
//!
//! The offsets of works that are not dense are checked here, before they are used. The offset at which one warp's chunks end and the next
//! warp's chunks begin is read by both warps. The two values that they have read are compared afterwards. While the starts are written, no
//! other offset of the work is read twice. So starts that are not refused ascend, even if other work rewrites the offsets meanwhile.

use crate::contract::WARP_LANES;
use crate::direction::Heading;
use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::{
    chunk_items, Layout, RoomSize, Task, Work, FAN, ROW_STARTS, START_BYTES, VECTOR_STARTS,
    WARP_CHUNKS,
};
use crate::simt;

use super::items::Room;
use super::search::Offsets;
use super::Launch;

/// Flags of a work. `HAS_ROOTS`: a chunk has more than one node. `HAS_NODES`: the work is dense, and a chunk has more than one leaf.
pub const HAS_ROOTS: u32 = 1;
pub const HAS_NODES: u32 = 2;

/// A chunk in shared memory.
#[derive(Clone, Copy)]
pub struct Chunk {
    /// The chunk's number in the work.
    pub number: u32,
    /// The place of its first item.
    pub start: u32,
    /// One past the place of its last item.
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

/// The slots for a work's leaves, or for its nodes. Chunk `c`, which starts `d` items after the work's first item, has the slots from
/// `d / size + spare·c` on. If chunk `c` had the slots from `d / size` on, there might be no slot for an incomplete leaf or node at a
/// chunk's end. So `spare` is 1, except in two kinds of works: works of one chunk, and works of rows whose length is a multiple of `size`
/// items. In such rows, `d` is a multiple of `size`.
#[derive(Clone, Copy)]
pub struct Slots {
    /// The most items of a leaf or node.
    size: u32,
    /// How many spare slots each chunk has: 0 or 1.
    spare: u32,
    /// The place of the work's first item.
    begin: u32,
    /// How many slots there are.
    pub count: u32,
}

impl Slots {
    /// The first slot of a chunk that starts at place `start`.
    #[inline(always)]
    pub fn first(&self, chunk: u32, start: u32) -> u32 {
        (start - self.begin) / self.size + chunk * self.spare
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Where the chunk's start lies in a work of one chunk: in the second word of the last vector of starts. The chunk's end lies in the
    /// word after it or, in a backward scan, in the word before it. No offset of such a work is copied, so any two neighbouring words would
    /// do.
    #[inline(always)]
    pub fn starts_of_one(&self) -> u32 {
        self.end_of_starts() - (VECTOR_STARTS - 1) * START_BYTES
    }

    /// Where the last row of starts ends. The items' memory ends there too.
    #[inline(always)]
    fn end_of_starts(&self) -> u32 {
        self.by_room_size(
            const {
                [
                    Layout::item_bytes::<T, O::Accumulator>(RoomSize::Small) as u32,
                    Layout::item_bytes::<T, O::Accumulator>(RoomSize::Usual) as u32,
                    Layout::item_bytes::<T, O::Accumulator>(RoomSize::Double) as u32,
                ]
            },
        )
    }

    /// Where the starts of a work lie: the value of [`Work::starts`]. Their last row ends where the items' memory ends. An offset of 4
    /// bytes has the same position in its row in shared memory as in its 128 bytes in global memory.
    #[inline(always)]
    pub fn starts_of(&self, segment: u64, chunk_count: u32) -> u32 {
        let first = self.first_offset(segment, chunk_count);
        let words = first.addr() as u32 / START_BYTES % ROW_STARTS;
        let rows = (words + chunk_count + 1).div_ceil(ROW_STARTS);
        // In a backward scan, the first chunk's start is the last one in memory.
        let before = self.offsets.direction.if_backward(chunk_count as u64);
        self.end_of_starts() - rows * ROW_STARTS * START_BYTES
            + (words + before as u32) * START_BYTES
    }

    /// The lowest address of a work's offsets. A work has one offset for each chunk, at which the chunk's segment begins, and the offset
    /// that follows these. The address is right only for offsets of 4 bytes. For offsets of 8 bytes, and for rows, any address serves
    /// [`Self::starts_of`].
    #[inline(always)]
    pub fn first_offset(&self, segment: u64, chunk_count: u32) -> *const u32 {
        let Offsets {
            direction,
            segment_count,
            ..
        } = self.offsets;
        let place = direction.place(segment, segment_count + 1);
        let place = place.wrapping_sub(direction.if_backward(chunk_count as u64));
        self.offsets.address.wrapping_add(place as usize)
    }

    /// The address of a chunk's start in shared memory.
    #[inline(always)]
    pub fn start_address(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        chunk: u32,
    ) -> *mut u32 {
        let far = self.offsets.direction.signed((chunk * START_BYTES) as u64) as u32;
        room.start(work.starts.wrapping_add(far))
    }

    /// Writes the chunks' starts, slots and flags and, in a reduction, the results of empty segments. Refuses offsets that do not ascend.
    ///
    /// A warp takes [`WARP_CHUNKS`] chunks at a time. For these chunks, each lane reads at most one offset, and reads it once. The offset
    /// is the start of the lane's chunk, and the end of the chunk before it. So whatever values the warp reads, the starts of these chunks
    /// ascend, or the warp refuses the offsets. The end of the last of these chunks is read again by the next warp, as the start of that
    /// warp's first chunk.
    ///
    /// # Safety
    /// 1. Convergent: the whole block.
    /// 2. The header is written, and `work` is one of the block's works, not a dense one.
    /// 3. The room's bits and flags are cleared, and no thread uses the starts and slots of earlier works any more.
    #[inline(always)]
    pub unsafe fn write_starts(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let lane = simt::lane();
        let mut group = simt::warp();
        while group * WARP_CHUNKS < work.chunk_count {
            let step = simt::opaque_one() as u32;
            let chunk = group * WARP_CHUNKS + lane;
            // SAFETY: the whole warp takes part in the shuffle, since all lanes have the same group. The work is the block's (condition 2).
            // The place where a group's last chunk ends is written to a word for counts in the next room. There are enough such words for
            // all groups (an assertion in `segments`). No thread uses these words for counts of slots before the next work (condition 3).
            // `write_start` is called only if `chunk < chunk_count`, and no other thread takes that chunk.
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

    /// The place where chunk `chunk` starts. Chunk 0 starts at the work's begin. Any other chunk starts where its offset says, perhaps
    /// beyond the work. If the work has no chunk of this number, the result is the work's end.
    ///
    /// # Safety
    /// `work` is one of the block's works.
    #[inline(always)]
    pub unsafe fn read_start(&self, work: &Work, chunk: u32) -> u32 {
        // Both ends of the work were checked when the work was found.
        if chunk == 0 {
            return work.begin;
        }
        if chunk >= work.chunk_count {
            return work.end;
        }
        // SAFETY: the work has this chunk, checked above. So its segment belongs to the launch, and has an offset.
        let offset = unsafe { self.offsets.get(work.segment + chunk as u64) };
        Ord::min(offset.wrapping_sub(work.base), u32::MAX as u64) as u32
    }

    /// As [`Self::write_starts`], for one chunk, from place `begin` to place `end`.
    ///
    /// # Safety
    /// Conditions 2 and 3 of [`Self::write_starts`]. `chunk < work.chunk_count`, and no other thread writes this chunk.
    #[inline(always)]
    unsafe fn write_start(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        chunk: u32,
        begin: u32,
        end: u32,
    ) {
        // SAFETY: the work has the chunk, and no other thread writes it (this function's conditions). So no other thread writes its start
        // or its segment's result, and both exist. There is also a word for the last chunk's end. The header is written, and the flags are
        // in shared memory. `begin <= end <= work.end` is checked before slots are written.
        unsafe {
            if !self.check_start(work, chunk, begin, end) {
                return;
            }
            self.start_address(work, room, chunk)
                .write(self.low_half(work, begin));
            if chunk == work.chunk_count - 1 {
                self.start_address(work, room, chunk + 1)
                    .write(self.low_half(work, end));
            }
            self.write_slots_of(self.slots(work, FAN), room, chunk, begin, end);
            if begin == end && self.task == Task::Reduce {
                let segment = work.segment + chunk as u64;
                write_result!(O, T, self.output, segment as usize, O::identity());
            } else if end - begin > FAN * FAN {
                simt::or_shared(room.flags(), HAS_ROOTS);
            }
        }
    }

    /// Whether a chunk may lie from place `begin` to place `end`. If not, refuses the offsets.
    ///
    /// # Safety
    /// The header is written.
    #[inline(always)]
    pub unsafe fn check_start(&self, work: &Work, chunk: u32, begin: u32, end: u32) -> bool {
        // Later windows wait for the value of the `cut_chunk`, so this chunk must be full.
        let is_short = chunk == work.cut_chunk
            && end.wrapping_sub(begin) as u64 != chunk_items::<T, O::Accumulator>();
        let is_wrong = begin < work.begin || begin > end || end > work.end || is_short;
        // A reduction's tail must have items, since its value is combined with those of earlier chunks.
        if is_wrong || self.task == Task::Reduce && begin == end && chunk == work.tail_chunk {
            // SAFETY: the tag is written with the header, and `is_refused` is in shared memory.
            unsafe {
                simt::store_shared_atomically(&raw mut (*self.header).is_refused, 1);
                self.refuse();
            }
            return false;
        }
        true
    }

    /// The place where chunk `chunk` starts. If `chunk` is `work.chunk_count`, the result is the place where the last chunk ends. If the
    /// offsets are copied and not yet checked, the place may be beyond the work.
    ///
    /// # Safety
    /// The starts are written, but need not have been checked, and `chunk <= work.chunk_count`.
    #[inline(always)]
    pub unsafe fn start(&self, work: &Work, room: Room<T, O::Accumulator>, chunk: u32) -> u32 {
        let Offsets {
            direction,
            item_count,
            ..
        } = self.offsets;
        // SAFETY: the starts are written, up to the end of the last chunk: this function's conditions.
        let low = unsafe { simt::read_shared(self.start_address(work, room, chunk)) };
        (direction.border(low as u64, item_count) as u32).wrapping_sub(work.base as u32)
    }

    /// The start that shared memory holds for a chunk that begins at place `place`: the low half of the offset. Even in a backward scan, an
    /// offset is counted from the input's first item in memory.
    #[inline(always)]
    pub fn low_half(&self, work: &Work, place: u32) -> u32 {
        let Offsets {
            direction,
            item_count,
            ..
        } = self.offsets;
        direction.border(work.base.wrapping_add(place as u64), item_count) as u32
    }

    /// Whether two warps have read different values of one offset, because it is rewritten meanwhile. Then the starts might not ascend.
    ///
    /// # Safety
    /// Convergent: the whole warp. The starts are written.
    #[inline(always)]
    pub unsafe fn starts_differ(&self, work: &Work, room: Room<T, O::Accumulator>) -> bool {
        if !self.offsets.are_read() || work.chunk_count <= WARP_CHUNKS {
            return false;
        }
        let mut differ = false;
        let mut group = simt::lane() + 1;
        while group * WARP_CHUNKS < work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the starts are written (this function's condition): `write_starts` has written the end of group `group - 1`, and the
            // start of chunk `group * WARP_CHUNKS`, which the work has.
            unsafe {
                let end = simt::read_shared(room.next().count(group - 1));
                let begin = self.start(work, room, group * WARP_CHUNKS);
                differ |= end != begin;
            }
            group += step * WARP_LANES;
        }
        // SAFETY: the whole warp is here (this function's condition): all lanes have the same work, so they leave or stay together.
        unsafe { simt::ballot(differ) != 0 }
    }

    /// The slots of a work for its chunks' leaves (`size` is 16) or nodes (256).
    #[inline(always)]
    pub fn slots(&self, work: &Work, size: u32) -> Slots {
        let row = self.offsets.row_items;
        let items = work.end - work.begin;
        let (spare, count) = if work.chunk_count == 1 || row != 0 && row.is_multiple_of(size as u64)
        {
            (0, items.div_ceil(size))
        } else {
            (1, items / size + work.chunk_count)
        };
        Slots {
            size,
            spare,
            begin: work.begin,
            count,
        }
    }

    /// Writes the slots of a chunk: sets the bit of the chunk's first slot, and writes the counts of the words after the word with this
    /// bit. The last of these words is the one with the bit of the next chunk's first slot. For chunk 0, also writes the first word's
    /// count.
    ///
    /// # Safety
    /// The work has the chunk, from place `begin` to place `end`, with `begin <= end <= work.end`. The room's bits were cleared for this
    /// work.
    #[inline(always)]
    pub unsafe fn write_slots_of(
        &self,
        slots: Slots,
        room: Room<T, O::Accumulator>,
        chunk: u32,
        begin: u32,
        end: u32,
    ) {
        let slot = slots.first(chunk, begin);
        // SAFETY: the words are in shared memory, and aligned. They are in bounds: a work has at most one slot more than places, and there
        // are words for that many slots (`Layout::bit_words`).
        unsafe {
            simt::or_shared(room.bits(slot / 32), 1 << (slot % 32));
            // If offsets do not ascend, several threads may write one word, so the writes are atomic.
            if chunk == 0 {
                simt::store_shared_atomically(room.count(0), 0);
            }
            let mut word = slot / 32 + 1;
            while word <= slots.first(chunk + 1, end) / 32 {
                let step = simt::opaque_one() as u32;
                simt::store_shared_atomically(room.count(word), chunk + 1);
                word += step;
            }
        }
    }

    /// Clears a room's bits and flags.
    ///
    /// # Safety
    /// The whole block. Between the block's last barrier and its next, nothing else uses these words.
    #[inline(always)]
    pub unsafe fn clear_bits(&self, room: Room<T, O::Accumulator>) {
        let pairs: *mut u64 = room.bits(0).cast();
        let count = Room::<T, O::Accumulator>::BIT_WORDS / 2;
        let mut pair = simt::thread_index();
        // SAFETY: no other thread uses the flags: this function's condition.
        unsafe {
            if pair == 0 {
                room.flags().write(0);
            }
        }
        while pair < count {
            let step = simt::opaque_one() as u32;
            // SAFETY: in bounds: the words are `count` pairs. They begin at a multiple of 8 bytes. No other thread uses these two words:
            // this function's condition.
            unsafe { pairs.wrapping_add(pair as usize).write(0) };
            pair += step * self.threads();
        }
    }

    /// Whether a chunk of the work has more than one node.
    ///
    /// # Safety
    /// The starts are written.
    #[inline(always)]
    pub unsafe fn has_roots(&self, room: Room<T, O::Accumulator>) -> bool {
        // SAFETY: the flags are in shared memory. They are written, since the starts are written and checked: this function's condition.
        unsafe { simt::read_shared(room.flags()) & HAS_ROOTS != 0 }
    }

    /// A chunk of the work.
    ///
    /// # Safety
    /// The starts are written, but need not have been checked, and the work has the chunk.
    #[inline(always)]
    pub unsafe fn chunk(&self, work: &Work, room: Room<T, O::Accumulator>, number: u32) -> Chunk {
        // SAFETY: the starts are written, and `number < chunk_count`: this function's conditions.
        unsafe {
            Chunk {
                number,
                start: self.start(work, room, number),
                end: self.start(work, room, number + 1),
            }
        }
    }

    /// The chunk to which a slot belongs.
    ///
    /// # Safety
    /// The starts and the slots are written, and the work has the slot.
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
        // SAFETY: the starts and the slots are written, and the work has the slot: this function's conditions. The bit of slot 0 is set, so
        // the number of set bits up to the slot, inclusive, is from 1 to `chunk_count`.
        unsafe {
            let bits = simt::read_shared(room.bits(slot / 32)) << (31 - slot % 32);
            let before = simt::read_shared(room.count(slot / 32));
            self.chunk(work, room, before + bits.count_ones() - 1)
        }
    }

    /// As [`Self::chunk_of_slot`], for a slot of a node. Such slots have no bits, so this searches the chunks' starts.
    ///
    /// # Safety
    /// The starts are written, and the work has a chunk.
    #[inline(always)]
    pub unsafe fn chunk_of_node_slot(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        slots: Slots,
        slot: u32,
    ) -> Chunk {
        let (mut low, mut high) = (0, work.chunk_count);
        // SAFETY: the starts are written (this function's condition); `middle` and `low` are always less than `chunk_count`.
        unsafe {
            while high - low > 1 {
                let step = simt::opaque_one() as u32;
                let middle = (low + high) / 2 * step;
                let start = self.start(work, room, middle);
                if slots.first(middle, start) <= slot {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            self.chunk(work, room, low)
        }
    }
}
