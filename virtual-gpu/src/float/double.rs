//! f64: add, subtract, multiply, fused multiply-add, divide, square root, minimum, maximum, absolute value, negation.
//!
//! If several operands are NaN, the result is the NaN that the hardware prefers:
//!
//! * for a sum, a difference, a product, a minimum or a maximum, the second operand;
//! * for a fused multiply-add, the second operand, then the third, then the first;
//! * for a quotient, which `ptxas` compiles to several instructions, the first operand.

use super::mode::{Mode, Rounding};
use super::soft::{self, DOUBLE, Number};

/// The NaN that results from operands that are not NaN.
const ARISEN: u64 = 0xfff8_0000_0000_0000;
const QUIET: u64 = 1 << 51;

/// Returns the first NaN among the operands, quieted, or the default NaN if no operand is NaN. The
/// operands are in order of preference.
fn nan_of(operands: &[f64]) -> f64 {
    let found = operands.iter().find(|x| x.is_nan());
    f64::from_bits(found.map_or(ARISEN, |x| x.to_bits() | QUIET))
}

fn unpack(x: f64) -> Number {
    DOUBLE.unpack(x.to_bits())
}

fn pack(number: Number, rounding: Rounding) -> f64 {
    f64::from_bits(DOUBLE.round(number, rounding))
}

#[inline(always)]
fn host_suffices<const M: u8>(finite: bool) -> bool {
    matches!(Mode(M).rounding(), Rounding::Nearest) || !finite
}

#[inline(always)]
fn result(x: f64, operands: &[f64]) -> f64 {
    // The operands decide the bits of a NaN, because Rust leaves the payload of a NaN from arithmetic unspecified.
    if x.to_bits() << 1 > 0x7ff << 53 {
        return nan_of(operands);
    }
    x
}

#[inline(always)]
pub(crate) fn add_double<const M: u8>(a: f64, b: f64) -> f64 {
    if host_suffices::<M>(a.is_finite() && b.is_finite()) {
        return result(a + b, &[b, a]);
    }
    let r = Mode(M).rounding();
    pack(soft::add(unpack(a), unpack(b), r), r)
}

#[inline(always)]
pub(crate) fn sub_double<const M: u8>(a: f64, b: f64) -> f64 {
    let b = if b.is_nan() { b } else { -b };
    add_double::<M>(a, b)
}

#[inline(always)]
pub(crate) fn mul_double<const M: u8>(a: f64, b: f64) -> f64 {
    if host_suffices::<M>(a.is_finite() && b.is_finite()) {
        return result(a * b, &[b, a]);
    }
    pack(soft::multiply(unpack(a), unpack(b)), Mode(M).rounding())
}

#[inline(always)]
pub(crate) fn fma_double<const M: u8>(a: f64, b: f64, c: f64) -> f64 {
    if host_suffices::<M>(a.is_finite() && b.is_finite() && c.is_finite()) {
        return result(a.mul_add(b, c), &[b, c, a]);
    }
    let r = Mode(M).rounding();
    pack(
        soft::add(soft::multiply(unpack(a), unpack(b)), unpack(c), r),
        r,
    )
}

#[inline(always)]
pub(crate) fn div_double<const M: u8>(a: f64, b: f64) -> f64 {
    if host_suffices::<M>(a.is_finite() && b.is_finite() && b != 0.0) {
        return result(a / b, &[a, b]);
    }
    pack(soft::divide(unpack(a), unpack(b)), Mode(M).rounding())
}

#[inline(always)]
pub(crate) fn sqrt_double<const M: u8>(a: f64) -> f64 {
    if host_suffices::<M>(a.is_finite() && a > 0.0) {
        return result(a.sqrt(), &[a]);
    }
    pack(soft::square_root(unpack(a)), Mode(M).rounding())
}

/// `min`: a number and a NaN give the number; −0 is less than +0.
#[inline(always)]
pub(crate) fn min_double(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return either_number(a, b);
    }
    if a < b || a == b && a.is_sign_negative() {
        a
    } else {
        b
    }
}

/// `max`: a number and a NaN give the number; +0 is more than −0.
#[inline(always)]
pub(crate) fn max_double(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return either_number(a, b);
    }
    if a > b || a == b && a.is_sign_positive() {
        a
    } else {
        b
    }
}

/// `abs`: a NaN is quieted and keeps its sign.
#[inline(always)]
pub(crate) fn abs_double(a: f64) -> f64 {
    result(a.abs(), &[a])
}

