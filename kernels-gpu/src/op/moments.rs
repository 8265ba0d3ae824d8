//! Count, mean and variance in one reading.
//!
//! ```text
//! a value        n items, their sum S, and M, the sum of their squared deviations from their mean S/n
//! an item x      n = 1, S = x, M = 0
//! combination    n + m, S + T, M + N + (m·S − n·T)² / (n·m·(n + m))
//! ```
//!
//! The formula is that of Chan, Golub and LeVeque, *Updating Formulae and a Pairwise Algorithm for Computing Sample Variances* (1979).
//! Another formula is the mean of the squares minus the square of the mean. If the mean is far from 0, that formula is much less accurate.
//! In a combination with n = m, the last term is (S − T)²/(2n). If n is also a power of two, no division is needed.
//!
//! In a reduction of an array, a thread combines its items of a tile pairwise, so most of its combinations need no division. It divides at
//! most once per full tile.
//!
//! Accuracy: let u = 2⁻⁵³, and let κ = √(1 + mean²/variance) be the condition number. A pairwise tree of n items computes M with a relative
//! error of about u·κ·log₂ n (Chan, Golub and LeVeque, *Algorithms for Computing the Sample Variance*, The American Statistician 37, 1983,
//! table 1). Here a thread also left-folds its tiles. If it has c tiles, the error is about u·κ·(c + log₂ n).

use bytemuck::{Pod, Zeroable};
#[cfg(feature = "cust")]
use cust_half::{bf16 as cust_bf16, f16 as cust_f16};
use half::{bf16, f16};

use super::{Commutative, Op};
use crate::arithmetic::{bf16_to_f32, f16_to_f32, spread, twice_plus};
#[cfg(feature = "cust")]
use crate::arithmetic::{cust_bf16_to_f32, cust_f16_to_f32};
use crate::element::{item_of, vector_of, Element, Words};

/// The number of items, their mean and their variance. The type is both an operator and its result. All computations are in `f64`.
///
/// Integers of more than 53 bits are rounded to `f64` first. If there are at least two items, a NaN among them makes the variance NaN, and
/// an infinity makes it infinite or NaN. For n items with the mean μ and the variance σ², the relative error of the variance is about
/// 2⁻⁵³·√(1 + μ²/σ²)·(c + log₂ n). Here c is the number of tiles that a thread works on, one after the other: 1 for up to 2^25 items of
/// type `f32`, and 8 for 2^28 items. If S is the sum of the n items, (n·S)² must not overflow.
///
/// ```
/// use warpfold_kernels::op::{Moments, Op};
///
/// let [a, b] = [2.0, 4.0].map(<Moments as Op<f64>>::lift);
/// let both = <Moments as Op<f64>>::combine(a, b);
/// assert_eq!((both.count(), both.mean(), both.variance()), (2, 3.0, 1.0));
/// assert_eq!(both.sample_variance(), 2.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Moments {
    /// A whole number, exact up to 2⁵³.
    count: f64,
    sum: f64,
    squared_deviations: f64,
}

// SAFETY: three plain numbers of one type in `repr(C)`, so there is no padding between or after them.
unsafe impl Zeroable for Moments {}
// SAFETY: see above.
unsafe impl Pod for Moments {}
// SAFETY: plain old data, without pointers.
#[cfg(feature = "cust")]
unsafe impl cust_core::DeviceCopy for Moments {}

impl Moments {
    /// The number of items.
    ///
    /// ```
    /// use warpfold_kernels::op::{Moments, Op};
    ///
    /// let [a, b] = [2.0, 4.0].map(<Moments as Op<f64>>::lift);
    /// assert_eq!(<Moments as Op<f64>>::combine(a, b).count(), 2);
    /// ```
    pub fn count(&self) -> u64 {
        self.count as u64
    }

