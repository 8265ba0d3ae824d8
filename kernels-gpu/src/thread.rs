//! One thread: the vectors of a tile in registers.
//!
//! An index that is known only at run time would put an array of registers into local memory. So loops over a
//! vector's items have constant bounds, which the compiler unrolls, and loops over a thread's vectors, which may
//! be too long for it, are written out by [`for_each_vector!`].

use crate::contract::{tile_items, vector_items, BLOCK_THREADS, THREAD_VECTORS, VECTOR_BYTES};
use crate::element::Element;
use crate::launch::{Copies, Tile};
use crate::op::Op;
use crate::simt;

/// A thread's part of a tile in registers: eight vectors.
pub type Vectors<T> = [<T as Element>::Vector; THREAD_VECTORS];

/// Runs a block for each of a thread's vectors, written out eight times.
macro_rules! for_each_vector {
    ($v:ident => $body:block) => {
        for_each_vector!($v in 0 1 2 3 4 5 6 7 => $body)
    };
    ($v:ident in $($index:literal)* => $body:block) => {
        $({
            const $v: usize = $index;
            $body
        })*
    };
}
pub(crate) use for_each_vector;

const _: () = assert!(THREAD_VECTORS == 8);

/// A vector of identities.
#[inline(always)]
pub fn identities<O: Op<T>, T: Element>() -> T::Vector {
    let mut vector = T::unpack([0; 4]);
    for item in vector.as_mut() {
        *item = O::identity();
    }
    vector
}

/// A thread's part of a tile in global memory: eight vectors, `STRIDE` vectors apart.
#[derive(Clone, Copy)]
pub struct Part<T, const STRIDE: u32> {
    first: *mut T,
    /// Items that exist from the thread's first one on, up to the tile's end.
    existing: u32,
    /// Whether the array starts on a multiple of 16 bytes, so that whole vectors can be accessed at once.
    is_aligned: bool,
}

impl<T: Element, const STRIDE: u32> Part<T, STRIDE> {
    /// Bytes between the thread's vectors.
    const STRIDE_BYTES: usize = STRIDE as usize * VECTOR_BYTES;

