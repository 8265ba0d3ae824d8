//! `cvt` to tf32, which is f32 with the precision of f16.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::map2;
use super::types::U32;
use crate::counters::Class;
use crate::float;
use crate::program::{Op, Reg};
use crate::ptx::ast::Operand;

/// To nearest, ties away from zero.
const AWAY: u64 = 0;
/// To nearest, ties to even.
const NEAREST: u64 = 1;
const ZERO: u64 = 2;
/// Negative values become +0.
const RECTIFY: u64 = 1 << 8;
/// An infinite result becomes the largest finite number of the same sign. The hardware does this by subtracting one unit in the last place,
/// and subtracts the same from a NaN result.
const HOLD: u64 = 1 << 9;

const LAST_PLACE: u32 = 0x2000;
const INFINITY: u32 = 0x7f80_0000;
const SIGN: u32 = 1 << 31;

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let from = opcode.ty()?;
    let rounding = opcode.choice(&[("rna", AWAY), ("rn", NEAREST), ("rz", ZERO)]);
    let rounding = rounding.ok_or("`cvt` to tf32 without a rounding that is supported")?;
    let rectify = if opcode.takes("relu") { RECTIFY } else { 0 };
    let hold = match rounding {
        AWAY if opcode.takes("satfinite") => HOLD,
        _ => 0,
    };
    let [d, a] = exactly(operands)?;
    let control = body.constant(rounding | rectify | hold);
    let s = [body.source(a, from)?, control];
    let d = body.target(d, U32)?;
    let f = map2!(f32, u32, |a: f32, control: u32| convert(a, control.into()));
    body.emit(Op::Map2 { f, d, s }, Class::Convert);
    Ok(())
}

fn convert(a: f32, control: u64) -> u32 {
    let a = if control & RECTIFY != 0 && a <= 0.0 {
        0.0
    } else {
        a
    };
    let rounded = match control & 0xff {
        AWAY => float::to_tensor_away(a),
        NEAREST => float::to_tensor(a, 0xfff + (a.to_bits() >> 13 & 1)),
        _ => float::to_tensor(a, 0),
    };
    match control & HOLD != 0 && rounded & !SIGN >= INFINITY {
        true => rounded - LAST_PLACE,
        false => rounded,
    }
}
