//! Arithmetic on f16, bf16, f16x2 and bf16x2.

use super::body::Body;
use super::integer::{binary, ternary, unary};
use super::opcode::Opcode;
use super::rows::{by_flush, by_narrow, map1, map2, map3};
use super::types::Type;
use crate::float::{
    Extreme, Lanes, Mode, Rounding, abs_narrow, add_narrow, approximate_narrow, extreme_narrow,
    fma_narrow, mul_narrow, neg_narrow, rectify, sub_narrow,
};
use crate::program::{Map2, Map3, Reg};
use crate::ptx::ast::Operand;

/// Flushing and saturation as a constant; these types round to nearest only.
macro_rules! by_flags {
    ($mode:expr, $m:ident => $e:expr) => {
        match ($mode.flushes(), $mode.saturates()) {
            (false, false) => {
                const $m: u8 = 0;
                $e
            }
            (true, false) => {
                const $m: u8 = Mode::FLUSH;
                $e
            }
            (false, true) => {
                const $m: u8 = Mode::SATURATE;
                $e
            }
            (true, true) => {
                const $m: u8 = Mode::FLUSH | Mode::SATURATE;
                $e
            }
        }
    };
}

pub(super) fn lower_typed<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    if matches!(opcode.name, "ex2" | "tanh") {
        if !opcode.takes("approx") {
            return Err(format!("`{}` without `.approx`", opcode.name));
        }
        let m = opcode.mode_with(Rounding::Nearest);
        let f = match opcode.name {
            "ex2" => by_narrow!(ty, T => by_flush!(m, M => map1!(T, |a: T| {
                a.each(|a| approximate_narrow::<_, M>(a, f64::exp2))
            }))),
            _ => by_narrow!(ty, T => map1!(T, |a: T| {
                a.each(|a| approximate_narrow::<_, 0>(a, f64::tanh))
            })),
        };
        return unary(body, operands, f, ty);
    }
    if matches!(opcode.name, "min" | "max") {
        let f = extreme(opcode, ty)?;
        return binary(body, operands, f, ty);
    }
    let m = opcode.mode();
    if m.rounding() != Rounding::Nearest {
        return Err(format!("{ty} rounds to nearest only"));
    }
    match opcode.name {
        "fma" => {
            let f = fused(ty, m, opcode.takes("relu"));
            ternary(body, operands, f, ty)
        }
        "abs" | "neg" => {
            let f = match opcode.name {
                "abs" => by_narrow!(ty, T => by_flush!(m, M => map1!(T, |a: T| {
                    a.each(abs_narrow::<_, M>)
                }))),
                _ => by_narrow!(ty, T => by_flush!(m, M => map1!(T, |a: T| {
                    a.each(neg_narrow::<_, M>)
                }))),
            };
            unary(body, operands, f, ty)
        }
        "add" | "sub" | "mul" => {
            let f: Option<Map2> = match opcode.name {
                "add" => by_narrow!(ty, T => by_flags!(m, M => map2!(T, T, |a: T, b: T| {
                    a.with(b, add_narrow::<_, M>)
                }))),
                "sub" => by_narrow!(ty, T => by_flags!(m, M => map2!(T, T, |a: T, b: T| {
                    a.with(b, sub_narrow::<_, M>)
                }))),
                _ => by_narrow!(ty, T => by_flags!(m, M => map2!(T, T, |a: T, b: T| {
                    a.with(b, mul_narrow::<_, M>)
                }))),
            };
            binary(body, operands, f, ty)
        }
        name => Err(format!("`{name}` on {ty} is not supported")),
    }
}

fn fused(ty: Type, m: Mode, rectifies: bool) -> Option<Map3> {
    match rectifies {
        false => by_narrow!(ty, T => by_flags!(m, M => map3!(T, T, T, |a: T, b: T, c: T| {
            a.with_two(b, c, fma_narrow::<_, M>)
        }))),
        true => by_narrow!(ty, T => by_flags!(m, M => map3!(T, T, T, |a: T, b: T, c: T| {
            a.with_two(b, c, |a, b, c| rectify(fma_narrow::<_, M>(a, b, c)))
        }))),
    }
}

/// `min` and `max` in all their forms.
fn extreme(opcode: &mut Opcode<'_>, ty: Type) -> Result<Option<Map2>, String> {
    macro_rules! forms {
        ($m:expr, $e:expr, $($form:literal)*) => {
            match $e {
                $($form => by_narrow!(ty, T => by_flush!($m, M => map2!(T, T, |a: T, b: T| {
                    a.with(b, extreme_narrow::<_, M, $form>)
                }))),)*
                _ => None,
            }
        };
    }
    let greatest = if opcode.name == "max" {
        Extreme::GREATEST
    } else {
        0
    };
    let nan_wins = if opcode.takes("NaN") {
        Extreme::NAN_WINS
    } else {
        0
    };
    let xor_sign = if opcode.takes("xorsign") {
        Extreme::XOR_SIGN
    } else {
        0
    };
    if xor_sign != 0 && !opcode.takes("abs") {
        return Err("`.xorsign` without `.abs`".into());
    }
    let m = opcode.mode_with(Rounding::Nearest);
    Ok(forms!(m, greatest | nan_wins | xor_sign, 0 1 2 3 4 5 6 7))
}
