//! `cvt`: between integers, between floats, and between the two.
//!
//! If a destination register is wider than the type, its upper bits are copies of the sign for a signed type, and zeros otherwise.
//! `convert_narrow` handles floats of 16 bits or fewer, and `cvt.pack`. `convert_tensor` handles tf32.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::{by_flush, by_integer, by_mode, by_rounding, map1};
use super::types::{Kind, Type};
use super::{convert_narrow, convert_tensor};
use crate::alu::{self, Integer, Value};
use crate::counters::Class;
use crate::float::{self, Mode, Rounding, Source, soft};
use crate::program::{Map1, Op, Reg};
use crate::ptx::ast::Operand;

/// Rounding to a whole number.
const WHOLE: [(&str, Rounding); 4] = [
    ("rni", Rounding::Nearest),
    ("rzi", Rounding::Zero),
    ("rmi", Rounding::Down),
    ("rpi", Rounding::Up),
];

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    if let Some(format) = opcode.choice(&convert_narrow::EIGHTHS) {
        return convert_narrow::eighths(body, opcode, operands, format);
    }
    if opcode.takes("tf32") {
        return convert_tensor::lower(body, opcode, operands);
    }
    if opcode.takes("pack") {
        return convert_narrow::pack(body, opcode, operands);
    }
    let to = opcode.ty()?;
    if let Kind::Packed(part) = to.kind {
        return convert_narrow::pair(body, opcode, operands, part);
    }
    let from = opcode.ty()?;
    let (whole, rounding) = (opcode.choice(&WHOLE), opcode.rounding());
    if !may_round(to, from, whole, rounding) {
        return Err(format!("`cvt` from {from} to {to} does not round so"));
    }
    let mode = opcode.mode_with(whole.or(rounding).unwrap_or_default());
    if convert_narrow::concerns(to, from) {
        let how = (mode, whole.is_some());
        return convert_narrow::single(body, opcode, operands, (to, from), how);
    }
    let f = function(to, from, whole.is_some(), mode);
    let f = f.ok_or_else(|| format!("`cvt` from {from} to {to} in this form is not supported"))?;
    let [d, a] = exactly(operands)?;
    let a = body.wide_source(a, from)?;
    let (d, bits) = body.wide_target(d, to)?;
    body.emit(Op::Map1 { f, d, a }, Class::Convert);
    extend_sign(body, d, to, bits);
    Ok(())
}

/// Whether a conversion is valid with exactly these modifiers: `whole` rounds to a whole number, `rounding` to the precision of `to`.
/// `None` means no modifier.
fn may_round(to: Type, from: Type, whole: Option<Rounding>, rounding: Option<Rounding>) -> bool {
    let (to_whole, to_format) = (whole.is_some(), rounding.is_some());
    match (to.is_float(), from.is_float()) {
        (false, false) => !to_whole && !to_format,
        (false, true) => to_whole && !to_format,
        (true, false) => !to_whole && to_format,
        (true, true) if to == from => !to_format,
        (true, true) => !to_whole && to_format == (to.bits <= from.bits),
    }
}

/// Extends the sign into a destination that is wider than a signed type.
pub(super) fn extend_sign(body: &mut Body<'_, '_>, d: Reg, to: Type, bits: u32) {
    if bits > to.bits && to.is_signed() {
        let wide = Type { bits, ..to };
        if let Some(f) = integers(wide, to, Mode::default()) {
            body.emit(Op::Map1 { f, d, a: d }, Class::Convert);
        }
    }
}

fn function(to: Type, from: Type, is_whole: bool, mode: Mode) -> Option<Map1> {
    match (to.is_float(), from.is_float()) {
        (false, false) => integers(to, from, mode),
        (false, true) => to_integer(to, from, mode),
        (true, false) => from_integer(to, from, mode),
        (true, true) if is_whole => to_whole(to, from, mode),
        (true, true) => floats(to, from, mode),
    }
}

fn integers(to: Type, from: Type, mode: Mode) -> Option<Map1> {
    match mode.saturates() {
        false => by_integer!(from, F => by_integer!(to, T => map1!(F, |a: F| a as T)))?,
        true => by_integer!(from, F => by_integer!(to, T => map1!(F, |a: F| {
            alu::saturate::<T>(a.widen())
        })))?,
    }
}

