//! The dot product of two inputs.

#[cfg(feature = "cust")]
use cust_half::{bf16 as cust_bf16, f16 as cust_f16};
use half::{bf16, f16};

use super::{canonical, Commutative, Op, Pair};
use crate::arithmetic::{bf16_to_f32, f16_to_f32};
#[cfg(feature = "cust")]
use crate::arithmetic::{cust_bf16_to_f32, cust_f16_to_f32};

/// The sum of the products of pairs: a dot product of two inputs. The result is an `f32` for `f16`, `bf16` and `f32`, and an `f64` for
/// `f64`; products and sums are computed in this type, and round to nearest. For signed integers the result is an `i64`, and for unsigned
/// integers a `u64`; both wrap. Identity: 0; −0.0 for floats.
///
/// ```
/// use warpfold_kernels::op::{Dot, Op, Pair};
/// let product = <Dot as Op<Pair<f32, f32>>>::lift(Pair(3.0, 4.0));
/// assert_eq!(<Dot as Op<Pair<f32, f32>>>::lower(product), 12.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dot;

impl Commutative for Dot {}

macro_rules! dot {
    ($exact:literal $t:ident => $sum:ident, $zeros:expr, $zero:expr, $multiply:expr, $add:expr, $lower:expr) => {
        impl Op<Pair<$t, $t>> for Dot {
            type Accumulator = $sum;
            type Output = $sum;
            const EXACT: bool = $exact;

            #[inline(always)]
            fn identity_item() -> Option<Pair<$t, $t>> {
                Some($zeros)
            }

            #[inline(always)]
            fn identity() -> $sum {
                $zero
            }

            #[inline(always)]
            fn lift(Pair(left, right): Pair<$t, $t>) -> $sum {
                $multiply(left, right)
            }

            #[inline(always)]
            fn combine(left: $sum, right: $sum) -> $sum {
                $add(left, right)
            }

            #[inline(always)]
            fn lower(value: $sum) -> $sum {
                $lower(value)
            }
        }
    };
}

macro_rules! integers {
    ($($t:ident => $sum:ident;)*) => {$(
        dot!(
            true $t => $sum, Pair(0, 0), 0,
            |left, right| (left as $sum).wrapping_mul(right as $sum), $sum::wrapping_add, |value| value
        );
    )*};
}

macro_rules! floats {
    ($($t:ident => $sum:ident, $zeros:expr, $widen:expr;)*) => {$(
        dot!(
            false $t => $sum, $zeros, -0.0,
            |left, right| { let product: $sum = $widen(left) * $widen(right); product }, |a, b| a + b, canonical
        );
    )*};
}

integers! {
    i8 => i64;
    u8 => u64;
    i16 => i64;
    u16 => u64;
    i32 => i64;
    u32 => u64;
    i64 => i64;
    u64 => u64;
}

// The identity item is a pair of zeros whose product is −0.0.
floats! {
    f16 => f32, Pair(f16::from_bits(1 << 15), f16::from_bits(0)), f16_to_f32;
    bf16 => f32, Pair(bf16::from_bits(1 << 15), bf16::from_bits(0)), bf16_to_f32;
    f32 => f32, Pair(-0.0, 0.0), |item| item;
    f64 => f64, Pair(-0.0, 0.0), |item| item;
}

// The 16-bit floats of the version of `half` that `cust` uses.
#[cfg(feature = "cust")]
floats! {
    cust_f16 => f32, Pair(cust_f16::from_bits(1 << 15), cust_f16::from_bits(0)), cust_f16_to_f32;
    cust_bf16 => f32, Pair(cust_bf16::from_bits(1 << 15), cust_bf16::from_bits(0)), cust_bf16_to_f32;
}
