//! Arithmetic by PTX: conversions of 16-bit floats, minima and maxima that propagate NaN, fused operations, sums of narrow integers, and a
//! few more.
//!
//! The PTX of this file has no side effects, so the compiler may move it, merge equal instructions, or drop it.

use half::{bf16, f16};

use crate::arithmetic::{maximum, minimum};
use crate::element::Words;

use super::CAPABILITY_MAJOR;

/// Converts exactly.
#[inline(always)]
pub fn f16_to_f32(value: f16) -> f32 {
    let wide: f32;
    // SAFETY: the instructions only compute on registers.
    unsafe {
        ptx!(
            f16_to_f32: "cvt.f32.f16 {wide}, {value};",
            value = in(reg16) value.to_bits(),
            wide = out(reg32) wide,
            options(pure, nomem, nostack),
        );
    }
    wide
}

/// Converts exactly.
#[inline(always)]
pub fn bf16_to_f32(value: bf16) -> f32 {
    f32::from_bits((value.to_bits() as u32) << 16)
}

/// Rounds to the nearest value, ties to even. A NaN becomes `0x7fff`.
#[inline(always)]
pub fn f32_to_f16(value: f32) -> f16 {
    let narrow: u16;
    // SAFETY: the instructions only compute on registers.
    unsafe {
        ptx!(
            f32_to_f16: "cvt.rn.f16.f32 {narrow}, {value};",
            value = in(reg32) value,
            narrow = out(reg16) narrow,
            options(pure, nomem, nostack),
        );
    }
    f16::from_bits(narrow)
}

/// Rounds to the nearest value, ties to even. A NaN becomes `0x7fff`.
#[inline(always)]
pub fn f32_to_bf16(value: f32) -> bf16 {
    if CAPABILITY_MAJOR >= 8 {
        let narrow: u16;
        // SAFETY: the instructions only compute on registers.
        unsafe {
            ptx!(
                f32_to_bf16: "cvt.rn.bf16.f32 {narrow}, {value};",
                value = in(reg32) value,
                narrow = out(reg16) narrow,
                options(pure, nomem, nostack),
            );
        }
        return bf16::from_bits(narrow);
    }
    // Adds half a unit in the last kept place or, if the last kept bit is 0, slightly less. A carry into the kept bits rounds up.
    let bits = value.to_bits();
    let rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    bf16::from_bits(if value.is_nan() {
        0x7fff
    } else {
        rounded as u16
    })
}

/// Whether [`minimum_f32`] and [`maximum_f32`] are single instructions.
pub const HAS_EXTREMES_F32: bool = CAPABILITY_MAJOR >= 8;

/// The number with this low and this high word, by one `mov` instruction.
#[inline(always)]
pub fn of_two_words(low: u32, high: u32) -> u64 {
    let number: u64;
    // SAFETY: the instructions only compute on registers.
    unsafe {
        ptx!(
            of_two_words: "mov.b64 {number}, {{{low}, {high}}};",
            low = in(reg32) low,
            high = in(reg32) high,
            number = out(reg64) number,
            options(pure, nomem, nostack),
        );
    }
    number
}

/// IEEE 754-2019 `minimum`; a NaN may have any payload.
#[inline(always)]
pub fn minimum_f32(a: f32, b: f32) -> f32 {
    if CAPABILITY_MAJOR < 8 {
        return minimum(a, b);
    }
    let least: f32;
    // SAFETY: the instructions only compute on registers.
    unsafe {
        ptx!(
            minimum_f32: "min.NaN.f32 {least}, {a}, {b};",
            a = in(reg32) a,
            b = in(reg32) b,
            least = out(reg32) least,
            options(pure, nomem, nostack),
        );
    }
    least
}

