//! Conversions between floats, and between floats and integers.
//!
//! A float outside the range of an integer type becomes the nearest value of the type. If the source is f64 or the result has 64 bits, a
//! NaN becomes the integer in which only the highest bit is set. Otherwise a NaN becomes 0.

use super::mode::{Mode, Rounding};
use super::single;
use super::soft::{DOUBLE, Format, HALF, Number, SINGLE};
use crate::alu::{Integer, saturate};

/// Converts an integer to a float of the format.
pub(crate) fn integer_to_float<T: Integer>(value: T, format: Format, rounding: Rounding) -> u64 {
    let wide = value.widen();
    let number = Number {
        negative: wide < 0,
        significand: wide.unsigned_abs(),
        exponent: 0,
        inexact: false,
    };
    format.round(number, rounding)
}

/// A float as an integer, rounded in the given direction and clamped to the type.
pub(crate) fn float_to_integer<T: Integer>(value: f64, rounding: Rounding, from: Source) -> T {
    if value.is_nan() {
        let marked = from == Source::Double || T::BITS == 64;
        return T::from_wide(if marked { 1 << (T::BITS - 1) } else { 0 });
    }
    // The cast to i128 clamps too, but only values far outside the range of `T`.
    saturate(round_to_whole(value, rounding) as i128)
}

/// The original type of a float that was widened for a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// f64.
    Double,
    /// A float type narrower than f64.
    Narrower,
}

/// `cvt` of f64 to a whole f64, rounded in the given direction. A NaN becomes quiet.
pub(crate) fn double_to_whole(value: f64, rounding: Rounding) -> f64 {
    match value.is_nan() {
        true => f64::from_bits(value.to_bits() | 1 << 51),
        false => round_to_whole(value, rounding),
    }
}

/// Rounds a value to a whole number, in the given direction.
pub(crate) fn round_to_whole(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    }
}

/// f64 to f32. Unless the mode saturates, a NaN keeps its sign and the upper bits of its payload, and becomes quiet.
pub(crate) fn double_to_single<const M: u8>(value: f64) -> f32 {
    if value.is_nan() && !Mode(M).saturates() {
        return f32::from_bits(double_nan(value, SINGLE) as u32);
    }
    let rounding = Mode(M).rounding();
    let rounded = match value.is_finite() && rounding != Rounding::Nearest {
        true => f32::from_bits(SINGLE.round(DOUBLE.unpack(value.to_bits()), rounding) as u32),
        false => value as f32,
    };
    single::rounded::<M>(rounded, || DOUBLE.unpack(value.to_bits()))
}

/// Converts a NaN of f64 to a narrower format. The result is quiet, with the same sign and the upper bits of the payload.
pub(super) fn double_nan(value: f64, format: Format) -> u64 {
    let bits = value.to_bits();
    let payload = (bits & ((1 << 52) - 1)) >> (53 - format.precision);
    let quiet = 1 << (format.precision - 2);
    bits >> 63 << format.sign_shift() | format.infinity() | quiet | payload
}

/// f32 to f64. A NaN keeps its payload and becomes quiet.
pub(crate) fn single_to_double(value: f32) -> f64 {
    match value.is_nan() {
        true => widened_nan(value.to_bits().into(), SINGLE),
        false => value.into(),
    }
}

/// A float of 16 bits to f64. A NaN keeps its payload and becomes quiet.
pub(crate) fn half_to_double(bits: u16, format: Format) -> f64 {
    let value = half_to_single(bits, format);
    match value.is_nan() {
        true => widened_nan(bits.into(), format),
        false => value.into(),
    }
}

/// Converts a NaN of a narrower format to f64. The result is quiet, with the same sign and payload.
fn widened_nan(bits: u64, format: Format) -> f64 {
    let sign = bits >> format.sign_shift() << 63;
    let payload = bits & ((1 << (format.precision - 1)) - 1);
    f64::from_bits(sign | 0x7ff8 << 48 | payload << (53 - format.precision))
}

