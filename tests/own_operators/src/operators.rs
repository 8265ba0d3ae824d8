//! Operators such as users write. This file is compiled twice: for the host as a module, and for the device by `build.rs`.

use warpfold::{Commutative, Equality, Op, Pair, Predicate};

warpfold::item! {
    /// A complex number.
    pub struct Complex {
        pub re: f32,
        pub im: f32,
    }
}

impl Complex {
    const ONE: Self = Self { re: 1.0, im: 0.0 };

    /// Whether both parts have the bits of the number 1 + 0i. With `==`, 1 − 0i would be equal to 1 too.
    fn is_one(self) -> bool {
        self.re.to_bits() == 1.0f32.to_bits() && self.im.to_bits() == 0
    }
}

/// The product of complex numbers.
#[derive(Debug, Clone, Copy)]
pub struct ComplexProduct;

impl Op<Complex> for ComplexProduct {
    type Accumulator = Complex;
    type Output = Complex;

    fn identity() -> Complex {
        Complex::ONE
    }

    fn identity_item() -> Option<Complex> {
        Some(Complex::ONE)
    }

    fn lift(item: Complex) -> Complex {
        item
    }

    /// The product of 1 and a number is that number. Plain arithmetic would change the bits, by `0.0 * NaN` or `-0.0 + 0.0`.
    fn combine(left: Complex, right: Complex) -> Complex {
        if left.is_one() {
            return right;
        }
        if right.is_one() {
            return left;
        }
        Complex {
            re: left.re * right.re - left.im * right.im,
            im: left.re * right.im + left.im * right.re,
        }
    }

    fn lower(value: Complex) -> Complex {
        Complex {
            re: canonical(value.re),
            im: canonical(value.im),
        }
    }
}

impl Commutative for ComplexProduct {}

/// Replaces any NaN by `f32::NAN`, since devices do not agree on the payload of a NaN.
fn canonical(value: f32) -> f32 {
    if value.is_nan() { f32::NAN } else { value }
}

warpfold::item! {
    /// A value and its index.
    pub struct Found {
        pub index: u64,
        pub value: f32,
        /// 1 for an item, 0 for the identity.
        pub count: u32,
    }
}

/// The least number in the order of [`f32::total_cmp`], and the index of its first occurrence.
#[derive(Debug, Clone, Copy)]
pub struct ArgMin;

impl Op<f32> for ArgMin {
    type Accumulator = Found;
    type Output = Found;
    const EXACT: bool = true;

    fn identity() -> Found {
        Found {
            index: 0,
            value: 0.0,
            count: 0,
        }
    }

    fn lift(item: f32) -> Found {
        Self::lift_at(item, 0)
    }

    fn lift_at(value: f32, index: u64) -> Found {
        Found {
            index,
            value,
            count: 1,
        }
    }

    fn combine(left: Found, right: Found) -> Found {
        if left.count == 0 {
            return right;
        }
        if right.count == 0 {
            return left;
        }
        let (l, r) = (order(left.value), order(right.value));
        if l < r || l == r && left.index <= right.index {
            left
        } else {
            right
        }
    }

    fn lower(value: Found) -> Found {
        value
    }
}

impl Commutative for ArgMin {}