    /// The sum of the items; −0.0 for no items.
    ///
    /// ```
    /// use warpfold_kernels::op::{Moments, Op};
    ///
    /// let [a, b] = [2.0, 4.0].map(<Moments as Op<f64>>::lift);
    /// assert_eq!(<Moments as Op<f64>>::combine(a, b).sum(), 6.0);
    /// ```
    pub fn sum(&self) -> f64 {
        self.sum
    }

    /// The sum of the items' squared differences from their mean.
    ///
    /// ```
    /// use warpfold_kernels::op::{Moments, Op};
    ///
    /// let [a, b] = [2.0, 4.0].map(<Moments as Op<f64>>::lift);
    /// assert_eq!(<Moments as Op<f64>>::combine(a, b).squared_deviations(), 2.0);
    /// ```
    pub fn squared_deviations(&self) -> f64 {
        self.squared_deviations
    }

    /// The mean; NaN for no items.
    ///
    /// ```
    /// use warpfold_kernels::op::{Moments, Op};
    ///
    /// let [a, b] = [2.0, 4.0].map(<Moments as Op<f64>>::lift);
    /// assert_eq!(<Moments as Op<f64>>::combine(a, b).mean(), 3.0);
    /// ```
    pub fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// The variance of the items as a whole population: the mean of the items' squared differences from their mean. NaN for no items.
    ///
    /// ```
    /// use warpfold_kernels::op::{Moments, Op};
    ///
    /// let [a, b] = [2.0, 4.0].map(<Moments as Op<f64>>::lift);
    /// assert_eq!(<Moments as Op<f64>>::combine(a, b).variance(), 1.0);
    /// ```
    pub fn variance(&self) -> f64 {
        self.squared_deviations / self.count
    }

    /// The variance of a population, estimated from the items as a sample: the sum of the items' squared differences from their mean,
    /// divided by one less than the number of items. NaN for fewer than two items.
    ///
    /// ```
    /// use warpfold_kernels::op::{Moments, Op};
    ///
    /// let [a, b] = [2.0, 4.0].map(<Moments as Op<f64>>::lift);
    /// assert_eq!(<Moments as Op<f64>>::combine(a, b).sample_variance(), 2.0);
    /// ```
    pub fn sample_variance(&self) -> f64 {
        if self.count < 2.0 {
            return f64::NAN;
        }
        self.squared_deviations / (self.count - 1.0)
    }
}

impl Commutative for Moments {}

/// A type of numbers that [`Moments`] accepts: the integers from `i8` to `i64` and from `u8` to `u64`, and all floats.
///
/// ```
/// use warpfold_kernels::op::Number;
///
/// /// The greatest difference between neighbours, of numbers of any type.
/// fn greatest_step<T: Number>(items: &[T]) -> f64 {
///     items.windows(2).map(|pair| (pair[1].to_f64() - pair[0].to_f64()).abs()).fold(0.0, f64::max)
/// }
/// assert_eq!(greatest_step(&[1_u8, 4, 2]), 3.0);
/// ```
pub trait Number: Element {
    /// The value as an `f64`, rounded to nearest if it has too many bits.
    ///
    /// ```
    /// use warpfold_kernels::op::Number;
    ///
    /// assert_eq!(u64::MAX.to_f64(), 18_446_744_073_709_551_616.0); // to the nearest
    /// ```
    fn to_f64(self) -> f64;
}

macro_rules! numbers {
    ($($t:ident: $widen:expr;)*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn to_f64(self) -> f64 {
                $widen(self)
            }
        }
    )*};
}

macro_rules! integers {
    ($($t:ident)*) => { numbers! { $($t: |item| item as f64;)* } };
}

crate::for_each_integer!(integers);

numbers! {
    f16: |item| f64::from(f16_to_f32(item));
    bf16: |item| f64::from(bf16_to_f32(item));
    f32: f64::from;
    f64: |item| item;
}

