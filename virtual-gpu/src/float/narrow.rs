//! Floats of 16 bits: f16 and bf16.
//!
//! A NaN result of arithmetic is always `0x7fff`. Results, except approximations, are rounded once. Before that they are exact, or have a
//! sticky bit for the digits that were cut off. Subnormals are kept, unless the instruction flushes them (`.ftz`).

use super::mode::{Mode, Rounding};
use super::soft::{self, BRAIN, Format, HALF, Number};
use super::{half_to_single, to_half};
use crate::alu::Value;

/// The NaN of arithmetic on 16 bits.
const NAN: u16 = 0x7fff;
const SIGN: u16 = 0x8000;

/// A float of 16 bits.
pub(crate) trait Narrow: Copy {
    const FORMAT: Format;
    fn from_bits(bits: u16) -> Self;
    fn bits(self) -> u16;

    fn nan() -> Self {
        Self::from_bits(NAN)
    }

    /// The same value as f32. A NaN becomes f32's canonical NaN.
    fn single(self) -> f32 {
        half_to_single(self.bits(), Self::FORMAT)
    }

    fn round(value: f64, rounding: Rounding) -> Self {
        Self::from_bits(to_half(value, Self::FORMAT, rounding))
    }

    fn is_nan(self) -> bool {
        self.magnitude() > Self::infinity()
    }

    fn is_finite(self) -> bool {
        self.magnitude() < Self::infinity()
    }

    fn one() -> Self {
        let exponent = 1 - Self::FORMAT.least_exponent;
        Self::from_bits((exponent as u16) << (Self::FORMAT.precision - 1))
    }

    fn magnitude(self) -> u16 {
        self.bits() & !SIGN
    }

    /// The bits of infinity, without a sign.
    fn infinity() -> u16 {
        (!0 << (Self::FORMAT.precision - 1)) & !SIGN
    }
}

/// f16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Half(pub(crate) u16);

/// bf16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Brain(pub(crate) u16);

macro_rules! narrow {
    ($t:ident, $format:expr) => {
        impl Narrow for $t {
            const FORMAT: Format = $format;

            #[inline(always)]
            fn from_bits(bits: u16) -> Self {
                Self(bits)
            }

            #[inline(always)]
            fn bits(self) -> u16 {
                self.0
            }
        }

        impl Value for $t {
            #[inline(always)]
            fn from_slot(slot: u64) -> Self {
                Self(slot as u16)
            }

            #[inline(always)]
            fn to_slot(self) -> u64 {
                self.0.into()
            }
        }
    };
}

narrow!(Half, HALF);
narrow!(Brain, BRAIN);

fn unpack<T: Narrow>(a: T) -> Number {
    T::FORMAT.unpack(a.bits().into())
}

/// With flushing, a tiny result becomes zero, even if rounding would make it the smallest normal number.
fn pack<T: Narrow>(number: Number, mode: Mode) -> T {
    let rounded = T::FORMAT.round(number, Rounding::Nearest) as u16;
    match mode.flushes() && T::FORMAT.is_tiny(number, Rounding::Nearest) {
        true => T::from_bits(rounded & SIGN),
        false => T::from_bits(rounded),
    }
}

/// A subnormal becomes the zero of its sign.
fn flush<T: Narrow>(a: T) -> T {
    match a.magnitude() < 1 << (T::FORMAT.precision - 1) {
        true => T::from_bits(a.bits() & SIGN),
        false => a,
    }
}

fn operand<T: Narrow>(a: T, mode: Mode) -> T {
    if mode.flushes() { flush(a) } else { a }
}

/// Applies the mode's flushing and saturation to a value. A NaN becomes +0 with saturation, and otherwise the canonical NaN.
pub(crate) fn clean_narrow<T: Narrow>(a: T, mode: Mode) -> T {
    let a = operand(a, mode);
    if mode.saturates() {
        return match a.is_nan() || a.bits() & SIGN != 0 {
            true => T::from_bits(0),
            false => T::from_bits(a.bits().min(T::one().bits())),
        };
    }
    if a.is_nan() { T::nan() } else { a }
}

/// `.relu`: negative values and -0 become +0; a NaN becomes the canonical NaN.
pub(crate) fn rectify<T: Narrow>(a: T) -> T {
    match (a.is_nan(), a.bits() & SIGN != 0) {
        (true, _) => T::nan(),
        (false, true) => T::from_bits(0),
        (false, false) => a,
    }
}

