//! Single instructions in PTX, compared with Rust's arithmetic.

mod support;

use std::num::FpCategory;
use support::instruction::{W16, W32, W64, check};

#[test]
fn integer_arithmetic() {
    check(W32, "add.u32 d, a, b;", |a, b, _| a.wrapping_add(b));
    check(W64, "sub.s64 d, a, b;", |a, b, _| a.wrapping_sub(b));
    check(W16, "mul.lo.u16 d, a, b;", |a, b, _| a * b);
    check(W32, "mul.hi.u32 d, a, b;", |a, b, _| (a * b) >> 32);
    check(W64, "mul.hi.s64 d, a, b;", |a, b, _| {
        ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
    });
    check([64, 32, 32, 32], "mul.wide.s32 d, a, b;", |a, b, _| {
        (i64::from(a as i32) * i64::from(b as i32)) as u64
    });
    check([64, 32, 32, 64], "mad.wide.u32 d, a, b, c;", |a, b, c| {
        (a * b).wrapping_add(c)
    });
    check(W32, "mad.lo.s32 d, a, b, c;", |a, b, c| {
        (a as u32)
            .wrapping_mul(b as u32)
            .wrapping_add(c as u32)
            .into()
    });
    check(W32, "div.s32 d, a, b;", |a, b, _| match b as i32 {
        0 => u64::MAX,
        b => (a as i32).wrapping_div(b) as u64,
    });
    check(W64, "rem.u64 d, a, b;", |a, b, _| {
        a.checked_rem(b).unwrap_or(u64::MAX)
    });
    check(W64, "div.s64 d, a, b;", |a, b, _| match b as i64 {
        0 => u64::MAX,
        b => (a as i64).wrapping_div(b) as u64,
    });
    check(W64, "rem.s64 d, a, b;", |a, b, _| match b as i64 {
        0 => u64::MAX,
        b => (a as i64).wrapping_rem(b) as u64,
    });
    check(W32, "min.s32 d, a, b;", |a, b, _| {
        (a as i32).min(b as i32) as u64
    });
    check(W64, "max.u64 d, a, b;", |a, b, _| a.max(b));
    check(W32, "abs.s32 d, a;", |a, _, _| {
        (a as i32).unsigned_abs().into()
    });
    check(W64, "neg.s64 d, a;", |a, _, _| a.wrapping_neg());
    check(W32, "add.sat.s32 d, a, b;", |a, b, _| {
        (a as i32).saturating_add(b as i32) as u64
    });
    check(W32, "sad.u32 d, a, b, c;", |a, b, c| a.abs_diff(b) + c);
}

/// The result of `rcp.approx.ftz.f64` or `rsqrt.approx.ftz.f64` for an operand. Only the upper half of the operand counts, and the lower
/// half of the result is zero. Subnormal numbers count as zero.
fn upper_half(a: u64, f: fn(f64) -> f64) -> u64 {
    let [sign, half] = [63, 32].map(|bit| move |x: u64| x >> bit << bit);
    let is_tiny = a << 1 >> 53 == 0;
    let result = f(f64::from_bits(if is_tiny { sign(a) } else { half(a) }));
    match result.classify() {
        FpCategory::Nan => 0x7fff_ffff_0000_0000,
        FpCategory::Subnormal => sign(result.to_bits()),
        _ => half(result.to_bits()),
    }
}

#[test]
fn approximations_of_64_bits() {
    check(W64, "rcp.approx.ftz.f64 d, a;", |a, _, _| {
        upper_half(a, |a| 1.0 / a)
    });
    check(W64, "rsqrt.approx.ftz.f64 d, a;", |a, _, _| {
        upper_half(a, |a| 1.0 / a.sqrt())
    });
    // Without `.ftz` all bits count. The bits of NaNs are not compared.
    check(
        W64,
        "rsqrt.approx.f64 d, a; { .reg .pred n; testp.notanumber.f64 n, d; selp.b64 d, 0, d, n; }",
        |a, _, _| match 1.0 / f64::from_bits(a).sqrt() {
            x if x.is_nan() => 0,
            x => x.to_bits(),
        },
    );
}

