//! A thread's part of a tile combined pairwise, neighbours first, where the accumulator is wide.
//!
//! So combine operators for which sides of equally many items are cheaper, or more exact. The tile's vectors are combined in two
//! halves, one after the other, so that few values are held at a time.

use crate::contract::{thread_vectors, vector_items, BLOCK_THREADS, THREAD_VECTORS};
use crate::element::{Element, Vector};
use crate::op::Op;
use crate::simt;
use crate::thread::{self, Items, Part, Slots, TileItems, Vectors};

/// Vectors of half a thread's part.
const HALF: usize = THREAD_VECTORS / 2;

/// A thread's vectors of a whole tile, combined.
#[inline(always)]
pub fn combine_vectors<O: Op<T>, T: Element>(vectors: &Vectors, items: TileItems) -> O::Accumulator {
    let total = |v: usize| total::<O, T>(&vectors[v], items, v, Items::All);
    let first = combine_four::<O, T>(0, total);
    match thread_vectors::<T>() {
        HALF => first,
        _ => O::combine(first, combine_four::<O, T>(HALF, total)),
    }
}

/// A thread's vectors of a tile of which some items are left out, combined. They lie in `slots`.
///
/// # Safety
/// The slots are written.
#[inline(always)]
pub unsafe fn combine_slots<O: Op<T>, T: Element>(
    slots: Slots,
    items: TileItems,
) -> O::Accumulator {
    let total = |v: usize| {
        // SAFETY: the caller's.
        let words = unsafe { slots.read(v, Part::<T, T, BLOCK_THREADS>::ACCESS) };
        let existing = items.existing(index_of(v), vector_items::<T>());
        total::<O, T>(&words, items, v, existing)
    };
    let mut combined = O::identity();
    let mut v = 0;
    while v < thread_vectors::<T>() {
        let step = simt::opaque_one();
        combined = O::combine(combined, combine_four::<O, T>(v, total));
        v += HALF * step;
    }
    combined
}

/// Four vectors from this one on.
#[inline(always)]
fn combine_four<O: Op<T>, T: Element>(
    v: usize,
    total: impl Fn(usize) -> O::Accumulator,
) -> O::Accumulator {
    let first = O::combine(total(v), total(v + 1));
    O::combine(first, O::combine(total(v + 2), total(v + 3)))
}

/// The place in its tile of this thread's vector `v`.
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