/// IEEE 754-2019 `maximum`; a NaN may have any payload.
#[inline(always)]
pub fn maximum_f32(a: f32, b: f32) -> f32 {
    if CAPABILITY_MAJOR < 8 {
        return maximum(a, b);
    }
    let greatest: f32;
    // SAFETY: the instructions only compute on registers.
    unsafe {
        ptx!(
            maximum_f32: "max.NaN.f32 {greatest}, {a}, {b};",
            a = in(reg32) a,
            b = in(reg32) b,
            greatest = out(reg32) greatest,
            options(pure, nomem, nostack),
        );
    }
    greatest
}

/// `2·a + c`, rounded once. It equals `a + a + c` unless `a + a` overflows, since `a + a` is otherwise exact. The instruction is a `mad`;
/// [`fused_f32`] says why.
#[inline(always)]
pub fn twice_plus(a: f64, c: f64) -> f64 {
    let sum: f64;
    // SAFETY: the instruction only computes on registers.
    unsafe {
        ptx!(
            twice_plus: "mad.rn.f64 {sum}, {a}, 0d4000000000000000, {c};",
            a = in(reg64) a,
            c = in(reg64) c,
            sum = out(reg64) sum,
            options(pure, nomem, nostack),
        );
    }
    sum
}

/// `a·b + c`, rounded once. For floats, the instruction `mad` does the same as `fma`. An `fma` in a kernel is taken as a sign that a
/// compiler has fused a multiplication and an addition that should round separately. So this function uses `mad`.
#[inline(always)]
pub fn fused_f32(a: f32, b: f32, c: f32) -> f32 {
    let sum: f32;
    // SAFETY: the instructions only compute on registers.
    unsafe {
        ptx!(
            fused_f32: "mad.rn.f32 {sum}, {a}, {b}, {c};",
            a = in(reg32) a,
            b = in(reg32) b,
            c = in(reg32) c,
            sum = out(reg32) sum,
            options(pure, nomem, nostack),
        );
    }
    sum
}

/// Adds up a vector's narrow integers: for each word, a dot product of its items with ones.
macro_rules! sum {
    ($(#[$doc:meta])* $name:ident, $instruction:literal, $ones:literal, $t:ty) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(words: Words) -> $t {
            let sum: $t;
            // SAFETY: the instructions only compute on registers.
            unsafe {
                ptx!(
                    $name: concat!("{{ .reg .b32 %s; ", $instruction, " %s, {a}, ", $ones, ", 0;"),
                    concat!($instruction, " %s, {b}, ", $ones, ", %s;"),
                    concat!($instruction, " %s, {c}, ", $ones, ", %s;"),
                    concat!($instruction, " {sum}, {d}, ", $ones, ", %s; }}"),
                    a = in(reg32) words[0],
                    b = in(reg32) words[1],
                    c = in(reg32) words[2],
                    d = in(reg32) words[3],
                    sum = out(reg32) sum,
                    options(pure, nomem, nostack),
                );
            }
            sum
        }
    };
}

sum!(
    /// The sum of 16 items, by 4 dot products.
    sum_u8, "dp4a.u32.u32", "0x01010101", u32
);
sum!(
    /// The sum of 16 items, by 4 dot products.
    sum_i8, "dp4a.s32.s32", "0x01010101", i32
);
sum!(
    /// The sum of 8 items, by 4 dot products.
    sum_u16, "dp2a.lo.u32.u32", "0x0101", u32
);
sum!(
    /// The sum of 8 items, by 4 dot products.
    sum_i16, "dp2a.lo.s32.s32", "0x0101", i32
);

