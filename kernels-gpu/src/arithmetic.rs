//! Arithmetic for which the machine has an instruction and Rust no name.
//!
//! On the device each function is what [`crate::simt`] says, on the host plain Rust with the same bits.

use num_traits::float::FloatCore;

#[cfg(target_arch = "nvptx64")]
pub use crate::simt::arithmetic::*;

#[cfg(not(target_arch = "nvptx64"))]
pub use self::host::*;

/// IEEE 754-2019 `minimum`, without a branch: equal operands differ at most in the sign of zero.
#[inline(always)]
pub fn minimum<T: FloatCore>(a: T, b: T) -> T {
    let lesser = if a < b || FloatCore::is_nan(a) { a } else { b };
    if a == b && a.is_sign_negative() {
        a
    } else {
        lesser
    }
}

/// IEEE 754-2019 `maximum`, without a branch: equal operands differ at most in the sign of zero.
#[inline(always)]
pub fn maximum<T: FloatCore>(a: T, b: T) -> T {
    let greater = if a > b || FloatCore::is_nan(a) { a } else { b };
    if a == b && a.is_sign_positive() {
        a
    } else {
        greater
    }
}

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use half::{bf16, f16};

    use crate::element::{Element, Words};

    pub use super::{maximum as maximum_f32, minimum as minimum_f32};

    /// The bits of a 16-bit NaN.
    const NARROW_NAN: u16 = 0x7fff;

    /// The value, exactly.
    pub fn f16_to_f32(value: f16) -> f32 {
        value.to_f32()
    }

    /// The value, exactly.
    pub fn bf16_to_f32(value: bf16) -> f32 {
        f32::from_bits((value.to_bits() as u32) << 16)
    }

    /// The nearest value, ties to even; a NaN is `0x7fff`.
    pub fn f32_to_f16(value: f32) -> f16 {
        if value.is_nan() {
            f16::from_bits(NARROW_NAN)
        } else {
            f16::from_f32(value)
        }
    }

    /// The nearest value, ties to even; a NaN is `0x7fff`.
    pub fn f32_to_bf16(value: f32) -> bf16 {
        if value.is_nan() {
            bf16::from_bits(NARROW_NAN)
        } else {
            bf16::from_f32(value)
        }
    }

    /// The sum of 16 items.
    pub fn sum_u8(words: Words) -> u32 {
        u8::unpack(words).into_iter().map(u32::from).sum()
    }

    /// The sum of 16 items.
    pub fn sum_i8(words: Words) -> i32 {
        i8::unpack(words).into_iter().map(i32::from).sum()
    }

    /// The sum of 8 items.
    pub fn sum_u16(words: Words) -> u32 {
        u16::unpack(words).into_iter().map(u32::from).sum()
    }

    /// The sum of 8 items.
    pub fn sum_i16(words: Words) -> i32 {
        i16::unpack(words).into_iter().map(i32::from).sum()
    }
}
