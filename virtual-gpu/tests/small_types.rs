//! Tests in PTX: carries, saturation, `lop3`, dot products, packed integers, permutations of bytes, searches for bits, and small floats.

mod support;

use support::instruction::{W16, W32, check};

#[test]
fn carry_chains() {
    let low = "add.cc.u32 d, a, b;";
    check(W32, low, |a, b, _| a + b);
    let chain = "{ .reg .b32 l, h; add.cc.u32 l, a, b; addc.u32 h, 0, 0; mov.b32 d, h; }";
    check(W32, chain, |a, b, _| (a + b) >> 32);
    let chain = "{ .reg .b32 l; sub.cc.u32 l, a, b; subc.u32 d, c, 0; }";
    check(W32, chain, |a, b, c| c.wrapping_sub(u64::from(a < b)));
    // The second addition both reads and writes the carry. `d` is the carry of the 64-bit addition `(b, a) + (c, b)`, where each pair is
    // the upper and the lower word of a number.
    let chain = "{ .reg .b32 t; add.cc.u32 t, a, b; addc.cc.u32 t, b, c; addc.u32 d, 0, 0; }";
    check(W32, chain, |a, b, c| {
        let (x, y) = (b << 32 | a, c << 32 | b);
        u64::from(x.overflowing_add(y).1)
    });
    let chain = "{ .reg .b32 l; mad.lo.cc.u32 l, a, b, c; madc.hi.u32 d, a, b, 0; }";
    check(W32, chain, |a, b, c| (a * b + c) >> 32);
    let chain = "{ .reg .b32 l; mad.lo.cc.s32 l, a, b, c; madc.hi.s32 d, a, b, 0; }";
    check(W32, chain, |a, b, c| {
        let product = i64::from(a as i32).wrapping_mul(b as i32 as i64) as u64;
        product.wrapping_add(c) >> 32
    });
}

#[test]
fn saturating_forms() {
    let high = |a: u64, b: u64| (i64::from(a as i32) * i64::from(b as i32)) >> 32;
    check(W32, "mad.hi.sat.s32 d, a, b, c;", |a, b, c| {
        (high(a, b) as i32).saturating_add(c as i32) as u64
    });
    check(W32, "cvt.rn.sat.f32.s32 d, a;", |a, _, _| {
        u64::from(if a as i32 > 0 { 1_f32.to_bits() } else { 0 })
    });
    check(
        [64, 32, 32, 32],
        "cvt.sat.f64.f32 d, a;",
        |a, _, _| match f32::from_bits(a as u32) {
            x if x > 0.0 => f64::from(x).min(1.0).to_bits(),
            _ => 0,
        },
    );
    check(
        W32,
        "cvt.rz.relu.tf32.f32 d, a;",
        |a, _, _| match f32::from_bits(a as u32) {
            x if x.is_nan() => 0x7fff_e000,
            x if x > 0.0 => a & !0x1fff,
            _ => 0,
        },
    );
}

#[test]
fn bfloat16_to_integers_of_8_bits() {
    let value = |a: u64| f32::from_bits((a as u32) << 16);
    let text = "{ .reg .b16 h; cvt.rzi.s8.bf16 h, a; and.b16 d, h, 0xff; }";
    check(W16, text, |a, _, _| u64::from(value(a) as i8 as u8));
    let text = "{ .reg .b16 h; cvt.rzi.u8.bf16 h, a; and.b16 d, h, 0xff; }";
    check(W16, text, |a, _, _| u64::from(value(a) as u8));
}

#[test]
fn lop3_with_a_predicate_result() {
    let text = "{ .reg .pred q, r; setp.lt.u32 q, a, b; lop3.or.b32 d|r, a, b, c, 0x80, q;
                  selp.b32 d, 1, d, r; }";
    check(W32, text, |a, b, c| match a & b & c {
        all if all != 0 || a < b => 1,
        all => all,
    });
    let text = "{ .reg .pred q, r; setp.lt.u32 q, a, b; lop3.and.b32 _|r, a, b, c, 0xfe, !q;
                  selp.b32 d, 1, 0, r; }";
    check(W32, text, |a, b, c| u64::from(a | b | c != 0 && a >= b));
}

