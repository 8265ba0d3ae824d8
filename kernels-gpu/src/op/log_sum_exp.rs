//! The logarithm of a sum of exponentials.
//!
//! A value is the greatest item so far and the sum of `exp(item − greatest)`. No exponential overflows, and the sum is at least 1 unless
//! all items are −∞ or an item is NaN. Suppose that the greatest item of one value is `a`, that of another value is `b`, and `a` ≥ `b`. To
//! combine the two values, the sum of the second is multiplied by `exp(b − a)` and added to the sum of the first (M. Milakov and N.
//! Gimelshein, *Online normalizer calculation for softmax*, arXiv:1805.02867, 2018).
//!
//! These exponentials are at most 1, and the multiplied sums are added to sums of at least 1. So the absolute error of the exponentials
//! matters, and not their relative error. The absolute error is less than 0.52 · 2⁻²³, or 0.52 units in the last place of 1. The function
//! [`exp`](crate::elementary::exp) takes three times the instructions, since its relative error is small even for subnormal results.

use bytemuck::{Pod, Zeroable};

use super::{canonical, Commutative, Op};
use crate::arithmetic::{fused_f32, maximum_f32};
use crate::contract::Tree;
use crate::element::Words;
use crate::elementary::ln;

/// The natural logarithm of the sum of the items' exponentials. The computation does not overflow. Items of −∞ add nothing; +∞ gives +∞,
/// and a NaN gives NaN. Identity: −∞. Items are combined as [`Exponentials`]. This library implements the exponential function and [`ln`]
/// itself.
///
/// ```
/// use warpfold_kernels::op::{LogSumExp, Op};
///
/// let [a, b] = [1000.0, 1000.0].map(<LogSumExp as Op<f32>>::lift);
/// let both = <LogSumExp as Op<f32>>::combine(a, b);
/// assert_eq!((both.greatest(), both.sum()), (1000.0, 2.0));
/// assert_eq!(<LogSumExp as Op<f32>>::lower(both), 1000.0 + core::f32::consts::LN_2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LogSumExp;

/// The greatest of some items, and the sum of `exp(item − greatest)` over all of them. A softmax needs both:
/// `exp(item − greatest) / sum`.
///
/// ```
/// use warpfold_kernels::op::{LogSumExp, Op};
///
/// let [a, b] = [2.0, 2.0].map(<LogSumExp as Op<f32>>::lift);
/// let both = LogSumExp::combine(a, b);
/// let softmax = (2.0 - both.greatest()).exp() / both.sum();
/// assert_eq!(softmax, 0.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(8))]
pub struct Exponentials {
    greatest: f32,
    sum: f32,
}

// SAFETY: two plain numbers of 4 bytes in 8 aligned bytes, so there is no padding between or after them.
unsafe impl Zeroable for Exponentials {}
// SAFETY: see above.
unsafe impl Pod for Exponentials {}
// SAFETY: plain old data, without pointers.
#[cfg(feature = "cust")]
unsafe impl cust_core::DeviceCopy for Exponentials {}

impl Exponentials {
    /// The greatest item; −∞ for no items, NaN if any item is NaN.
    ///
    /// ```
    /// use warpfold_kernels::op::{LogSumExp, Op};
    ///
    /// let [a, b] = [2.0, 2.0].map(<LogSumExp as Op<f32>>::lift);
    /// let both = LogSumExp::combine(a, b);
    /// assert_eq!(both.greatest(), 2.0);
    /// ```
    #[inline(always)]
    pub fn greatest(&self) -> f32 {
        self.greatest
    }

    /// The sum of `exp(item − greatest)`; 0 if there are no items other than −∞. If an item is +∞ or NaN, the sum has no meaning.
    ///
    /// ```
    /// use warpfold_kernels::op::{LogSumExp, Op};
    ///
    /// let [a, b] = [2.0, 2.0].map(<LogSumExp as Op<f32>>::lift);
    /// let both = LogSumExp::combine(a, b);
    /// assert_eq!(both.sum(), 2.0); // exp(0) + exp(0)
    /// ```
    #[inline(always)]
    pub fn sum(&self) -> f32 {
        self.sum
    }
}

impl Commutative for LogSumExp {}

impl Op<f32> for LogSumExp {
    type Accumulator = Exponentials;
    type Output = f32;
    const GROUP_TREE: Tree = Tree::Halves;
    const PAIRS_SIXTEENS: bool = true;
    const STREAMS_ROWS: bool = true;

    #[inline(always)]
    fn identity() -> Exponentials {
        Exponentials {
            greatest: f32::NEG_INFINITY,
            sum: 0.0,
        }
    }

    #[inline(always)]
    fn identity_item() -> Option<f32> {
        Some(f32::NEG_INFINITY)
    }

    #[inline(always)]
    fn lift(item: f32) -> Exponentials {
        Exponentials {
            greatest: item,
            sum: if item == f32::NEG_INFINITY { 0.0 } else { 1.0 },
        }
    }