// The 16-bit floats of the version of `half` that `cust` uses.
#[cfg(feature = "cust")]
numbers! {
    cust_f16: |item| f64::from(cust_f16_to_f32(item));
    cust_bf16: |item| f64::from(cust_bf16_to_f32(item));
}

impl<T: Number> Op<T> for Moments {
    type Accumulator = Self;
    type Output = Self;
    const IS_PAIRWISE: bool = true;
    const STREAMS_ROWS: bool = true;
    // Words 0 and 1 are the count.
    const EQUAL_WORDS: u32 = 0b11;

    #[inline(always)]
    fn identity() -> Self {
        Self {
            count: 0.0,
            sum: -0.0,
            squared_deviations: 0.0,
        }
    }

    #[inline(always)]
    fn lift(item: T) -> Self {
        Self {
            count: 1.0,
            sum: item.to_f64(),
            squared_deviations: 0.0,
        }
    }

    #[inline(always)]
    fn combine(left: Self, right: Self) -> Self {
        let count = left.count + right.count;
        let difference = left.sum - right.sum;
        let equal = difference * difference * reciprocal(count);
        let spread = spread(equal, [left.count, left.sum, right.count, right.sum]);
        Self {
            count,
            sum: left.sum + right.sum,
            squared_deviations: left.squared_deviations + right.squared_deviations + spread,
        }
    }

    #[inline(always)]
    fn combine_equal(left: Self, right: Self) -> Self {
        let count = left.count + right.count;
        let difference = left.sum - right.sum;
        let spread = difference * difference * reciprocal(count);
        Self {
            count,
            sum: left.sum + right.sum,
            squared_deviations: left.squared_deviations + right.squared_deviations + spread,
        }
    }

    #[inline(always)]
    fn lower(value: Self) -> Self {
        Self {
            count: value.count,
            sum: super::canonical(value.sum),
            squared_deviations: super::canonical(value.squared_deviations),
        }
    }

    /// Combines pairwise, neighbours first. In each combination, the number of items is a constant.
    #[inline(always)]
    fn total(words: Words, _index: u64) -> Self {
        let vector = vector_of(words);
        let item = |place| item_of::<T>(&vector, place).to_f64();
        let pair = |place| Half::of_two(item(place), item(place + 1));
        let four = |place| Half::join::<4>(pair(place), pair(place + 2));
        let eight = |place| Half::join::<8>(four(place), four(place + 4));
        let all = match size_of::<T>() {
            8 => pair(0),
            4 => four(0),
            2 => eight(0),
            _ => Half::join::<16>(eight(0), eight(8)),
        };
        Self {
            count: (16 / size_of::<T>()) as f64,
            sum: all.sum,
            squared_deviations: all.squared_deviations,
        }
    }

    /// In a value of a [streamed row](Op::STREAMS_ROWS), the squared deviations are multiplied by the number of items. So a combination of
    /// two such values does not multiply by a reciprocal. All factors are powers of two, and items of 4 bytes give no numbers near the ends
    /// of the range of `f64`. So the results have the same bits as those of rows that are not streamed.
    #[inline(always)]
    fn stream(words: Words, _place: u32) -> Self {
        let vector = vector_of(words);
        let item = |place| item_of::<T>(&vector, place).to_f64();
        let pair = |place| {
            let (a, b): (f64, f64) = (item(place), item(place + 1));
            Self {
                count: 2.0,
                sum: a + b,
                squared_deviations: (a - b) * (a - b),
            }
        };
        let value = <Self as Op<T>>::combine_streams(pair(0), pair(2));
        Self {
            count: 4.0,
            ..value
        }
    }

    #[inline(always)]
    fn combine_streams(left: Self, right: Self) -> Self {
        let difference = left.sum - right.sum;
        let both = left.squared_deviations + right.squared_deviations;
        Self {
            count: left.count + right.count,
            sum: left.sum + right.sum,
            squared_deviations: twice_plus(both, difference * difference),
        }
    }

