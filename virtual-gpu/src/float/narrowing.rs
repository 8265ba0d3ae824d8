//! Conversions to floats of 16 bits, with the modifiers of the instruction, and to tf32.

use super::convert::double_nan;
use super::mode::Mode;
use super::narrow::{Brain, Half, Narrow, clean_narrow, rectify};
use super::single::flush;
use crate::alu::Value;

/// A float that can be widened to f64 without loss.
pub(crate) trait Float: Value {
    fn double(self) -> f64;

    /// The 16-bit NaN for this value. The value must be a NaN.
    fn narrow_nan<T: Narrow>(self) -> T {
        T::nan()
    }

    /// The value as f64. A subnormal of type f32 becomes the zero of its sign.
    fn double_flushed(self) -> f64 {
        self.double()
    }
}

impl Float for f32 {
    fn double(self) -> f64 {
        self.into()
    }

    fn double_flushed(self) -> f64 {
        flush(self).into()
    }
}

impl Float for f64 {
    fn double(self) -> f64 {
        self
    }

    /// The NaN keeps its sign and the upper bits of its payload, and becomes quiet.
    fn narrow_nan<T: Narrow>(self) -> T {
        T::from_bits(double_nan(self, T::FORMAT) as u16)
    }
}

impl Float for Half {
    fn double(self) -> f64 {
        self.single().into()
    }
}

impl Float for Brain {
    fn double(self) -> f64 {
        self.single().into()
    }
}

/// The treatment of results that are negative or too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finish(u32);

impl Finish {
    const RECTIFY: u32 = 1 << 8;
    const HOLD: u32 = 1 << 9;

    /// With `.relu`, a negative result becomes +0. With `.satfinite`, an infinite result becomes the largest finite number of the same
    /// sign.
    pub(crate) fn new(rectifies: bool, holds: bool) -> Self {
        let rectify = if rectifies { Self::RECTIFY } else { 0 };
        Self(rectify | if holds { Self::HOLD } else { 0 })
    }

    /// Packs this value and a mode into one number, for a constant operand.
    pub(crate) fn with(self, mode: Mode) -> u32 {
        self.0 | u32::from(mode.0)
    }
}

/// Converts a float to 16 bits. `control` is a result of [`Finish::with`].
pub(crate) fn to_narrow<T: Narrow, S: Float>(a: S, control: u32) -> T {
    let mode = Mode(control as u8);
    let value = match mode.flushes() {
        true => a.double_flushed(),
        false => a.double(),
    };
    let mut result: T = match value.is_nan() {
        true => a.narrow_nan(),
        false => T::round(value, mode.rounding()),
    };
    if control & Finish::HOLD != 0 && result.magnitude() == T::infinity() {
        result = T::from_bits(result.bits() - 1);
    }
    if control & Finish::RECTIFY != 0 {
        result = rectify(result);
    }
    match mode.saturates() {
        true => clean_narrow(result, Mode(Mode::SATURATE)),
        false => result,
    }
}

/// The fraction bits of f32 that tf32 does not have.
const FRACTION_BELOW: u32 = 0x1fff;

/// Adds `bias` to the bits of a finite f32, and truncates the sum to the ten fraction bits of tf32. An infinity stays as it is. A NaN
/// becomes `0x7fffe000`.
pub(crate) fn to_tensor(a: f32, bias: u32) -> u32 {
    match (a.is_nan(), a.is_infinite()) {
        (true, _) => 0x7fff_e000,
        (_, true) => a.to_bits(),
        _ => (a.to_bits() + bias) & !FRACTION_BELOW,
    }
}

/// f32 to the nearest tf32, ties away from zero. A NaN is truncated, and becomes an infinity if none of its payload bits remain.
pub(crate) fn to_tensor_away(a: f32) -> u32 {
    match a.is_nan() {
        true => a.to_bits() & !FRACTION_BELOW,
        false => to_tensor(a, 0x1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::Rounding;

    const NEAREST: Mode = Mode(0);

    fn half(a: f32, finish: Finish, mode: Mode) -> u16 {
        to_narrow::<Half, f32>(a, finish.with(mode)).0
    }

    #[test]
    fn saturation_rectification_and_flushing() {
        let plain = Finish::new(false, false);
        let held = Finish::new(false, true);
        let rectified = Finish::new(true, false);
        assert_eq!(half(1e6, plain, NEAREST), 0x7c00);
        assert_eq!(half(1e6, held, NEAREST), 0x7bff);
        assert_eq!(half(f32::NEG_INFINITY, held, NEAREST), 0xfbff);
        assert_eq!(half(f32::NAN, held, NEAREST), 0x7fff);
        assert_eq!(half(-2.0, rectified, NEAREST), 0);
        assert_eq!(half(f32::NAN, rectified, NEAREST), 0x7fff);
        assert_eq!(half(3.0, plain, Mode(Mode::SATURATE)), 0x3c00);
        assert_eq!(half(1e-40, plain, Mode(Rounding::Up as u8)), 1);
        let flushed = Mode(Rounding::Up as u8 | Mode::FLUSH);
        assert_eq!(half(1e-40, plain, flushed), 0);
        let brain = to_narrow::<Brain, f64>(f64::MAX, held.with(NEAREST));
        assert_eq!(brain.0, 0x7f7f);
    }

    #[test]
    fn tensor_floats() {
        assert_eq!(to_tensor(1.0, 0x1000), 1.0_f32.to_bits());
        assert_eq!(to_tensor(f32::from_bits(0x3f80_1000), 0x1000), 0x3f80_2000);
        assert_eq!(to_tensor(f32::from_bits(0x3f80_1fff), 0), 0x3f80_0000);
        assert_eq!(to_tensor(f32::MAX, 0x1000), f32::INFINITY.to_bits());
        assert_eq!(to_tensor(f32::NEG_INFINITY, 0x1000), 0xff80_0000);
        let odd = f32::from_bits(0xffc1_2345);
        assert_eq!(to_tensor(odd, 0), 0x7fff_e000);
        assert_eq!(to_tensor_away(odd), 0xffc1_2000);
        assert_eq!(to_tensor_away(f32::from_bits(0x7f80_0001)), 0x7f80_0000);
        assert_eq!(to_tensor_away(f32::from_bits(0x3f80_1000)), 0x3f80_2000);
    }
}
