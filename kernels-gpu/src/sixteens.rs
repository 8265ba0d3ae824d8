//! Sixteen values combined pairwise, neighbours first. Segments and columns use this if an operator [combines
//! pairwise](crate::op::Op::IS_PAIRWISE), and for exact operators with wide accumulators, since it is less work.
//!
//! Missing values count as the identity, so the tree of fewer than sixteen values is a part of the tree of sixteen.

use crate::element::{Accumulator, Element, Words};
use crate::op::Op;
use crate::simt;

/// Whether a leaf of sixteen items is combined by vectors of 16 bytes, whose totals are then combined pairwise. With wide accumulators this
/// saves work: indices are compared once per vector instead of once per item, and the number of items is a constant, so nothing is divided.
/// An exact operator gives the same bits as by a left fold.
pub const fn has_vector_totals<O: Op<T>, T: Element>() -> bool {
    O::Accumulator::IS_WIDE
        && (O::EXACT || O::IS_PAIRWISE)
        && matches!(size_of::<T>(), 1 | 2 | 4 | 8)
}

/// Combines the sixteen items of a leaf. They fill `size_of::<T>()` vectors. `words` returns the words of a vector, and `index` is the
/// index of the first item. The operator [has totals of vectors](has_vector_totals).
#[inline(always)]
pub fn leaf<O: Op<T>, T: Element>(words: impl Fn(usize) -> Words, index: u64) -> O::Accumulator {
    let index = |v: usize| index + (v * 16 / size_of::<T>()) as u64;
    let total = |v: usize| O::total(words(v), index(v));
    let four = |v: usize| {
        let vectors = [words(v), words(v + 1), words(v + 2), words(v + 3)];
        O::total_of_four(vectors, index(v))
    };
    match size_of::<T>() {
        1 => total(0),
        2 => O::combine_equal(total(0), total(1)),
        4 => four(0),
        _ => O::combine_equal(four(0), four(4)),
    }
}

/// Combines `count` values, 1 to 16, pairwise, neighbours first. The loop holds the values that wait for their neighbours, like the digits
/// of a binary counter. It has at most 16 turns. Turn `place` combines once for each trailing one bit of `place`.
#[inline(always)]
pub fn pairwise<O: Op<T>, T: Element>(
    count: u32,
    value: impl Fn(u32) -> O::Accumulator,
) -> O::Accumulator {
    let (mut one, mut two) = (O::identity(), O::identity());
    let (mut four, mut eight) = (one, one);
    let mut place = 0;
    loop {
        let step = simt::opaque_one() as u32;
        let mut folded = O::identity();
        if place < count {
            folded = value(place);
        }
        if place & 1 == 0 {
            one = folded;
        } else {
            folded = O::combine(one, folded);
            if place & 2 == 0 {
                two = folded;
            } else {
                folded = O::combine(two, folded);
                if place & 4 == 0 {
                    four = folded;
                } else {
                    folded = O::combine(four, folded);
                    if place & 8 == 0 {
                        eight = folded;
                    } else {
                        folded = O::combine(eight, folded);
                    }
                }
            }
        }
        place += step;
        // The remaining items are missing, and the items so far make a complete subtree: their total is the result.
        if place >= count && place & (place - 1) == 0 {
            return folded;
        }
    }
}
