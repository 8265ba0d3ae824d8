//! Floating-point arithmetic on f32 and f64. `narrow` handles floats of 16 bits.

use super::body::Body;
use super::integer::{binary, ternary, unary};
use super::narrow;
use super::opcode::Opcode;
use super::rows::{by_flush, by_mode, by_rounding, map1, map2, map3};
use super::types::{Kind, Type};
use crate::float;
use crate::program::{Map1, Map2, Reg};
use crate::ptx::ast::Operand;

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    match (ty.kind, ty.bits) {
        (Kind::Float, 32) => single(body, opcode, operands, ty),
        (Kind::Float, 64) => double(body, opcode, operands, ty),
        _ => narrow::lower(body, opcode, operands, ty),
    }
}

fn single<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    if let Some(f) = approximation(opcode)? {
        return unary(body, operands, Some(f), ty);
    }
    if opcode.name == "div" {
        // `div.approx` and `div.full` give the correctly rounded quotient here. PTX bounds their error for divisors of at most 2^126 in
        // magnitude, and this quotient is within the bound.
        let _ = opcode.takes("approx") || opcode.takes("full");
    }
    let m = match opcode.name {
        "min" | "max" | "abs" | "neg" => opcode.flush(),
        "copysign" => float::Mode(0),
        _ => opcode.mode(),
    };
    let f: Map2 = match opcode.name {
        "add" => by_mode!(m, M => map2!(f32, f32, float::add_single::<M>)),
        "sub" => by_mode!(m, M => map2!(f32, f32, float::sub_single::<M>)),
        "mul" => by_mode!(m, M => map2!(f32, f32, float::mul_single::<M>)),
        "div" => by_mode!(m, M => map2!(f32, f32, float::div_single::<M>)),
        "min" | "max" => extreme(opcode, m)?,
        "copysign" => map2!(f32, f32, |a: f32, b: f32| b.copysign(a)),
        "mad" | "fma" => {
            let f = by_mode!(m, M => map3!(f32, f32, f32, float::fma_single::<M>));
            return ternary(body, operands, Some(f), ty);
        }
        "sqrt" => {
            let f = by_mode!(m, M => map1!(f32, float::sqrt_single::<M>));
            return unary(body, operands, Some(f), ty);
        }
        "rcp" => {
            let f = by_mode!(m, M => map1!(f32, |a: f32| float::div_single::<M>(1.0, a)));
            return unary(body, operands, Some(f), ty);
        }
        "abs" => {
            let f = by_flush!(m, M => map1!(f32, float::abs_single::<M>));
            return unary(body, operands, Some(f), ty);
        }
        "neg" => {
            let f = by_flush!(m, M => map1!(f32, float::neg_single::<M>));
            return unary(body, operands, Some(f), ty);
        }
        name => return Err(format!("`{name}` on {ty} is not supported")),
    };
    binary(body, operands, Some(f), ty)
}

/// `min` and `max`, with `.NaN` and `.xorsign.abs`.
fn extreme(opcode: &mut Opcode<'_>, m: float::Mode) -> Result<Map2, String> {
    let (takes_nan, xor_sign) = (opcode.takes("NaN"), opcode.takes("xorsign"));
    if xor_sign && !opcode.takes("abs") {
        return Err("`.xorsign` without `.abs`".into());
    }
    Ok(by_flush!(m, M => match (opcode.name, takes_nan, xor_sign) {
        ("min", false, false) => map2!(f32, f32, float::min_single::<M>),
        ("min", true, false) => map2!(f32, f32, float::min_nan_single::<M>),
        ("max", false, false) => map2!(f32, f32, float::max_single::<M>),
        ("max", true, false) => map2!(f32, f32, float::max_nan_single::<M>),
        ("min", false, true) => map2!(f32, f32, |a: f32, b: f32| {
            float::xor_sign_single(float::min_single::<M>(a.abs(), b.abs()), a, b)
        }),
        ("min", true, true) => map2!(f32, f32, |a: f32, b: f32| {
            float::xor_sign_single(float::min_nan_single::<M>(a.abs(), b.abs()), a, b)
        }),
        (_, false, true) => map2!(f32, f32, |a: f32, b: f32| {
            float::xor_sign_single(float::max_single::<M>(a.abs(), b.abs()), a, b)
        }),
        _ => map2!(f32, f32, |a: f32, b: f32| {
            float::xor_sign_single(float::max_nan_single::<M>(a.abs(), b.abs()), a, b)
        }),
    }))
}