    /// The part of the thread whose first vector is vector `vector` of the tile that begins with item `begin`
    /// of an array of `item_count` items.
    ///
    /// # Safety
    /// `begin` is an item of the array; `vector` and the seven that are `STRIDE` apart from it lie in the tile.
    #[inline(always)]
    pub unsafe fn new(array: *mut T, item_count: u64, begin: u64, vector: u32) -> Self {
        let tile_items = tile_items::<T>();
        let remaining = Ord::min(item_count - begin, tile_items) as u32;
        // SAFETY: `begin` is an item of the array.
        let tile = unsafe { array.add(begin as usize) };
        let offset = vector * vector_items::<T>() as u32;
        Part {
            first: tile.wrapping_add(offset as usize),
            existing: remaining.saturating_sub(offset),
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

    /// Loads the part; items that do not exist are identities.
    ///
    /// # Safety
    /// The array is readable.
    #[inline(always)]
    pub unsafe fn load<O: Op<T>>(&self) -> Vectors<T> {
        let mut vectors = [identities::<O, T>(); THREAD_VECTORS];
        if self.is_vector(THREAD_VECTORS - 1) {
            // The last is there, so all are: loads with nothing between them.
            for_each_vector!(V => {
                // SAFETY: the vector exists and is aligned.
                vectors[V] = T::unpack(unsafe { simt::load_vector(self.vector(V).cast()) });
            });
            return vectors;
        }
        for_each_vector!(V => {
            if self.is_vector(V) {
                // SAFETY: the vector exists and is aligned.
                vectors[V] = T::unpack(unsafe { simt::load_vector(self.vector(V).cast()) });
            } else {
                let mut i = 0;
                while i < vector_items::<T>() {
                    if self.exists(V, i) {
                        // SAFETY: the item exists.
                        vectors[V].as_mut()[i] = unsafe { self.vector(V).add(i).read() };
                    }
                    i += 1;
                }
            }
        });
        vectors
    }

    /// Begins to copy the part to the thread's `slots` in shared memory; items that do not exist are identities.
    /// Does nothing where the machine has no asynchronous copies.
    ///
    /// # Safety
    /// The array is readable. Nobody but this thread uses the slots.
    #[inline(always)]
    pub unsafe fn begin_load<O: Op<T>>(&self, slots: Slots<T>) {
        if simt::COPIES == Copies::Synchronous {
            return;
        }
        for_each_vector!(V => {
            if self.is_vector(V) {
                // SAFETY: the vector exists and is aligned.
                unsafe { simt::begin_copy_vector(slots.vector(V).cast(), self.vector(V).cast()) };
            }
        });
        // What is left fills no registers, so this loop need not be written out.
        let step = simt::opaque(1) as usize;
        let mut v = if self.is_vector(THREAD_VECTORS - 1) {
            THREAD_VECTORS
        } else {
            0
        };
        while v < THREAD_VECTORS {
            let mut i = if self.is_vector(v) {
                vector_items::<T>()
            } else {
                0
            };
            while i < vector_items::<T>() {
                // SAFETY: the item exists where it is copied; the slot does.
                unsafe {
                    let slot = slots.vector(v).add(i);
                    if self.exists(v, i) {
                        simt::begin_copy_item(slot, self.vector(v).add(i));
                    } else {
                        slot.write(O::identity());
                    }
                }
                i += 1;
            }
            v += step;
        }
    }

    /// The vectors that [`Self::begin_load`] began to copy.
    ///
    /// # Safety
    /// The array is readable, and the last call of [`Self::begin_load`] was for this part and these slots.
    #[inline(always)]
    pub unsafe fn finish_load<O: Op<T>>(&self, slots: Slots<T>) -> Vectors<T> {
        // SAFETY: the caller's.
        unsafe {
            match simt::COPIES {
                Copies::Synchronous => self.load::<O>(),
                Copies::Asynchronous => {
                    simt::await_copies();
                    slots.read()
                }
            }
        }
    }

    /// Stores the part in canonical form; items that do not exist are left out.
    ///
    /// # Safety
    /// The array is writable, and nobody else reads or writes the part.
    #[inline(always)]
    pub unsafe fn store(&self, vectors: Vectors<T>) {
        for_each_vector!(V => {
            let mut vector = vectors[V];
            let mut i = 0;
            while i < vector_items::<T>() {
                vector.as_mut()[i] = vector.as_ref()[i].canonical();
                i += 1;
            }
            if self.is_vector(V) {
                // SAFETY: the vector exists and is aligned.
                unsafe { simt::store_vector(self.vector(V).cast(), T::pack(vector)) };
            } else {
                let mut i = 0;
                while i < vector_items::<T>() {
                    if self.exists(V, i) {
                        // SAFETY: the item exists.
                        unsafe { self.vector(V).add(i).write(vector.as_ref()[i]) };
                    }
                    i += 1;
                }
            }
        });
    }
}

/// A thread's place for a part in shared memory. The slots of a block's threads lie side by side, so that a warp
/// accesses consecutive addresses.
#[derive(Clone, Copy)]
pub struct Slots<T>(*mut T);

impl<T: Element> Slots<T> {
    /// The calling thread's slots in `tile`.
    ///
    /// # Safety
    /// `tile` is in shared memory.
    #[inline(always)]
    pub unsafe fn of(tile: *mut Tile) -> Self {
        let offset = simt::thread_index() as usize * VECTOR_BYTES;
        // SAFETY: the tile has room for every thread's slots.
        Slots(unsafe { tile.cast::<T>().byte_add(offset) })
    }

    /// The address of vector `v`.
    #[inline(always)]
    fn vector(&self, v: usize) -> *mut T {
        self.0
            .wrapping_byte_add(v * BLOCK_THREADS as usize * VECTOR_BYTES)
    }

    /// Reads the vectors.
    ///
    /// # Safety
    /// The slots are written.
    #[inline(always)]
    pub unsafe fn read(&self) -> Vectors<T> {
        let mut vectors = [T::unpack([0; 4]); THREAD_VECTORS];
        for_each_vector!(V => {
            // SAFETY: the slot was written.
            vectors[V] = T::unpack(unsafe { simt::read_vector(self.vector(V).cast()) });
        });
        vectors
    }

    /// Writes the vectors.
    ///
    /// # Safety
    /// Nobody but this thread uses the slots.
    #[inline(always)]
    pub unsafe fn write(&self, vectors: Vectors<T>) {
        for_each_vector!(V => {
            // SAFETY: the slot exists.
            unsafe { simt::write_vector(self.vector(V).cast(), T::pack(vectors[V])) };
        });
    }
}

/// Combines `N` values pairwise, neighbours first. `N` is a power of two; the result is in the first.
#[inline(always)]
pub fn combine_pairwise<O: Op<T>, T: Element>(values: &mut [T]) -> T {
    let mut stride = 1;
    while stride < values.len() {
        let mut i = 0;
        while i + stride < values.len() {
            values[i] = O::combine(values[i], values[i + stride]);
            i += 2 * stride;
        }
        stride *= 2;
    }
    values[0]
}

/// Scans a vector in place, inclusive, left to right, and gives its total.
#[inline(always)]
pub fn inclusive_scan<O: Op<T>, T: Element>(vector: &mut T::Vector) -> T {
    let items = vector.as_mut();
    let mut i = 1;
    while i < vector_items::<T>() {
        items[i] = O::combine(items[i - 1], items[i]);
        i += 1;
    }
    items[vector_items::<T>() - 1]
}