/// The result if an operand is not finite. `value` is the result as f32: an infinity or a NaN.
fn special<T: Narrow>(value: f32) -> T {
    T::round(value.into(), Rounding::Nearest)
}

pub(crate) fn add_narrow<T: Narrow>(a: T, b: T, mode: Mode) -> T {
    let (a, b) = (operand(a, mode), operand(b, mode));
    clean_narrow(
        match a.is_finite() && b.is_finite() {
            true => pack(soft::add(unpack(a), unpack(b), Rounding::Nearest), mode),
            false => special(a.single() + b.single()),
        },
        mode,
    )
}

pub(crate) fn sub_narrow<T: Narrow>(a: T, b: T, mode: Mode) -> T {
    add_narrow(a, T::from_bits(b.bits() ^ SIGN), mode)
}

pub(crate) fn mul_narrow<T: Narrow>(a: T, b: T, mode: Mode) -> T {
    let (a, b) = (operand(a, mode), operand(b, mode));
    clean_narrow(
        match a.is_finite() && b.is_finite() {
            true => pack(soft::multiply(unpack(a), unpack(b)), mode),
            false => special(a.single() * b.single()),
        },
        mode,
    )
}

pub(crate) fn fma_narrow<T: Narrow>(a: T, b: T, c: T, mode: Mode) -> T {
    let (a, b, c) = (operand(a, mode), operand(b, mode), operand(c, mode));
    clean_narrow(
        match a.is_finite() && b.is_finite() && c.is_finite() {
            true => {
                let product = soft::multiply(unpack(a), unpack(b));
                pack(soft::add(product, unpack(c), Rounding::Nearest), mode)
            }
            false => {
                special(f64::from(a.single()).mul_add(b.single().into(), c.single().into()) as f32)
            }
        },
        mode,
    )
}

/// `neg`: a NaN gives the canonical NaN.
pub(crate) fn neg_narrow<T: Narrow>(a: T, mode: Mode) -> T {
    clean_narrow(T::from_bits(a.bits() ^ SIGN), mode)
}

/// `abs`: a NaN gives the canonical NaN.
pub(crate) fn abs_narrow<T: Narrow>(a: T, mode: Mode) -> T {
    clean_narrow(T::from_bits(a.magnitude()), mode)
}

/// Flags that select a variant of `min` or `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extreme(pub(crate) u8);

impl Extreme {
    pub(crate) const GREATEST: u8 = 1;
    /// If an operand is NaN, the result is NaN.
    pub(crate) const NAN_WINS: u8 = 2;
    /// The magnitudes are compared, and the result gets the product of the operands' signs.
    pub(crate) const XOR_SIGN: u8 = 4;

    const fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }
}

/// `min` and `max`. −0 counts as less than +0.
pub(crate) fn extreme_narrow<T: Narrow>(a: T, b: T, form: Extreme, mode: Mode) -> T {
    let (a, b) = (operand(a, mode), operand(b, mode));
    let sign = (a.bits() ^ b.bits()) & SIGN;
    let (a, b) = match form.has(Extreme::XOR_SIGN) {
        true => (T::from_bits(a.magnitude()), T::from_bits(b.magnitude())),
        false => (a, b),
    };
    let chosen = match (a.is_nan(), b.is_nan()) {
        (true, true) => return T::nan(),
        (true, false) | (false, true) if form.has(Extreme::NAN_WINS) => return T::nan(),
        (true, false) => b,
        (false, true) => a,
        (false, false) => match (order(a) < order(b)) == form.has(Extreme::GREATEST) {
            true => b,
            false => a,
        },
    };
    match form.has(Extreme::XOR_SIGN) {
        true => T::from_bits(chosen.bits() | sign),
        false => chosen,
    }
}

/// Maps floats to integers with the same order. −0 is below +0.
fn order<T: Narrow>(a: T) -> i32 {
    let magnitude = i32::from(a.magnitude());
    if a.bits() & SIGN != 0 {
        -magnitude - 1
    } else {
        magnitude
    }
}

