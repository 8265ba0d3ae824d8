//! A thread's vectors of a tile in global memory: loading, copying to shared memory, storing.

mod copying;
mod pairs;
mod storing;

pub use pairs::PairPart;

use core::marker::PhantomData;

use crate::contract::{vector_bytes, vector_items, Wider, THREAD_VECTORS};
use crate::direction::{Forward, Heading};
use crate::element::VECTOR_WORDS;
use crate::element::{for_each_item, put_item, Element, Vector};
use crate::op::Op;

use super::access::Access;
use super::{for_each_vector, Slots, Vectors};

/// The cache policy of loads.
#[derive(Clone, Copy)]
pub enum Caching {
    /// Keep the line in L1.
    Kept,
    /// Do not allocate in L1.
    Streamed,
}

/// A thread's part of a tile in global memory: up to eight vectors of items of type `T`, `STRIDE` vectors apart. The wider of the types `T`
/// and `U` decides how many items a vector has. So a vector of a scan's items and a vector of its results have the same number of items.
#[derive(Clone, Copy)]
pub struct Part<T, U, const STRIDE: u32, H = Forward> {
    first: *mut T,
    /// The number of vectors of the part, including vectors that do not exist.
    rows: usize,
    /// The number of existing items of the tile from the thread's first item on.
    existing: u32,
    /// Whether the tile starts at a multiple of a vector's unit, so that a vector can be accessed as a whole, instead of item by item.
    is_aligned: bool,
    /// The direction in which the thread's vectors, and a vector's items, follow one another.
    heading: H,
    other: PhantomData<U>,
}

impl<T: Element, U: Element, const STRIDE: u32> Part<T, U, STRIDE> {
    /// The part of the thread whose first vector is vector `vector` of a tile. The tile begins at `tile`, and `tile_items` of its items
    /// exist.
    #[inline(always)]
    pub fn new(tile: *mut T, tile_items: u32, rows: usize, vector: u32) -> Self {
        Self::towards(Forward, tile, tile_items, rows, vector)
    }
}

impl<T: Element, U: Element, const STRIDE: u32, H: Heading> Part<T, U, STRIDE, H> {
    /// The number of items of a vector.
    const ITEMS: usize = vector_items::<Wider<T, U>>();

    /// The number of bytes of a vector.
    const BYTES: usize = Self::ITEMS * size_of::<T>();

    /// How a vector is accessed.
    pub const ACCESS: Access = Access::new(Self::BYTES, vector_bytes::<Wider<T, U>>());

    /// How a single item is accessed, anywhere in the array.
    const ITEM_ACCESS: Access = Access::new(size_of::<T>(), align_of::<T>() | Self::ACCESS.unit());

    /// The number of bytes from the start of one of the thread's vectors to the start of the next.
    const STRIDE_BYTES: usize = STRIDE as usize * Self::BYTES;

    /// The part of the thread whose first vector is vector `vector` of a tile. The tile begins at `tile`, and `tile_items` of its items
    /// exist. If the direction is backward, the tile's items lie below `tile`, in reverse order.
    #[inline(always)]
    pub fn towards(heading: H, tile: *mut T, tile_items: u32, rows: usize, vector: u32) -> Self {
        let offset = vector * Self::ITEMS as u32;
        let unit = Self::ACCESS.unit();
        let lowest = heading
            .signed(offset as u64)
            .wrapping_sub(heading.if_backward(Self::ITEMS as u64));
        Part {
            first: tile.wrapping_add(lowest as usize),
            rows,
            existing: tile_items.saturating_sub(offset),
            is_aligned: align_of::<T>() >= unit || (tile as u64).is_multiple_of(unit as u64),
            heading,
            other: PhantomData,
        }
    }

    /// The address of vector `v`.
    #[inline(always)]
    fn vector(&self, v: usize) -> *mut T {
        let bytes = self.heading.signed((v * Self::STRIDE_BYTES) as u64);
        self.first.wrapping_byte_add(bytes as usize)
    }

    /// Whether the item at place `i` of vector `v`, in memory order, exists.
    #[inline(always)]
    fn exists(&self, v: usize, i: usize) -> bool {
        let index = self.heading.place(i as u64, Self::ITEMS as u64) as usize;
        self.existing > (v * STRIDE as usize * Self::ITEMS + index) as u32
    }

