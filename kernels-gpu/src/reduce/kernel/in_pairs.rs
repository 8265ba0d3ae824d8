//! Combines a thread's part of a tile pairwise, neighbours first, for operators that [combine pairwise](crate::op::Op::IS_PAIRWISE).
//!
//! This order suits operators for which a combination costs less, or has a smaller error, if its two sides have equally many items. Vectors
//! are combined as early as possible, so that few values are held at a time.

use crate::contract::{thread_vectors, vector_items, BLOCK_THREADS};
use crate::element::{Element, Vector};
use crate::op::Op;
use crate::simt;
use crate::thread::{self, Items, Part, Slots, TileItems, Vectors};

/// Combines a thread's vectors of a whole tile. The two sides of each combination have equally many items: a power of two.
#[inline(always)]
pub fn combine_vectors<O: Op<T>, T: Element>(
    vectors: &Vectors,
    items: TileItems,
) -> O::Accumulator {
    let value = |v: usize| total::<O, T>(&vectors[v], items, v, Items::All);
    let two = |v: usize| O::combine_equal(value(v), value(v + 1));
    let four = |v: usize| O::combine_equal(two(v), two(v + 2));
    match thread_vectors::<T>() {
        2 => two(0),
        4 => four(0),
        _ => O::combine_equal(four(0), four(4)),
    }
}

/// Combines a thread's vectors of a tile. The vectors are in `slots`, and missing items are left out. A thread calls this once at most, so
/// the loop is not unrolled. Like a binary counter, the loop holds a value for each level of the tree.
///
/// # Safety
/// The slots are written.
#[inline(always)]
pub unsafe fn combine_slots<O: Op<T>, T: Element>(
    slots: Slots,
    items: TileItems,
) -> O::Accumulator {
    let mut held = [O::identity(); 3];
    let mut v = 0;
    while v < thread_vectors::<T>() {
        // SAFETY: `v` is below `thread_vectors`, and these slots are written: this function's condition.
        let vector = unsafe { slots.read(v, Part::<T, T, BLOCK_THREADS>::ACCESS) };
        let existing = items.existing(index_of(v), vector_items::<T>());
        let mut combined = total::<O, T>(&vector, items, v, existing);
        if v % 2 == 0 {
            held[0] = combined;
        } else {
            combined = O::combine(held[0], combined);
            if v % 4 == 1 {
                held[1] = combined;
            } else {
                held[2] = O::combine(held[2], O::combine(held[1], combined));
            }
        }
        v += simt::opaque_one();
    }
    // With two vectors, `held[1]` is their total. With four or eight vectors, `held[2]` is their total.
    match thread_vectors::<T>() {
        2 => held[1],
        _ => held[2],
    }
}

/// The index of this thread's vector `v` among the vectors of the tile.
#[inline(always)]
fn index_of(v: usize) -> u32 {
    simt::thread_index() + v as u32 * BLOCK_THREADS
}

/// The items of this thread's vector `v`, combined.
#[inline(always)]
fn total<O: Op<T>, T: Element>(
    vector: &Vector,
    items: TileItems,
    v: usize,
    existing: Items,
) -> O::Accumulator {
    let index = items.index(index_of(v), vector_items::<T>());
    thread::pairwise_total::<O, T>(vector, index, existing)
}
