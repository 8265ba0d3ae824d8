//! A thread's vectors of a tile in global memory: loading, copying to shared memory, storing.

use crate::contract::{vector_items, THREAD_VECTORS, VECTOR_BYTES};
use crate::element::{first_words, for_each_item, item_of, put_item, vector_of, Element, Words};
use crate::launch::Copies;
use crate::op::Op;
use crate::simt::{self, EvictionPolicy};

use super::{for_each_vector, identities, missing_item, Slots, Vectors, MAX_VECTOR_ITEMS};

/// What the caches are to do with what is loaded.
#[derive(Clone, Copy)]
pub enum Caching {
    /// Keep it.
    Kept,
    /// Let it pass.
    Streamed,
}

/// A thread's part of a tile in global memory: up to eight vectors, `STRIDE` vectors apart.
#[derive(Clone, Copy)]
pub struct Part<T, const STRIDE: u32> {
    first: *mut T,
    /// Vectors of the part, those included that do not exist.
    rows: usize,
    /// Items that exist from the thread's first one on, up to the tile's end.
    existing: u32,
    /// Whether the tile starts on a multiple of 16 bytes, so that whole vectors can be accessed at once.
    is_aligned: bool,
}

impl<T: Element, const STRIDE: u32> Part<T, STRIDE> {
    /// Bytes between the thread's vectors.
    const STRIDE_BYTES: usize = STRIDE as usize * VECTOR_BYTES;

    /// The part of the thread whose first vector is vector `vector` of the tile that begins at `tile`, of whose items
    /// `tile_items` exist.
    #[inline(always)]
    pub fn new(tile: *mut T, tile_items: u32, rows: usize, vector: u32) -> Self {
        let offset = vector * vector_items::<T>() as u32;
        Part {
            first: tile.wrapping_add(offset as usize),
            rows,
            existing: tile_items.saturating_sub(offset),
            is_aligned: (tile as u64).is_multiple_of(VECTOR_BYTES as u64),
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
        ((v * STRIDE as usize * vector_items::<T>() + i) as u32) < self.existing
    }

    /// Whether vector `v` exists whole and can be accessed at once.
    #[inline(always)]
    fn is_vector(&self, v: usize) -> bool {
        self.is_aligned && self.exists(v, vector_items::<T>() - 1)
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
    unsafe fn load_vector(&self, v: usize, caching: Caching) -> Words {
        let address = self.vector(v).cast();
        // SAFETY: the vector exists and is aligned.
        unsafe {
            match caching {
                Caching::Kept => simt::load_vector(address),
                Caching::Streamed => simt::stream_vector(address),
            }
        }
    }

    /// Loads the items of vector `v` one by one; those that do not exist are identities.
    ///
    /// # Safety
    /// The array is readable.
    #[inline(always)]
    unsafe fn load_items<O: Op<T>>(&self, v: usize) -> Words {
        let mut items = [missing_item::<O, T>(); MAX_VECTOR_ITEMS];
        let mut i = 0;
        while i < vector_items::<T>() {
            if self.exists(v, i) {
                // SAFETY: the item exists.
                items[i] = unsafe { self.vector(v).add(i).read() };
            }
            i += 1;
        }
        let mut vector = [0; 8];
        for_each_item!(P of T => { put_item(&mut vector, P, items[P]); });
        first_words(&vector)
    }

    /// Loads the part, which [`Self::is_whole`].
    ///
    /// # Safety
    /// The array is readable.
    #[inline(always)]
    unsafe fn load_whole(&self, caching: Caching) -> Vectors {
        let mut vectors = [[0; 4]; THREAD_VECTORS];
        for_each_vector!(V => {
            if V < self.rows {
                // SAFETY: the vector exists and is aligned.
                vectors[V] = unsafe { self.load_vector(V, caching) };
            }
        });
        vectors
    }

    /// Loads the part; items that do not exist are identities. A part with such items goes through `slots`.
    ///
    /// # Safety
    /// The array is readable. Nobody but this thread uses the slots.
    #[inline(always)]
    pub unsafe fn load<O: Op<T>>(&self, slots: Slots, caching: Caching) -> Vectors {
        // SAFETY: the caller's.
        unsafe {
            if !self.is_whole() {
                self.copy_in_pieces::<O>(slots, None);
                return slots.read_rows(self.rows);
            }
            // Each with its own eight loads: a question for each load would part them from each other.
            match caching {
                Caching::Kept => self.load_whole(Caching::Kept),
                Caching::Streamed => self.load_whole(Caching::Streamed),
            }
        }
    }

    /// Begins to copy the part to `slots`, by an eviction policy; items that do not exist are identities. Does nothing where
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
            if self.is_whole() {
                for_each_vector!(V => {
                    if V < self.rows {
                        simt::begin_copy_vector(slots.address(V), self.vector(V).cast(), policy);
                    }
                });
            } else {
                self.copy_in_pieces::<O>(slots, Some(policy));
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
                let vectors = self.load_whole(Caching::Streamed);
                for_each_vector!(V => {
                    if V < self.rows {
                        slots.write(V, vectors[V]);
                    }
                });
            } else {
                self.copy_in_pieces::<O>(slots, None);
            }
        }
    }

