//! Lifting a vector's items, some of which may be missing.
//!
//! A tile that is not full has missing items: each counts as the identity. If some value of the items' type lifts to the identity, that
//! value fills the missing places, and then all places are lifted. If no value does, missing items are not lifted: the identity takes the
//! place of the lifted item. In a full, aligned tile, no item is checked.

use crate::contract::{vector_bytes, vector_items, Wider, VECTOR_BYTES};
use crate::element::{first_words, for_each_item, item_of, Element, Vector};
use crate::op::Op;
use crate::pairwise;

/// Which items of a vector are lifted.
#[derive(Clone, Copy)]
pub enum Items {
    /// All items.
    All,
    /// Only the first items. The number says how many.
    First(u32),
}

/// The items of a tile.
#[derive(Clone, Copy)]
pub struct TileItems {
    /// The index of the tile's first item. In a backward scan, indices count from the end of the input.
    pub begin: u64,
    /// How many of the tile's items exist.
    pub count: u32,
}

impl TileItems {
    /// The index of the first item of vector `vector`; each vector has `items` items.
    #[inline(always)]
    pub fn index(self, vector: u32, items: usize) -> u64 {
        self.begin + (vector * items as u32) as u64
    }

    /// The items of vector `vector` that exist; each vector has `items` items.
    #[inline(always)]
    pub fn existing(self, vector: u32, items: usize) -> Items {
        Items::First(self.count.saturating_sub(vector * items as u32))
    }
}

/// Whether missing items have to be left out, because no value lifts to the identity.
#[inline(always)]
pub fn must_leave_out<O: Op<T>, T: Element>() -> bool {
    O::identity_item().is_none()
}

/// Lifts item `position` of a vector. The result is the identity if the item is left out. `index` is the index of the vector's first item.
#[inline(always)]
pub fn lift<O: Op<T>, T: Element>(
    vector: &Vector,
    position: usize,
    index: u64,
    items: Items,
) -> O::Accumulator {
    match items {
        Items::First(count) if position as u32 >= count => O::identity(),
        _ => O::lift_at(item_of(vector, position), index + position as u64),
    }
}

/// Combines the items of a vector, from left to right unless the operator is exact. The wider of the types `T` and `U` decides how many
/// items the vector has.
#[inline(always)]
pub fn total<O: Op<T>, T: Element, U: Element>(
    vector: &Vector,
    index: u64,
    items: Items,
) -> O::Accumulator {
    let bytes = vector_items::<Wider<T, U>>() * size_of::<T>();
    if let (Items::All, VECTOR_BYTES, false) = (items, bytes, O::IS_PAIRWISE) {
        return O::total(first_words(vector), index);
    }
    let first = lift::<O, T>(vector, 0, index, items);
    append_others::<O, T, U>(first, vector, index, items)
}

/// Combines the items of a reduction's vector pairwise, neighbours first.
#[inline(always)]
pub fn pairwise_total<O: Op<T>, T: Element>(
    vector: &Vector,
    index: u64,
    items: Items,
) -> O::Accumulator {
    let are_all = match items {
        Items::All => true,
        Items::First(count) => count >= vector_items::<T>() as u32,
    };
    if are_all && vector_bytes::<T>() == VECTOR_BYTES {
        return O::total(first_words(vector), index);
    }
    pairwise::items::<O, T>(|place| lift::<O, T>(vector, place, index, items))
}

/// Appends a vector's items to its prefix, one after the other.
#[inline(always)]
pub fn append<O: Op<T>, T: Element, U: Element>(
    before: O::Accumulator,
    vector: &Vector,
    index: u64,
    items: Items,
) -> O::Accumulator {
    let first = O::combine(before, lift::<O, T>(vector, 0, index, items));
    append_others::<O, T, U>(first, vector, index, items)
}

/// Combines `first` with all items of a vector except the vector's first item, one after the other.
#[inline(always)]
fn append_others<O: Op<T>, T: Element, U: Element>(
    first: O::Accumulator,
    vector: &Vector,
    index: u64,
    items: Items,
) -> O::Accumulator {
    let mut upto = first;
    for_each_item!(P of Wider<T, U> => {
        if P != 0 {
            upto = O::combine(upto, lift::<O, T>(vector, P, index, items));
        }
    });
    upto
}
