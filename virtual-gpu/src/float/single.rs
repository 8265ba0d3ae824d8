//! f32: add, subtract, multiply, fused multiply-add, divide, square root, minimum, maximum, absolute value, negation.

use super::mode::{Mode, Rounding};
use super::soft::{self, Number, SINGLE};

/// The NaN of f32 arithmetic.
pub(crate) const NAN: f32 = f32::from_bits(0x7fff_ffff);

/// A subnormal becomes the zero of its sign.
#[inline(always)]
pub(crate) fn flush(x: f32) -> f32 {
    if x.is_subnormal() {
        0_f32.copysign(x)
    } else {
        x
    }
}

#[inline(always)]
fn operand<const M: u8>(x: f32) -> f32 {
    if Mode(M).flushes() { flush(x) } else { x }
}

#[inline(always)]
fn result<const M: u8>(x: f32) -> f32 {
    let x = if Mode(M).flushes() { flush(x) } else { x };
    if Mode(M).saturates() {
        return if x > 0.0 { x.min(1.0) } else { 0.0 };
    }
    canonical(x)
}

/// Replaces a NaN by the canonical NaN, because Rust leaves the payload of a NaN from arithmetic unspecified.
#[inline(always)]
pub(super) fn canonical(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits << 1 > 0xff00_0000 {
        0x7fff_ffff
    } else {
        bits
    })
}

/// Flushes and saturates the rounded result `x`, if the mode says so. Flushing also makes `x` zero in this case: its magnitude is the
/// smallest normal number, but `exact`, rounded with unlimited exponents, has a smaller magnitude.
#[inline(always)]
pub(super) fn rounded<const M: u8>(x: f32, exact: impl FnOnce() -> Number) -> f32 {
    let at_the_edge = Mode(M).flushes() && x.abs() == f32::MIN_POSITIVE;
    if at_the_edge && SINGLE.is_tiny(exact(), Mode(M).rounding()) {
        return result::<M>(0_f32.copysign(x));
    }
    result::<M>(x)
}

fn unpack(x: f32) -> Number {
    SINGLE.unpack(x.to_bits().into())
}

fn pack(number: Number, rounding: Rounding) -> f32 {
    f32::from_bits(SINGLE.round(number, rounding) as u32)
}

/// Whether the host's arithmetic gives the right result: if rounding is to nearest, or if the result needs no rounding (a zero, an infinity
/// or a NaN).
#[inline(always)]
fn host_suffices<const M: u8>(finite: bool) -> bool {
    matches!(Mode(M).rounding(), Rounding::Nearest) || !finite
}

#[inline(always)]
pub(crate) fn add_single<const M: u8>(a: f32, b: f32) -> f32 {
    let (a, b) = (operand::<M>(a), operand::<M>(b));
    if host_suffices::<M>(a.is_finite() && b.is_finite()) {
        return result::<M>(a + b);
    }
    let r = Mode(M).rounding();
    result::<M>(pack(soft::add(unpack(a), unpack(b), r), r))
}

#[inline(always)]
pub(crate) fn sub_single<const M: u8>(a: f32, b: f32) -> f32 {
    add_single::<M>(a, -b)
}

#[inline(always)]
pub(crate) fn mul_single<const M: u8>(a: f32, b: f32) -> f32 {
    let (a, b) = (operand::<M>(a), operand::<M>(b));
    if host_suffices::<M>(a.is_finite() && b.is_finite()) {
        return rounded::<M>(a * b, || soft::multiply(unpack(a), unpack(b)));
    }
    let product = soft::multiply(unpack(a), unpack(b));
    rounded::<M>(pack(product, Mode(M).rounding()), || product)
}

#[inline(always)]
pub(crate) fn fma_single<const M: u8>(a: f32, b: f32, c: f32) -> f32 {
    let (a, b, c) = (operand::<M>(a), operand::<M>(b), operand::<M>(c));
    if host_suffices::<M>(a.is_finite() && b.is_finite() && c.is_finite()) {
        return rounded::<M>(a.mul_add(b, c), || exact_fma(a, b, c, Rounding::Nearest));
    }
    let r = Mode(M).rounding();
    let sum = exact_fma(a, b, c, r);
    rounded::<M>(pack(sum, r), || sum)
}