fn to_integer(to: Type, from: Type, mode: Mode) -> Option<Map1> {
    match (from.kind, from.bits) {
        (Kind::Float, 32) => by_integer!(to, T => by_rounding!(mode, R => {
            match mode.flushes() {
                false => map1!(f32, |a: f32| {
                    let r = Mode(R).rounding();
                    float::float_to_integer::<T>(a.into(), r, Source::Narrower)
                }),
                true => map1!(f32, |a: f32| {
                    let r = Mode(R).rounding();
                    float::float_to_integer::<T>(float::flush(a).into(), r, Source::Narrower)
                }),
            }
        })),
        (Kind::Float, 64) => by_integer!(to, T => by_rounding!(mode, R => map1!(f64, |a: f64| {
            float::float_to_integer::<T>(a, Mode(R).rounding(), Source::Double)
        }))),
        _ => None,
    }
}

fn from_integer(to: Type, from: Type, mode: Mode) -> Option<Map1> {
    if mode.saturates() {
        // An integer, clamped to the range from 0 to 1, becomes 0 or 1. So there is nothing to round.
        let held = by_integer!(from, F => match to.bits {
            32 => map1!(F, |a: F| f32::from(u8::from(a > 0))),
            _ => map1!(F, |a: F| f64::from(u8::from(a > 0))),
        });
        return held;
    }
    match (to.kind, to.bits) {
        (Kind::Float, 32) => by_integer!(from, F => by_rounding!(mode, R => map1!(F, |a: F| {
            match Mode(R).rounding() {
                Rounding::Nearest => (a as f32).to_slot(),
                rounding => float::integer_to_float(a, soft::SINGLE, rounding),
            }
        }))),
        (Kind::Float, 64) => by_integer!(from, F => by_rounding!(mode, R => map1!(F, |a: F| {
            match Mode(R).rounding() {
                Rounding::Nearest => (a as f64).to_slot(),
                rounding => float::integer_to_float(a, soft::DOUBLE, rounding),
            }
        }))),
        _ => None,
    }
}

/// Rounds a float to a whole number of the same type.
fn to_whole(to: Type, from: Type, mode: Mode) -> Option<Map1> {
    if to != from || to.kind != Kind::Float {
        return None;
    }
    match to.bits {
        32 => Some(by_mode!(mode, M => map1!(f32, |a: f32| {
            // Flushing comes before rounding. `clean_single` saturates, and replaces a NaN.
            let whole = float::round_to_whole(a.into(), Mode(M).rounding()) as f32;
            match Mode(M).flushes() && a.is_subnormal() {
                true => float::clean_single::<M>(0_f32.copysign(a)),
                false => float::clean_single::<M>(whole),
            }
        }))),
        64 if mode.0 & !3 == 0 => Some(by_rounding!(mode, M => map1!(f64, |a: f64| {
            float::double_to_whole(a, Mode(M).rounding())
        }))),
        64 if !mode.flushes() => Some(by_rounding!(mode, M => map1!(f64, |a: f64| {
            float::saturate_double(float::round_to_whole(a, Mode(M).rounding()))
        }))),
        _ => None,
    }
}

fn floats(to: Type, from: Type, mode: Mode) -> Option<Map1> {
    match ((to.kind, to.bits), (from.kind, from.bits)) {
        ((Kind::Float, 32), (Kind::Float, 32)) => {
            Some(by_mode!(mode, M => map1!(f32, float::clean_single::<M>)))
        }
        ((Kind::Float, 64), (Kind::Float, 64)) if mode.0 == 0 => Some(map1!(f64, |a: f64| a)),
        ((Kind::Float, 64), (Kind::Float, 64)) if mode.0 == Mode::SATURATE => {
            Some(map1!(f64, float::saturate_double))
        }
        ((Kind::Float, 64), (Kind::Float, 32)) if mode.saturates() => {
            Some(by_flush!(mode, M => map1!(f32, |a: f32| {
                float::saturate_double(float::clean_single::<M>(a).into())
            })))
        }
        ((Kind::Float, 64), (Kind::Float, 32)) if !mode.saturates() => Some(by_flush!(mode, M => {
            map1!(f32, |a: f32| float::single_to_double(match Mode(M).flushes() {
                true => float::clean_single::<M>(a),
                false => a,
            }))
        })),
        ((Kind::Float, 32), (Kind::Float, 64)) => {
            Some(by_mode!(mode, M => map1!(f64, float::double_to_single::<M>)))
        }
        _ => None,
    }
}