#[test]
fn logic_shifts_and_fields() {
    check(W32, "and.b32 d, a, b;", |a, b, _| a & b);
    check(W64, "xor.b64 d, a, b;", |a, b, _| a ^ b);
    check(W16, "not.b16 d, a;", |a, _, _| !a);
    check(W32, "cnot.b32 d, a;", |a, _, _| u64::from(a == 0));
    check([64, 64, 32, 32], "shl.b64 d, a, b;", |a, b, _| {
        a.checked_shl(b as u32).unwrap_or(0)
    });
    check(W32, "shr.u32 d, a, b;", |a, b, _| {
        (a as u32).checked_shr(b as u32).unwrap_or(0).into()
    });
    check(W32, "shr.s32 d, a, b;", |a, b, _| {
        ((a as i32) >> b.min(31)) as u64
    });
    check([16, 16, 32, 32], "shr.s16 d, a, b;", |a, b, _| {
        ((a as i16) >> b.min(15)) as u64
    });
    check(W32, "shf.l.wrap.b32 d, a, b, c;", |a, b, c| {
        ((b << 32 | a) << (c & 31)) >> 32
    });
    check(W32, "shf.r.clamp.b32 d, a, b, c;", |a, b, c| {
        (b << 32 | a) >> c.min(32)
    });
    check([32, 64, 64, 64], "popc.b64 d, a;", |a, _, _| {
        a.count_ones().into()
    });
    check(W32, "clz.b32 d, a;", |a, _, _| {
        (a as u32).leading_zeros().into()
    });
    check(W64, "brev.b64 d, a;", |a, _, _| a.reverse_bits());
    check(W32, "lop3.b32 d, a, b, c, 0xe8;", |a, b, c| {
        a & b | a & c | b & c
    });
    check(W32, "bfi.b32 d, a, b, 4, 8;", |a, b, _| {
        b & !0xff0 | (a & 0xff) << 4
    });
    check([64, 64, 32, 32], "bfe.s64 d, a, 8, 16;", |a, _, _| {
        i64::from((a >> 8) as i16) as u64
    });
    check(W32, "prmt.b32 d, a, b, 0x0123;", |a, _, _| {
        (a as u32).swap_bytes().into()
    });
    check(
        W64,
        "{ .reg .b32 x, y; mov.b64 {x, y}, a; mov.b64 d, {y, x}; }",
        |a, _, _| a.rotate_left(32),
    );
}

#[test]
fn comparisons_and_selections() {
    check(
        W32,
        "setp.lt.s32 p, a, b; selp.b32 d, a, b, p;",
        |a, b, _| (a as i32).min(b as i32) as u64,
    );
    check(
        W64,
        "{ .reg .pred q; setp.ls.u64 p|q, a, b; selp.b64 d, 5, 6, q; }",
        |a, b, _| {
            if a > b { 5 } else { 6 }
        },
    );
    let single = |bits: u64| f32::from_bits(bits as u32);
    type Holds = fn(f32, f32) -> bool;
    let single_relations: [(&str, Holds); 6] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b && !a.is_nan() && !b.is_nan()),
        ("ltu", |a, b| a < b || a.is_nan() || b.is_nan()),
        ("geu", |a, b| a >= b || a.is_nan() || b.is_nan()),
        ("neu", |a, b| a != b),
        ("num", |a, b| !a.is_nan() && !b.is_nan()),
    ];
    for (name, holds) in single_relations {
        check(W32, &format!("set.{name}.u32.f32 d, a, b;"), |a, b, _| {
            if holds(single(a), single(b)) {
                u64::MAX
            } else {
                0
            }
        });
    }
    check(
        W64,
        "setp.gt.f64 p, a, b; selp.b64 d, 1, 0, p;",
        |a, b, _| u64::from(f64::from_bits(a) > f64::from_bits(b)),
    );
    check(
        W32,
        "setp.ne.u32 p, a, 0; setp.lt.and.u32 p, a, b, !p; selp.u32 d, 1, 0, p;",
        |a, b, _| u64::from(a == 0 && a < b),
    );
    check(W32, "slct.b32.s32 d, a, b, c;", |a, b, c| {
        if (c as i32) < 0 { b } else { a }
    });
    check(
        W32,
        "testp.subnormal.f32 p, a; selp.u32 d, 1, 0, p;",
        |a, _, _| u64::from(single(a).is_subnormal()),
    );
}

/// The bits of an f32 result, with NaNs made canonical.
fn bits32(x: f32) -> u64 {
    if x.is_nan() {
        0x7fff_ffff
    } else {
        x.to_bits().into()
    }
}

/// The bits of `x`, the f64 result of an operation on two operands. If both operands are NaNs, the result is made from `preferred`.
fn bits64(x: f64, preferred: f64, other: f64) -> u64 {
    match (x.is_nan(), preferred.is_nan(), other.is_nan()) {
        (false, ..) => x.to_bits(),
        (_, true, _) => preferred.to_bits() | 1 << 51,
        (_, _, true) => other.to_bits() | 1 << 51,
        _ => 0xfff8_0000_0000_0000,
    }
}

/// f64 to f32: a NaN keeps its sign and the upper bits of its payload, and becomes quiet.
fn narrowed(bits: u64, rounded: f32) -> u64 {
    match f64::from_bits(bits).is_nan() {
        true => (bits >> 32 & 0x8000_0000) | 0x7fc0_0000 | (bits >> 29 & 0x3f_ffff),
        false => rounded.to_bits().into(),
    }
}

