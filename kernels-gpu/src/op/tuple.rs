//! Several operators in one reading: a tuple of operators is an operator whose results are a [`Pair`] or a [`Triple`].
//!
//! Each operator lifts items and combines its own values. All operators of a tuple use one tree, which depends on the total width of their
//! accumulators, and on whether one of the operators combines pairwise, as [`Moments`](super::Moments) does. So an operator that rounds may
//! return different bits in a tuple than alone.

use bytemuck::{Pod, Zeroable};

use super::{Commutative, Op};
use crate::element::{Element, Words};
use crate::pairwise;

/// Two values of any types, back to back.
///
/// ```
/// use warpfold_kernels::op::Pair;
/// let Pair(small, large) = Pair(1_u8, 2.5_f64);
/// assert_eq!((small, large), (1, 2.5));
/// assert_eq!(size_of::<Pair<u8, f64>>(), 9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, packed)]
pub struct Pair<A: Copy, B: Copy>(pub A, pub B);

/// Three values of any types, back to back.
///
/// ```
/// use warpfold_kernels::op::Triple;
///
/// let Triple(small, large, last) = Triple(1_u8, 2.5_f64, 3_u16);
/// assert_eq!((small, large, last), (1, 2.5, 3));
/// assert_eq!(size_of::<Triple<u8, f64, u16>>(), 11);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, packed)]
pub struct Triple<A: Copy, B: Copy, C: Copy>(pub A, pub B, pub C);

/// The total of a vector, for one operator of a tuple. If `is_pairwise`, the tuple combines pairwise, so an operator that rounds does too.
#[inline(always)]
fn total<O: Op<T>, T: Element>(is_pairwise: bool, words: Words, index: u64) -> O::Accumulator {
    if is_pairwise && !O::IS_PAIRWISE && !O::EXACT {
        pairwise::total::<O, T>(words, index)
    } else {
        O::total(words, index)
    }
}

/// The least of some numbers.
const fn least<const N: usize>(numbers: [u64; N]) -> u64 {
    let (mut least, mut at) = (u64::MAX, 0);
    while at < N {
        if numbers[at] < least {
            least = numbers[at];
        }
        at += 1;
    }
    least
}

macro_rules! tuple {
    ($tuple:ident: $($op:ident $left:ident $right:ident),*) => {
        // SAFETY: all fields are plain, and a packed struct has no padding.
        unsafe impl<$($op: Pod),*> Zeroable for $tuple<$($op),*> {}
        // SAFETY: see above.
        unsafe impl<$($op: Pod),*> Pod for $tuple<$($op),*> {}
        // SAFETY: all fields may be copied to a device.
        #[cfg(feature = "cust")]
        unsafe impl<$($op: cust_core::DeviceCopy),*> cust_core::DeviceCopy for $tuple<$($op),*> {}

        impl<$($op: Commutative),*> Commutative for ($($op,)*) {}

        impl<T: Element, $($op: Op<T>),*> Op<T> for ($($op,)*) {
            type Accumulator = $tuple<$($op::Accumulator),*>;
            type Output = $tuple<$($op::Output),*>;
            const EXACT: bool = $($op::EXACT)&&*;
            const IS_PAIRWISE: bool = $($op::IS_PAIRWISE)||*;
            const MOST_ITEMS: u64 = least([$($op::MOST_ITEMS),*]);

            #[inline(always)]
            fn identity() -> Self::Accumulator {
                $tuple($($op::identity()),*)
            }

            #[inline(always)]
            fn lift(item: T) -> Self::Accumulator {
                $tuple($($op::lift(item)),*)
            }

            #[inline(always)]
            fn lift_at(item: T, index: u64) -> Self::Accumulator {
                $tuple($($op::lift_at(item, index)),*)
            }

            #[inline(always)]
            fn combine(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
                let $tuple($($left),*) = left;
                let $tuple($($right),*) = right;
                $tuple($($op::combine($left, $right)),*)
            }

            #[inline(always)]
            fn combine_equal(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
                let $tuple($($left),*) = left;
                let $tuple($($right),*) = right;
                $tuple($($op::combine_equal($left, $right)),*)
            }

            #[inline(always)]
            fn lower(value: Self::Accumulator) -> Self::Output {
                let $tuple($($left),*) = value;
                $tuple($($op::lower($left)),*)
            }

            #[inline(always)]
            fn total(words: Words, index: u64) -> Self::Accumulator {
                $tuple($(total::<$op, T>(Self::IS_PAIRWISE, words, index)),*)
            }
        }
    };
}

tuple!(Pair: A a x, B b y);
tuple!(Triple: A a x, B b y, C c z);

/// Defines an operator that runs several other operators in one reading. A row of [`operators!`](crate::operators!) can name the new
/// operator, in place of a tuple of operators.
///
/// ```
/// use warpfold_kernels::op::{Max, Op, Pair, Sum};
///
/// warpfold_kernels::one_reading! {
///     /// The sum and the maximum.
///     pub struct SumAndMax = (Sum, Max);
/// }
///
/// let [a, b] = [2.0_f32, 3.0].map(<SumAndMax as Op<f32>>::lift);
/// let Pair(sum, max) = <SumAndMax as Op<f32>>::combine(a, b);
/// assert_eq!((sum, max), (5.0, 3.0));
/// ```
///
/// All of the operators have to commute. `warpfold-build` refuses [`Moments`](crate::op::Moments) as one of the operators, since the
/// kernels would need local memory. Use [`Statistics`](crate::op::Statistics), which contains moments.
#[macro_export]
macro_rules! one_reading {
    ($($(#[$attribute:meta])* $visibility:vis struct $name:ident = $operators:ty;)+) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy)]
        $visibility struct $name;

        impl $crate::op::Commutative for $name where $operators: $crate::op::Commutative {}

        impl<T: $crate::element::Element> $crate::op::Op<T> for $name
        where
            $operators: $crate::op::Op<T>,
        {
            type Accumulator = <$operators as $crate::op::Op<T>>::Accumulator;
            type Output = <$operators as $crate::op::Op<T>>::Output;
            const EXACT: bool = <$operators as $crate::op::Op<T>>::EXACT;
            const IS_PAIRWISE: bool = <$operators as $crate::op::Op<T>>::IS_PAIRWISE;
            const MOST_ITEMS: u64 = <$operators as $crate::op::Op<T>>::MOST_ITEMS;

            #[inline(always)]
            fn identity() -> Self::Accumulator {
                <$operators as $crate::op::Op<T>>::identity()
            }

            #[inline(always)]
            fn lift(item: T) -> Self::Accumulator {
                <$operators as $crate::op::Op<T>>::lift(item)
            }

            #[inline(always)]
            fn lift_at(item: T, index: u64) -> Self::Accumulator {
                <$operators as $crate::op::Op<T>>::lift_at(item, index)
            }

            #[inline(always)]
            fn combine(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
                <$operators as $crate::op::Op<T>>::combine(left, right)
            }

            #[inline(always)]
            fn combine_equal(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
                <$operators as $crate::op::Op<T>>::combine_equal(left, right)
            }

            #[inline(always)]
            fn lower(value: Self::Accumulator) -> Self::Output {
                <$operators as $crate::op::Op<T>>::lower(value)
            }

            #[inline(always)]
            fn total(words: $crate::element::Words, index: u64) -> Self::Accumulator {
                <$operators as $crate::op::Op<T>>::total(words, index)
            }
        }
    )+};
}
