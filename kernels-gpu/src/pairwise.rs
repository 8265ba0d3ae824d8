//! Values combined pairwise, neighbours first. Each pair is combined as early as possible, so that few values are held at a time.

use crate::contract::vector_items;
use crate::element::{item_of, vector_of, Element, Words};
use crate::op::Op;

/// Combines the values at `place` and at the next place.
#[inline(always)]
pub fn two<O: Op<T>, T: Element>(
    value: &impl Fn(usize) -> O::Accumulator,
    place: usize,
) -> O::Accumulator {
    O::combine(value(place), value(place + 1))
}

/// Combines the values at four places, from `place` on.
#[inline(always)]
pub fn four<O: Op<T>, T: Element>(
    value: &impl Fn(usize) -> O::Accumulator,
    place: usize,
) -> O::Accumulator {
    let left = O::combine(value(place), value(place + 1));
    O::combine(left, O::combine(value(place + 2), value(place + 3)))
}

/// Combines the values at eight places, from `place` on.
#[inline(always)]
pub fn eight<O: Op<T>, T: Element>(
    value: &impl Fn(usize) -> O::Accumulator,
    place: usize,
) -> O::Accumulator {
    let left = four::<O, T>(value, place);
    O::combine(left, four::<O, T>(value, place + 4))
}

/// Combines as many values as a vector has items, from place 0 on.
#[inline(always)]
pub fn items<O: Op<T>, T: Element>(value: impl Fn(usize) -> O::Accumulator) -> O::Accumulator {
    match vector_items::<T>() {
        1 => value(0),
        2 => O::combine(value(0), value(1)),
        4 => four::<O, T>(&value, 0),
        8 => eight::<O, T>(&value, 0),
        _ => {
            let left = eight::<O, T>(&value, 0);
            O::combine(left, eight::<O, T>(&value, 8))
        }
    }
}

/// Combines the items in 16 bytes. `index` is the first item's index.
#[inline(always)]
pub fn total<O: Op<T>, T: Element>(words: Words, index: u64) -> O::Accumulator {
    let vector = vector_of(words);
    items::<O, T>(|place| O::lift_at(item_of(&vector, place), index + place as u64))
}