/// Clamps a value to the range from 0 to 1. A NaN becomes +0.
pub(crate) fn saturate_double(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// Widens a float of 16 bits to f32.
pub(crate) fn half_to_single(bits: u16, format: Format) -> f32 {
    let fraction_bits = format.precision - 1;
    let exponent_mask = (1_u32 << (15 - fraction_bits)) - 1;
    let exponent = u32::from(bits) >> fraction_bits & exponent_mask;
    let fraction = u32::from(bits) & ((1 << fraction_bits) - 1);
    if exponent != exponent_mask {
        let number = format.unpack(bits.into());
        return f32::from_bits(SINGLE.round(number, Rounding::Nearest) as u32);
    }
    match fraction {
        0 if bits >> 15 == 0 => f32::INFINITY,
        0 => f32::NEG_INFINITY,
        _ => single::NAN,
    }
}

/// Rounds a number to a float of 16 bits. A NaN becomes `0x7fff`.
pub(crate) fn to_half(value: f64, format: Format, rounding: Rounding) -> u16 {
    if value.is_nan() {
        return 0x7fff;
    }
    if value.is_infinite() {
        let infinity = if format.precision == HALF.precision {
            0x7c00
        } else {
            0x7f80
        };
        return infinity | u16::from(value < 0.0) << 15;
    }
    format.round(DOUBLE.unpack(value.to_bits()), rounding) as u16
}

#[cfg(test)]
mod tests {
    use super::super::soft::BRAIN;
    use super::*;

    #[test]
    fn integers_become_floats_as_on_the_host() {
        for value in [
            0,
            1,
            -1,
            i64::MAX,
            i64::MIN,
            (1 << 53) + 1,
            -(1 << 24) - 1,
            0x7fff_ffc0,
        ] {
            let double = integer_to_float(value, DOUBLE, Rounding::Nearest);
            assert_eq!(double, (value as f64).to_bits());
            let single = integer_to_float(value, SINGLE, Rounding::Nearest);
            assert_eq!(single as u32, (value as f32).to_bits());
            let unsigned = integer_to_float(value as u64, SINGLE, Rounding::Nearest);
            assert_eq!(unsigned as u32, (value as u64 as f32).to_bits());
        }
        let up = integer_to_float((1_i64 << 24) + 1, SINGLE, Rounding::Up);
        assert_eq!(f32::from_bits(up as u32), 16_777_218.0);
    }

    #[test]
    fn floats_saturate_when_converted_to_integers() {
        let int = |x, r| float_to_integer::<i32>(x, r, Source::Narrower);
        assert_eq!(int(1e20, Rounding::Zero), i32::MAX);
        assert_eq!(int(f64::NEG_INFINITY, Rounding::Zero), i32::MIN);
        assert_eq!(int(2.5, Rounding::Nearest), 2);
        assert_eq!(int(-2.5, Rounding::Down), -3);
        assert_eq!(int(2.1, Rounding::Up), 3);
        assert_eq!(int(f64::NAN, Rounding::Zero), 0);
        assert_eq!(
            float_to_integer::<u8>(-3.0, Rounding::Zero, Source::Narrower),
            0
        );
        assert_eq!(
            float_to_integer::<u64>(1e30, Rounding::Zero, Source::Narrower),
            u64::MAX
        );
        let marked = float_to_integer::<i64>(f64::NAN, Rounding::Zero, Source::Narrower);
        assert_eq!(marked, i64::MIN);
        assert_eq!(
            float_to_integer::<u32>(f64::NAN, Rounding::Zero, Source::Double),
            1 << 31
        );
    }

    #[test]
    fn every_half_round_trips() {
        for format in [HALF, BRAIN] {
            for bits in 0..=u16::MAX {
                let wide = half_to_single(bits, format);
                let back = to_half(wide.into(), format, Rounding::Nearest);
                let expected = if wide.is_nan() { 0x7fff } else { bits };
                assert_eq!(back, expected, "{bits:#x}");
            }
        }
        assert_eq!(half_to_single(0x3c00, HALF), 1.0);
        assert_eq!(to_half(1e9, HALF, Rounding::Nearest), 0x7c00);
    }

    #[test]
    fn narrowing_in_every_direction() {
        let x = 1.0 + 1e-12;
        const UP: u8 = Rounding::Up as u8;
        const DOWN: u8 = Rounding::Down as u8;
        assert_eq!(double_to_single::<UP>(x), 1.0_f32.next_up());
        assert_eq!(double_to_single::<DOWN>(x), 1.0);
        let tiny = f64::from_bits(0x380f_ffff_e000_0000);
        assert_eq!(double_to_single::<UP>(tiny), f32::MIN_POSITIVE);
        assert_eq!(double_to_single::<{ UP | Mode::FLUSH }>(tiny), 0.0);
        assert_eq!(double_to_single::<{ Mode::SATURATE }>(7.0), 1.0);
    }

    #[test]
    fn payloads_of_nans() {
        let payload = f32::from_bits(0x7fff_ffff);
        assert_eq!(single_to_double(payload).to_bits(), 0x7fff_ffff_e000_0000);
        assert_eq!(
            half_to_double(0xfc01, HALF).to_bits(),
            0xfff8_0400_0000_0000
        );
        assert_eq!(
            half_to_double(0x7f81, BRAIN).to_bits(),
            0x7ff8_2000_0000_0000
        );
        let odd = f64::from_bits(0xfff4_0012_3456_789a);
        assert_eq!(double_to_single::<0>(odd).to_bits(), 0xffe0_0091);
        assert_eq!(double_to_single::<{ Mode::SATURATE }>(odd).to_bits(), 0);
        assert_eq!(double_nan(odd, HALF), 0xff00);
        assert_eq!(double_nan(odd, BRAIN), 0xffe0);
        assert_eq!(
            double_to_whole(odd, Rounding::Up).to_bits(),
            0xfffc_0012_3456_789a
        );
    }
}
