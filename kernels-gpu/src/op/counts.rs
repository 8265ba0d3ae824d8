//! Sums of squares, and counts of items other than 0.

#[cfg(feature = "cust")]
use cust_half::{bf16 as cust_bf16, f16 as cust_f16};
use half::{bf16, f16};

use super::{canonical, Commutative, Op};
use crate::arithmetic::{bf16_to_f32, f16_to_f32};
#[cfg(feature = "cust")]
use crate::arithmetic::{cust_bf16_to_f32, cust_f16_to_f32};
use crate::element::{for_each_item, item_of, vector_of, Element, Words};

/// The sum of the items' squares: an `f32` for `f16`, `bf16` and `f32`, and an `f64` for `f64`. Squares and sums round as
/// [`Sum`](super::Sum) does. For integers the sum is a `u64`, which wraps. Identity: 0.
///
/// ```
/// use warpfold_kernels::op::{SumOfSquares, Op};
/// let result = |left, right| <SumOfSquares as Op<f32>>::lower(<SumOfSquares as Op<f32>>::combine(left, right));
/// let (left, right) = (<SumOfSquares as Op<f32>>::lift_at(3.0, 0), <SumOfSquares as Op<f32>>::lift_at(4.0, 1));
/// assert_eq!(result(left, right), 25.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SumOfSquares;

/// The sum of the squares of `f32` items, computed in `f64`. Each square is exact. Identity: 0.
///
/// ```
/// use warpfold_kernels::op::{WideSumOfSquares, Op};
/// let result = |left, right| <WideSumOfSquares as Op<f32>>::lower(<WideSumOfSquares as Op<f32>>::combine(left, right));
/// let (left, right) = (<WideSumOfSquares as Op<f32>>::lift_at(3.0, 0), <WideSumOfSquares as Op<f32>>::lift_at(4.0, 1));
/// assert_eq!(result(left, right), 25.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WideSumOfSquares;

/// How many items are other than 0, as a `u64`. A float −0.0 is equal to 0, and a NaN is not. Identity: 0.
///
/// ```
/// use warpfold_kernels::op::{CountNonZero, Op};
/// let result = |left, right| <CountNonZero as Op<u32>>::lower(<CountNonZero as Op<u32>>::combine(left, right));
/// let (left, right) = (<CountNonZero as Op<u32>>::lift_at(7, 0), <CountNonZero as Op<u32>>::lift_at(0, 1));
/// assert_eq!(result(left, right), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CountNonZero;

impl Commutative for SumOfSquares {}
impl Commutative for WideSumOfSquares {}
impl Commutative for CountNonZero {}

/// Implements an operator that adds up lifted items. The item 0 adds nothing.
macro_rules! sum {
    ($exact:literal $op:ident, $t:ident => $sum:ident, $zero:expr, $lift:expr, $add:expr, $lower:expr $(, $total:expr)?) => {
        impl Op<$t> for $op {
            type Accumulator = $sum;
            type Output = $sum;
            const EXACT: bool = $exact;

            #[inline(always)]
            fn identity_item() -> Option<$t> {
                Some($zero)
            }

            #[inline(always)]
            fn identity() -> $sum {
                0 as $sum
            }

            #[inline(always)]
            fn lift(item: $t) -> $sum {
                $lift(item)
            }

            #[inline(always)]
            fn combine(left: $sum, right: $sum) -> $sum {
                $add(left, right)
            }

            #[inline(always)]
            fn lower(value: $sum) -> $sum {
                $lower(value)
            }

            $(
                #[inline(always)]
                fn total(words: Words, _index: u64) -> $sum {
                    $total(words)
                }
            )?
        }
    };
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        sum!(true SumOfSquares, $t => u64, 0, |item| square(item as i64 as u64), u64::wrapping_add, |value| value);
        sum!(true CountNonZero, $t => u64, 0, |item| (item != 0) as u64, u64::wrapping_add, |value| value, nonzero_integers::<$t>);
    )*};
}

macro_rules! floats {
    ($($t:ident $sum:ident, $zero:expr, $widen:expr, $total:expr;)*) => {$(
        sum!(false SumOfSquares, $t => $sum, $zero, |item| { let wide: $sum = $widen(item); wide * wide }, |a, b| a + b, canonical);
        sum!(true CountNonZero, $t => u64, $zero, |item| ($widen(item) != 0.0) as u64, u64::wrapping_add, |value| value, $total);
    )*};
}

crate::for_each_integer!(integers);

floats! {
    f16 f32, f16::from_bits(0), f16_to_f32, nonzero_magnitudes;
    bf16 f32, bf16::from_bits(0), bf16_to_f32, nonzero_magnitudes;
    f32 f32, 0.0, |item| item, nonzero_items::<f32>;
    f64 f64, 0.0, |item| item, nonzero_items::<f64>;
}

// The 16-bit floats of the version of `half` that `cust` uses.
#[cfg(feature = "cust")]
floats! {
    cust_f16 f32, cust_f16::from_bits(0), cust_f16_to_f32, nonzero_magnitudes;
    cust_bf16 f32, cust_bf16::from_bits(0), cust_bf16_to_f32, nonzero_magnitudes;
}

sum!(false WideSumOfSquares, f32 => f64, 0.0, |item| { let wide = f64::from(item); wide * wide }, |a, b| a + b, canonical);

#[inline(always)]
fn square(number: u64) -> u64 {
    number.wrapping_mul(number)
}

/// How many items of a vector are other than 0.
#[inline(always)]
fn nonzero_items<T: Element>(words: Words) -> u64
where
    CountNonZero: Op<T, Accumulator = u64>,
{
    let vector = vector_of(words);
    let mut count = 0;
    for_each_item!(P of T => { count += CountNonZero::lift(item_of(&vector, P)) as u32; });
    count as u64
}

/// How many integers of a vector are other than 0.
#[inline(always)]
fn nonzero_integers<T: Element>(words: Words) -> u64
where
    CountNonZero: Op<T, Accumulator = u64>,
{
    match size_of::<T>() {
        1 => nonzero_bytes(words),
        2 => nonzero_halves(words),
        _ => nonzero_items::<T>(words),
    }
}

/// Counts items: `marks` returns a word with one set bit for each item that is counted, and the set bits of all words are added up.
#[inline(always)]
fn marked(words: Words, marks: impl Fn(u32) -> u32) -> u64 {
    let [a, b, c, d] = words.map(|word| marks(word).count_ones());
    (a + b + c + d) as u64
}

/// How many bytes are other than 0. If any of a byte's seven lower bits is set, the addition carries into the byte's highest bit.
#[inline(always)]
fn nonzero_bytes(words: Words) -> u64 {
    const LOW: u32 = 0x7f7f_7f7f;
    marked(words, |word| (((word & LOW) + LOW) | word) & !LOW)
}

/// How many 16-bit halves of words are other than 0, counted as in [`nonzero_bytes`].
#[inline(always)]
fn nonzero_halves(words: Words) -> u64 {
    const LOW: u32 = 0x7fff_7fff;
    marked(words, |word| (((word & LOW) + LOW) | word) & !LOW)
}

/// How many 16-bit halves of words have a bit set besides the sign.
#[inline(always)]
fn nonzero_magnitudes(words: Words) -> u64 {
    const LOW: u32 = 0x7fff_7fff;
    marked(words, |word| ((word & LOW) + LOW) & !LOW)
}