#[test]
fn fma_oob_gives_zero_for_oob_nans() {
    let text = "{ .reg .b16 m; mov.b16 m, 0x7ff7; fma.rn.oob.f16 d, m, b, c; }";
    check(W16, text, |_, _, _| 0);
    let text = "{ .reg .b16 m; mov.b16 m, 0xfff7; fma.rn.oob.relu.bf16 d, a, m, c; }";
    check(W16, text, |_, _, _| 0);
    let text = "{ .reg .b16 x, y, z; fma.rn.oob.f16 x, a, b, c; fma.rn.f16 y, a, b, c;
                  sub.u16 d, x, y; }";
    let marks = |x: u64| x & 0x7fff == 0x7ff7;
    check(W16, text, |a, b, _| {
        assert!(!marks(a) && !marks(b), "the values have none");
        0
    });
}

#[test]
fn tf32_conversions_saturate_at_the_largest_value() {
    let text = "cvt.rna.satfinite.tf32.f32 d, a;";
    check(W32, text, |a, _, _| match f32::from_bits(a as u32) {
        x if x.is_nan() => (a & !0x1fff) - 0x2000,
        _ => match (a + 0x1000) & !0x1fff {
            over if over & 0x7fff_ffff >= 0x7f80_0000 => a & 0x8000_0000 | 0x7f7f_e000,
            held => held,
        },
    });
}

#[test]
fn dot_products() {
    let bytes = |a: u64| (a as u32).to_le_bytes();
    check(W32, "dp4a.u32.u32 d, a, b, c;", |a, b, c| {
        let products = bytes(a).into_iter().zip(bytes(b));
        products
            .map(|(x, y)| u64::from(x) * u64::from(y))
            .sum::<u64>()
            + c
    });
    check(W32, "dp4a.s32.u32 d, a, b, c;", |a, b, c| {
        let products = bytes(a).into_iter().zip(bytes(b));
        let sum: i64 = products
            .map(|(x, y)| i64::from(x as i8) * i64::from(y))
            .sum();
        c.wrapping_add(sum as u64)
    });
    check(W32, "dp2a.hi.u32.s32 d, a, b, c;", |a, b, c| {
        let b = bytes(b).map(|y| i64::from(y as i8));
        let sum = (a as i64 & 0xffff) * b[2] + (a >> 16) as i64 * b[3];
        c.wrapping_add(sum as u64)
    });
}

