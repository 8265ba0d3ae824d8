//! The functions that the hardware approximates, computed in double precision and rounded.
//!
//! The results are more accurate than the hardware's, and not bit for bit the same. Subnormal
//! operands and results are not flushed unless the instruction says `.ftz`.

use super::double::{div_double, sqrt_double};
use super::mode::Rounding;
use super::single::{canonical, flush};

const SIGN: u64 = 1 << 63;
const UPPER_HALF: u64 = 0xffff_ffff_0000_0000;

fn narrow(x: f64) -> f32 {
    canonical(x as f32)
}

/// Applies a function on f64 to an f32.
pub(crate) fn approximate(a: f32, f: impl Fn(f64) -> f64) -> f32 {
    narrow(f(a.into()))
}

/// Like [`approximate`], but flushes subnormal operands and results.
pub(crate) fn approximate_flushed(a: f32, f: impl Fn(f64) -> f64) -> f32 {
    flush(narrow(f(flush(a).into())))
}

/// `rcp.approx`.
pub(crate) fn reciprocal(a: f64) -> f64 {
    1.0 / a
}

/// `rsqrt.approx`.
pub(crate) fn reciprocal_root(a: f64) -> f64 {
    1.0 / a.sqrt()
}

/// Applies the function of `rcp.approx.ftz.f64` or `rsqrt.approx.ftz.f64`. These instructions read only the upper half of the operand, and
/// the lower half of the result is zero. Subnormal operands and results are flushed. All NaN results have the same bits.
pub(crate) fn approximate_upper_half(a: f64, f: impl Fn(f64) -> f64) -> f64 {
    let kept = |x: f64| match x.is_subnormal() {
        true => 0_f64.copysign(x),
        false => f64::from_bits(x.to_bits() & UPPER_HALF),
    };
    let result = f(kept(a));
    match result.is_nan() {
        true => f64::from_bits(UPPER_HALF & !SIGN),
        false => kept(result),
    }
}

/// `rsqrt.approx.f64`. The lower half of the result is computed too, not set to zero.
pub(crate) fn reciprocal_root_double(a: f64) -> f64 {
    const NEAREST: u8 = Rounding::Nearest as u8;
    div_double::<NEAREST>(1.0, sqrt_double::<NEAREST>(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        assert_eq!(approximate(0.0, reciprocal), f32::INFINITY);
        assert_eq!(approximate(4.0, reciprocal_root), 0.5);
        assert_eq!(approximate(-1.0, f64::sqrt).to_bits(), 0x7fff_ffff);
        assert_eq!(
            approximate_flushed(f32::from_bits(1), reciprocal),
            f32::INFINITY
        );
    }

    #[test]
    fn special_values_of_upper_halves() {
        const INFINITE: u64 = 0x7ff0_0000_0000_0000;
        const NAN: u64 = 0x7fff_ffff_0000_0000;
        let subnormal = 1_u64 << 51;
        for (a, of_reciprocal, of_root) in [
            (SIGN | INFINITE, SIGN, NAN),
            (SIGN | subnormal, SIGN | INFINITE, SIGN | INFINITE),
            (SIGN, SIGN | INFINITE, SIGN | INFINITE),
            (0, INFINITE, INFINITE),
            (subnormal, INFINITE, INFINITE),
            (INFINITE, 0, 0),
            // This operand is a NaN only because of its lower half, which is not read. So it counts as infinity.
            (INFINITE | 1, 0, 0),
            (SIGN | u64::MAX, NAN, NAN),
        ] {
            let seen = [reciprocal, reciprocal_root]
                .map(|f| approximate_upper_half(f64::from_bits(a), f).to_bits());
            assert_eq!(seen, [of_reciprocal, of_root], "{a:#x}");
        }
        // The reciprocals of these two numbers are subnormal, so they are flushed.
        let flushed = [f64::MAX, f64::MIN].map(|a| approximate_upper_half(a, reciprocal).to_bits());
        assert_eq!(flushed, [0, SIGN]);
        let third = approximate_upper_half(3.0, reciprocal);
        assert_eq!(third.to_bits(), 0x3fd5_5555_0000_0000);
    }
}