fn exact_fma(a: f32, b: f32, c: f32, r: Rounding) -> Number {
    soft::add(soft::multiply(unpack(a), unpack(b)), unpack(c), r)
}

#[inline(always)]
pub(crate) fn div_single<const M: u8>(a: f32, b: f32) -> f32 {
    let (a, b) = (operand::<M>(a), operand::<M>(b));
    if host_suffices::<M>(a.is_finite() && b.is_finite() && b != 0.0) {
        return rounded::<M>(a / b, || soft::divide(unpack(a), unpack(b)));
    }
    let quotient = soft::divide(unpack(a), unpack(b));
    rounded::<M>(pack(quotient, Mode(M).rounding()), || quotient)
}

#[inline(always)]
pub(crate) fn sqrt_single<const M: u8>(a: f32) -> f32 {
    let a = operand::<M>(a);
    if host_suffices::<M>(a.is_finite() && a > 0.0) {
        return result::<M>(a.sqrt());
    }
    result::<M>(pack(soft::square_root(unpack(a)), Mode(M).rounding()))
}

/// `min`: a number and a NaN give the number; −0 is less than +0.
#[inline(always)]
pub(crate) fn min_single<const M: u8>(a: f32, b: f32) -> f32 {
    let (a, b) = (operand::<M>(a), operand::<M>(b));
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
pub(crate) fn max_single<const M: u8>(a: f32, b: f32) -> f32 {
    let (a, b) = (operand::<M>(a), operand::<M>(b));
    if a.is_nan() || b.is_nan() {
        return either_number(a, b);
    }
    if a > b || a == b && a.is_sign_positive() {
        a
    } else {
        b
    }
}

fn either_number(a: f32, b: f32) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => NAN,
        (true, false) => b,
        _ => a,
    }
}

/// `min.NaN`: if an operand is NaN, the result is NaN.
#[inline(always)]
pub(crate) fn min_nan_single<const M: u8>(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        NAN
    } else {
        min_single::<M>(a, b)
    }
}

/// `max.NaN`: if an operand is NaN, the result is NaN.
#[inline(always)]
pub(crate) fn max_nan_single<const M: u8>(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        NAN
    } else {
        max_single::<M>(a, b)
    }
}

/// `min.xorsign.abs` and `max.xorsign.abs`: the result has the given magnitude, and its sign is the product of the signs of `a` and `b`. A
/// NaN gets no sign.
pub(crate) fn xor_sign_single(magnitude: f32, a: f32, b: f32) -> f32 {
    if magnitude.is_nan() {
        return NAN;
    }
    let sign = (a.to_bits() ^ b.to_bits()) & 1 << 31;
    f32::from_bits(magnitude.to_bits() & !(1 << 31) | sign)
}

/// The operand as comparisons read it, flushed if the mode says so.
#[inline(always)]
pub(crate) fn compared_single<const M: u8>(a: f32) -> f32 {
    operand::<M>(a)
}

/// The value as a result in this mode: flushed and saturated if the mode says so. A NaN becomes +0 with saturation, and otherwise the
/// canonical NaN.
#[inline(always)]
pub(crate) fn clean_single<const M: u8>(a: f32) -> f32 {
    result::<M>(operand::<M>(a))
}

/// `abs`: a NaN gives the canonical NaN.
#[inline(always)]
pub(crate) fn abs_single<const M: u8>(a: f32) -> f32 {
    if a.is_nan() {
        NAN
    } else {
        operand::<M>(a).abs()
    }
}

