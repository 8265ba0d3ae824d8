//! Count, mean, variance and the indices of the extremes, in one reading.

use bytemuck::{Pod, Zeroable};

use super::{ArgMax, ArgMin, Commutative, Moments, Number, Op, Ordered, Triple};
use crate::element::Words;

/// [`Moments`], [`ArgMin`] and [`ArgMax`] in one reading. The type is both an operator and its result.
///
/// ```
/// use warpfold_kernels::op::{Op, Statistics};
///
/// let (a, b) = (<Statistics as Op<f64>>::lift_at(2.0, 0), <Statistics as Op<f64>>::lift_at(4.0, 1));
/// let both = <Statistics as Op<f64>>::lower(<Statistics as Op<f64>>::combine(a, b));
/// assert_eq!((both.moments.mean(), both.min_index, both.max_index), (3.0, 0, 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Statistics {
    /// Count, mean and variance.
    pub moments: Moments,
    /// The index of the minimum; `u64::MAX` for no items.
    pub min_index: u64,
    /// The index of the maximum; `u64::MAX` for no items.
    pub max_index: u64,
}

// SAFETY: five plain values of 8 bytes in `repr(C)`, so there is no padding between or after them.
unsafe impl Zeroable for Statistics {}
// SAFETY: see above.
unsafe impl Pod for Statistics {}
// SAFETY: plain old data, without pointers.
#[cfg(feature = "cust")]
unsafe impl cust_core::DeviceCopy for Statistics {}

impl Commutative for Statistics {}

/// The operators that run together.
type Members = (Moments, ArgMin, ArgMax);

impl<T: Number + Ordered> Op<T> for Statistics {
    type Accumulator = <Members as Op<T>>::Accumulator;
    type Output = Self;
    const IS_PAIRWISE: bool = <Members as Op<T>>::IS_PAIRWISE;

    #[inline(always)]
    fn identity() -> Self::Accumulator {
        <Members as Op<T>>::identity()
    }

    #[inline(always)]
    fn lift(item: T) -> Self::Accumulator {
        Members::lift(item)
    }

    #[inline(always)]
    fn lift_at(item: T, index: u64) -> Self::Accumulator {
        Members::lift_at(item, index)
    }

    #[inline(always)]
    fn combine(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
        <Members as Op<T>>::combine(left, right)
    }

    #[inline(always)]
    fn combine_equal(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
        <Members as Op<T>>::combine_equal(left, right)
    }

    #[inline(always)]
    fn lower(value: Self::Accumulator) -> Self {
        let Triple(moments, min_index, max_index) = <Members as Op<T>>::lower(value);
        Self {
            moments,
            min_index,
            max_index,
        }
    }

    #[inline(always)]
    fn total(words: Words, index: u64) -> Self::Accumulator {
        <Members as Op<T>>::total(words, index)
    }
}