    /// Whether any item of vector `v` exists.
    #[inline(always)]
    fn begins(&self, v: usize) -> bool {
        ((v * STRIDE as usize * Self::ITEMS) as u32) < self.existing
    }

    /// Whether all items of vector `v` exist, and the tile is aligned, so that the vector can be accessed as a whole.
    #[inline(always)]
    fn is_vector(&self, v: usize) -> bool {
        let last = v * STRIDE as usize * Self::ITEMS + (Self::ITEMS - 1);
        self.is_aligned && (last as u32) < self.existing
    }

    /// Whether [`Self::is_vector`] holds for each vector of the part. If [`Self::is_vector`] holds for the last vector, it holds for all
    /// vectors.
    #[inline(always)]
    pub fn is_whole(&self) -> bool {
        self.is_vector(self.rows - 1)
    }

    /// Loads vector `v`, for which [`Self::is_vector`] holds.
    ///
    /// # Safety
    /// - [`Self::is_vector`] holds for `v`.
    /// - The array is readable, and no other thread writes the part.
    #[inline(always)]
    unsafe fn load_vector(&self, v: usize, caching: Caching) -> Vector {
        // SAFETY: `is_vector` holds: the vector exists and is aligned. The array is readable.
        unsafe { Self::ACCESS.load(self.vector(v).cast(), caching) }
    }

    /// Loads the items of vector `v` one by one, with fillers in place of items that do not exist.
    ///
    /// # Safety
    /// The array is readable, and no other thread writes the part.
    #[inline(always)]
    unsafe fn load_items<O: Op<T>>(&self, v: usize) -> Vector {
        let mut vector = [0; VECTOR_WORDS];
        for_each_item!(P of Wider<T, U> => {
            let item = if self.exists(v, P) {
                // SAFETY: the item exists, and the array is readable.
                unsafe { self.vector(v).add(P).read() }
            } else {
                filler::<O, T>()
            };
            put_item(&mut vector, P, item);
        });
        vector
    }

    /// A vector of fillers.
    #[inline(always)]
    fn fillers<O: Op<T>>() -> Vector {
        let mut vector = [0; VECTOR_WORDS];
        for_each_item!(P of Wider<T, U> => { put_item(&mut vector, P, filler::<O, T>()); });
        vector
    }

    /// Loads the part, for which [`Self::is_whole`] holds.
    ///
    /// # Safety
    /// - [`Self::is_whole`] holds.
    /// - The array is readable, and no other thread writes the part.
    #[inline(always)]
    unsafe fn load_whole(&self, caching: Caching) -> Vectors {
        let mut vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
        for_each_vector!(V => {
            if V < self.rows {
                // SAFETY: `is_whole` holds, so `is_vector` holds for each vector.
                vectors[V] = unsafe { self.load_vector(V, caching) };
            }
        });
        vectors
    }

    /// Loads the part, with fillers in place of items that do not exist. A part that is not whole is first copied to `slots`, then read
    /// from there.
    ///
    /// # Safety
    /// - The array is readable, and no other thread writes the part.
    /// - No other thread uses the slots.
    #[inline(always)]
    pub unsafe fn load<O: Op<T>>(&self, slots: Slots, caching: Caching) -> Vectors {
        // SAFETY: the array is readable and the slots are this thread's (conditions of this function). `copy` writes every slot that
        // `read_rows` reads. `is_whole` is checked before the whole part is loaded.
        unsafe {
            if !self.is_whole() {
                self.copy::<O>(slots);
                return slots.read_rows(self.rows, Self::ACCESS);
            }
            // Each case has its own loads: with a branch at each load, the loads would not be issued together.
            match caching {
                Caching::Kept => self.load_whole(Caching::Kept),
                Caching::Streamed => self.load_whole(Caching::Streamed),
            }
        }
    }
}

/// The value in place of an item that does not exist. It is the item that lifts to the identity. If the operator has no such item, the
/// value is zero and is never lifted.
#[inline(always)]
fn filler<O: Op<T>, T: Element>() -> T {
    match O::identity_item() {
        Some(item) => item,
        None => T::zeroed(),
    }
}
