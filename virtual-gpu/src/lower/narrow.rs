//! Arithmetic on f16, bf16, f16x2 and bf16x2.
//!
//! Each instruction gets a constant control operand. It says whether the instruction flushes, saturates and has `.oob`, and which form of
//! `min` or `max` it is. Most of these instructions compute in integers, so testing the control operand at run time costs little in
//! comparison.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::{by_narrow, map2, map3, map4};
use super::types::Type;
use crate::counters::Class;
use crate::float::{
    Extreme, Lanes, Mode, Narrow, Rounding, abs_narrow, add_narrow, approximate_narrow,
    extreme_narrow, fma_narrow, mul_narrow, neg_narrow, rectify, sub_narrow,
};
use crate::program::{Map2, Map3, Map4, Op, Reg};
use crate::ptx::ast::Operand;

/// The NaN that marks an item out of bounds. It may have either sign.
const OUT_OF_BOUNDS_NAN: u16 = 0x7ff7;

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    let name = opcode.name;
    if matches!(name, "ex2" | "tanh") && !opcode.takes("approx") {
        return Err(format!("`{name}` without `.approx`"));
    }
    let form = extreme(opcode)?;
    let rectifies = opcode.takes("relu");
    let marks = name == "fma" && opcode.takes("oob");
    let mode = match name {
        "add" | "sub" | "mul" | "fma" => opcode.mode(),
        _ => opcode.flush(),
    };
    if mode.rounding() != Rounding::Nearest {
        return Err(format!("{ty} rounds to nearest only"));
    }
    let marked = if marks { OUT_OF_BOUNDS } else { 0 };
    let control = body.constant(u64::from(mode.0) | u64::from(form.0) << 8 | marked);
    let unsupported = || format!("`{name}` on {ty} is not supported");
    let op = match (name, rectifies) {
        ("fma", _) => {
            let [d, a, b, c] = exactly(operands)?;
            let s = [
                body.source(a, ty)?,
                body.source(b, ty)?,
                body.source(c, ty)?,
                control,
            ];
            let f = fused(ty, rectifies).ok_or_else(unsupported)?;
            let d = body.target(d, ty)?;
            Op::Map4 { f, d, s }
        }
        ("abs" | "neg" | "ex2" | "tanh", false) => {
            let [d, a] = exactly(operands)?;
            let s = [body.source(a, ty)?, control];
            let f = unary(name, ty).ok_or_else(unsupported)?;
            let d = body.target(d, ty)?;
            Op::Map2 { f, d, s }
        }
        (_, false) => {
            let f = binary(name, ty).ok_or_else(unsupported)?;
            let [d, a, b] = exactly(operands)?;
            let s = [body.source(a, ty)?, body.source(b, ty)?, control];
            let d = body.target(d, ty)?;
            Op::Map3 { f, d, s }
        }
        _ => return Err(unsupported()),
    };
    body.emit(op, Class::Float);
    Ok(())
}

/// The bit for `.oob` in a control operand. If the bit is set and a factor is the NaN for items out of bounds, the result is zero.
const OUT_OF_BOUNDS: u64 = 1 << 16;

/// `fma` with its modifiers, except `.relu`.
fn fused_part<T: Narrow>(a: T, b: T, c: T, control: u32) -> T {
    let marks = u64::from(control) & OUT_OF_BOUNDS != 0;
    if marks && [a, b].iter().any(|x| x.magnitude() == OUT_OF_BOUNDS_NAN) {
        return T::from_bits(0);
    }
    fma_narrow(a, b, c, mode(control))
}

/// The mode in a control operand.
fn mode(control: u32) -> Mode {
    Mode(control as u8)
}

fn unary(name: &str, ty: Type) -> Option<Map2> {
    match name {
        "abs" => by_narrow!(ty, T => map2!(T, u32, |a: T, control: u32| {
            a.each(|a| abs_narrow(a, mode(control)))
        })),
        "neg" => by_narrow!(ty, T => map2!(T, u32, |a: T, control: u32| {
            a.each(|a| neg_narrow(a, mode(control)))
        })),
        "ex2" => by_narrow!(ty, T => map2!(T, u32, |a: T, control: u32| {
            a.each(|a| approximate_narrow(a, mode(control), f64::exp2))
        })),
        _ => by_narrow!(ty, T => map2!(T, u32, |a: T, control: u32| {
            a.each(|a| approximate_narrow(a, mode(control), f64::tanh))
        })),
    }
}

fn binary(name: &str, ty: Type) -> Option<Map3> {
    match name {
        "add" => by_narrow!(ty, T => map3!(T, T, u32, |a: T, b: T, control: u32| {
            a.with(b, |a, b| add_narrow(a, b, mode(control)))
        })),
        "sub" => by_narrow!(ty, T => map3!(T, T, u32, |a: T, b: T, control: u32| {
            a.with(b, |a, b| sub_narrow(a, b, mode(control)))
        })),
        "mul" => by_narrow!(ty, T => map3!(T, T, u32, |a: T, b: T, control: u32| {
            a.with(b, |a, b| mul_narrow(a, b, mode(control)))
        })),
        "min" | "max" => by_narrow!(ty, T => map3!(T, T, u32, |a: T, b: T, control: u32| {
            let form = Extreme((control >> 8) as u8);
            a.with(b, |a, b| extreme_narrow(a, b, form, mode(control)))
        })),
        _ => None,
    }
}

fn fused(ty: Type, rectifies: bool) -> Option<Map4> {
    match rectifies {
        false => by_narrow!(ty, T => map4!(T, T, T, u32, |a: T, b: T, c: T, control: u32| {
            a.with_two(b, c, |a, b, c| fused_part(a, b, c, control))
        })),
        true => by_narrow!(ty, T => map4!(T, T, T, u32, |a: T, b: T, c: T, control: u32| {
            a.with_two(b, c, |a, b, c| rectify(fused_part(a, b, c, control)))
        })),
    }
}

/// The form of `min` or `max`. `Extreme(0)` for other opcodes.
fn extreme(opcode: &mut Opcode<'_>) -> Result<Extreme, String> {
    if !matches!(opcode.name, "min" | "max") {
        return Ok(Extreme(0));
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
    Ok(Extreme(greatest | nan_wins | xor_sign))
}
