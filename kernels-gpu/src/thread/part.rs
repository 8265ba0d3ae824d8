//! A thread's vectors of a tile in global memory: loading, copying to shared memory, storing.

use core::marker::PhantomData;

use crate::contract::{vector_bytes, vector_items, Wider, THREAD_VECTORS};
use crate::element::{for_each_item, item_of, put_item, Element, Vector};
use crate::launch::Copies;
use crate::op::Op;
use crate::simt::{self, EvictionPolicy};

use super::access::Access;
use super::{for_each_vector, Slots, Vectors};

/// What the caches are to do with what is loaded.
#[derive(Clone, Copy)]
pub enum Caching {
    /// Keep it.
    Kept,
    /// Let it pass.
    Streamed,
}

/// A thread's part of a tile in global memory: up to eight vectors of items of type `T`, `STRIDE` vectors apart. A vector has
/// as many items as there is room for of type `T` and of type `U`: those of a scan's input are as many as its results.
#[derive(Clone, Copy)]
pub struct Part<T, U, const STRIDE: u32> {
    first: *mut T,
    /// Vectors of the part, including out-of-range ones.
    rows: usize,
    /// Items that exist from the thread's first one on, up to the tile's end.
    existing: u32,
    /// Whether the tile starts on a multiple of a vector's unit, so that whole vectors can be accessed at once.
    is_aligned: bool,
    other: PhantomData<U>,
}

impl<T: Element, U: Element, const STRIDE: u32> Part<T, U, STRIDE> {
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
    /// `tile_items` exist.
    #[inline(always)]
    pub fn new(tile: *mut T, tile_items: u32, rows: usize, vector: u32) -> Self {
        let offset = vector * Self::ITEMS as u32;
        let unit = Self::ACCESS.unit();
        Part {
            first: tile.wrapping_add(offset as usize),
            rows,
            existing: tile_items.saturating_sub(offset),
            is_aligned: align_of::<T>() >= unit || (tile as u64).is_multiple_of(unit as u64),
            other: PhantomData,
        }
    }

    /// The address of vector `v`.
    #[inline(always)]
    fn vector(&self, v: usize) -> *mut T {
        self.first.wrapping_byte_add(v * Self::STRIDE_BYTES)
    }

    /// Whether item `i` of vector `v` exists.
    #[inline(always)]
    fn exists(&self, v: usize, i: usize) -> bool {
        ((v * STRIDE as usize * Self::ITEMS + i) as u32) < self.existing
    }

    /// Whether vector `v` exists whole and can be accessed at once.
    #[inline(always)]
    fn is_vector(&self, v: usize) -> bool {
        self.is_aligned && self.exists(v, Self::ITEMS - 1)
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
        let mut vector = [0; 8];
        let mut i = 0;
        while i < Self::ITEMS {
            let item = if self.exists(v, i) {
                // SAFETY: the item exists.
                unsafe { self.vector(v).add(i).read() }
            } else {
                filler::<O, T>()
            };
            put_item(&mut vector, i, item);
            i += 1;
        }
        vector
    }

    /// A vector of fillers.
    #[inline(always)]
    fn fillers<O: Op<T>>() -> Vector {
        let mut vector = [0; 8];
        for_each_item!(P of Wider<T, U> => { put_item(&mut vector, P, filler::<O, T>()); });
        vector
    }