/// `neg`: a NaN is quieted and keeps its sign.
#[inline(always)]
pub(crate) fn neg_double(a: f64) -> f64 {
    result(-a, &[a])
}

/// `atom.add` on global memory. If the operand `b` is a NaN, the result is `b`, unchanged. If `b` is a number and memory holds a NaN, this
/// NaN stays there, unchanged.
pub(crate) fn add_double_global(old: f64, b: f64) -> f64 {
    match (old.is_nan(), b.is_nan()) {
        (_, true) => b,
        (true, false) => old,
        (false, false) => add_double::<0>(old, b),
    }
}

fn either_number(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => nan_of(&[b]),
        (true, false) => b,
        _ => a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_operands_are_propagated_and_new_nans_are_negative() {
        let odd = f64::from_bits(0x7ff0_0000_0000_1234);
        let quiet = odd.to_bits() | QUIET;
        assert_eq!(add_double::<0>(odd, 1.0).to_bits(), quiet);
        assert_eq!(mul_double::<3>(1.0, odd).to_bits(), quiet);
        assert_eq!(fma_double::<0>(1.0, 1.0, odd).to_bits(), quiet);
        assert_eq!(sub_double::<0>(1.0, odd).to_bits(), quiet);
        assert_eq!(div_double::<0>(0.0, 0.0).to_bits(), ARISEN);
        assert_eq!(
            add_double::<1>(f64::INFINITY, f64::NEG_INFINITY).to_bits(),
            ARISEN
        );
        assert_eq!(sqrt_double::<0>(-1.0).to_bits(), ARISEN);
    }

    #[test]
    fn one_of_several_nan_operands_takes_precedence() {
        let nan = |payload: u64| f64::from_bits(0x7ff8 << 48 | payload);
        let (a, b, c) = (nan(1), nan(2), nan(3));
        let payload = |x: f64| x.to_bits() & 0xff;
        assert_eq!(payload(add_double::<0>(a, b)), 2);
        assert_eq!(payload(sub_double::<1>(a, b)), 2);
        assert_eq!(payload(mul_double::<2>(a, b)), 2);
        assert_eq!(payload(div_double::<0>(a, b)), 1);
        assert_eq!(payload(min_double(a, b)), 2);
        assert_eq!(payload(max_double(a, b)), 2);
        assert_eq!(payload(fma_double::<0>(a, b, c)), 2);
        assert_eq!(payload(fma_double::<0>(a, 1.0, c)), 3);
        assert_eq!(payload(fma_double::<3>(a, 1.0, 1.0)), 1);
    }

    #[test]
    fn signs_of_nans_stay() {
        let odd = f64::from_bits(0xfff0_0000_0000_1234);
        let quiet = odd.to_bits() | QUIET;
        assert_eq!(abs_double(odd).to_bits(), quiet);
        assert_eq!(neg_double(odd).to_bits(), quiet);
        assert_eq!(abs_double(-0.0).to_bits(), 0);
        assert_eq!(neg_double(0.0).to_bits(), 1 << 63);
        assert_eq!(add_double_global(odd, 1.0).to_bits(), odd.to_bits());
        assert_eq!(add_double_global(1.0, odd).to_bits(), odd.to_bits());
        assert_eq!(
            add_double_global(odd, f64::NAN).to_bits(),
            f64::NAN.to_bits()
        );
        let arisen = add_double_global(f64::INFINITY, f64::NEG_INFINITY);
        assert_eq!(arisen.to_bits(), ARISEN);
    }

    #[test]
    fn directed_roundings_differ_by_one_ulp() {
        assert_eq!(
            div_double::<2>(1.0, 3.0).next_up(),
            div_double::<3>(1.0, 3.0)
        );
        assert_eq!(add_double::<3>(1.0, 1e-300), 1.0_f64.next_up());
        assert_eq!(add_double::<2>(1.0, -1e-300), 1.0_f64.next_down());
        assert_eq!(fma_double::<1>(f64::MAX, 2.0, 0.0), f64::MAX);
    }

    #[test]
    fn minimum_and_maximum() {
        assert_eq!(min_double(f64::NAN, 2.0), 2.0);
        assert!(min_double(0.0, -0.0).is_sign_negative());
        assert!(max_double(-0.0, 0.0).is_sign_positive());
        assert!(max_double(f64::NAN, f64::NAN).is_nan());
    }
}
