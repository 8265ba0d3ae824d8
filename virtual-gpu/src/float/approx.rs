//! The functions that the hardware approximates, computed in double precision and rounded.
//!
//! The results are more accurate than the hardware's, and not bit for bit the same. Subnormal
//! operands and results are not flushed unless the instruction says `.ftz`.

use super::single::{canonical, flush};

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

/// `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` keep the upper half of the result only.
pub(crate) fn upper_half(a: f64) -> f64 {
    f64::from_bits(a.to_bits() & 0xffff_ffff_0000_0000)
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
}
