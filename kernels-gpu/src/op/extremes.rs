//! Operators for the index of an extreme, and for both extremes at once.
//!
//! All these operators are exact: every order of combination gives the same result. Among equal items, the least index wins.

use core::marker::PhantomData;

use bytemuck::{Pod, Zeroable};

use super::keys::{Located, Ordered};
use super::{Commutative, Max, Min, Op};
use crate::element::{Accumulator, Element, Words};

/// The index of the minimum: a `u64`, or a `u32` for `ArgMin<u32>`. Of equal items, the lowest index wins. A float NaN wins, and −0.0 is
/// less than +0.0, as for [`Min`]; of several NaNs, the first wins. For no items the result is `u64::MAX`, or `u32::MAX`. In a segment, a
/// row, a column or a run of keys, indices count from the start of that part. In a reversed scan they count from the end.
///
/// With `u32`, a part of more than `u32::MAX` items is an error before anything is written (`Error::TooManyItems`). With segments or runs
/// of keys, the limit applies to the whole input, since their lengths may be known only on the device. Scans return `u64` only.
///
/// ```
/// use warpfold_kernels::op::{ArgMin, Op};
/// let result = |left, right| <ArgMin as Op<u32>>::lower(<ArgMin as Op<u32>>::combine(left, right));
/// let (left, right) = (<ArgMin as Op<u32>>::lift_at(7, 0), <ArgMin as Op<u32>>::lift_at(5, 1));
/// assert_eq!(result(left, right), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArgMin<I = u64>(PhantomData<fn() -> I>);

/// The index of the maximum: a `u64`, or a `u32` for `ArgMax<u32>`. Of equal items, the lowest index wins. A float NaN wins, and −0.0 is
/// less than +0.0, as for [`Max`]; of several NaNs, the first wins. For no items the result is `u64::MAX`, or `u32::MAX`. In a segment, a
/// row, a column or a run of keys, indices count from the start of that part. In a reversed scan they count from the end.
///
/// With `u32`, a part of more than `u32::MAX` items is an error before anything is written (`Error::TooManyItems`). With segments or runs
/// of keys, the limit applies to the whole input, since their lengths may be known only on the device. Scans return `u64` only.
///
/// ```
/// use warpfold_kernels::op::{ArgMax, Op};
/// let result = |left, right| <ArgMax as Op<u32>>::lower(<ArgMax as Op<u32>>::combine(left, right));
/// let (left, right) = (<ArgMax as Op<u32>>::lift_at(7, 0), <ArgMax as Op<u32>>::lift_at(5, 1));
/// assert_eq!(result(left, right), 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArgMax<I = u64>(PhantomData<fn() -> I>);

/// The minimum and the maximum, as [`Min`] and [`Max`] find them, from one reading of the items. For no items the result has the identities
/// of both operators.
///
/// ```
/// use warpfold_kernels::op::{Extremes, MinMax, Op};
/// let (left, right) = (<MinMax as Op<u32>>::lift(7), <MinMax as Op<u32>>::lift(5));
/// assert_eq!(<MinMax as Op<u32>>::lower(<MinMax as Op<u32>>::combine(left, right)), Extremes { min: 5, max: 7 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MinMax;

/// The indices of the minimum and of the maximum, as [`ArgMin`] and [`ArgMax`] find them, from one reading of the items. `ArgMinMax<u32>`
/// returns indices as `u32`, with the limits of `ArgMin<u32>`.
///
/// ```
/// use warpfold_kernels::op::{ArgMinMax, Extremes, Op};
/// let (left, right) = (<ArgMinMax as Op<u32>>::lift_at(7, 0), <ArgMinMax as Op<u32>>::lift_at(5, 1));
/// assert_eq!(<ArgMinMax as Op<u32>>::lower(<ArgMinMax as Op<u32>>::combine(left, right)), Extremes { min: 1, max: 0 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArgMinMax<I = u64>(PhantomData<fn() -> I>);

/// The type of a result that is an index: `u64` or `u32`.
pub trait ArgIndex: Element + sealed::ArgIndex {}

impl ArgIndex for u64 {}
impl ArgIndex for u32 {}

mod sealed {
    pub trait ArgIndex {
        /// The largest number of items whose indices fit in this type. The greatest number of the type is not an item's index: it stands
        /// for "no items".
        const MOST_ITEMS: u64;

        /// Converts an index to this type. The index for no items becomes the greatest number of this type.
        fn of(index: u64) -> Self;
    }

    impl ArgIndex for u64 {
        const MOST_ITEMS: u64 = u64::MAX;

        #[inline(always)]
        fn of(index: u64) -> u64 {
            index
        }
    }

    impl ArgIndex for u32 {
        const MOST_ITEMS: u64 = u32::MAX as u64;

        #[inline(always)]
        fn of(index: u64) -> u32 {
            index as u32
        }
    }
}

/// A value for the minimum and a value for the maximum.
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
    /// The value for the minimum.
    pub min: T,
    /// The value for the maximum.
    pub max: T,
}

// SAFETY: two plain values of one type in `repr(C)`, so there is no padding between or after them.
unsafe impl<T: Pod> Zeroable for Extremes<T> {}
// SAFETY: see above.
unsafe impl<T: Pod> Pod for Extremes<T> {}
// SAFETY: both values may be copied to a device, and there is no padding: see above.
#[cfg(feature = "cust")]
unsafe impl<T: cust_core::DeviceCopy> cust_core::DeviceCopy for Extremes<T> {}