    /// Loads the part, which [`Self::is_whole`].
    ///
    /// # Safety
    /// The array is readable.
    #[inline(always)]
    unsafe fn load_whole(&self, caching: Caching) -> Vectors {
        let mut vectors = [[0; 8]; THREAD_VECTORS];
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
    /// The array is readable. Nobody but this thread uses the slots.
    #[inline(always)]
    pub unsafe fn load<O: Op<T>>(&self, slots: Slots, caching: Caching) -> Vectors {
        // SAFETY: the caller's.
        unsafe {
            if !self.is_whole() {
                self.copy_in_pieces::<O>(slots, None);
                return slots.read_rows(self.rows, Self::ACCESS);
            }
            // Each with its own eight loads: a question for each load would part them from each other.
            match caching {
                Caching::Kept => self.load_whole(Caching::Kept),
                Caching::Streamed => self.load_whole(Caching::Streamed),
            }
        }
    }

    /// Copies the part to `slots`, vector by vector; items that do not exist are fillers.
    ///
    /// # Safety
    /// The array is readable. Nobody but this thread uses the slots.
    #[inline(always)]
    pub unsafe fn copy<O: Op<T>>(&self, slots: Slots) {
        // SAFETY: the caller's.
        unsafe { self.copy_in_pieces::<O>(slots, None) };
    }

    /// Begins to copy the part to `slots`, by an eviction policy; items that do not exist are fillers. Does nothing where
    /// the machine has no asynchronous copies.
    ///
    /// # Safety
    /// The array is readable. Nobody but this thread uses the slots.
    #[inline(always)]
    pub unsafe fn begin_copy<O: Op<T>>(&self, slots: Slots, policy: EvictionPolicy) {
        if simt::COPIES == Copies::Synchronous {
            return;
        }
        // SAFETY: the caller's; where the part is whole, its vectors exist and are aligned.
        unsafe {
            if !self.is_whole() {
                self.copy_in_pieces::<O>(slots, Some(policy));
            } else if Self::ACCESS.has_copies() {
                for_each_vector!(V => {
                    if V < self.rows {
                        let (to, from) = (slots.address(V), self.vector(V).cast());
                        Self::ACCESS.begin_copy(to, from, policy);
                    }
                });
            } else {
                self.copy_whole(slots);
            }
        }
    }

    /// Ends what [`Self::begin_copy`] began, or copies the part where it did nothing.
    ///
    /// # Safety
    /// The array is readable. The part and the slots are those of the last call of [`Self::begin_copy`].
    #[inline(always)]
    pub unsafe fn end_copy<O: Op<T>>(&self, slots: Slots) {
        if simt::COPIES == Copies::Asynchronous {
            simt::await_copies();
            return;
        }
        // SAFETY: the caller's; where the part is whole, its vectors exist and are aligned.
        unsafe {
            if self.is_whole() {
                self.copy_whole(slots);
            } else {
                self.copy_in_pieces::<O>(slots, None);
            }
        }
    }

    /// Copies the part, which [`Self::is_whole`].
    ///
    /// # Safety
    /// The array is readable. Nobody but this thread uses the slots.
    #[inline(always)]
    unsafe fn copy_whole(&self, slots: Slots) {
        // SAFETY: the caller's.
        let vectors = unsafe { self.load_whole(Caching::Streamed) };
        for_each_vector!(V => {
            if V < self.rows {
                // SAFETY: the caller's.
                unsafe { slots.write(V, Self::ACCESS, vectors[V]) };
            }
        });
    }

    /// Copies a part that is not whole: vectors where they are, else items; or begins to, by an eviction policy. It fills no
    /// registers, so the loop need not be written out.
    ///
    /// # Safety
    /// The array is readable. Nobody but this thread uses the slots.
    #[inline(always)]
    unsafe fn copy_in_pieces<O: Op<T>>(&self, slots: Slots, begins: Option<EvictionPolicy>) {
        let begins = begins.filter(|_| Self::ITEM_ACCESS.has_copies());
        let mut v = 0;
        while v < self.rows {
            let step = simt::rolled_step();
            // SAFETY: the caller's; a vector is copied where it exists, and so is an item.
            unsafe {
                if !self.exists(v, 0) {
                    slots.write(v, Self::ACCESS, Self::fillers::<O>());
                } else if let Some(policy) = begins {
                    self.begin_copy_of::<O>(v, slots, policy);
                } else if self.is_vector(v) {
                    slots.write(v, Self::ACCESS, self.load_vector(v, Caching::Kept));
                } else {
                    slots.write(v, Self::ACCESS, self.load_items::<O>(v));
                }
            }
            v += step;
        }
    }

    /// Begins to copy vector `v`, at once or item by item.
    ///
    /// # Safety
    /// That of [`Self::copy_in_pieces`]. Items and vectors have copies.
    #[inline(always)]
    unsafe fn begin_copy_of<O: Op<T>>(&self, v: usize, slots: Slots, policy: EvictionPolicy) {
        // SAFETY: the caller's; a vector is copied where it exists, and so is an item.
        unsafe {
            if self.is_vector(v) {
                let (to, from) = (slots.address(v), self.vector(v).cast());
                Self::ACCESS.begin_copy(to, from, policy);
            } else {
                let mut i = 0;
                while i < Self::ITEMS {
                    let slot = slots.address(v).cast::<T>().add(i);
                    if self.exists(v, i) {
                        let from = self.vector(v).add(i).cast();
                        Self::ITEM_ACCESS.begin_copy(slot.cast(), from, policy);
                    } else {
                        let mut item = [0; 8];
                        put_item(&mut item, 0, filler::<O, T>());
                        Self::ITEM_ACCESS.write_shared(slot.cast(), item);
                    }
                    i += 1;
                }
            }
        }
    }

    /// Stores the part, which [`Self::is_whole`] and lies in `slots`.
    ///
    /// # Safety
    /// The array is writable, and nobody else reads or writes the part. The slots are written.
    #[inline(always)]
    pub unsafe fn store_whole(&self, slots: Slots) {
        for_each_vector!(V => {
            if V < self.rows {
                // SAFETY: the caller's.
                unsafe { self.store_vector(V, slots.read(V, Self::ACCESS)) };
            }
        });
    }

    /// Stores vector `v` of the part, which [`Self::is_whole`].
    ///
    /// # Safety
    /// The array is writable, and nobody else reads or writes the part.
    #[inline(always)]
    pub unsafe fn store_vector(&self, v: usize, vector: Vector) {
        // SAFETY: the vector exists and is aligned.
        unsafe { Self::ACCESS.store(self.vector(v).cast(), vector) }
    }

    /// Stores a part that is not whole, which lies in `slots`; items that do not exist are left out.
    ///
    /// # Safety
    /// The array is writable, and nobody else reads or writes the part. The slots are written.
    #[inline(always)]
    pub unsafe fn store_in_pieces(&self, slots: Slots) {
        let mut v = 0;
        while v < self.rows {
            let step = simt::rolled_step();
            // SAFETY: the caller's; a vector is stored where it exists, and so is an item.
            unsafe {
                let vector = slots.read(v, Self::ACCESS);
                if self.is_vector(v) {
                    self.store_vector(v, vector);
                } else {
                    self.store_items(v, vector);
                }
            }
            v += step;
        }
    }

    /// Stores the items of vector `v` that exist, one by one.
    ///
    /// # Safety
    /// The array is writable, and nobody else reads or writes the part.
    #[inline(always)]
    unsafe fn store_items(&self, v: usize, vector: Vector) {
        let mut i = 0;
        while i < Self::ITEMS {
            if self.exists(v, i) {
                // SAFETY: the item exists.
                unsafe { self.vector(v).add(i).write(item_of(&vector, i)) };
            }
            i += 1;
        }
    }
}

/// What lies in the place of an item that does not exist: the item that lifts to the identity, where there is one. Where there
/// is none, it is not lifted.
#[inline(always)]
fn filler<O: Op<T>, T: Element>() -> T {
    match O::identity_item() {
        Some(item) => item,
        None => T::zeroed(),
    }
}
