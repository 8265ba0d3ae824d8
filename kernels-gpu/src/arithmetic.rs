//! Arithmetic for the operators and for 16-bit floats.
//!
//! Some functions are PTX on the device (see [`crate::simt`]), and plain Rust on the host. All other functions are plain Rust on both. The
//! device and the host give the same bits, except for a NaN.

use num_traits::float::FloatCore;

use crate::element::{item_of, vector_of, Element, Words};

#[cfg(target_arch = "nvptx64")]
pub use crate::simt::arithmetic::*;

#[cfg(not(target_arch = "nvptx64"))]
pub use self::host::*;

/// IEEE 754-2019 `minimum`, with one select and no branch. If the operands are equal, their signs decide, since −0.0 is less than +0.0.
#[inline(always)]
pub fn minimum<T: FloatCore>(a: T, b: T) -> T {
    let is_first = (a < b) | FloatCore::is_nan(a) | ((a == b) & a.is_sign_negative());
    if is_first {
        a
    } else {
        b
    }
}

/// IEEE 754-2019 `maximum`, with one select and no branch. If the operands are equal, their signs decide, since −0.0 is less than +0.0.
#[inline(always)]
pub fn maximum<T: FloatCore>(a: T, b: T) -> T {
    let is_first = (a > b) | FloatCore::is_nan(a) | ((a == b) & a.is_sign_positive());
    if is_first {
        a
    } else {
        b
    }
}

/// IEEE 754-2019 `minimumNumber`, with one select and no branch: a NaN loses against a number.
#[inline(always)]
pub fn minimum_number<T: FloatCore>(a: T, b: T) -> T {
    let is_first = (a < b) | FloatCore::is_nan(b) | ((a == b) & a.is_sign_negative());
    if is_first {
        a
    } else {
        b
    }
}

/// IEEE 754-2019 `maximumNumber`, with one select and no branch: a NaN loses against a number.
#[inline(always)]
pub fn maximum_number<T: FloatCore>(a: T, b: T) -> T {
    let is_first = (a > b) | FloatCore::is_nan(b) | ((a == b) & a.is_sign_positive());
    if is_first {
        a
    } else {
        b
    }
}

/// Combines a vector's narrow items of type `T` by a bitwise operator: first whole words, then the halves of a word, and so on.
#[inline(always)]
pub fn bitwise_total<T: Element>(words: Words, combine: impl Fn(u32, u32) -> u32) -> T {
    let low = combine(words[0], words[1]);
    let mut total = combine(low, combine(words[2], words[3]));
    let mut shift = u32::BITS / 2;
    while shift >= 8 * size_of::<T>() as u32 {
        total = combine(total, total >> shift);
        shift /= 2;
    }
    item_of(&vector_of([total, 0, 0, 0]), 0)
}

macro_rules! extreme {
    ($name:ident, $word:ty) => {
        /// The least or the greatest of a vector's narrow integers of type `T`, as `wins` chooses. Each item is shifted to the
        /// top of a word, and whole words are compared. The bits below the item only break ties between equal items, so they
        /// need not be masked.
        #[inline(always)]
        pub fn $name<T>(words: Words, wins: impl Fn($word, $word) -> $word) -> $word {
            let bits = 8 * size_of::<T>() as u32;
            let mut winner = words[0] as $word;
            let mut shift = 0;
            while shift < u32::BITS {
                winner = wins(winner, (words[0] << shift) as $word);
                winner = wins(winner, (words[1] << shift) as $word);
                winner = wins(winner, (words[2] << shift) as $word);
                winner = wins(winner, (words[3] << shift) as $word);
                shift += bits;
            }
            winner >> (u32::BITS - bits)
        }
    };
}

