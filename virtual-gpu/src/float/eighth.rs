//! Floats of 8 bits: e4m3, which has no infinity, and e5m2. Instructions convert them, but do not compute with them.

use super::narrow::{Half, Narrow};

/// A float format of 8 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eighth {
    E4M3,
    E5M2,
}

const NAN: u8 = 0x7f;

impl Eighth {
    fn fraction_bits(self) -> i32 {
        match self {
            Eighth::E4M3 => 3,
            Eighth::E5M2 => 2,
        }
    }

    fn least_exponent(self) -> i32 {
        match self {
            Eighth::E4M3 => -6,
            Eighth::E5M2 => -14,
        }
    }

    /// The largest number, as bits.
    fn greatest(self) -> u8 {
        match self {
            Eighth::E4M3 => 0x7e,
            Eighth::E5M2 => 0x7b,
        }
    }

    /// The value of a float of 8 bits. Every such value is also an f16.
    pub(crate) fn decode(self, bits: u8) -> Half {
        let sign = u16::from(bits & 0x80) << 8;
        let rest = u16::from(bits & 0x7f);
        match self {
            Eighth::E5M2 => {
                let half = Half(sign | rest << 8);
                if half.is_nan() { Half::nan() } else { half }
            }
            Eighth::E4M3 if rest == 0x7f => Half::nan(),
            Eighth::E4M3 if rest < 8 => {
                let value = f64::from(rest) * 2_f64.powi(-9);
                Half(sign | Half::round(value, super::Rounding::Nearest).0)
            }
            Eighth::E4M3 => Half(sign | ((rest << 7) + ((15 - 7) << 10))),
        }
    }

    /// The nearest float of 8 bits, ties to even. A value out of range becomes the largest number, with the value's sign.
    pub(crate) fn encode(self, value: f64) -> u8 {
        if value.is_nan() {
            return NAN;
        }
        let sign = u8::from(value.is_sign_negative()) << 7;
        let magnitude = value.abs();
        let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
        let exponent = exponent.max(self.least_exponent());
        let unit = 2_f64.powi(exponent.min(64) - self.fraction_bits());
        let units = (magnitude / unit).round_ties_even();
        let steps = (exponent - self.least_exponent()) << self.fraction_bits();
        let bits = f64::from(steps) + units;
        sign | bits.min(self.greatest().into()) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_round_trips() {
        for format in [Eighth::E4M3, Eighth::E5M2] {
            for bits in 0..=u8::MAX {
                let value = format.decode(bits).single();
                let expected = match () {
                    () if value.is_nan() => NAN,
                    () if value.is_infinite() => bits & 0x80 | format.greatest(),
                    () => bits,
                };
                assert_eq!(
                    format.encode(value.into()),
                    expected,
                    "{format:?} {bits:#x}"
                );
            }
        }
    }

    #[test]
    fn values_of_the_formats() {
        let values = [0x7e, 0x08, 0x01, 0x38].map(|b| Eighth::E4M3.decode(b).single());
        assert_eq!(values, [448.0, 2_f32.powi(-6), 2_f32.powi(-9), 1.0]);
        let values = [0x7b, 0x04, 0x01, 0x3c].map(|b| Eighth::E5M2.decode(b).single());
        assert_eq!(values, [57344.0, 2_f32.powi(-14), 2_f32.powi(-16), 1.0]);
    }

    #[test]
    fn ties_round_to_even() {
        let near = |x: f64| Eighth::E4M3.encode(x);
        assert_eq!([near(17.0), near(19.0), near(17.01)], [0x58, 0x5a, 0x59]);
        assert_eq!([near(2_f64.powi(-10)), near(-1e9)], [0, 0xfe]);
    }
}
