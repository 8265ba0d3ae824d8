//! Operations of one lane on integers, and on the words of mbarriers. They access no memory.
//!
//! Results wrap, except those of saturating operations. No function panics. Where the PTX ISA leaves a result undefined, the functions give
//! the known result of the hardware. For division by zero, quotient and remainder are all ones.

mod bits;
mod carry;
mod mbarrier;
mod packed;
mod value;

pub(crate) use bits::*;
pub(crate) use carry::{add_with_carry, sub_with_borrow};
pub(crate) use mbarrier::{Word, pending_count};
pub(crate) use packed::{distances, dot2, dot4, halves, sum_of_distances};
pub(crate) use value::{Integer, Value};

/// The upper half of the product.
pub(crate) fn mul_hi<T: Integer>(a: T, b: T) -> T {
    T::from_wide(a.widen().wrapping_mul(b.widen()) >> T::BITS)
}

/// The upper half of the product, plus `c`.
pub(crate) fn mad_hi<T: Integer>(a: T, b: T, c: T) -> T {
    T::from_wide(mul_hi(a, b).widen() + c.widen())
}

/// Quotient, rounded towards zero; all ones when dividing by zero.
pub(crate) fn div<T: Integer>(a: T, b: T) -> T {
    if b.widen() == 0 {
        return T::from_wide(-1);
    }
    a.quotient(b)
}

/// Remainder with the sign of the dividend; all ones when dividing by zero.
pub(crate) fn rem<T: Integer>(a: T, b: T) -> T {
    if b.widen() == 0 {
        return T::from_wide(-1);
    }
    a.remainder(b)
}

/// `|a − b| + c`.
pub(crate) fn sad<T: Integer>(a: T, b: T, c: T) -> T {
    T::from_wide((a.widen() - b.widen()).abs() + c.widen())
}

/// The sum, clamped to the type's range.
pub(crate) fn add_saturating<T: Integer>(a: T, b: T) -> T {
    saturate(a.widen() + b.widen())
}

/// The difference, clamped to the type's range.
pub(crate) fn sub_saturating<T: Integer>(a: T, b: T) -> T {
    saturate(a.widen() - b.widen())
}

/// A value clamped to the type's range.
pub(crate) fn saturate<T: Integer>(wide: i128) -> T {
    T::from_wide(wide.clamp(T::LEAST.widen(), T::GREATEST.widen()))
}

/// The low 24 bits of a 32-bit value, extended with their sign for a signed type, and with zeros otherwise.
fn low24<T: Integer>(a: T) -> i128 {
    let low = a.widen() & 0xff_ffff;
    let negative = T::LEAST.widen() < 0 && low >> 23 != 0;
    if negative { low - (1 << 24) } else { low }
}

/// The low 32 bits of the product of two 24-bit values.
pub(crate) fn mul24_lo<T: Integer>(a: T, b: T) -> T {
    T::from_wide(low24(a) * low24(b))
}

/// Bits 16 to 47 of the product of two 24-bit values.
pub(crate) fn mul24_hi<T: Integer>(a: T, b: T) -> T {
    T::from_wide((low24(a) * low24(b)) >> 16)
}

/// `atom.inc`: `old + 1`, or 0 if `old` is `limit` or above.
pub(crate) fn increment_to(old: u32, limit: u32) -> u32 {
    if old >= limit { 0 } else { old + 1 }
}

/// `atom.dec`: `old - 1`, or `limit` if `old` is 0 or above `limit`.
pub(crate) fn decrement_from(old: u32, limit: u32) -> u32 {
    if old == 0 || old > limit {
        limit
    } else {
        old - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_exhaustively() {
        for a in i16::from(i8::MIN)..=i16::from(i8::MAX) {
            for b in i16::from(i8::MIN)..=i16::from(i8::MAX) {
                let (x, y) = (a as i8, b as i8);
                assert_eq!(mul_hi(x, y), ((a * b) >> 8) as i8);
                assert_eq!(add_saturating(x, y), x.saturating_add(y));
                assert_eq!(sub_saturating(x, y), x.saturating_sub(y));
                assert_eq!(sad(x, y, 3), ((a - b).abs() + 3) as i8);
                assert_eq!(div(x, y), if y == 0 { -1 } else { x.wrapping_div(y) });
                assert_eq!(rem(x, y), if y == 0 { -1 } else { x.wrapping_rem(y) });
                let (x, y) = (a as u8, b as u8);
                assert_eq!(mul_hi(x, y), ((u16::from(x) * u16::from(y)) >> 8) as u8);
                assert_eq!(add_saturating(x, y), x.saturating_add(y));
                assert_eq!(sub_saturating(x, y), x.saturating_sub(y));
                assert_eq!(div(x, y), x.checked_div(y).unwrap_or(u8::MAX));
                assert_eq!(rem(x, y), x.checked_rem(y).unwrap_or(u8::MAX));
            }
        }
    }

    #[test]
    fn wide_products_do_not_overflow() {
        assert_eq!(mul_hi(u64::MAX, u64::MAX), u64::MAX - 1);
        assert_eq!(mul_hi(i64::MIN, i64::MIN), 1 << 62);
        assert_eq!(mad_hi(u64::MAX, u64::MAX, u64::MAX), u64::MAX - 2);
        assert_eq!(div(i64::MIN, -1), i64::MIN);
        assert_eq!(div(5_u32, 0), u32::MAX);
        assert_eq!(rem(i32::MIN, -1), 0);
    }

    #[test]
    fn multiplications_of_24_bits() {
        assert_eq!(mul24_lo(0xff00_0003_u32, 5), 15);
        assert_eq!(mul24_lo(0x00ff_ffff_i32, 7), -7);
        assert_eq!(mul24_hi(0x00ff_ffff_u32, 0x00ff_ffff), 0xffff_fe00);
    }

    #[test]
    fn wrapping_counters() {
        assert_eq!(
            [increment_to(3, 5), increment_to(5, 5), increment_to(9, 5)],
            [4, 0, 0]
        );
        assert_eq!(
            [
                decrement_from(3, 5),
                decrement_from(0, 5),
                decrement_from(9, 5)
            ],
            [2, 5, 5]
        );
    }
}