    /// Copies a part that is not whole: vectors where they are, else items; or begins to, by an eviction policy. It fills no
    /// registers, so the loop need not be written out.
    ///
    /// # Safety
    /// The array is readable. Nobody but this thread uses the slots.
    #[inline(always)]
    unsafe fn copy_in_pieces<O: Op<T>>(&self, slots: Slots, begins: Option<EvictionPolicy>) {
        let begins = begins.filter(|_| size_of::<T>() >= simt::LEAST_COPY_BYTES);
        let mut v = 0;
        while v < self.rows {
            let step = simt::rolled_step();
            // SAFETY: the caller's; a vector is copied where it exists, and so is an item.
            unsafe {
                if !self.exists(v, 0) {
                    slots.write(v, identities::<O, T>());
                } else if let Some(policy) = begins {
                    self.begin_copy_of::<O>(v, slots, policy);
                } else if self.is_vector(v) {
                    slots.write(v, self.load_vector(v, Caching::Kept));
                } else {
                    slots.write(v, self.load_items::<O>(v));
                }
            }
            v += step;
        }
    }

    /// Begins to copy vector `v`, at once or item by item.
    ///
    /// # Safety
    /// That of [`Self::copy_in_pieces`], and items are of 4 or 8 bytes.
    #[inline(always)]
    unsafe fn begin_copy_of<O: Op<T>>(&self, v: usize, slots: Slots, policy: EvictionPolicy) {
        // SAFETY: the caller's; a vector is copied where it exists, and so is an item.
        unsafe {
            if self.is_vector(v) {
                simt::begin_copy_vector(slots.address(v), self.vector(v).cast(), policy);
            } else {
                let mut i = 0;
                while i < vector_items::<T>() {
                    let slot = slots.address(v).cast::<T>().add(i);
                    if self.exists(v, i) {
                        simt::begin_copy_item(slot, self.vector(v).add(i));
                    } else {
                        slot.write(missing_item::<O, T>());
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
                unsafe { self.store_vector(V, slots.read(V)) };
            }
        });
    }

    /// Stores vector `v` of the part, which [`Self::is_whole`].
    ///
    /// # Safety
    /// The array is writable, and nobody else reads or writes the part.
    #[inline(always)]
    pub unsafe fn store_vector(&self, v: usize, words: Words) {
        // SAFETY: the vector exists and is aligned.
        unsafe { simt::store_vector(self.vector(v).cast(), words) }
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
                let words = slots.read(v);
                if self.is_vector(v) {
                    self.store_vector(v, words);
                } else {
                    self.store_items(v, words);
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
    unsafe fn store_items(&self, v: usize, words: Words) {
        let vector = vector_of(words);
        let mut i = 0;
        while i < vector_items::<T>() {
            if self.exists(v, i) {
                // SAFETY: the item exists.
                unsafe { self.vector(v).add(i).write(item_of(&vector, i)) };
            }
            i += 1;
        }
    }
}