/// Turns a float into an integer. A comparison of two such integers gives the same answer as [`f32::total_cmp`] of the floats.
fn order(value: f32) -> i32 {
    let bits = value.to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// The greatest common divisor.
#[derive(Debug, Clone, Copy)]
pub struct Gcd;

impl Op<u64> for Gcd {
    type Accumulator = u64;
    type Output = u64;
    const EXACT: bool = true;

    fn identity() -> u64 {
        0
    }

    fn identity_item() -> Option<u64> {
        Some(0)
    }

    fn lift(item: u64) -> u64 {
        item
    }

    /// Stein's algorithm, which needs no division.
    fn combine(left: u64, right: u64) -> u64 {
        if left == 0 || right == 0 {
            return left | right;
        }
        let shift = (left | right).trailing_zeros();
        let mut a = left >> left.trailing_zeros();
        let mut b = right;
        while b != 0 {
            b >>= b.trailing_zeros();
            (a, b) = (a.min(b), a.max(b) - a.min(b));
        }
        a << shift
    }

    fn lower(value: u64) -> u64 {
        value
    }
}

impl Commutative for Gcd {}

warpfold::item! {
    /// The least and the greatest item.
    pub struct Range {
        pub least: i32,
        pub greatest: i32,
    }
}

/// Minimum and maximum at once. No item is lifted to the identity.
#[derive(Debug, Clone, Copy)]
pub struct MinMax;

impl Op<i32> for MinMax {
    type Accumulator = Range;
    type Output = Range;
    const EXACT: bool = true;

    fn identity() -> Range {
        Range {
            least: i32::MAX,
            greatest: i32::MIN,
        }
    }

    fn lift(item: i32) -> Range {
        Range {
            least: item,
            greatest: item,
        }
    }

    fn combine(left: Range, right: Range) -> Range {
        Range {
            least: left.least.min(right.least),
            greatest: left.greatest.max(right.greatest),
        }
    }

    fn lower(value: Range) -> Range {
        value
    }
}

impl Commutative for MinMax {}

/// The sum of the items, but at most `u16::MAX`.
#[derive(Debug, Clone, Copy)]
pub struct SaturatingSum;

impl Op<u16> for SaturatingSum {
    type Accumulator = u32;
    type Output = u16;
    const EXACT: bool = true;

    fn identity() -> u32 {
        0
    }

    fn identity_item() -> Option<u16> {
        Some(0)
    }

    fn lift(item: u16) -> u32 {
        item.into()
    }

    fn combine(left: u32, right: u32) -> u32 {
        left.saturating_add(right)
    }

    fn lower(value: u32) -> u16 {
        value.min(u16::MAX as u32) as u16
    }
}

impl Commutative for SaturatingSum {}

/// The greatest pair. Pairs are compared by their first numbers and, if these are equal, by their second numbers.
#[derive(Debug, Clone, Copy)]
pub struct LastPair;

impl Op<[u32; 2]> for LastPair {
    type Accumulator = [u32; 2];
    type Output = [u32; 2];
    const EXACT: bool = true;

    fn identity() -> [u32; 2] {
        [0, 0]
    }

    fn identity_item() -> Option<[u32; 2]> {
        Some([0, 0])
    }

    fn lift(item: [u32; 2]) -> [u32; 2] {
        item
    }

    fn combine(left: [u32; 2], right: [u32; 2]) -> [u32; 2] {
        if left[0] > right[0] || left[0] == right[0] && left[1] >= right[1] {
            left
        } else {
            right
        }
    }

    fn lower(value: [u32; 2]) -> [u32; 2] {
        value
    }
}

impl Commutative for LastPair {}

warpfold::item! {
    /// A sum of exponentials, `scale * exp(exponent)`, in a form that neither overflows nor vanishes.
    pub struct Exponential {
        pub exponent: f32,
        pub scale: f32,
    }
}

/// The logarithm of a sum of exponentials. The result has an `exponent` and a `scale`, and the logarithm is `exponent + ln(scale)`.
#[derive(Debug, Clone, Copy)]
pub struct LogSumExp;

impl Op<f32> for LogSumExp {
    type Accumulator = Exponential;
    type Output = Exponential;

    fn identity() -> Exponential {
        Exponential {
            exponent: f32::NEG_INFINITY,
            scale: 0.0,
        }
    }

    fn lift(item: f32) -> Exponential {
        Exponential {
            exponent: item,
            scale: 1.0,
        }
    }

    fn combine(left: Exponential, right: Exponential) -> Exponential {
        if right.scale == 0.0 {
            return left;
        }
        if left.scale == 0.0 {
            return right;
        }
        // An exponent that is NaN counts as the higher one.
        let (high, low) = if left.exponent < right.exponent || right.exponent.is_nan() {
            (right, left)
        } else {
            (left, right)
        };
        // If both exponents are the same infinity, the factor is 1, although the difference of the exponents is NaN.
        let factor = match low.exponent == high.exponent {
            true => 1.0,
            false => exp_of_negative(low.exponent - high.exponent),
        };
        Exponential {
            exponent: high.exponent,
            scale: high.scale + low.scale * factor,
        }
    }

    fn lower(value: Exponential) -> Exponential {
        Exponential {
            exponent: canonical(value.exponent),
            scale: canonical(value.scale),
        }
    }
}

impl Commutative for LogSumExp {}

/// `exp(x)` for `x` of at most 0, with an absolute error below 2e-7: a power of two times a polynomial. The device has no mathematical
/// library. The host and the device take the same steps, so they get the same bits.
fn exp_of_negative(x: f32) -> f32 {
    let y = x * core::f32::consts::LOG2_E;
    if x.is_nan() {
        return f32::NAN;
    }
    if y <= -126.0 {
        return 0.0;
    }
    let whole = (y - 0.5) as i32;
    let t = (y - whole as f32) * core::f32::consts::LN_2;
    let series = 1.0 + t / 6.0 * (1.0 + t / 7.0);
    let series = 1.0 + t / 4.0 * (1.0 + t / 5.0 * series);
    let series = 1.0 + t * (1.0 + t / 2.0 * (1.0 + t / 3.0 * series));
    series * f32::from_bits(((whole + 127) as u32) << 23)
}

/// The weighted mean. The accumulator has two sums: of the weights, and of the numbers times their weights.
#[derive(Debug, Clone, Copy)]
pub struct WeightedMean;

impl Op<Pair<f32, u32>> for WeightedMean {
    type Accumulator = [f64; 2];
    type Output = f64;

    fn identity() -> [f64; 2] {
        [-0.0; 2]
    }

    fn lift(Pair(number, weight): Pair<f32, u32>) -> [f64; 2] {
        let weight = f64::from(weight);
        [weight, weight * f64::from(number)]
    }

    fn combine(left: [f64; 2], right: [f64; 2]) -> [f64; 2] {
        [left[0] + right[0], left[1] + right[1]]
    }

    fn lower([weights, sum]: [f64; 2]) -> f64 {
        match sum / weights {
            mean if mean.is_nan() => f64::NAN,
            mean => mean,
        }
    }
}

impl Commutative for WeightedMean {}

warpfold::one_reading! {
    /// The sum and the maximum, in an accumulator of two words.
    pub struct SumAndMax = (warpfold::Sum, warpfold::Max);
    /// The sum, and the index of the minimum, in an accumulator of four words.
    pub struct SumAndPlace = (warpfold::Sum, warpfold::ArgMin);
    /// The sum, the index of the minimum, and the number of items that are not zero. The three results have 20 bytes together, and the
    /// accumulator has six words.
    pub struct Summary = (warpfold::Sum, warpfold::ArgMin, warpfold::CountNonZero);
}

warpfold::mapped! {
    /// The sum of the magnitudes.
    pub struct AbsoluteSum = warpfold::Sum, |item: f32| -> f64 { f64::from(item.abs()) };
    /// The sum of the negated numbers.
    pub struct NegatedSum = warpfold::Sum, |item: f32| -> f32 { -item };
    /// How many numbers are even.
    pub struct CountEven = warpfold::CountNonZero, |item: u32| -> u8 { (item & 1 == 0) as u8 };
    /// The sum of numbers times their indices, which count from 0.
    pub struct WeightedByPlace = warpfold::Sum, |item: i64, index| -> i64 {
        item.wrapping_mul(index as i64)
    };
}

/// Even numbers.
#[derive(Debug, Clone, Copy)]
pub struct Even;

impl Predicate<u32> for Even {
    fn holds(item: u32) -> bool {
        item & 1 == 0
    }
}

/// Letters of the alphabet.
#[derive(Debug, Clone, Copy)]
pub struct Letter;

impl Predicate<u8> for Letter {
    fn holds(item: u8) -> bool {
        item.is_ascii_alphabetic()
    }
}

/// Pairs with equal first words.
#[derive(Debug, Clone, Copy)]
pub struct SameKey;

impl Equality<[u32; 2]> for SameKey {
    fn same(left: [u32; 2], right: [u32; 2]) -> bool {
        left[0] == right[0]
    }
}

/// Neighbours are equal if they differ by at most 1, so the numbers of a run may drift.
#[derive(Debug, Clone, Copy)]
pub struct Near;

impl Equality<u16> for Near {
    fn same(left: u16, right: u16) -> bool {
        left.abs_diff(right) <= 1
    }
}

warpfold::operators! {
    sum_and_max: SumAndMax, f32;
    sum_and_place: SumAndPlace, f32, reduction only;
    summary: Summary, f32, reduction only;
    weighted_mean: WeightedMean, pairs of f32, u32;
    complex_product: ComplexProduct, Complex;
    arg_min: ArgMin, f32;
    log_sum_exp: LogSumExp, f32;
    gcd: Gcd, u64;
    min_max: MinMax, i32;
    saturating_sum: SaturatingSum, u16;
    last_pair: LastPair, [u32; 2];
    absolute_sum: AbsoluteSum, f32;
    negated_sum: NegatedSum, f32;
    count_even: CountEven, u32, reduction only;
    weighted_by_place: WeightedByPlace, i64;
    even: Even, u32, predicate;
    letter: Letter, u8, predicate;
    same_key: SameKey, [u32; 2], equality;
    near: Near, u16, equality;
}
