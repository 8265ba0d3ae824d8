//! Values combined pairwise, neighbours first.

use crate::contract::vector_items;
use crate::element::{item_of, vector_of, Element, Words};
use crate::op::Op;

/// The most items that a vector has.
pub const MAX_VECTOR_ITEMS: usize = size_of::<Words>();

const _: () = assert!(MAX_VECTOR_ITEMS == 16);

/// Combines eight values pairwise, neighbours first.
#[inline(always)]
pub fn combine_eight<O: Op<T>, T: Element>(x: [O::Accumulator; 8]) -> O::Accumulator {
    let left = combine_four::<O, T>([x[0], x[1], x[2], x[3]]);
    let right = combine_four::<O, T>([x[4], x[5], x[6], x[7]]);
    O::combine(left, right)
}

/// Combines four values pairwise, neighbours first.
#[inline(always)]
pub fn combine_four<O: Op<T>, T: Element>(x: [O::Accumulator; 4]) -> O::Accumulator {
    O::combine(O::combine(x[0], x[1]), O::combine(x[2], x[3]))
}

/// Combines a value for each item of a vector pairwise, neighbours first; there are no others.
#[inline(always)]
pub fn combine_items<O: Op<T>, T: Element>(
    x: [O::Accumulator; MAX_VECTOR_ITEMS],
) -> O::Accumulator {
    match vector_items::<T>() {
        1 => x[0],
        2 => O::combine(x[0], x[1]),
        4 => combine_four::<O, T>([x[0], x[1], x[2], x[3]]),
        items => {
            let left = combine_eight::<O, T>([x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]]);
            if items == 8 {
                return left;
            }
            let right = [x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]];
            O::combine(left, combine_eight::<O, T>(right))
        }
    }
}

/// A value for each item of a vector combined pairwise, neighbours first, each when its neighbours are: so few are held at a time.
#[inline(always)]
pub fn combine<O: Op<T>, T: Element>(value: impl Fn(usize) -> O::Accumulator) -> O::Accumulator {
    let two = |place| O::combine(value(place), value(place + 1));
    let four = |place| O::combine(two(place), two(place + 2));
    let eight = |place| O::combine(four(place), four(place + 4));
    match vector_items::<T>() {
        1 => value(0),
        2 => two(0),
        4 => four(0),
        8 => eight(0),
        _ => O::combine(eight(0), eight(8)),
    }
}

/// The items of 16 bytes combined pairwise, the first of which is item `index` of the input.
#[inline(always)]
pub fn total<O: Op<T>, T: Element>(words: Words, index: u64) -> O::Accumulator {
    let vector = vector_of(words);
    combine::<O, T>(|place| O::lift_at(item_of(&vector, place), index + place as u64))
}