    /// The value with the greater `greatest` keeps its sum. Only the other value's sum is multiplied by an exponential. If both greatest
    /// items are the same infinity, their difference is NaN, and the exponential counts as 0. If both greatest items are −∞, the two sums
    /// are equal, and the result has this sum. If both are +∞, any sum of at least 1 gives the same result.
    #[inline(always)]
    fn combine(left: Exponentials, right: Exponentials) -> Exponentials {
        let (fraction, power) = exponential(left.greatest, right.greatest);
        let (high, low) = if left.greatest > right.greatest {
            (left.sum, right.sum)
        } else {
            (right.sum, left.sum)
        };
        Exponentials {
            greatest: maximum_f32(left.greatest, right.greatest),
            sum: fused_f32(low * fraction, power, high),
        }
    }

    /// Every item gets the sum 1, even an item of −∞. So [`of_two`] need not choose between the sums 0 and 1, and [`with_sum`] corrects the
    /// sum at the end.
    #[inline(always)]
    fn stream(words: Words, _place: u32) -> Exponentials {
        let [a, b, c, d] = words.map(f32::from_bits);
        with_sum(Self::combine(of_two(a, b), of_two(c, d)))
    }

    /// Every item gets the sum 1, as in [`Self::stream`].
    #[inline(always)]
    fn total_of_four(vectors: [Words; 4], _index: u64) -> Exponentials {
        let item = |place: usize| f32::from_bits(vectors[place / 4][place % 4]);
        let two = |place| of_two(item(place), item(place + 1));
        let four = |place| Self::combine(two(place), two(place + 2));
        let eight = |place| Self::combine(four(place), four(place + 4));
        with_sum(Self::combine(eight(0), eight(8)))
    }

    #[inline(always)]
    fn lower(value: Exponentials) -> f32 {
        canonical(value.greatest + ln(value.sum))
    }
}

/// The value, with its sum replaced by 0 if all items are −∞.
#[inline(always)]
fn with_sum(value: Exponentials) -> Exponentials {
    let Exponentials { greatest, sum } = value;
    let is_none = greatest == f32::NEG_INFINITY;
    Exponentials {
        greatest,
        sum: if is_none { 0.0 } else { sum },
    }
}

/// The value of two items. If both items are −∞, the sum is 1, which adds nothing when the value is combined with greater items.
#[inline(always)]
fn of_two(a: f32, b: f32) -> Exponentials {
    let (fraction, power) = exponential(a, b);
    Exponentials {
        greatest: maximum_f32(a, b),
        sum: fused_f32(fraction, power, 1.0),
    }
}