/// The function that a unary `.approx` instruction approximates, or `None` for another instruction.
fn approximation(opcode: &mut Opcode<'_>) -> Result<Option<Map1>, String> {
    macro_rules! approximated {
        ($f:expr) => {
            match opcode.takes("ftz") {
                false => map1!(f32, |a: f32| float::approximate(a, $f)),
                true => map1!(f32, |a: f32| float::approximate_flushed(a, $f)),
            }
        };
    }
    let always = matches!(
        opcode.name,
        "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh"
    );
    if !always && !matches!(opcode.name, "rcp" | "sqrt") {
        return Ok(None);
    }
    if !opcode.takes("approx") {
        return match always {
            true => Err(format!("`{}` without `.approx`", opcode.name)),
            false => Ok(None),
        };
    }
    Ok(Some(match opcode.name {
        "rcp" => approximated!(float::reciprocal),
        "rsqrt" => approximated!(float::reciprocal_root),
        "sqrt" => approximated!(f64::sqrt),
        "sin" => approximated!(f64::sin),
        "cos" => approximated!(f64::cos),
        "lg2" => approximated!(f64::log2),
        "ex2" => approximated!(f64::exp2),
        _ => approximated!(f64::tanh),
    }))
}

fn double<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    if opcode.takes("approx") {
        let f = match (opcode.name, opcode.takes("ftz")) {
            ("rcp", true) => map1!(f64, |a: f64| {
                float::approximate_upper_half(a, float::reciprocal)
            }),
            ("rsqrt", true) => map1!(f64, |a: f64| {
                float::approximate_upper_half(a, float::reciprocal_root)
            }),
            ("rcp", false) => return Err(format!("`rcp.approx` on {ty} without `.ftz`")),
            ("rsqrt", false) => map1!(f64, float::reciprocal_root_double),
            (name, _) => return Err(format!("`{name}.approx` on {ty} is not supported")),
        };
        return unary(body, operands, Some(f), ty);
    }
    let m = match opcode.name {
        "min" | "max" | "copysign" | "abs" | "neg" => float::Mode(0),
        _ => opcode.mode(),
    };
    if m.flushes() || m.saturates() {
        return Err(format!("`.ftz` or `.sat` on {ty} is not supported"));
    }
    let f: Map2 = match opcode.name {
        "add" => by_rounding!(m, M => map2!(f64, f64, float::add_double::<M>)),
        "sub" => by_rounding!(m, M => map2!(f64, f64, float::sub_double::<M>)),
        "mul" => by_rounding!(m, M => map2!(f64, f64, float::mul_double::<M>)),
        "div" => by_rounding!(m, M => map2!(f64, f64, float::div_double::<M>)),
        "min" => map2!(f64, f64, float::min_double),
        "max" => map2!(f64, f64, float::max_double),
        "copysign" => map2!(f64, f64, |a: f64, b: f64| b.copysign(a)),
        "mad" | "fma" => {
            let f = by_rounding!(m, M => map3!(f64, f64, f64, float::fma_double::<M>));
            return ternary(body, operands, Some(f), ty);
        }
        "sqrt" => {
            let f = by_rounding!(m, M => map1!(f64, float::sqrt_double::<M>));
            return unary(body, operands, Some(f), ty);
        }
        "rcp" => {
            let f = by_rounding!(m, M => map1!(f64, |a: f64| float::div_double::<M>(1.0, a)));
            return unary(body, operands, Some(f), ty);
        }
        "abs" => return unary(body, operands, Some(map1!(f64, float::abs_double)), ty),
        "neg" => return unary(body, operands, Some(map1!(f64, float::neg_double)), ty),
        name => return Err(format!("`{name}` on {ty} is not supported")),
    };
    binary(body, operands, Some(f), ty)
}
