//! One thread: the vectors of a tile in registers.
//!
//! An index that is known only at run time would put an array of registers into local memory. So loops over a
//! vector's items have constant bounds, which the compiler unrolls, and loops over a thread's vectors, which may
//! be too long for it, are written out by [`for_each_vector!`].

use crate::contract::{vector_items, THREAD_VECTORS};
use crate::element::Element;
use crate::op::Op;
use crate::simt;

/// A thread's part of a tile: eight vectors.
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

/// How a tile can be moved between global memory and registers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// All items exist and every vector is aligned to 16 bytes.
    Vectors,
    /// Item by item: the tile ends early, or the array does not start on a multiple of 16 bytes.
    Items,
}

impl Access {
    /// How to access a tile of an array at `address` of which `remaining` items start with the tile.
    #[inline(always)]
    pub fn of<T: Element>(address: *const T, remaining: u64, tile_items: u64) -> Self {
        if remaining >= tile_items && (address as u64).is_multiple_of(16) {
            Access::Vectors
        } else {
            Access::Items
        }
    }
}

/// A vector of identities.
#[inline(always)]
pub fn identities<O: Op<T>, T: Element>() -> T::Vector {
    let mut vector = T::unpack([0; 4]);
    for item in vector.as_mut() {
        *item = O::identity();
    }
    vector
}

/// Loads a thread's vectors of a tile; items that do not exist are identities.
///
/// # Safety
/// - `tile` points to the tile's first item, of which `remaining` items exist and are readable.
/// - `offset(v)` is below the tile's size and a multiple of a vector's items.
/// - `access` is what [`Access::of`] gives for them.
#[inline(always)]
pub unsafe fn load<O: Op<T>, T: Element>(
    tile: *const T,
    remaining: u64,
    access: Access,
    offset: impl Fn(usize) -> usize,
) -> Vectors<T> {
    let mut vectors = [identities::<O, T>(); THREAD_VECTORS];
    if access == Access::Vectors {
        for_each_vector!(V => {
            // SAFETY: the whole tile exists and is aligned.
            vectors[V] = T::unpack(unsafe { simt::load_vector(tile.add(offset(V)).cast()) });
        });
    } else {
        for_each_vector!(V => {
            let mut i = 0;
            while i < vector_items::<T>() {
                let item = offset(V) + i;
                if (item as u64) < remaining {
                    // SAFETY: the item exists.
                    vectors[V].as_mut()[i] = unsafe { tile.add(item).read() };
                }
                i += 1;
            }
        });
    }
    vectors
}

/// Stores a thread's vectors of a tile, in canonical form; items that do not exist are left out.
///
/// # Safety
/// As for [`load`], for an array that is writable.
#[inline(always)]
pub unsafe fn store<T: Element>(
    tile: *mut T,
    remaining: u64,
    access: Access,
    vectors: Vectors<T>,
    offset: impl Fn(usize) -> usize,
) {
    if access == Access::Vectors {
        for_each_vector!(V => {
            let mut vector = vectors[V];
            let mut i = 0;
            while i < vector_items::<T>() {
                vector.as_mut()[i] = vector.as_ref()[i].canonical();
                i += 1;
            }
            // SAFETY: the whole tile exists and is aligned.
            unsafe { simt::store_vector(tile.add(offset(V)).cast(), T::pack(vector)) };
        });
    } else {
        for_each_vector!(V => {
            let mut i = 0;
            while i < vector_items::<T>() {
                let item = offset(V) + i;
                if (item as u64) < remaining {
                    // SAFETY: the item exists.
                    unsafe { tile.add(item).write(vectors[V].as_ref()[i].canonical()) };
                }
                i += 1;
            }
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
