//! A block's shared memory, and the copy of a work's items from global memory to it.

mod vectors;

use core::marker::PhantomData;

use crate::direction::{Direction, Heading};
use crate::element::VECTOR_WORDS;
use crate::element::{put_item, Element, Vector};
use crate::launch::Copies;
use crate::op::Op;
use crate::segments::tuning::VECTORS_AT_ONCE;
use crate::segments::{
    has_double_room, has_vectors, offset_of, places, shared_bytes, vector_items,
};
use crate::segments::{Layout, RoomSize, Work, VECTOR_BYTES};
use crate::simt;
use crate::thread::{for_each_vector, Access, Caching};

use super::search::Offsets;
use super::Launch;

/// A block's shared memory for items of type `T` and values of type `A`, as one work uses it.
#[derive(Clone, Copy)]
pub struct Room<T, A> {
    memory: *mut u8,
    /// [`RoomSize::Keyed`], [`RoomSize::Double`], or [`RoomSize::Usual`], which also stands for [`RoomSize::Small`].
    size: RoomSize,
    /// Which of the two areas for bits and counts the work uses: 0 or 1.
    turn: u32,
    direction: Direction,
    items: PhantomData<(T, A)>,
}

impl<T: Element, A: Copy> Room<T, A> {
    const LAYOUT: Layout = Layout::of::<T, A>(RoomSize::Usual);
    pub const KEYED_LAYOUT: Layout = Layout::of::<T, A>(RoomSize::Keyed);

    /// How many words an area for the slots' bits has.
    pub const BIT_WORDS: u32 = Layout::bit_words::<T, A>() as u32;

    /// How an item is accessed. Its offset in the items' memory is a multiple of its size.
    const ACCESS: Access = Access::new(size_of::<T>(), size_of::<T>());

    /// The room in the shared memory at `memory`, for the first work. In both directions, the bytes of a vector have the same order as in
    /// global memory.
    #[inline(always)]
    fn new(memory: *mut u8, size: RoomSize, direction: Direction) -> Self {
        Room {
            memory,
            size,
            turn: 0,
            direction,
            items: PhantomData,
        }
    }

    /// The room for the next work that has slots.
    #[inline(always)]
    pub fn next(self) -> Self {
        Room {
            turn: self.turn ^ 1,
            ..self
        }
    }

    /// The address of a part of the block's memory, given the part's offset in each room: [`RoomSize::Usual`], [`RoomSize::Double`] and
    /// [`RoomSize::Keyed`].
    #[inline(always)]
    fn part(&self, [usual, double, keyed]: [usize; 3]) -> *mut u8 {
        self.memory.wrapping_add(match self.size {
            RoomSize::Small | RoomSize::Usual => usual,
            RoomSize::Double => double,
            RoomSize::Keyed => keyed,
        })
    }

    /// The address of the items.
    #[inline(always)]
    pub fn item_memory(&self) -> *mut u8 {
        self.part([
            Self::LAYOUT.items,
            const { Layout::of::<T, A>(RoomSize::Double).items },
            Self::KEYED_LAYOUT.items,
        ])
    }

    /// The address of the vector that begins at a place.
    #[inline(always)]
    pub fn vector_address(&self, place: u32) -> *mut T {
        self.item_memory()
            .wrapping_add(offset_of::<T>(place as usize))
            .cast()
    }

    /// The address of the item at a place. In a backward scan, the first item of a vector is the last one in memory.
    #[inline(always)]
    fn item_address(&self, place: u32) -> *mut T {
        let last = self.direction.if_backward(vector_items::<T>() as u64 - 1);
        self.vector_address(place ^ last as u32)
    }

    /// The item at a place, in the first bytes of a vector.
    ///
    /// # Safety
    /// The item is written.
    #[inline(always)]
    pub unsafe fn item(&self, place: u32) -> Vector {
        // SAFETY: the item is written (this function's condition). The items' memory begins at a multiple of 16 bytes, and the item's
        // offset in it is a multiple of the item's size. So `item_address` is a multiple of the access's unit.
        unsafe { Self::ACCESS.read_shared(self.item_address(place).cast()) }
    }