    #[inline(always)]
    fn end_stream(value: Self) -> Self {
        let squared_deviations = value.squared_deviations * reciprocal(value.count);
        Self {
            squared_deviations,
            ..value
        }
    }
}

/// The reciprocal of a power of two: it has the negated exponent. For numbers other than powers of two, the result has no meaning.
#[inline(always)]
fn reciprocal(power_of_two: f64) -> f64 {
    f64::from_bits((2046_u64 << 52).wrapping_sub(power_of_two.to_bits()))
}

/// The sum and the squared deviations of some items. The number of items is known at compile time.
#[derive(Clone, Copy)]
struct Half {
    sum: f64,
    squared_deviations: f64,
}

impl Half {
    #[inline(always)]
    fn of_two(a: f64, b: f64) -> Self {
        let difference = a - b;
        Self {
            sum: a + b,
            squared_deviations: difference * difference * 0.5,
        }
    }

    /// Combines the two halves of `COUNT` items.
    #[inline(always)]
    fn join<const COUNT: u32>(left: Self, right: Self) -> Self {
        let difference = left.sum - right.sum;
        let spread = difference * difference * (1.0 / COUNT as f64);
        Self {
            sum: left.sum + right.sum,
            squared_deviations: left.squared_deviations + right.squared_deviations + spread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combine(left: Moments, right: Moments) -> Moments {
        <Moments as Op<f64>>::combine(left, right)
    }

    fn bits(moments: Moments) -> [u64; 3] {
        [moments.count, moments.sum, moments.squared_deviations].map(f64::to_bits)
    }

    #[test]
    fn combine_equal_has_the_bits_of_combine() {
        let mut value = <Moments as Op<f64>>::lift(0.1);
        let mut other = <Moments as Op<f64>>::lift(-7.3e5);
        for _ in 0..40 {
            let equal = <Moments as Op<f64>>::combine_equal(value, other);
            assert_eq!(bits(equal), bits(combine(value, other)));
            (value, other) = (equal, <Moments as Op<f64>>::combine_equal(other, other));
        }
    }

    #[test]
    fn combined_streams_have_the_bits_of_combined_totals() {
        type M = Moments;
        let mut state = 7_u32;
        for round in 0..500 {
            let vectors: [Words; 8] = core::array::from_fn(|_| {
                core::array::from_fn(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let item = match state >> 28 {
                        0 => f32::MAX,
                        1 => f32::from_bits(1),
                        2 => -f32::MIN_POSITIVE,
                        3 if round % 4 == 0 => f32::INFINITY,
                        _ => ((state >> 8) as f32 - 8e6) / (1_u64 << (round % 40)) as f32,
                    };
                    item.to_bits()
                })
            });
            let mut values = vectors.map(|words| <M as Op<f32>>::total(words, 0));
            let mut streams = vectors.map(|words| <M as Op<f32>>::stream(words, 0));
            let mut count = 8;
            while count > 1 {
                count /= 2;
                for i in 0..count {
                    values[i] = <M as Op<f32>>::combine_equal(values[2 * i], values[2 * i + 1]);
                    streams[i] =
                        <M as Op<f32>>::combine_streams(streams[2 * i], streams[2 * i + 1]);
                }
            }
            let found = <M as Op<f32>>::lower(<M as Op<f32>>::end_stream(streams[0]));
            let expected = <M as Op<f32>>::lower(values[0]);
            assert_eq!(bits(found), bits(expected), "{vectors:?}");
        }
    }

    #[test]
    fn the_identity_changes_no_bit() {
        let none = <Moments as Op<f64>>::identity();
        assert_eq!(bits(combine(none, none)), bits(none));
        for count in 1..6 {
            let items = (0..count).map(|item| <Moments as Op<f64>>::lift(0.3 * f64::from(item)));
            let value = items.fold(none, combine);
            assert_eq!(bits(combine(none, value)), bits(value));
            assert_eq!(bits(combine(value, none)), bits(value));
        }
    }
}