/// Applies a function that the hardware approximates.
pub(crate) fn approximate_narrow<T: Narrow>(a: T, mode: Mode, f: impl Fn(f64) -> f64) -> T {
    let a = operand(a, mode);
    clean_narrow(T::round(f(a.single().into()), Rounding::Nearest), mode)
}

/// The operand as comparisons read it, flushed if the mode says so.
pub(crate) fn compared_narrow<T: Narrow, const M: u8>(a: T) -> f32 {
    operand(a, Mode(M)).single()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Mode = Mode(0);

    /// Edge cases, and every 173rd float, with both signs.
    fn some<T: Narrow>() -> Vec<T> {
        let edges = [0, 1, 2, 0x3ff, 0x400, 0x7f, 0x80, 0x81];
        let top = [T::infinity() - 1, T::infinity(), T::infinity() + 1, NAN];
        let spread = (0..0x8000).step_by(173);
        let all = edges.into_iter().chain(top).chain(spread);
        all.flat_map(|bits| [T::from_bits(bits), T::from_bits(bits | SIGN)])
            .collect()
    }

    /// Rounds an exact f64 to f16 without `soft`, by adding and subtracting a power of two.
    fn half_of(value: f64) -> u16 {
        if value.is_nan() {
            return NAN;
        }
        let sign = u16::from(value.is_sign_negative()) << 15;
        let x = value.abs();
        if x >= 65520.0 {
            return sign | 0x7c00;
        }
        let exponent = ((x.to_bits() >> 52) as i32 - 1023).max(-14);
        // Adding `shift` moves the last place of f16 to the last place of f64.
        let shift = 2_f64.powi(exponent - 10 + 52);
        let rounded = x + shift - shift;
        let units = (rounded / 2_f64.powi(exponent - 10)) as u16;
        sign | ((((exponent + 14) as u16) << 10) + units)
    }

    #[test]
    fn halves_agree_with_doubles_rounded_once() {
        for a in some::<Half>() {
            for b in some::<Half>() {
                let (x, y) = (f64::from(a.single()), f64::from(b.single()));
                // Sums and products of two halves are exact in f64.
                assert_eq!(add_narrow(a, b, PLAIN).0, half_of(x + y), "{a:?} + {b:?}");
                assert_eq!(sub_narrow(a, b, PLAIN).0, half_of(x - y), "{a:?} - {b:?}");
                assert_eq!(mul_narrow(a, b, PLAIN).0, half_of(x * y), "{a:?} * {b:?}");
            }
        }
    }

    #[test]
    fn every_half_combined_with_a_few_halves() {
        for bits in 0..=u16::MAX {
            let a = Half(bits);
            let x = f64::from(a.single());
            for b in [0x3c00, 0xbc01, 0x0001, 0x7bff, 0x4248] {
                let y = f64::from(Half(b).single());
                assert_eq!(add_narrow(a, Half(b), PLAIN).0, half_of(x + y));
                assert_eq!(mul_narrow(a, Half(b), PLAIN).0, half_of(x * y));
            }
            assert_eq!(abs_narrow(a, PLAIN).0, half_of(x.abs()));
            assert_eq!(neg_narrow(a, PLAIN).0, half_of(-x));
            let held = if x > 0.0 { x.min(1.0) } else { 0.0 };
            let saturated = clean_narrow(a, Mode(Mode::SATURATE));
            assert_eq!(saturated.0, half_of(held));
            let rectified = if x > 0.0 || x.is_nan() { x } else { 0.0 };
            assert_eq!(rectify(a).0, half_of(rectified));
        }
    }

    #[test]
    fn fused_multiply_add_rounds_once() {
        for a in some::<Half>().into_iter().step_by(5) {
            for b in some::<Half>().into_iter().step_by(7) {
                for c in some::<Half>().into_iter().step_by(11) {
                    let (x, y) = (f64::from(a.single()), f64::from(b.single()));
                    let z = f64::from(c.single());
                    let (product, sum) = (x * y, x * y + z);
                    // Tests the NaN results, and the cases in which f64 is exact: the rounding error of the sum is zero.
                    let error = (product - (sum - z)) + (z - (sum - (sum - z)));
                    if error == 0.0 || sum.is_nan() {
                        assert_eq!(
                            fma_narrow(a, b, c, PLAIN).0,
                            half_of(sum),
                            "{a:?} {b:?} {c:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn bfloat16_agrees_with_singles_rounded_twice() {
        // f32 has 24 significant bits, and bf16 has 8. As 24 is at least 2 · 8 + 2, rounding to f32 and then to bf16 gives the same as
        // rounding to bf16 at once, except for subnormals of f32.
        let twice = |x: f32| to_half(x.into(), BRAIN, Rounding::Nearest);
        for a in some::<Brain>() {
            for b in some::<Brain>() {
                let (x, y) = (a.single(), b.single());
                assert_eq!(add_narrow(a, b, PLAIN).0, twice(x + y), "{a:?} + {b:?}");
                let product = x * y;
                if product == 0.0 && x != 0.0 && y != 0.0 || product.is_subnormal() {
                    continue;
                }
                assert_eq!(mul_narrow(a, b, PLAIN).0, twice(product), "{a:?} * {b:?}");
            }
        }
    }

    #[test]
    fn minimum_and_maximum() {
        const MIN: Extreme = Extreme(0);
        const MAX: Extreme = Extreme(Extreme::GREATEST);
        for a in some::<Half>() {
            for b in some::<Half>() {
                let (x, y) = (a.single(), b.single());
                let least = extreme_narrow(a, b, MIN, PLAIN);
                let greatest = extreme_narrow(a, b, MAX, PLAIN);
                let with_nan = extreme_narrow(a, b, Extreme(MAX.0 | Extreme::NAN_WINS), PLAIN);
                if x.is_nan() || y.is_nan() {
                    assert!(with_nan.is_nan());
                    let number = if x.is_nan() { b } else { a };
                    let expected = if number.is_nan() { Half(NAN) } else { number };
                    assert_eq!([least, greatest], [expected; 2]);
                    continue;
                }
                assert_eq!(least.single(), x.min(y));
                assert_eq!(greatest.single(), x.max(y));
                assert_eq!(with_nan, greatest);
                let crossed = extreme_narrow(a, b, Extreme(MAX.0 | Extreme::XOR_SIGN), PLAIN);
                assert_eq!(crossed.single().abs(), x.abs().max(y.abs()));
                let negative = x.is_sign_negative() != y.is_sign_negative();
                assert_eq!(crossed.single().is_sign_negative(), negative);
            }
        }
        let zeros = [Half(0), Half(SIGN)];
        assert_eq!(extreme_narrow(zeros[0], zeros[1], MIN, PLAIN), zeros[1]);
        assert_eq!(extreme_narrow(zeros[1], zeros[0], MAX, PLAIN), zeros[0]);
    }

    #[test]
    fn flushing_detects_tininess_at_full_precision() {
        // `x` is an exact product. Adding and subtracting a power of two rounds `x` to the precision of f16.
        let tiny = |x: f64| {
            let exponent = (x.abs().to_bits() >> 52) as i32 - 1023;
            let shift = 2_f64.powi(exponent - 10 + 52);
            x.abs() + shift - shift < 2_f64.powi(-14)
        };
        let flushed = Mode(Mode::FLUSH);
        for a in some::<Half>().into_iter().map(flush) {
            for b in some::<Half>().into_iter().map(flush) {
                let product = f64::from(a.single()) * f64::from(b.single());
                let expected = match product != 0.0 && tiny(product) {
                    true => half_of(0_f64.copysign(product)),
                    false => half_of(product),
                };
                assert_eq!(mul_narrow(a, b, flushed).0, expected, "{a:?} * {b:?}");
            }
        }
    }

    #[test]
    fn flushing() {
        const FLUSH: u8 = Mode::FLUSH;
        assert_eq!(
            add_narrow(Half(0x83ff), Half(0x8000), Mode(FLUSH)),
            Half(0x8000)
        );
        assert_eq!(mul_narrow(Half(0x0400), Half(0x3800), Mode(FLUSH)), Half(0));
        let below_one = Half(0x3bff);
        assert_eq!(mul_narrow(Half(0x8400), below_one, PLAIN), Half(0x8400));
        assert_eq!(
            mul_narrow(Half(0x8400), below_one, Mode(FLUSH)),
            Half(0x8000)
        );
        assert_eq!(compared_narrow::<_, FLUSH>(Half(1)), 0.0);
        assert_eq!(compared_narrow::<_, 0>(Half(1)), 2_f32.powi(-24));
    }
}