    /// Writes an item, the first of `vector`, at a place.
    ///
    /// # Safety
    /// The items' memory has the place, and no other thread uses the item there.
    #[inline(always)]
    pub unsafe fn put(&self, place: u32, vector: Vector) {
        // SAFETY: the item is in shared memory, and no other thread uses it (this function's conditions). Its address is aligned, as in
        // `item`.
        unsafe { Self::ACCESS.write_shared(self.item_address(place).cast(), vector) };
    }

    /// The address of a word of the chunks' starts, `offset` bytes after the items' first byte (see [`Work::starts`]).
    #[inline(always)]
    pub fn start(&self, offset: u32) -> *mut u32 {
        self.item_memory().wrapping_add(offset as usize).cast()
    }

    /// The address of the room for the slots' bits.
    #[inline(always)]
    pub fn bits_memory(&self) -> *mut u8 {
        self.memory.wrapping_add(Self::LAYOUT.bits)
    }

    /// The address of a word of the slots' bits.
    #[inline(always)]
    pub fn bits(&self, word: u32) -> *mut u32 {
        let bits: *mut u32 = self.bits_memory().cast();
        bits.wrapping_add((self.turn * Self::BIT_WORDS + word) as usize)
    }

    /// The address of the flags: `HAS_ROOTS` and `HAS_NODES`.
    #[inline(always)]
    pub fn flags(&self) -> *mut u32 {
        let flags: *mut u32 = self.memory.wrapping_add(Self::LAYOUT.flags).cast();
        flags.wrapping_add(self.turn as usize)
    }

    /// The address of a word's count: how many bits are set in the words before it.
    #[inline(always)]
    pub fn count(&self, word: u32) -> *mut u32 {
        let counts: *mut u32 = self.memory.wrapping_add(Self::LAYOUT.counts).cast();
        counts.wrapping_add((self.turn * Self::BIT_WORDS + word) as usize)
    }

    /// The address of the value of leaf `leaf`, in a chunk that starts at place `start` and has more than one leaf. Such a chunk has more
    /// than 16 items, so the values of different chunks do not overlap.
    #[inline(always)]
    pub fn leaf(&self, start: u32, leaf: u32) -> *mut A {
        let usual = Self::LAYOUT.leaves;
        let leaves: *mut A = self.part([usual, usual, Self::KEYED_LAYOUT.leaves]).cast();
        leaves.wrapping_add((start / 8 + leaf) as usize)
    }

    /// How many values of pieces of streamed rows (see `rows.rs`) fit in shared memory.
    pub const PIECES: u32 = (shared_bytes::<T, A>(RoomSize::Small) - Self::LAYOUT.leaves as u32)
        / size_of::<A>() as u32;

    /// The address of the value of a piece of streamed rows; `piece` is less than [`Self::PIECES`]. The values take the room of leaves,
    /// nodes and items.
    #[inline(always)]
    pub fn piece(&self, piece: u32) -> *mut A {
        self.leaf(0, piece)
    }

    /// As [`Self::leaf`], for a value of 8 bytes. The accumulators have at least 12 bytes, so these values take less room.
    #[inline(always)]
    pub fn late_leaf(&self, start: u32, leaf: u32) -> *mut [u32; 2] {
        let leaves: *mut u64 = self.memory.wrapping_add(Self::LAYOUT.leaves).cast();
        leaves.wrapping_add((start / 8 + leaf) as usize).cast()
    }

    /// As [`Self::node`], for a value of 8 bytes. These values follow those of [`Self::late_leaf`], which leave enough room.
    #[inline(always)]
    pub fn late_node(&self, start: u32, node: u32) -> *mut [u32; 2] {
        let leaves: *mut u64 = self.memory.wrapping_add(Self::LAYOUT.leaves).cast();
        let count = places::<T, A>(RoomSize::Usual) / 8 + 1;
        leaves
            .wrapping_add(count + (start / 128 + node) as usize)
            .cast()
    }

