//! The operators on numbers: sums, products and extremes of integers and of floats; `And`, `Or`, `Xor`, `All` and `Any` of integers.

#[cfg(feature = "cust")]
use cust_half::{bf16 as cust_bf16, f16 as cust_f16};
use half::{bf16, f16};

use super::{
    canonical, All, And, Any, Max, MaxNum, Min, MinNum, Op, Or, Product, Sum, WideSum, Xor,
};
use crate::arithmetic::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use crate::arithmetic::{bitwise_total, maximum_number, minimum_number};
#[cfg(feature = "cust")]
use crate::arithmetic::{cust_bf16_to_f32, cust_f16_to_f32, f32_to_cust_bf16, f32_to_cust_f16};
use crate::arithmetic::{maximum, maximum_f32, minimum, minimum_f32};
use crate::arithmetic::{signed_extreme, unsigned_extreme};
use crate::arithmetic::{sum_i16, sum_i8, sum_u16, sum_u8};
use crate::contract::Tree;
use crate::element::Words;

/// Implements [`Op`]. The arguments are: whether the operator is exact; the operator; the types of item, accumulator and result; the
/// identity as an item and as an accumulator; the functions to lift, combine and lower; and the total of a vector, unless it is the
/// default.
macro_rules! operator {
    ($exactness:ident $op:ident, $t:ty => $acc:ty => $output:ty, $item:expr => $identity:expr, $lift:expr, $combine:expr, $lower:expr $(, $total:expr)?) => {
        impl Op<$t> for $op {
            type Accumulator = $acc;
            type Output = $output;
            const EXACT: bool = operator!($exactness);
            const GROUP_TREE: Tree = Tree::Halves;
            #[inline(always)]
            fn identity_item() -> Option<$t> {
                Some($item)
            }
            #[inline(always)]
            fn identity() -> $acc {
                $identity
            }
            #[inline(always)]
            fn lift(item: $t) -> $acc {
                $lift(item)
            }
            #[inline(always)]
            fn combine(left: $acc, right: $acc) -> $acc {
                $combine(left, right)
            }
            $(
                #[inline(always)]
                fn total(words: Words, _index: u64) -> $acc {
                    $total(words)
                }
            )?
            #[inline(always)]
            fn lower(value: $acc) -> $output {
                $lower(value)
            }
        }
    };
    (exact) => { true };
    (rounding) => { false };
}

macro_rules! integers {
    ($($t:ident in $acc:ident, wide $wide:tt $(, totals $total:ident $extreme:ident $bitwise:ident)?;)*) => {$(
        integers!(Sum, $t, $acc, 0, <$acc>::wrapping_add $(, $total)?);
        integers!(Product, $t, $acc, 1, <$acc>::wrapping_mul);
        integers!(Min, $t, $acc, <$t>::MAX, Ord::min $(, |words| $extreme::<$t>(words, Ord::min))?);
        integers!(Max, $t, $acc, <$t>::MIN, Ord::max $(, |words| $extreme::<$t>(words, Ord::max))?);
        integers!(And, $t, $acc, !0, |a, b| a & b $(, |words| $bitwise::<$t>(words, |a, b| a & b).into())?);
        integers!(Or, $t, $acc, 0, |a, b| a | b $(, |words| $bitwise::<$t>(words, |a, b| a | b).into())?);
        integers!(Xor, $t, $acc, 0, |a, b| a ^ b $(, |words| $bitwise::<$t>(words, |a, b| a ^ b).into())?);
        operator!(exact All, $t => u32 => u8, 1 => 1, |item| (item != 0) as u32, |a, b| a & b, |value| value as u8);
        operator!(exact Any, $t => u32 => u8, 0 => 0, |item| (item != 0) as u32, |a, b| a | b, |value| value as u8);
        integers!(wide $t, $wide $(, $total)?);
    )*};
    (wide $t:ident, _) => {};
    (wide $t:ident, $wide:ident $(, $total:ident)?) => {
        operator!(
            exact WideSum, $t => $wide => $wide, 0 => 0, $wide::from, <$wide>::wrapping_add, |value| value
            $(, |words| $wide::from($total(words)))?
        );
    };
    ($op:ident, $t:ident, $acc:ident, $identity:expr, $combine:expr $(, $total:expr)?) => {
        operator!(
            exact $op, $t => $acc => $t, $identity => { const ITEM: $t = $identity; ITEM as $acc },
            $acc::from, $combine, |value| value as $t $(, $total)?
        );
    };
}

macro_rules! floats {
    ($($t:ident in $acc:ident, one $one:expr, $lift:expr, $lower:expr, $minimum:ident $maximum:ident, wide $wide:tt;)*) => {$(
        operator!(rounding Sum, $t => $acc => $t, negative_zero!($t) => -0.0, $lift, |a, b| a + b, $lower);
        operator!(rounding Product, $t => $acc => $t, $one => 1.0, $lift, |a, b| a * b, $lower);
        operator!(exact Min, $t => $acc => $t, $t::INFINITY => $acc::INFINITY, $lift, $minimum, $lower);
        operator!(exact Max, $t => $acc => $t, $t::NEG_INFINITY => $acc::NEG_INFINITY, $lift, $maximum, $lower);
        operator!(exact MinNum, $t => $acc => $t, $t::NAN => $acc::NAN, $lift, minimum_number, $lower);
        operator!(exact MaxNum, $t => $acc => $t, $t::NAN => $acc::NAN, $lift, maximum_number, $lower);
        floats!(wide $t, $lift, $wide);
    )*};
    (wide $t:ident, $lift:expr, _) => {};
    (wide $t:ident, $lift:expr, $wide:ident) => {
        operator!(
            rounding WideSum, $t => $wide => $wide, negative_zero!($t) => -0.0,
            |item| $wide::from($lift(item)), |a, b| a + b, canonical
        );
    };
}

macro_rules! negative_zero {
    ($t:ident) => {
        $t::from_bits(1 << (8 * size_of::<$t>() - 1))
    };
}

integers! {
    i8 in i32, wide i64, totals sum_i8 signed_extreme bitwise_total;
    u8 in u32, wide u64, totals sum_u8 unsigned_extreme bitwise_total;
    i16 in i32, wide i64, totals sum_i16 signed_extreme bitwise_total;
    u16 in u32, wide u64, totals sum_u16 unsigned_extreme bitwise_total;
    i32 in i32, wide i64;
    u32 in u32, wide u64;
    i64 in i64, wide _;
    u64 in u64, wide _;
    isize in isize, wide _;
    usize in usize, wide _;
    i128 in i128, wide _;
    u128 in u128, wide _;
}

floats! {
    f16 in f32, one f16::ONE, f16_to_f32, f32_to_f16, minimum_f32 maximum_f32, wide f32;
    bf16 in f32, one bf16::ONE, bf16_to_f32, f32_to_bf16, minimum_f32 maximum_f32, wide f32;
    f32 in f32, one 1.0, |item| item, canonical, minimum_f32 maximum_f32, wide f64;
    f64 in f64, one 1.0, |item| item, canonical, minimum maximum, wide _;
}

// The 16-bit floats of the version of `half` that `cust` uses.
#[cfg(feature = "cust")]
floats! {
    cust_f16 in f32, one cust_f16::ONE, cust_f16_to_f32, f32_to_cust_f16, minimum_f32 maximum_f32, wide f32;
    cust_bf16 in f32, one cust_bf16::ONE, cust_bf16_to_f32, f32_to_cust_bf16, minimum_f32 maximum_f32, wide f32;
}
