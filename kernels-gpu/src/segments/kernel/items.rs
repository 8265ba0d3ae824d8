//! The items of a work in shared memory, and how they come there.

use core::marker::PhantomData;

use crate::direction::{Direction, Heading};
use crate::element::VECTOR_WORDS;
use crate::element::{put_item, vector_of, Element, Vector};
use crate::launch::Copies;
use crate::op::Op;
use crate::segments::tuning::VECTORS_AT_ONCE;
use crate::segments::{has_vectors, place_of, vector_items};
use crate::segments::{Layout, Work};
use crate::simt;
use crate::thread::{for_each_vector, Access, Caching};

use super::search::Offsets;
use super::Launch;

/// A block's room in shared memory for items of type `T` and values of type `A`, as one work uses it.
#[derive(Clone, Copy)]
pub struct Room<T, A> {
    memory: *mut u8,
    /// Which of the two places for bits and counts the work has: 0 or 1.
    turn: u32,
    direction: Direction,
    items: PhantomData<(T, A)>,
}

impl<T: Element, A: Copy> Room<T, A> {
    const LAYOUT: Layout = Layout::of::<T, A>();

    /// Words of bits for slots; one more has flags.
    pub const BIT_WORDS: u32 = Layout::bit_words::<T, A>() as u32;

    /// How an item is accessed: it lies at a multiple of its size.
    const ACCESS: Access = Access::new(size_of::<T>(), size_of::<T>());

    /// How a vector is accessed.
    const VECTOR_ACCESS: Access = Access::new(16, 16);

    /// The room in the shared memory that begins there, for the first work. Each vector is as global memory has it, whatever the
    /// direction.
    #[inline(always)]
    pub fn new(memory: *mut u8, direction: Direction) -> Self {
        Room {
            memory,
            turn: 0,
            direction,
            items: PhantomData,
        }
    }

    /// The room for the next work.
    #[inline(always)]
    pub fn next(self) -> Self {
        Room {
            turn: self.turn ^ 1,
            ..self
        }
    }

    /// Where the work's items are.
    #[inline(always)]
    fn item_memory(&self) -> *mut u8 {
        self.memory.wrapping_add(Self::LAYOUT.items)
    }

    /// Where the vector is that begins at a place.
    #[inline(always)]
    pub fn vector_address(&self, place: u32) -> *mut T {
        let items: *mut T = self.item_memory().cast();
        items.wrapping_add(place_of::<T>(place as usize))
    }

    /// Where the item at a place is: of a scan that goes backward, a vector's first item is its last in memory.
    #[inline(always)]
    fn item_address(&self, place: u32) -> *mut T {
        let last = self.direction.if_backward(vector_items::<T>() as u64 - 1);
        self.vector_address(place ^ last as u32)
    }

    /// The item at a place, as a vector has it first.
    ///
    /// # Safety
    /// It is written.
    #[inline(always)]
    pub unsafe fn item(&self, place: u32) -> Vector {
        // SAFETY: the caller's.
        unsafe { Self::ACCESS.read_shared(self.item_address(place).cast()) }
    }

    /// The vector in which the item at a place is, in the direction of the work.
    ///
    /// # Safety
    /// Where it is written is of no consequence elsewhere.
    #[inline(always)]
    pub unsafe fn vector(&self, place: u32) -> Vector {
        // SAFETY: the caller's.
        let vector = unsafe { self.vector_in_memory(place) };
        self.direction
            .turned::<T>(&vector, vector_items::<T>() as usize)
    }

    /// The same, as memory has it.
    ///
    /// # Safety
    /// The same as for [`Self::vector`].
    #[inline(always)]
    pub unsafe fn vector_in_memory(&self, place: u32) -> Vector {
        let first = place & !(vector_items::<T>() - 1);
        let offset = place_of::<T>(first as usize) as u32 * size_of::<T>() as u32;
        // SAFETY: the caller's.
        unsafe { vector_of(simt::read_vector_at(self.item_memory(), offset)) }
    }

    /// Puts a vector where one begins.
    ///
    /// # Safety There is room for it, and no other thread uses that room.
    #[inline(always)]
    pub unsafe fn put_vector(&self, place: u32, vector: Vector) {
        let vector = self
            .direction
            .turned::<T>(&vector, vector_items::<T>() as usize);
        // SAFETY: the caller's.
        unsafe { Self::VECTOR_ACCESS.write_shared(self.vector_address(place).cast(), vector) };
    }

    /// Puts an item in its place.
    ///
    /// # Safety There is room for it, and no other thread uses that room.
    #[inline(always)]
    pub unsafe fn put(&self, place: u32, vector: Vector) {
        // SAFETY: the caller's.
        unsafe { Self::ACCESS.write_shared(self.item_address(place).cast(), vector) };
    }

    /// Where the place of a chunk's first item is; one past the last chunk, the place after all items.
    #[inline(always)]
    pub fn start(&self, chunk: u32) -> *mut u16 {
        let end = Self::LAYOUT.item_bytes - 2;
        let last: *mut u16 = self.item_memory().wrapping_add(end).cast();
        last.wrapping_sub(chunk as usize)
    }

    /// A word of the slots' bits.
    #[inline(always)]
    pub fn bits(&self, word: u32) -> *mut u32 {
        let bits: *mut u32 = self.memory.wrapping_add(Self::LAYOUT.bits).cast();
        bits.wrapping_add((self.turn * (Self::BIT_WORDS + 1) + word) as usize)
    }

    /// The facts about the work's chunks.
    #[inline(always)]
    pub fn flags(&self) -> *mut u32 {
        self.bits(Self::BIT_WORDS)
    }