    /// The address of the value of node `node`, in a chunk that starts at place `start`. The chunk has more than one node, or one node of
    /// 256 items. So the values of different chunks do not overlap.
    #[inline(always)]
    pub fn node(&self, start: u32, node: u32) -> *mut A {
        let nodes: *mut A = self
            .part([
                Self::LAYOUT.nodes,
                const { Layout::of::<T, A>(RoomSize::Double).nodes },
                Self::KEYED_LAYOUT.nodes,
            ])
            .cast();
        nodes.wrapping_add((start / 128 + node) as usize)
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether the block has [`RoomSize::Double`]: the launch has given it so much shared memory, and it has one window.
    #[inline(always)]
    pub fn has_double_room(&self) -> bool {
        has_double_room::<T, O::Accumulator>()
            && self.windows_per_block == 1
            && simt::shared_bytes() >= const { shared_bytes::<T, O::Accumulator>(RoomSize::Double) }
    }

    /// The block's shared memory, for its first work.
    #[inline(always)]
    pub fn room(&self) -> Room<T, O::Accumulator> {
        let size = if self.starts_at_heads {
            RoomSize::Keyed
        } else if self.has_double_room() {
            RoomSize::Double
        } else {
            RoomSize::Usual
        };
        Room::new(self.header.cast(), size, self.offsets.direction)
    }

    /// The calling thread's number, and the number of threads of the block.
    #[inline(always)]
    pub fn block(&self) -> [u32; 2] {
        [simt::thread_index(), self.threads()]
    }

    /// Copies a work's items to shared memory. Asynchronous copies may still be in flight when this returns. The calling thread has number
    /// `thread` among the `threads` that share the copies.
    ///
    /// # Safety
    /// 1. `work` is one of the block's works: its items exist, and the items' memory has their places.
    /// 2. No thread uses the items of earlier works any more.
    /// 3. `threads` is a multiple of 64.
    #[inline(always)]
    pub unsafe fn bring_items(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        threads: [u32; 2],
    ) {
        // SAFETY: the work belongs to the block, and no thread uses earlier items: the same conditions as this function's.
        unsafe {
            if has_vectors::<T>() {
                self.bring_vectors(work, room, threads);
            } else {
                self.bring_each(work, room, threads);
            }
        }
    }

    /// Copies a work's items in vectors. The first and the last vector may also hold items that are not the work's. If one of these vectors
    /// reaches beyond the input, the work's items are copied one by one.
    ///
    /// # Safety
    /// The same conditions as for [`Self::bring_items`].
    #[inline(always)]
    unsafe fn bring_vectors(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        [thread, threads]: [u32; 2],
    ) {
        let items = vector_items::<T>();
        let item_count = self.offsets.item_count;
        // If the first vector begins before item 0, the number of its first item has wrapped, and is larger than any item's number.
        let begin = work.begin / items * items;
        let lowest = work.base.wrapping_add(begin as u64);
        let upto = work
            .base
            .wrapping_add(work.end.next_multiple_of(items) as u64);
        let all_exist = lowest < item_count && upto <= item_count;
        // Each warp begins at a row. So all its copies begin at rows, in both memories (see `ROW_BYTES`).
        let mut place = thread * items;
        if place < begin {
            place += items * threads;
        }
        if !all_exist {
            while place < work.end {
                // SAFETY: the same conditions as this function's; no other thread takes this vector.
                unsafe { self.bring_some(work, room, place) };
                place += items * threads * simt::opaque_one() as u32;
            }
            return;
        }
        let first = work.base.wrapping_add(place as u64);
        let mut from: *const u32 = self.input.wrapping_add(self.lowest(first)).cast();
        // The threads copy one vector each at a time. Together, these vectors fill a multiple of eight rows of shared memory (condition 3). So
        // a thread's next vector has the same position in its row as this vector. In global memory, the next vector is `far` bytes away
        // from this one.
        let memory = room.item_memory();
        let mut offset = offset_of::<T>(place as usize) as u32;
        let places = items * threads;
        let bytes = VECTOR_BYTES as u32 * threads;
        let far = self.offsets.direction.signed(bytes as u64) as usize;
        let end = work.end;
        while place + (VECTORS_AT_ONCE - 1) * places < end {
            let step = simt::opaque_one() as u32;
            for_each_vector!(V in 0 1 2 3 => {
                let (to, from) = (offset + V as u32 * bytes, from.wrapping_byte_add(far.wrapping_mul(V)));
                // SAFETY: all items of the work's vectors exist, and nobody writes them (the launch's condition 2). In global memory
                // the vectors are aligned, since place 0 is at a multiple of 16 bytes. The items' memory has the vectors' places
                // (condition 1). No thread uses earlier items (condition 2), and no other thread copies these vectors.
                unsafe { Self::bring_vector(memory, to, from) };
            });
            offset += VECTORS_AT_ONCE * bytes;
            from = from.wrapping_byte_add(far.wrapping_mul(VECTORS_AT_ONCE as usize));
            place += VECTORS_AT_ONCE * places * step;
        }
        while place < end {
            let step = simt::opaque_one() as u32;
            // SAFETY: as above: `place < end`, so the vector is one of the work's.
            unsafe { Self::bring_vector(memory, offset, from) };
            offset += bytes;
            from = from.wrapping_byte_add(far);
            place += places * step;
        }
    }

    /// Of the items of a vector, the lowest index in memory. In the direction of the work, `item` is the vector's first item.
    #[inline(always)]
    pub fn lowest(&self, item: u64) -> usize {
        let Offsets {
            direction,
            item_count,
            ..
        } = self.offsets;
        let behind = direction.if_backward(vector_items::<T>() as u64 - 1);
        direction.place(item, item_count).wrapping_sub(behind) as usize
    }

    /// Copies a vector to `offset` bytes after `memory`. If copies are asynchronous, this only begins the copy. The asynchronous copy
    /// bypasses the L1 cache. Sums of 2^28 `f32` in rows of 1,024 took 285 µs on an H200 (2026-11-25) with such copies, and 312 µs with
    /// copies that go through the L1 cache.
    ///
    /// # Safety
    /// `memory` is in shared memory, and so are the 16 bytes at the offset. `from` is in global memory. These 16 bytes and `from` are
    /// aligned to 16 bytes. `from` is readable, and nobody writes there. No other thread uses the 16 bytes before the copy is done.
    #[inline(always)]
    pub unsafe fn bring_vector(memory: *mut u8, offset: u32, from: *const u32) {
        let access = Room::<T, O::Accumulator>::VECTOR_ACCESS;
        // SAFETY: both addresses are aligned to 16 bytes, `from` is readable and the bytes at the offset are this thread's: this function's
        // conditions.
        unsafe {
            if simt::COPIES == Copies::Asynchronous {
                simt::begin_copy_vector_at(memory, offset, from);
            } else {
                let to = memory.wrapping_add(offset as usize).cast();
                access.write_shared(to, access.load(from, Caching::Streamed));
            }
        }
    }

    /// Copies those items of a vector that belong to the work, one by one. The vector begins at place `vector`.
    ///
    /// # Safety
    /// The same conditions as for [`Self::bring_items`]. No other thread copies items of this vector.
    #[inline(always)]
    unsafe fn bring_some(&self, work: &Work, room: Room<T, O::Accumulator>, vector: u32) {
        let mut place = Ord::max(vector, work.begin);
        let end = Ord::min(vector + vector_items::<T>(), work.end);
        while place < end {
            let step = simt::opaque_one() as u32;
            // SAFETY: `work.begin <= place < work.end`, in this thread's vector. The rest are this function's conditions.
            unsafe { self.bring_item(work, room, place) };
            place += step;
        }
    }

    /// Copies a work's items one by one. With `n` threads, each thread copies every `n`-th item.
    ///
    /// # Safety
    /// The same conditions as for [`Self::bring_items`].
    #[inline(always)]
    unsafe fn bring_each(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        [thread, threads]: [u32; 2],
    ) {
        let mut place = work.begin + thread;
        while place < work.end {
            let step = simt::opaque_one() as u32;
            // SAFETY: `work.begin <= place < work.end`, and no other thread takes this place. The rest are this function's conditions.
            unsafe { self.bring_item(work, room, place) };
            place += threads * step;
        }
    }

    /// Copies an item.
    ///
    /// # Safety
    /// The same conditions as for [`Self::bring_items`]. `place` is from `work.begin` to `work.end`, exclusive, and no other thread copies
    /// this item.
    #[inline(always)]
    unsafe fn bring_item(&self, work: &Work, room: Room<T, O::Accumulator>, place: u32) {
        let item = work.base.wrapping_add(place as u64);
        let from = self.offsets.direction.place(item, self.offsets.item_count);
        let mut vector = [0; VECTOR_WORDS];
        // SAFETY: the work has the place, so the item exists, and is readable by the launch's condition 2. The items' memory has the place,
        // and no other thread uses it: this function's conditions.
        unsafe {
            put_item(&mut vector, 0, self.input.add(from as usize).read());
            room.put(place, vector);
        }
    }
}