impl<I: ArgIndex> Commutative for ArgMin<I> {}
impl<I: ArgIndex> Commutative for ArgMax<I> {}
impl Commutative for MinMax {}
impl<I: ArgIndex> Commutative for ArgMinMax<I> {}

macro_rules! located {
    ($op:ident, $falling:literal) => {
        impl<T: Ordered, I: ArgIndex> Op<T> for $op<I> {
            type Accumulator = T::Located;
            type Output = I;
            const EXACT: bool = true;
            const MOST_ITEMS: u64 = I::MOST_ITEMS;

            #[inline(always)]
            fn identity() -> T::Located {
                T::Located::NONE
            }

            /// Lifts the item as if its index were 0.
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
            fn lower(value: T::Located) -> I {
                I::of(value.index())
            }

            #[inline(always)]
            fn total(words: Words, index: u64) -> T::Located {
                T::least::<$falling>(words, index)
            }

            #[inline(always)]
            fn combine_equal(left: T::Located, right: T::Located) -> T::Located {
                left.least_of_next(right)
            }

            #[inline(always)]
            fn total_of_four(vectors: [Words; 4], index: u64) -> T::Located {
                T::least_of_four::<$falling>(vectors, index)
            }

            const FINDS_LATE: bool = size_of::<T>() == size_of::<u32>();

            #[inline(always)]
            fn bound_of_four(vectors: [Words; 4], index: u64) -> T::Located {
                T::bound_of_four::<$falling>(vectors, index)
            }

            #[inline(always)]
            fn index_of(value: T::Located) -> u64 {
                value.index()
            }

            // True for a key of one word and an index of two words. In the values of streamed rows (see `Op::STREAMS_ROWS`), the upper word
            // of the index is 0.
            const STREAMS_ROWS: bool = T::Located::WORDS == 3;
            const EQUAL_WORDS: u32 = 0b100;

            #[inline(always)]
            fn stream(words: Words, place: u32) -> T::Located {
                T::streamed::<$falling>(words, place)
            }

            #[inline(always)]
            fn combine_streams(left: T::Located, right: T::Located) -> T::Located {
                left.least_of_short(right)
            }

            #[inline(always)]
            fn moved(value: T::Located, distance: u64) -> T::Located {
                value.moved(distance)
            }
        }
    };
}

located!(ArgMin, false);
located!(ArgMax, true);

/// Implements an operator that runs two operators at once. Each of the two operators has one field of an [`Extremes`].
macro_rules! both {
    ([$t:ident $(: $bound:ident)? $(, $index:ident)?] $op:ty: $min:ty, $max:ty => $output:ty, $total:expr $(, where $($clause:tt)*)?) => {
        impl<$t: Element $(+ $bound)? $(, $index: ArgIndex)?> Op<$t> for $op
        $(where $($clause)*)?
        {
            type Accumulator = Extremes<<$min as Op<$t>>::Accumulator>;
            type Output = Extremes<$output>;
            const EXACT: bool = true;
            const MOST_ITEMS: u64 = <$min as Op<$t>>::MOST_ITEMS;

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
                Extremes {
                    min: <$min as Op<$t>>::lift_at(item, index),
                    max: <$max as Op<$t>>::lift_at(item, index),
                }
            }

            #[inline(always)]
            fn combine(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
                Extremes {
                    min: <$min as Op<$t>>::combine(left.min, right.min),
                    max: <$max as Op<$t>>::combine(left.max, right.max),
                }
            }

            #[inline(always)]
            fn combine_equal(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
                Extremes {
                    min: <$min as Op<$t>>::combine_equal(left.min, right.min),
                    max: <$max as Op<$t>>::combine_equal(left.max, right.max),
                }
            }

            #[inline(always)]
            fn total_of_four(vectors: [Words; 4], index: u64) -> Self::Accumulator {
                Extremes {
                    min: <$min as Op<$t>>::total_of_four(vectors, index),
                    max: <$max as Op<$t>>::total_of_four(vectors, index),
                }
            }

            const STREAMS_ROWS: bool = <$min as Op<$t>>::STREAMS_ROWS;
            const EQUAL_WORDS: u32 = 0b100100;

            #[inline(always)]
            fn stream(words: Words, place: u32) -> Self::Accumulator {
                Extremes {
                    min: <$min as Op<$t>>::stream(words, place),
                    max: <$max as Op<$t>>::stream(words, place),
                }
            }

            #[inline(always)]
            fn combine_streams(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
                Extremes {
                    min: <$min as Op<$t>>::combine_streams(left.min, right.min),
                    max: <$max as Op<$t>>::combine_streams(left.max, right.max),
                }
            }

            #[inline(always)]
            fn moved(value: Self::Accumulator, distance: u64) -> Self::Accumulator {
                Extremes {
                    min: <$min as Op<$t>>::moved(value.min, distance),
                    max: <$max as Op<$t>>::moved(value.max, distance),
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

both!([T] MinMax: Min, Max => T, |words, index| [Min::total(words, index), Max::total(words, index)], where
    Min: Op<T, Output = T>,
    Max: Op<T, Accumulator = <Min as Op<T>>::Accumulator, Output = T>,
);
both!([T: Ordered, I] ArgMinMax<I>: ArgMin<I>, ArgMax<I> => I, T::both_least);