#[test]
fn floating_point_arithmetic() {
    let s = |bits: u64| f32::from_bits(bits as u32);
    let d = f64::from_bits;
    check(W32, "add.rn.f32 d, a, b;", |a, b, _| bits32(s(a) + s(b)));
    check(W32, "mul.f32 d, a, b;", |a, b, _| bits32(s(a) * s(b)));
    check(W32, "div.rn.f32 d, a, b;", |a, b, _| bits32(s(a) / s(b)));
    check(W32, "fma.rn.f32 d, a, b, c;", |a, b, c| {
        bits32(s(a).mul_add(s(b), s(c)))
    });
    check(W32, "sqrt.rn.f32 d, a;", |a, _, _| bits32(s(a).sqrt()));
    check(W32, "neg.f32 d, a;", |a, _, _| bits32(-s(a)));
    check(W64, "add.rn.f64 d, a, b;", |a, b, _| {
        bits64(d(a) + d(b), d(b), d(a))
    });
    check(W64, "mul.rn.f64 d, a, b;", |a, b, _| {
        bits64(d(a) * d(b), d(b), d(a))
    });
    check(W64, "div.rn.f64 d, a, b;", |a, b, _| {
        bits64(d(a) / d(b), d(a), d(b))
    });
    let flush = |x: f32| {
        if x.is_subnormal() {
            0_f32.copysign(x)
        } else {
            x
        }
    };
    check(W32, "add.ftz.f32 d, a, b;", |a, b, _| {
        bits32(flush(flush(s(a)) + flush(s(b))))
    });
    check(W32, "add.sat.f32 d, a, b;", |a, b, _| match s(a) + s(b) {
        x if x > 0.0 => x.min(1.0).to_bits().into(),
        _ => 0,
    });
}

#[test]
fn minimum_and_maximum() {
    let s = |bits: u64| f32::from_bits(bits as u32);
    let minimum = |a: f32, b: f32| match (a.is_nan(), b.is_nan()) {
        (true, true) => f32::NAN,
        (true, false) => b,
        (false, true) => a,
        _ if a == b => {
            if a.is_sign_negative() {
                a
            } else {
                b
            }
        }
        _ => a.min(b),
    };
    check(W32, "min.f32 d, a, b;", |a, b, _| {
        bits32(minimum(s(a), s(b)))
    });
    check(W32, "max.f32 d, a, b;", |a, b, _| {
        bits32(-minimum(-s(a), -s(b)))
    });
    check(W32, "min.NaN.f32 d, a, b;", |a, b, _| {
        match s(a).is_nan() || s(b).is_nan() {
            true => 0x7fff_ffff,
            false => bits32(minimum(s(a), s(b))),
        }
    });
}

#[test]
fn conversions() {
    let s = |bits: u64| f32::from_bits(bits as u32);
    check([32, 16, 16, 16], "cvt.s32.s16 d, a;", |a, _, _| {
        a as i16 as u64
    });
    check([64, 32, 32, 32], "cvt.s64.s32 d, a;", |a, _, _| {
        a as i32 as u64
    });
    check([16, 64, 64, 64], "cvt.u16.u64 d, a;", |a, _, _| a);
    check([32, 64, 64, 64], "cvt.s32.s8 d, a;", |a, _, _| {
        a as i8 as u64
    });
    check([16, 32, 32, 32], "cvt.sat.s16.s32 d, a;", |a, _, _| {
        (a as i32).clamp(-32768, 32767) as u64
    });
    check([32, 32, 32, 32], "cvt.sat.u8.s32 d, a;", |a, _, _| {
        (a as i32).clamp(0, 255) as u64
    });
    check([32, 64, 64, 64], "cvt.rn.f32.u64 d, a;", |a, _, _| {
        (a as f32).to_bits().into()
    });
    check([64, 32, 32, 32], "cvt.rn.f64.s32 d, a;", |a, _, _| {
        f64::from(a as i32).to_bits()
    });
    check(W32, "cvt.rzi.s32.f32 d, a;", |a, _, _| s(a) as i32 as u64);
    check(W32, "cvt.rni.f32.f32 d, a;", |a, _, _| {
        bits32(s(a).round_ties_even())
    });
    check(
        [64, 32, 32, 32],
        "cvt.rmi.u64.f32 d, a;",
        |a, _, _| match s(a).is_nan() {
            true => 1 << 63,
            false => s(a).floor() as u64,
        },
    );
    check([32, 64, 64, 64], "cvt.rn.f32.f64 d, a;", |a, _, _| {
        narrowed(a, f64::from_bits(a) as f32)
    });
    check([32, 64, 64, 64], "cvt.rz.f32.f64 d, a;", |a, _, _| {
        let (x, near) = (f64::from_bits(a), f64::from_bits(a) as f32);
        match f64::from(near).abs() > x.abs() && x.is_finite() {
            true => u64::from(near.to_bits()) - 1,
            false => narrowed(a, near),
        }
    });
}