/// `neg`: a NaN gives the canonical NaN.
#[inline(always)]
pub(crate) fn neg_single<const M: u8>(a: f32) -> f32 {
    if a.is_nan() { NAN } else { -operand::<M>(a) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEAREST: u8 = 0;
    const ZERO: u8 = 1;
    const DOWN: u8 = 2;
    const UP: u8 = 3;
    const FLUSH: u8 = Mode::FLUSH;
    const SATURATE: u8 = Mode::SATURATE;

    #[test]
    fn nan_is_canonical() {
        let odd = f32::from_bits(0xffc1_2345);
        for bits in [
            add_single::<NEAREST>(odd, 1.0),
            add_single::<UP>(f32::INFINITY, f32::NEG_INFINITY),
            mul_single::<ZERO>(0.0, f32::INFINITY),
            div_single::<NEAREST>(0.0, 0.0),
            sqrt_single::<DOWN>(-1.0),
            fma_single::<NEAREST>(1.0, 1.0, odd),
            min_single::<NEAREST>(odd, odd),
            max_nan_single::<NEAREST>(1.0, odd),
        ] {
            assert_eq!(bits.to_bits(), 0x7fff_ffff);
        }
    }

    #[test]
    fn minimum_and_maximum() {
        assert_eq!(min_single::<NEAREST>(f32::NAN, 2.0), 2.0);
        assert_eq!(max_single::<NEAREST>(2.0, f32::NAN), 2.0);
        assert!(min_single::<NEAREST>(0.0, -0.0).is_sign_negative());
        assert!(min_single::<NEAREST>(-0.0, 0.0).is_sign_negative());
        assert!(max_single::<NEAREST>(-0.0, 0.0).is_sign_positive());
        assert!(max_nan_single::<NEAREST>(0.0, -0.0).is_sign_positive());
    }

    #[test]
    fn flushing_and_saturation() {
        let tiny = f32::from_bits(5);
        assert_eq!(add_single::<FLUSH>(tiny, 0.0), 0.0);
        assert_eq!(add_single::<NEAREST>(tiny, 0.0), tiny);
        assert!(mul_single::<FLUSH>(-1e-30, 1e-10).is_sign_negative());
        assert_eq!(add_single::<SATURATE>(0.75, 0.75), 1.0);
        assert_eq!(add_single::<SATURATE>(f32::NAN, 0.75).to_bits(), 0);
        assert_eq!(mul_single::<SATURATE>(-1.0, 0.5).to_bits(), 0);
    }

    #[test]
    fn flushing_detects_tininess_at_full_precision() {
        let least = f32::MIN_POSITIVE;
        let below_one = 1.0_f32.next_down();
        assert_eq!(mul_single::<NEAREST>(least, below_one), least);
        assert_eq!(mul_single::<FLUSH>(least, below_one), 0.0);
        assert_eq!(mul_single::<FLUSH>(-least, below_one).to_bits(), 1 << 31);
        assert_eq!(mul_single::<{ UP | FLUSH }>(least, below_one), 0.0);
        assert_eq!(mul_single::<FLUSH>(least, 1.0), least);
        let a_bit_less = [least * 2.0 * below_one.next_down(), 0.5_f32.next_up()];
        assert_eq!(mul_single::<FLUSH>(a_bit_less[0], a_bit_less[1]), least);
        assert_eq!(div_single::<{ UP | FLUSH }>(least, 1.0_f32.next_up()), 0.0);
        assert_eq!(fma_single::<FLUSH>(least, -1e-20, least), least);
        assert_eq!(fma_single::<{ DOWN | FLUSH }>(least, -1e-20, least), 0.0);
        assert_eq!(
            fma_single::<{ UP | FLUSH }>(least, 1e-20, least),
            least.next_up()
        );
    }

    #[test]
    fn directed_roundings_differ_by_one_ulp() {
        let third = div_single::<DOWN>(1.0, 3.0);
        assert_eq!(third.next_up(), div_single::<UP>(1.0, 3.0));
        assert_eq!(div_single::<ZERO>(-1.0, 3.0), -third);
        assert_eq!(fma_single::<UP>(1.0, 1.0, 1e-20), 1.0_f32.next_up());
        assert_eq!(add_single::<ZERO>(f32::MAX, f32::MAX), f32::MAX);
        assert_eq!(add_single::<UP>(f32::MAX, f32::MAX), f32::INFINITY);
        assert_eq!(sqrt_single::<DOWN>(2.0).next_up(), sqrt_single::<UP>(2.0));
    }
}