    /// How many bits there are before a word.
    #[inline(always)]
    pub fn count(&self, word: u32) -> *mut u32 {
        let counts: *mut u32 = self.memory.wrapping_add(Self::LAYOUT.counts).cast();
        counts.wrapping_add((self.turn * Self::BIT_WORDS + word) as usize)
    }

    /// The value of leaf `leaf` of a chunk that starts at a place, and that has more than one leaf.
    #[inline(always)]
    pub fn leaf(&self, start: u32, leaf: u32) -> *mut A {
        let leaves: *mut A = self.memory.wrapping_add(Self::LAYOUT.leaves).cast();
        leaves.wrapping_add((start / 8 + leaf) as usize)
    }

    /// The value of node `node` of a chunk that starts at a place, and that has more than one node.
    #[inline(always)]
    pub fn node(&self, start: u32, node: u32) -> *mut A {
        let nodes: *mut A = self.memory.wrapping_add(Self::LAYOUT.nodes).cast();
        nodes.wrapping_add((start / 128 + node) as usize)
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Brings a work's items to shared memory, or begins to where copies are asynchronous.
    ///
    /// # Safety No thread uses the data that the work before last had in the room. The items exist, and there is room for them.
    #[inline(always)]
    pub unsafe fn bring_items(&self, work: &Work, room: Room<T, O::Accumulator>) {
        // SAFETY: the caller's.
        unsafe {
            if has_vectors::<T>() {
                self.bring_vectors(work, room);
            } else {
                self.bring_each(work, room);
            }
        }
    }

    /// Copies vectors. The first and the last may hold items of other windows.
    ///
    /// # Safety
    /// The same as for [`Self::bring_items`].
    #[inline(always)]
    unsafe fn bring_vectors(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let items = vector_items::<T>();
        let item_count = self.offsets.item_count;
        // Of an item before item 0, the number is larger than any.
        let upto = work
            .base
            .wrapping_add(work.end.next_multiple_of(items) as u64);
        let all_exist = work.base < item_count && upto <= item_count;
        let mut place = simt::thread_index() * items;
        if !all_exist {
            while place < work.end {
                // SAFETY: the caller's.
                unsafe { self.bring_some(work, room, place) };
                place += items * self.threads() * simt::opaque_one() as u32;
            }
            return;
        }
        let mut to: *mut u32 = room.vector_address(place).cast();
        let first = work.base.wrapping_add(place as u64);
        let mut from: *const u32 = self.input.wrapping_add(self.lowest(first)).cast();
        // Vectors at this distance have places at this distance, wherever they are.
        let places = items * self.threads();
        let stride = place_of::<T>(places as usize) * size_of::<T>();
        let far = places as u64 * size_of::<T>() as u64;
        let far = self.offsets.direction.signed(far) as usize;
        while place + (VECTORS_AT_ONCE - 1) * places < work.end {
            let step = simt::opaque_one() as u32;
            for_each_vector!(V in 0 1 2 3 => {
                let (to, from) = (to.wrapping_byte_add(V * stride), from.wrapping_byte_add(far.wrapping_mul(V)));
                // SAFETY: the caller's; a vector that exists is aligned, since the item at place 0 would be.
                unsafe { Self::bring_vector(to, from) };
            });
            to = to.wrapping_byte_add(VECTORS_AT_ONCE as usize * stride);
            from = from.wrapping_byte_add(far.wrapping_mul(VECTORS_AT_ONCE as usize));
            place += VECTORS_AT_ONCE * places * step;
        }
        while place < work.end {
            let step = simt::opaque_one() as u32;
            // SAFETY: as above.
            unsafe { Self::bring_vector(to, from) };
            to = to.wrapping_byte_add(stride);
            from = from.wrapping_byte_add(far);
            place += places * step;
        }
    }

    /// Where in an array the vector lies whose first item is this one.
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

    /// Brings a vector, or begins to where copies are asynchronous.
    ///
    /// # Safety
    /// It exists and is aligned, and there is room for it.
    #[inline(always)]
    unsafe fn bring_vector(to: *mut u32, from: *const u32) {
        let access = Room::<T, O::Accumulator>::VECTOR_ACCESS;
        // SAFETY: the caller's.
        unsafe {
            if simt::COPIES == Copies::Asynchronous {
                access.begin_copy_without_policy(to, from);
            } else {
                access.write_shared(to, access.load(from, Caching::Streamed));
            }
        }
    }

    /// Brings the items of a vector that the work has.
    ///
    /// # Safety
    /// The same as for [`Self::bring_items`].
    #[inline(always)]
    unsafe fn bring_some(&self, work: &Work, room: Room<T, O::Accumulator>, vector: u32) {
        let mut place = Ord::max(vector, work.begin);
        let end = Ord::min(vector + vector_items::<T>(), work.end);
        while place < end {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's.
            unsafe { self.bring_item(work, room, place) };
            place += step;
        }
    }

    /// Brings items, each thread every 256th.
    ///
    /// # Safety
    /// The same as for [`Self::bring_items`].
    #[inline(always)]
    unsafe fn bring_each(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let mut place = work.begin + simt::thread_index();
        while place < work.end {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's.
            unsafe { self.bring_item(work, room, place) };
            place += self.threads() * step;
        }
    }

    /// Brings an item.
    ///
    /// # Safety
    /// The same as for [`Self::bring_items`]; the work has it.
    #[inline(always)]
    unsafe fn bring_item(&self, work: &Work, room: Room<T, O::Accumulator>, place: u32) {
        let item = work.base.wrapping_add(place as u64);
        let from = self.offsets.direction.place(item, self.offsets.item_count);
        let mut vector = [0; VECTOR_WORDS];
        // SAFETY: the caller's.
        unsafe {
            put_item(&mut vector, 0, self.input.add(from as usize).read());
            room.put(place, vector);
        }
    }
}
