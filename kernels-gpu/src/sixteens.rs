//! Sixteen values, combined pairwise, neighbours first. Segments and columns use this order if an operator [combines sixteens
//! pairwise](crate::op::Op::PAIRS_SIXTEENS). This order also serves exact operators with wide accumulators where a left fold would take
//! more work.
//!
//! Missing values count as the identity, so fewer than sixteen values use a part of the tree of sixteen values.

use crate::contract::vector_items;
use crate::element::{Accumulator, Element, Words};
use crate::op::{total_in_sixteen, Op};
use crate::{simt, warp};

/// How many lanes share sixteen values: each lane takes a quarter of them.
pub const QUARTERS: u32 = 4;

/// Whether the sixteen items of a leaf may be combined in two steps: first the items of each vector of 16 bytes, and then the vectors'
/// totals, pairwise. With wide accumulators this saves work, for two reasons. Indices are compared once per vector instead of once per
/// item. Two accumulators of [`Moments`](crate::op::Moments) combine without a division if both have the same number of items, and this
/// number is a power of two. With an exact operator, the result has the same bits as the result of a left fold.
pub const fn has_vector_totals<O: Op<T>, T: Element>() -> bool {
    (O::PAIRS_SIXTEENS || O::EXACT && O::Accumulator::IS_WIDE)
        && matches!(size_of::<T>(), 1 | 2 | 4 | 8)
}

/// Combines the sixteen items of a leaf, which fill `size_of::<T>()` vectors. `words` returns the words of a vector, and `index` is the
/// index of the first item. [`has_vector_totals`] must hold for the operator.
#[inline(always)]
pub fn leaf<O: Op<T>, T: Element>(words: impl Fn(usize) -> Words, index: u64) -> O::Accumulator {
    let index = |v: usize| index + (v * vector_items::<T>()) as u64;
    let total = |v: usize| total_in_sixteen::<O, T>(words(v), index(v));
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

/// Combines `count` values (1 to 16) pairwise, neighbours first. An iteration of the loop combines four values, so there are at most four
/// iterations. `one` holds the total of four values until the next four values are combined. In the same way, `two` holds the total of
/// eight values.
#[inline(always)]
pub fn pairwise<O: Op<T>, T: Element>(
    count: u32,
    value: impl Fn(u32) -> O::Accumulator,
) -> O::Accumulator {
    let (mut one, mut two) = (O::identity(), O::identity());
    let mut place = 0;
    loop {
        let step = simt::opaque_one() as u32;
        let mut folded = quarter::<O, T>(place, count, &value);
        if place & 4 == 0 {
            one = folded;
        } else {
            folded = O::combine(one, folded);
            if place & 8 == 0 {
                two = folded;
            } else {
                folded = O::combine(two, folded);
            }
        }
        place += 4 * step;
        // If all further values are missing, and the values so far make a complete subtree, then the total of this subtree is the result.
        if place >= count && place & (place - 1) == 0 {
            return folded;
        }
    }
}

/// As [`pairwise`], for 0 to 16 values. Each of [`QUARTERS`] consecutive lanes combines up to four of the values, and then these lanes
/// exchange their totals. The first of these lanes gets the result. The first `full` values must all be combined from the same number of
/// items, and this number must be a power of two.
///
/// # Safety
/// Convergent: the whole warp. From lane 0 on, each [`QUARTERS`] consecutive lanes form a group. The lanes of a group have the same
/// arguments.
#[inline(always)]
pub unsafe fn shared<O: Op<T>, T: Element>(
    count: u32,
    full: u32,
    value: impl Fn(u32) -> O::Accumulator,
) -> O::Accumulator {
    let mut folded = O::identity();
    let place = simt::lane() % QUARTERS * 4;
    if O::IS_PAIRWISE && place + 4 <= full {
        let left = O::combine_equal(value(place), value(place + 1));
        let right = O::combine_equal(value(place + 2), value(place + 3));
        folded = O::combine_equal(left, right);
    } else if place < count {
        folded = quarter::<O, T>(place, count, &value);
    }
    // SAFETY: the whole warp is here (this function's condition). All lanes take the same branch, since a vote decides.
    unsafe {
        if O::IS_PAIRWISE && simt::ballot(full < 16) == 0 {
            folded = O::combine_equal(folded, warp::shuffle_from(folded, simt::lane() ^ 1));
            return O::combine_equal(folded, warp::shuffle_from(folded, simt::lane() ^ 2));
        }
        folded = two::<O, T>(folded, warp::shuffle_from(folded, simt::lane() ^ 1));
        two::<O, T>(folded, warp::shuffle_from(folded, simt::lane() ^ 2))
    }
}

/// Combines the values at four places, from `place` on. There are `count` values, at least one. For a missing value, the function reads the
/// last value, but combines the identity.
#[inline(always)]
fn quarter<O: Op<T>, T: Element>(
    place: u32,
    count: u32,
    value: &impl Fn(u32) -> O::Accumulator,
) -> O::Accumulator {
    let value = |place: u32| {
        let value = value(Ord::min(place, count - 1));
        if place < count {
            value
        } else {
            O::identity()
        }
    };
    let left = two::<O, T>(value(place), value(place + 1));
    two::<O, T>(left, two::<O, T>(value(place + 2), value(place + 3)))
}

/// Combines two values. `right` may be the identity, and the two values may be combined from different numbers of items. So
/// [`Op::combine_equal`] is used only if the operator is exact.
#[inline(always)]
fn two<O: Op<T>, T: Element>(left: O::Accumulator, right: O::Accumulator) -> O::Accumulator {
    if O::EXACT {
        O::combine_equal(left, right)
    } else {
        O::combine(left, right)
    }
}
