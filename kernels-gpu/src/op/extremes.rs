//! Where the extremes are, and both extremes at once.
//!
//! All are exact: of equal items the one with the least index wins, so any order of combination gives the same.

use bytemuck::{Pod, Zeroable};

use super::keys::{Located, Ordered};
use super::{Commutative, Max, Min, Op};
use crate::element::{Element, Words};

/// The index of the minimum, as a `u64`; of equal items, the lowest. A float NaN wins, and −0.0 is less than +0.0, as for
/// [`Min`]; of several NaNs, the first. For no items `u64::MAX`. In a segment, a row, a column or a run of keys the index counts from its
/// start.
///
/// ```
/// use warpfold_kernels::op::{ArgMin, Op};
/// let result = |left, right| <ArgMin as Op<u32>>::lower(<ArgMin as Op<u32>>::combine(left, right));
/// let (left, right) = (<ArgMin as Op<u32>>::lift_at(7, 0), <ArgMin as Op<u32>>::lift_at(5, 1));
/// assert_eq!(result(left, right), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArgMin;

/// The index of the maximum, as a `u64`; of equal items, the lowest. A float NaN wins, and −0.0 is less than +0.0, as for
/// [`Max`]; of several NaNs, the first. For no items `u64::MAX`. In a segment, a row, a column or a run of keys the index counts from its
/// start.
///
/// ```
/// use warpfold_kernels::op::{ArgMax, Op};
/// let result = |left, right| <ArgMax as Op<u32>>::lower(<ArgMax as Op<u32>>::combine(left, right));
/// let (left, right) = (<ArgMax as Op<u32>>::lift_at(7, 0), <ArgMax as Op<u32>>::lift_at(5, 1));
/// assert_eq!(result(left, right), 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArgMax;

/// The minimum and the maximum, in one reading: [`Min`] and [`Max`]. For no items their identities.
///
/// ```
/// use warpfold_kernels::op::{Extremes, MinMax, Op};
/// let (left, right) = (<MinMax as Op<u32>>::lift(7), <MinMax as Op<u32>>::lift(5));
/// assert_eq!(<MinMax as Op<u32>>::lower(<MinMax as Op<u32>>::combine(left, right)), Extremes { min: 5, max: 7 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MinMax;

/// The indices of the minimum and of the maximum, in one reading: [`ArgMin`] and [`ArgMax`].
///
/// ```
/// use warpfold_kernels::op::{ArgMinMax, Extremes, Op};
/// let (left, right) = (<ArgMinMax as Op<u32>>::lift_at(7, 0), <ArgMinMax as Op<u32>>::lift_at(5, 1));
/// assert_eq!(<ArgMinMax as Op<u32>>::lower(<ArgMinMax as Op<u32>>::combine(left, right)), Extremes { min: 1, max: 0 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArgMinMax;

/// Something for the minimum and something for the maximum.
///
/// ```
/// use warpfold_kernels::op::Extremes;
///
/// let range = Extremes { min: -2, max: 5 };
/// assert_eq!(range.max - range.min, 7);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Extremes<T> {
    /// The minimum's.
    pub min: T,
    /// The maximum's.
    pub max: T,
}

// SAFETY: two plain values of one type, between which there is no padding.
unsafe impl<T: Pod> Zeroable for Extremes<T> {}
// SAFETY: see above.
unsafe impl<T: Pod> Pod for Extremes<T> {}
// SAFETY: see above; and it holds what may be copied to a device.
#[cfg(feature = "cust")]
unsafe impl<T: cust_core::DeviceCopy> cust_core::DeviceCopy for Extremes<T> {}

impl Commutative for ArgMin {}
impl Commutative for ArgMax {}
impl Commutative for MinMax {}
impl Commutative for ArgMinMax {}

macro_rules! located {
    ($op:ident, $falling:literal) => {
        impl<T: Ordered> Op<T> for $op {
            type Accumulator = T::Located;
            type Output = u64;
            const EXACT: bool = true;

            #[inline(always)]
            fn identity() -> T::Located {
                T::Located::NONE
            }

            /// The item, as if it were the first.
            #[inline(always)]
            fn lift(item: T) -> T::Located {
                Self::lift_at(item, 0)
            }

            #[inline(always)]
            fn lift_at(item: T, index: u64) -> T::Located {
                item.located::<$falling>(index)
            }

            #[inline(always)]
            fn combine(left: T::Located, right: T::Located) -> T::Located {
                left.least(right)
            }

            #[inline(always)]
            fn lower(value: T::Located) -> u64 {
                value.index()
            }

            #[inline(always)]
            fn total(words: Words, index: u64) -> T::Located {
                T::least::<$falling>(words, index)
            }
        }
    };
}

located!(ArgMin, false);
located!(ArgMax, true);

/// Both of two operators, on either side of an [`Extremes`].
macro_rules! both {
    ($op:ident: $min:ident, $max:ident on $t:ident $(: $bound:ident)?, $output:ty, $total:expr $(, where $($clause:tt)*)?) => {
        impl<$t: Element $(+ $bound)?> Op<$t> for $op
        $(where $($clause)*)?
        {
            type Accumulator = Extremes<<$min as Op<$t>>::Accumulator>;
            type Output = Extremes<$output>;
            const EXACT: bool = true;

            #[inline(always)]
            fn identity() -> Self::Accumulator {
                Extremes { min: <$min as Op<$t>>::identity(), max: <$max as Op<$t>>::identity() }
            }

            #[inline(always)]
            fn lift(item: $t) -> Self::Accumulator {
                Self::lift_at(item, 0)
            }

            #[inline(always)]
            fn lift_at(item: $t, index: u64) -> Self::Accumulator {
                Extremes { min: $min::lift_at(item, index), max: $max::lift_at(item, index) }
            }

            #[inline(always)]
            fn combine(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
                Extremes {
                    min: <$min as Op<$t>>::combine(left.min, right.min),
                    max: <$max as Op<$t>>::combine(left.max, right.max),
                }
            }

            #[inline(always)]
            fn lower(value: Self::Accumulator) -> Self::Output {
                Extremes {
                    min: <$min as Op<$t>>::lower(value.min),
                    max: <$max as Op<$t>>::lower(value.max),
                }
            }

            #[inline(always)]
            fn total(words: Words, index: u64) -> Self::Accumulator {
                let [min, max] = $total(words, index);
                Extremes { min, max }
            }
        }
    };
}

both!(MinMax: Min, Max on T, T, |words, index| [Min::total(words, index), Max::total(words, index)], where
    Min: Op<T, Output = T>,
    Max: Op<T, Accumulator = <Min as Op<T>>::Accumulator, Output = T>,
);
both!(ArgMinMax: ArgMin, ArgMax on T: Ordered, u64, T::both_least);