/// The exponential of `−|a − b|`, as two factors: a number from 0.7 to 1.42, and a power of two. If `−|a − b|` is below −87.7 or NaN,
/// 0 takes the place of the power. The error of the product is less than 0.52 · 2⁻²³.
///
/// The exponential of `x` is 2^(whole + rest), with `x·log₂ e = whole + rest` and `|rest|` at most 1/2. The rounding error of `log₂ e` is
/// multiplied by `x`. But where `|x|` is large, the exponential is small, and so is its error.
#[inline(always)]
fn exponential(a: f32, b: f32) -> (f32, f32) {
    // −127·ln 2.
    const LEAST: f32 = -88.029_69;
    // 1.5 · 2^23 + 127: adding it to a number rounds the number to a whole number. The lowest bits of the sum are that whole number + 127.
    const ROUNDER: f32 = 12_583_039.0;

    let exponent = -(a - b).abs();
    // A NaN becomes `LEAST`.
    #[cfg(not(feature = "cuda_std"))]
    let x = f32::max(exponent, LEAST);
    // rust-cuda's compiler has no `f32::max`.
    #[cfg(feature = "cuda_std")]
    let x = if exponent > LEAST { exponent } else { LEAST };
    let shifted = fused_f32(x, core::f32::consts::LOG2_E, ROUNDER);
    let minus_whole = ROUNDER - shifted;
    let rest = fused_f32(x, core::f32::consts::LOG2_E, minus_whole);

    // 2^rest = 1 + rest·p(rest), where the polynomial p interpolates at Chebyshev nodes. The error is less than 2^-26.
    let series = fused_f32(rest, 1.545_316_3e-4, 0.001_339_086_3);
    let series = fused_f32(rest, series, 0.009_618_083);
    let series = fused_f32(rest, series, 0.055_503_57);
    let series = fused_f32(rest, series, 0.240_226_5);
    let series = fused_f32(rest, series, core::f32::consts::LN_2);
    let fraction = fused_f32(rest, series, 1.0);
    (fraction, f32::from_bits(shifted.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::*;

    fn log_sum_exp(items: &[f32]) -> f32 {
        let lifted = items.iter().map(|&item| LogSumExp::lift(item));
        LogSumExp::lower(lifted.fold(LogSumExp::identity(), LogSumExp::combine))
    }

    fn bits(value: Exponentials) -> [u32; 2] {
        [value.greatest, value.sum].map(f32::to_bits)
    }

    #[test]
    fn infinities_and_nans() {
        const INFINITY: f32 = f32::INFINITY;
        assert_eq!(log_sum_exp(&[]), -INFINITY);
        assert_eq!(log_sum_exp(&[-INFINITY; 3]), -INFINITY);
        assert_eq!(log_sum_exp(&[-INFINITY, 2.5, -INFINITY]), 2.5);
        assert_eq!(log_sum_exp(&[INFINITY, 1.0, INFINITY]), INFINITY);
        assert_eq!(log_sum_exp(&[INFINITY, -INFINITY]), INFINITY);
        for items in [
            [1.0, f32::NAN],
            [f32::NAN, 1.0],
            [-f32::NAN, INFINITY],
            [-INFINITY, f32::NAN],
        ] {
            assert_eq!(log_sum_exp(&items).to_bits(), f32::NAN.to_bits());
        }
    }

    #[test]
    fn extreme_items_neither_overflow_nor_underflow() {
        assert_eq!(log_sum_exp(&[f32::MAX, 0.0]), f32::MAX);
        assert_eq!(log_sum_exp(&[f32::MIN, f32::MIN]), f32::MIN);
        assert_eq!(log_sum_exp(&[-1e30, -1e30]), -1e30);
        assert_eq!(log_sum_exp(&[0.0, -0.0]), core::f32::consts::LN_2);
    }

    #[test]
    fn the_identity_changes_no_bit_and_combine_commutes() {
        let items = [
            0.0,
            -0.0,
            1.5,
            -3e38,
            3e38,
            f32::INFINITY,
            f32::from_bits(1),
        ];
        let mut values: Vec<_> = items.map(LogSumExp::lift).to_vec();
        values.push(LogSumExp::combine(values[2], values[0]));
        for &value in &values {
            let none = LogSumExp::identity();
            assert_eq!(bits(LogSumExp::combine(none, value)), bits(value));
            assert_eq!(bits(LogSumExp::combine(value, none)), bits(value));
            for &other in &values {
                let (one, two) = (
                    LogSumExp::combine(value, other),
                    LogSumExp::combine(other, value),
                );
                assert_eq!(bits(one), bits(two), "{value:?} {other:?}");
            }
        }
    }

    #[test]
    fn exponential_is_within_0_52_epsilon() {
        let bound = 0.52 * f64::from(f32::EPSILON);
        let step = 97;
        let last = (-110.0_f32).to_bits();
        let mut worst = (0.0, 0.0);
        for x in ((-0.0_f32).to_bits()..last)
            .step_by(step)
            .map(f32::from_bits)
        {
            let (fraction, power) = exponential(x, 0.0);
            let product = f64::from(fraction) * f64::from(power);
            let error = (product - f64::from(x).exp()).abs();
            worst = if error > worst.0 { (error, x) } else { worst };
        }
        std::println!("{} of the bound, at {}", worst.0 / bound, worst.1);
        assert!(worst.0 < bound, "{} at {}", worst.0, worst.1);
        let (fraction, power) = exponential(7.5, 7.5);
        assert_eq!((fraction, power), (1.0, 1.0));
        for far in [-1e30, f32::MIN, f32::NEG_INFINITY, f32::INFINITY, f32::NAN] {
            assert_eq!(exponential(far, 0.0).1.to_bits(), 0, "{far}");
        }
    }

    #[test]
    fn sixteen_items_are_combined_pairwise() {
        let mut state = 1_u32;
        for round in 0..2000 {
            let items: [f32; 16] = core::array::from_fn(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                match state >> 28 {
                    0 => f32::NEG_INFINITY,
                    1 if round % 4 == 0 => f32::INFINITY,
                    2 if round % 8 == 1 => f32::NAN,
                    3 => 2.5,
                    _ => ((state >> 8) as f32 / (1 << 16) as f32 - 128.0) / (1 + round % 50) as f32,
                }
            });
            let items = if round == 0 {
                [f32::NEG_INFINITY; 16]
            } else {
                items
            };
            let mut values: Vec<_> = items.iter().map(|&item| LogSumExp::lift(item)).collect();
            while values.len() > 1 {
                let pairs = values.chunks(2);
                values = pairs
                    .map(|pair| LogSumExp::combine(pair[0], pair[1]))
                    .collect();
            }
            let words = items.map(f32::to_bits);
            let vectors = core::array::from_fn(|v| core::array::from_fn(|p| words[4 * v + p]));
            let total = LogSumExp::total_of_four(vectors, 0);
            if values[0].greatest.is_nan() {
                assert!(total.greatest.is_nan());
            } else {
                assert_eq!(bits(total), bits(values[0]), "{items:?}");
            }
        }
    }

    #[test]
    fn results_are_close_to_f64_results() {
        let items: Vec<f32> = (0..2000)
            .map(|i| ((i * 7919) % 1013) as f32 / 31.0 - 20.0)
            .collect();
        let exact = items
            .iter()
            .map(|&item| f64::from(item).exp())
            .sum::<f64>()
            .ln();
        assert!((f64::from(log_sum_exp(&items)) - exact).abs() < 4e-6);
    }
}
