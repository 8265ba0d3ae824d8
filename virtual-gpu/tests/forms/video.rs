//! Video instructions on two or four parts of a word: every operation, width and sign.

use super::support::instruction::{W32, check};

/// Part `i` of a word, of `bits` bits.
fn part(word: u64, i: u32, bits: u32, signed: bool) -> i64 {
    let raw = (word >> (i * bits)) as i64 & ((1 << bits) - 1);
    match signed && raw >> (bits - 1) == 1 {
        true => raw - (1 << bits),
        false => raw,
    }
}

/// What comes of two parts.
type OfParts = fn(i64, i64) -> i64;

const OPERATIONS: [(&str, OfParts); 6] = [
    ("vadd", |a, b| a + b),
    ("vsub", |a, b| a - b),
    ("vavrg", |a, b| (a + b + i64::from(a + b >= 0)) >> 1),
    ("vabsdiff", |a, b| (a - b).abs()),
    ("vmin", |a, b| a.min(b)),
    ("vmax", |a, b| a.max(b)),
];

const RELATIONS: [(&str, OfParts); 6] = [
    ("eq", |a, b| i64::from(a == b)),
    ("ne", |a, b| i64::from(a != b)),
    ("lt", |a, b| i64::from(a < b)),
    ("le", |a, b| i64::from(a <= b)),
    ("gt", |a, b| i64::from(a > b)),
    ("ge", |a, b| i64::from(a >= b)),
];

/// The parts of a result side by side.
fn packed(bits: u32, part: impl Fn(u32) -> i64) -> u64 {
    let cut = |i| (part(i) as u64 & ((1 << bits) - 1)) << (i * bits);
    (0..32 / bits).map(cut).fold(0, |word, part| word | part)
}

#[test]
fn every_operation_on_every_part() {
    for (parts, bits) in [(2, 16), (4, 8)] {
        for (ty, signed) in [("u32", false), ("s32", true)] {
            let of =
                move |f: OfParts, a, b, i| f(part(a, i, bits, signed), part(b, i, bits, signed));
            for (name, f) in OPERATIONS {
                let form = format!("{name}{parts}.{ty}.{ty}.{ty}");
                check(W32, &format!("{form} d, a, b, c;"), |a, b, _| {
                    packed(bits, |i| of(f, a, b, i))
                });
                let (least, most) = match signed {
                    true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
                    false => (0, (1 << bits) - 1),
                };
                check(W32, &format!("{form}.sat d, a, b, c;"), |a, b, _| {
                    packed(bits, |i| of(f, a, b, i).clamp(least, most))
                });
                check(W32, &format!("{form}.add d, a, b, c;"), |a, b, c| {
                    let whole = packed(bits, |i| of(f, a, b, i));
                    let sum: i64 = (0..parts).map(|i| part(whole, i, bits, signed)).sum();
                    c.wrapping_add(sum as u64)
                });
            }
            for (name, f) in RELATIONS {
                let form = format!("vset{parts}.{ty}.{ty}.{name} d, a, b, c;");
                check(W32, &form, |a, b, _| packed(bits, |i| of(f, a, b, i)));
            }
        }
    }
}