extreme!(signed_extreme, i32);
extreme!(unsigned_extreme, u32);

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use half::{bf16, f16};

    use crate::contract::vector_items;
    use crate::element::{item_of, vector_of, Element};

    use super::Words;

    pub use super::{maximum as maximum_f32, minimum as minimum_f32};

    /// Whether [`minimum_f32`] and [`maximum_f32`] are one instruction each. The value changes nothing on the host.
    pub const HAS_EXTREMES_F32: bool = true;

    /// The number with this low and this high word.
    pub fn of_two_words(low: u32, high: u32) -> u64 {
        low as u64 | (high as u64) << 32
    }

    /// `2·a + c`, rounded once. Neither `a` nor `c` is negative. So if `a + a` is infinite, the result is infinite too; otherwise `a + a`
    /// is exact.
    pub fn twice_plus(a: f64, c: f64) -> f64 {
        a + a + c
    }

    /// `a·b + c`, rounded once. The product is exact in `f64`. If the sum is not exact, it is rounded to odd (its last bit is 1), so the
    /// second rounding, to `f32`, goes the right way.
    pub fn fused_f32(a: f32, b: f32, c: f32) -> f32 {
        let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
        let sum = product + c;
        let part = sum - product;
        let lost = (product - (sum - part)) + (c - part);
        if !sum.is_finite() || lost == 0.0 || sum.to_bits() & 1 == 1 {
            return sum as f32;
        }
        // The sum ends in a 0 bit, so both neighbouring numbers end in a 1 bit.
        let is_beyond = (lost > 0.0) == (sum > 0.0);
        f64::from_bits(match is_beyond {
            true => sum.to_bits() + 1,
            false => sum.to_bits() - 1,
        }) as f32
    }

    /// The bits of the NaN that the conversions to 16 bits return.
    const NARROW_NAN: u16 = 0x7fff;

    /// `value` as an `f32`. The conversion is exact.
    pub fn f16_to_f32(value: f16) -> f32 {
        value.to_f32()
    }

    /// `value` as an `f32`. The conversion is exact.
    pub fn bf16_to_f32(value: bf16) -> f32 {
        f32::from_bits((value.to_bits() as u32) << 16)
    }

    /// Rounds to nearest, ties to even. A NaN becomes `0x7fff`.
    pub fn f32_to_f16(value: f32) -> f16 {
        if value.is_nan() {
            f16::from_bits(NARROW_NAN)
        } else {
            f16::from_f32(value)
        }
    }

    /// Rounds to nearest, ties to even. A NaN becomes `0x7fff`.
    pub fn f32_to_bf16(value: f32) -> bf16 {
        if value.is_nan() {
            bf16::from_bits(NARROW_NAN)
        } else {
            bf16::from_f32(value)
        }
    }

    /// The same conversions, for the version of `half` that `cust` uses.
    #[cfg(feature = "cust")]
    mod cust {
        use super::*;
        use cust_half::{bf16 as cust_bf16, f16 as cust_f16};

        pub fn cust_f16_to_f32(value: cust_f16) -> f32 {
            f16_to_f32(f16::from_bits(value.to_bits()))
        }

        pub fn cust_bf16_to_f32(value: cust_bf16) -> f32 {
            bf16_to_f32(bf16::from_bits(value.to_bits()))
        }

        pub fn f32_to_cust_f16(value: f32) -> cust_f16 {
            cust_f16::from_bits(f32_to_f16(value).to_bits())
        }

        pub fn f32_to_cust_bf16(value: f32) -> cust_bf16 {
            cust_bf16::from_bits(f32_to_bf16(value).to_bits())
        }
    }

    #[cfg(feature = "cust")]
    pub use cust::*;

    /// When two groups of items are combined, this term is added to their two sums of squared deviations. For n items with the sum S and m
    /// items with the sum T, the term is `(m·S − n·T)² / (n·m·(n + m))`. The term is 0 if n or m is 0. If n and m are the same power of
    /// two, the term is `equal`, which the caller has computed. If n and m are both 0, the function returns `equal`, which is 0 too.
    pub fn spread(equal: f64, [n, s, m, t]: [f64; 4]) -> f64 {
        let is_power_of_two = (n.to_bits() << 12) == 0;
        if n == m && is_power_of_two {
            return equal;
        }
        if n * m == 0.0 {
            return 0.0;
        }
        let difference = m * s - n * t;
        difference * difference / (n * m * (n + m))
    }

    /// Returns two extremes of four items. Each extreme is two words: the key of an item, and the item's place among the four. A caller
    /// with only one extreme passes it twice in `otherwise`. `extreme` is NaN exactly if an item is NaN. If no item is NaN, the result is
    /// `otherwise`. If an item is NaN, both places are the first NaN's place, and both keys are 0.
    pub fn unless_nan(extreme: f32, items: Words, otherwise: Words) -> Words {
        if !extreme.is_nan() {
            return otherwise;
        }
        let is_nan = |place: &u32| f32::from_bits(items[*place as usize]).is_nan();
        let place = (0..3).find(is_nan).unwrap_or(3);
        [0, place, 0, place]
    }

    /// The sum of the items in 16 bytes.
    fn sum<T: Element, W: From<T> + core::iter::Sum>(words: Words) -> W {
        let vector = vector_of(words);
        let items = (0..vector_items::<T>()).map(|index| item_of::<T>(&vector, index));
        items.map(W::from).sum()
    }

    /// The sum of 16 items.
    pub fn sum_u8(words: Words) -> u32 {
        sum::<u8, u32>(words)
    }

    /// The sum of 16 items.
    pub fn sum_i8(words: Words) -> i32 {
        sum::<i8, i32>(words)
    }

    /// The sum of 8 items.
    pub fn sum_u16(words: Words) -> u32 {
        sum::<u16, u32>(words)
    }

    /// The sum of 8 items.
    pub fn sum_i16(words: Words) -> i32 {
        sum::<i16, i32>(words)
    }
}

#[cfg(test)]
mod tests {
    use super::fused_f32;

    /// Tests `fused_f32` with exact results that lie near the middle between two `f32`, and with random bits.
    #[test]
    fn a_fused_operation_rounds_once() {
        extern crate std;
        let mut state = 1_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 32) as u32
        };
        for _ in 0..200_000 {
            let near = |bits: u32| {
                f32::from_bits(0x3f80_0000 ^ (bits & 0x8f00_000f) ^ (bits >> 9 & 0x40_0000))
            };
            let (a, b, c) = (near(next()), near(next()), near(next()));
            assert_eq!(
                fused_f32(a, b, c).to_bits(),
                a.mul_add(b, c).to_bits(),
                "{a} {b} {c}"
            );
            let (a, b, c) = (
                f32::from_bits(next()),
                f32::from_bits(next()),
                f32::from_bits(next()),
            );
            let (found, exact) = (fused_f32(a, b, c), a.mul_add(b, c));
            assert!(
                found.to_bits() == exact.to_bits() || found.is_nan() && exact.is_nan(),
                "{a} {b} {c}"
            );
        }
    }
}
