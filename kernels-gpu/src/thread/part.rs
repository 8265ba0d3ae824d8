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
    /// Keep it.
    Kept,
    /// Let it pass.
    Streamed,
}

/// A thread's part of a tile in global memory: up to eight vectors of items of type `T`, `STRIDE` vectors apart. A vector has as many items
/// as fit into it of both types, `T` and `U`: a scan's input and its results have equally many.
#[derive(Clone, Copy)]
pub struct Part<T, U, const STRIDE: u32, H = Forward> {
    first: *mut T,
    /// Vectors of the part, including out-of-range ones.
    rows: usize,
    /// Items that exist from the thread's first one on, up to the tile's end.
    existing: u32,
    /// Whether the tile starts on a multiple of a vector's unit, so that whole vectors can be accessed at once.
    is_aligned: bool,
    /// In which direction the thread's vectors follow one another, and the items of a vector.
    heading: H,
    other: PhantomData<U>,
}

impl<T: Element, U: Element, const STRIDE: u32> Part<T, U, STRIDE> {
    /// The part of the thread whose first vector is vector `vector` of the tile that begins at `tile`, of whose items
    /// `tile_items` exist.
    #[inline(always)]
    pub fn new(tile: *mut T, tile_items: u32, rows: usize, vector: u32) -> Self {
        Self::towards(Forward, tile, tile_items, rows, vector)
    }
}

impl<T: Element, U: Element, const STRIDE: u32, H: Heading> Part<T, U, STRIDE, H> {
    /// Items of a vector.
    const ITEMS: usize = vector_items::<Wider<T, U>>();

    /// Bytes of a vector.
    const BYTES: usize = Self::ITEMS * size_of::<T>();

    /// How a vector is accessed.
    pub const ACCESS: Access = Access::new(Self::BYTES, vector_bytes::<Wider<T, U>>());

    /// How an item is accessed that lies anywhere in the input.
    const ITEM_ACCESS: Access = Access::new(size_of::<T>(), align_of::<T>() | Self::ACCESS.unit());

    /// Bytes between the thread's vectors.
    const STRIDE_BYTES: usize = STRIDE as usize * Self::BYTES;

    /// The part of the thread whose first vector is vector `vector` of the tile that begins at `tile`, of whose items
    /// `tile_items` exist. If the direction is backward, the tile's items lie before `tile`, the first one last.
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

    /// Whether the item at place `i` of vector `v`, as memory has it, exists.
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

    /// Whether vector `v` exists whole and can be accessed at once.
    #[inline(always)]
    fn is_vector(&self, v: usize) -> bool {
        let last = v * STRIDE as usize * Self::ITEMS + (Self::ITEMS - 1);
        self.is_aligned && (last as u32) < self.existing
    }

    /// Whether all vectors are such. If the last is there, so are the others.
    #[inline(always)]
    pub fn is_whole(&self) -> bool {
        self.is_vector(self.rows - 1)
    }

    /// Loads vector `v`, which [`Self::is_vector`].
    ///
    /// # Safety
    /// The array is readable.
    #[inline(always)]
    unsafe fn load_vector(&self, v: usize, caching: Caching) -> Vector {
        // SAFETY: the vector exists and is aligned.
        unsafe { Self::ACCESS.load(self.vector(v).cast(), caching) }
    }

    /// Loads the items of vector `v` one by one; those that do not exist are fillers.
    ///
    /// # Safety
    /// The array is readable.
    #[inline(always)]
    unsafe fn load_items<O: Op<T>>(&self, v: usize) -> Vector {
        let mut vector = [0; VECTOR_WORDS];
        for_each_item!(P of Wider<T, U> => {
            let item = if self.exists(v, P) {
                // SAFETY: the item exists.
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

    /// Loads the part, which [`Self::is_whole`].
    ///
    /// # Safety
    /// The array is readable.
    #[inline(always)]
    unsafe fn load_whole(&self, caching: Caching) -> Vectors {
        let mut vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
        for_each_vector!(V => {
            if V < self.rows {
                // SAFETY: the vector exists and is aligned.
                vectors[V] = unsafe { self.load_vector(V, caching) };
            }
        });
        vectors
    }

    /// Loads the part; items that do not exist are fillers. A part with such items goes through `slots`.
    ///
    /// # Safety
    /// The array is readable. No other thread uses the slots.
    #[inline(always)]
    pub unsafe fn load<O: Op<T>>(&self, slots: Slots, caching: Caching) -> Vectors {
        // SAFETY: the caller's.
        unsafe {
            if !self.is_whole() {
                self.copy::<O>(slots);
                return slots.read_rows(self.rows, Self::ACCESS);
            }
            // Each with its own eight loads: a question for each load would part them from each other.
            match caching {
                Caching::Kept => self.load_whole(Caching::Kept),
                Caching::Streamed => self.load_whole(Caching::Streamed),
            }
        }
    }
}

/// The value in the place of an item that does not exist: the item that is lifted to the identity, if there is one. Where there is none, it
/// is not lifted.
#[inline(always)]
fn filler<O: Op<T>, T: Element>() -> T {
    match O::identity_item() {
        Some(item) => item,
        None => T::zeroed(),
    }
}