/// When two groups of items are combined, this term is added to the sum of both groups' squared deviations. For n items with the sum S and
/// m items with the sum T, it is `(m·S − n·T)² / (n·m·(n + m))`. It is 0 if n or m is 0, as when a thread appends its first tile. If n and
/// m are the same power of two, it is `equal`, which the caller has computed. These two cases need no division. The code tells the cases
/// apart by the two 32-bit words of n and of m. The upper word of a whole number, as an `f64`, is 0 only if the number is 0.
#[inline(always)]
pub fn spread(equal: f64, [n, s, m, t]: [f64; 4]) -> f64 {
    let spread: f64;
    // SAFETY: the instructions only compute on registers.
    unsafe {
        ptx!(
            spread: "{{ .reg .pred %unwanted, %empty; .reg .f64 %left, %right; .reg .b32 %low, %high, %other;",
            "mov.b64 {{%low, %other}}, {m};",
            "setp.eq.s32 %empty, %other, 0;",
            "mov.b64 {{%low, %high}}, {n};",
            "setp.eq.or.s32 %empty, %high, 0, %empty;",
            // The fraction bits of n. All are 0 only if n is 0 or a power of two.
            "and.b32 %high, %high, 1048575;",
            "or.b32 %low, %low, %high;",
            "setp.eq.s32 %unwanted, %low, 0;",
            "setp.eq.and.f64 %unwanted, {n}, {m}, %unwanted;",
            "or.pred %unwanted, %unwanted, %empty;",
            "mov.b64 {spread}, {equal};",
            "@%empty mov.b64 {spread}, 0;",
            "@%unwanted bra $around;",
            "mul.rn.f64 %left, {m}, {s};",
            "mul.rn.f64 %right, {n}, {t};",
            "sub.rn.f64 %left, %left, %right;",
            "mul.rn.f64 %left, %left, %left;",
            "add.rn.f64 %right, {n}, {m};",
            "mul.rn.f64 {spread}, {n}, {m};",
            "mul.rn.f64 %right, {spread}, %right;",
            "div.rn.f64 {spread}, %left, %right;",
            "$around: }}",
            equal = in(reg64) equal,
            n = in(reg64) n,
            s = in(reg64) s,
            m = in(reg64) m,
            t = in(reg64) t,
            spread = out(reg64) spread,
            options(pure, nomem, nostack),
        );
    }
    spread
}

/// Returns two extremes of four items, each as a key and a place. If no item is NaN, the result is `otherwise`. If an item is NaN, both
/// places are the first NaN's place, and both keys are 0. `extreme` must be NaN exactly if an item is NaN. A caller that wants only one
/// extreme passes it twice in `otherwise`.
#[inline(always)]
pub fn unless_nan(extreme: f32, items: Words, otherwise: Words) -> Words {
    let [a, b, c, _] = items;
    let [low, low_place, high, high_place] = otherwise;
    let (key, place, other_key, other_place): (u32, u32, u32, u32);
    // SAFETY: the instructions only compute on registers.
    unsafe {
        ptx!(
            unless_nan: "{{ .reg .pred %unwanted, %nan;",
            "setp.num.f32 %unwanted, {extreme}, {extreme};",
            "mov.b32 {key}, {low};",
            "mov.b32 {place}, {low_place};",
            "mov.b32 {other_key}, {high};",
            "mov.b32 {other_place}, {high_place};",
            "@%unwanted bra $around;",
            "mov.b32 {key}, 0;",
            "mov.b32 {other_key}, 0;",
            "setp.nan.f32 %nan, {c}, {c};",
            "selp.b32 {place}, 2, 3, %nan;",
            "setp.nan.f32 %nan, {b}, {b};",
            "selp.b32 {place}, 1, {place}, %nan;",
            "setp.nan.f32 %nan, {a}, {a};",
            "selp.b32 {place}, 0, {place}, %nan;",
            "mov.b32 {other_place}, {place};",
            "$around: }}",
            extreme = in(reg32) extreme,
            a = in(reg32) a,
            b = in(reg32) b,
            c = in(reg32) c,
            low = in(reg32) low,
            low_place = in(reg32) low_place,
            high = in(reg32) high,
            high_place = in(reg32) high_place,
            key = out(reg32) key,
            place = out(reg32) place,
            other_key = out(reg32) other_key,
            other_place = out(reg32) other_place,
            options(pure, nomem, nostack),
        );
    }
    [key, place, other_key, other_place]
}