fn halves(a: u64, b: u64, f: impl Fn(u16, u16) -> u16) -> u64 {
    u64::from(f(a as u16, b as u16)) | u64::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

#[test]
fn pairs_and_bytes() {
    check(W32, "add.u16x2 d, a, b;", |a, b, _| {
        halves(a, b, u16::wrapping_add)
    });
    check(W32, "max.s16x2 d, a, b;", |a, b, _| {
        halves(a, b, |a, b| (a as i16).max(b as i16) as u16)
    });
    check(W32, "min.relu.s16x2 d, a, b;", |a, b, _| {
        halves(a, b, |a, b| (a as i16).min(b as i16).max(0) as u16)
    });
    check(W32, "max.relu.s32 d, a, b;", |a, b, _| {
        (a as i32).max(b as i32).max(0) as u64
    });
    check(W32, "vabsdiff4.u32.u32.u32.add d, a, b, c;", |a, b, c| {
        let (a, b) = ((a as u32).to_le_bytes(), (b as u32).to_le_bytes());
        let sum: u64 = (0..4).map(|i| u64::from(a[i].abs_diff(b[i]))).sum();
        sum + c
    });
    check(W32, "vabsdiff2.u32.u32.u32 d, a, b, c;", |a, b, _| {
        halves(a, b, u16::abs_diff)
    });
}

#[test]
fn permutations_and_searches() {
    check(W32, "prmt.b32.f4e d, a, b, c;", |a, b, c| {
        (b << 32 | a) >> (8 * (c & 3))
    });
    check(W32, "prmt.b32.rc8 d, a, b, c;", |a, _, c| {
        (a >> (8 * (c & 3)) & 0xff) * 0x0101_0101
    });
    check(W32, "szext.wrap.s32 d, a, b;", |a, b, _| match b & 31 {
        0 => 0,
        n => ((a as i32) << (32 - n) >> (32 - n)) as u64,
    });
    check(W32, "szext.clamp.u32 d, a, b;", |a, b, _| {
        a & ((1_u64 << b.min(32)) - 1)
    });
    check(W32, "fns.b32 d, a, 0, 2;", |a, _, _| {
        (0..32)
            .filter(|i| a >> i & 1 == 1)
            .nth(1)
            .unwrap_or(u64::from(u32::MAX))
    });
}

/// The value of an f16.
fn half(bits: u64) -> f64 {
    let (sign, exponent, fraction) = (bits >> 15 & 1, bits >> 10 & 31, bits & 0x3ff);
    let magnitude = match (exponent, fraction) {
        (31, 0) => f64::INFINITY,
        (31, _) => f64::NAN,
        (0, _) => fraction as f64 * 2_f64.powi(-24),
        _ => (1024 + fraction) as f64 * 2_f64.powi(exponent as i32 - 25),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

/// The value of a bf16.
fn brain(bits: u64) -> f32 {
    f32::from_bits((bits as u32 & 0xffff) << 16)
}

/// The f16 nearest to a value, ties to even.
fn nearest_half(value: f64) -> u64 {
    if value.is_nan() {
        return 0x7fff;
    }
    let sign = u64::from(value.is_sign_negative()) << 15;
    if value.abs() >= 65520.0 {
        return sign | 0x7c00;
    }
    let (mut low, mut high) = (0, 0x7bff);
    while high - low > 1 {
        let middle = (low + high) / 2;
        match half(middle) <= value.abs() {
            true => low = middle,
            false => high = middle,
        }
    }
    let (below, above) = (value.abs() - half(low), half(high) - value.abs());
    let up = above < below || above == below && low & 1 == 1;
    sign | if up { high } else { low }
}

/// The bf16 nearest to a value, ties to even.
fn nearest_brain(value: f32) -> u64 {
    if value.is_nan() {
        return 0x7fff;
    }
    let bits = u64::from(value.to_bits());
    (bits + 0x7fff + (bits >> 16 & 1)) >> 16
}

#[test]
fn half_arithmetic() {
    check(W16, "add.f16 d, a, b;", |a, b, _| {
        nearest_half(half(a) + half(b))
    });
    check(W16, "sub.rn.f16 d, a, b;", |a, b, _| {
        nearest_half(half(a) - half(b))
    });
    check(W16, "mul.f16 d, a, b;", |a, b, _| {
        nearest_half(half(a) * half(b))
    });
    check(W16, "fma.rn.f16 d, a, b, 0;", |a, b, _| {
        nearest_half(half(a) * half(b) + 0.0)
    });
    check(W32, "add.f16x2 d, a, b;", |a, b, _| {
        halves(a, b, |a, b| {
            nearest_half(half(a.into()) + half(b.into())) as u16
        })
    });
    check(W16, "add.sat.f16 d, a, b;", |a, b, _| {
        match half(a) + half(b) {
            x if x > 0.0 => nearest_half(x.min(1.0)),
            _ => 0,
        }
    });
    check(W16, "fma.rn.relu.f16 d, a, b, 0;", |a, b, _| {
        match half(a) * half(b) {
            x if x.is_nan() => 0x7fff,
            x if x > 0.0 => nearest_half(x),
            _ => 0,
        }
    });
    check(W16, "neg.f16 d, a;", |a, _, _| nearest_half(-half(a)));
    check(W16, "abs.bf16 d, a;", |a, _, _| {
        nearest_brain(brain(a).abs())
    });
    check(W32, "max.NaN.bf16x2 d, a, b;", |a, b, _| {
        halves(a, b, |a, b| {
            let (x, y) = (brain(a.into()), brain(b.into()));
            let greater = match x == y {
                true => {
                    if x.is_sign_negative() {
                        y
                    } else {
                        x
                    }
                }
                false => x.max(y),
            };
            nearest_brain(if x.is_nan() || y.is_nan() {
                f32::NAN
            } else {
                greater
            }) as u16
        })
    });
}

/// The comparison `ne` of PTX, which is false if either operand is a NaN.
fn differ(x: f64, y: f64) -> bool {
    x != y && !x.is_nan() && !y.is_nan()
}

#[test]
fn half_comparisons() {
    check(
        W16,
        "setp.lt.f16 p, a, b; selp.b16 d, 1, 0, p;",
        |a, b, _| u64::from(half(a) < half(b)),
    );
    check(
        [16, 32, 32, 32],
        "{ .reg .pred q; .reg .b16 x, y; setp.geu.bf16x2 p|q, a, b;
           selp.b16 x, 1, 0, p; selp.b16 y, 2, 0, q; or.b16 d, x, y; }",
        |a, b, _| {
            let holds = |x: f32, y: f32| x >= y || x.is_nan() || y.is_nan();
            let low = holds(brain(a), brain(b));
            let high = holds(brain(a >> 16), brain(b >> 16));
            u64::from(low) | u64::from(high) << 1
        },
    );
    check(W32, "set.ne.f16x2.f16x2 d, a, b;", |a, b, _| {
        halves(a, b, |a, b| {
            let (x, y) = (half(a.into()), half(b.into()));
            if differ(x, y) { 0x3c00 } else { 0 }
        })
    });
    check(W32, "set.equ.u32.f16x2 d, a, b;", |a, b, _| {
        halves(a, b, |a, b| {
            let (x, y) = (half(a.into()), half(b.into()));
            if differ(x, y) { 0 } else { 0xffff }
        })
    });
}

#[test]
fn conversions_of_16_bits() {
    let s = |bits: u64| f32::from_bits(bits as u32);
    check([16, 32, 32, 32], "cvt.rn.f16.f32 d, a;", |a, _, _| {
        nearest_half(s(a).into())
    });
    check([16, 32, 32, 32], "cvt.rn.bf16.f32 d, a;", |a, _, _| {
        nearest_brain(s(a))
    });
    check(
        [32, 16, 16, 16],
        "cvt.f32.f16 d, a;",
        |a, _, _| match half(a).is_nan() {
            true => 0x7fff_ffff,
            false => (half(a) as f32).to_bits().into(),
        },
    );
    check(W32, "cvt.rn.f16x2.f32 d, a, b;", |a, b, _| {
        nearest_half(s(a).into()) << 16 | nearest_half(s(b).into())
    });
    check(W32, "cvt.rn.relu.bf16x2.f32 d, a, b;", |a, b, _| {
        let positive = |x: f32| if x <= 0.0 { 0.0 } else { x };
        nearest_brain(positive(s(a))) << 16 | nearest_brain(positive(s(b)))
    });
    check([32, 16, 16, 16], "cvt.rzi.s32.f16 d, a;", |a, _, _| {
        half(a) as i32 as u64
    });
    check([16, 32, 32, 32], "cvt.rn.f16.s32 d, a;", |a, _, _| {
        nearest_half((a as i32).into())
    });
    check(W16, "cvt.rni.f16.f16 d, a;", |a, _, _| {
        nearest_half(half(a).round_ties_even())
    });
    check(W16, "cvt.rn.bf16.f16 d, a;", |a, _, _| {
        nearest_brain(half(a) as f32)
    });
    check(W16, "cvt.sat.f16.f16 d, a;", |a, _, _| match half(a) {
        x if x > 0.0 => nearest_half(x.min(1.0)),
        _ => 0,
    });
    check(W32, "cvt.pack.sat.u16.s32 d, a, b;", |a, b, _| {
        let held = |x: u64| (x as i32).clamp(0, 65535) as u64;
        held(a) << 16 | held(b)
    });
    check(W32, "cvt.pack.sat.s8.s32.b32 d, a, b, c;", |a, b, c| {
        let held = |x: u64| u64::from((x as i32).clamp(-128, 127) as u8);
        c << 16 | held(a) << 8 | held(b)
    });
}
