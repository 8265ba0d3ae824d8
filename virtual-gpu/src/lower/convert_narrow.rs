//! `cvt` to or from floats of 16 bits or fewer: f16, bf16, f16x2, bf16x2, e4m3x2 and e5m2x2. Also `cvt.pack`, of integers.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::{by_integer, map1, map2, map3};
use super::types::{Kind, PackedElement, Type, U32};
use crate::alu::{self, Integer};
use crate::counters::Class;
use crate::float::{
    self, Brain, Eighth, Finish, Float, Half, Mode, Narrow, Pair, Rounding, Source, to_narrow,
};
use crate::program::{Map1, Map2, Map3, Op, Reg};
use crate::ptx::ast::Operand;

/// Evaluates to `Some` of the expression, in which `$s` stands for the float type. `None` for pairs, and for types that are not floats.
macro_rules! by_float {
    ($ty:expr, $s:ident => $e:expr) => {
        match ($ty.kind, $ty.bits) {
            (Kind::Float, 16) => {
                type $s = Half;
                Some($e)
            }
            (Kind::Brain, 16) => {
                type $s = Brain;
                Some($e)
            }
            (Kind::Float, 32) => {
                type $s = f32;
                Some($e)
            }
            (Kind::Float, 64) => {
                type $s = f64;
                Some($e)
            }
            _ => None,
        }
    };
}

/// Whether this module handles a conversion. The conversion must be of one value, not of a pair.
pub(super) fn concerns(to: Type, from: Type) -> bool {
    to.is_float() && to.bits == 16 || from.is_float() && from.bits == 16
}

/// Converts one value, not a pair. The source or the result is a float of 16 bits.
pub(super) fn single<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    (to, from): (Type, Type),
    (mode, is_whole): (Mode, bool),
) -> Result<(), String> {
    let finish = Finish::new(opcode.takes("relu"), opcode.takes("satfinite"));
    let control = body.constant(finish.with(mode).into());
    let f = match (to.is_float(), from.is_float()) {
        (false, _) => to_integer(to, from),
        // bf16 converts to integers of 8 bits, but not from them.
        (true, false) if to.kind == Kind::Brain && from.bits == 8 => None,
        // An integer, clamped to the range from 0 to 1, becomes 0 or 1. So there is nothing to round.
        (true, false) if mode.saturates() => match to.kind {
            Kind::Brain => by_integer!(from, F => map2!(F, u32, |a: F, _: u32| {
                if a > 0 { Brain::one() } else { Brain(0) }
            })),
            _ => by_integer!(from, F => map2!(F, u32, |a: F, _: u32| {
                if a > 0 { Half::one() } else { Half(0) }
            })),
        },
        (true, false) => match to.kind {
            Kind::Brain => by_integer!(from, F => map2!(F, u32, |a: F, control: u32| {
                float::integer_to_float(a, Brain::FORMAT, rounding(control))
            })),
            _ => by_integer!(from, F => map2!(F, u32, |a: F, control: u32| {
                float::integer_to_float(a, Half::FORMAT, rounding(control))
            })),
        },
        (true, true) if is_whole => whole(to, from),
        (true, true) => match (to.kind, to.bits) {
            (Kind::Brain, _) => floats::<Brain>(from),
            (_, 16) => floats::<Half>(from),
            _ => return widen(body, operands, (to, from), mode),
        },
    };
    let f = f.ok_or_else(|| unsupported(to, from))?;
    let [d, a] = exactly(operands)?;
    let s = [body.wide_source(a, from)?, control];
    let (d, bits) = body.wide_target(d, to)?;
    body.emit(Op::Map2 { f, d, s }, Class::Convert);
    super::convert::extend_sign(body, d, to, bits);
    Ok(())
}

fn unsupported(to: Type, from: Type) -> String {
    format!("`cvt` from {from} to {to} in this form is not supported")
}

/// The rounding direction in a control operand.
fn rounding(control: u32) -> Rounding {
    Mode(control as u8).rounding()
}

fn to_integer(to: Type, from: Type) -> Option<Map2> {
    macro_rules! truncated {
        ($s:ident) => {
            by_integer!(to, T => map2!($s, u32, |a: $s, control: u32| {
                float::float_to_integer::<T>(a.double(), rounding(control), Source::Narrower)
            }))
        };
    }
    match from.kind {
        Kind::Brain => truncated!(Brain),
        _ => truncated!(Half),
    }
}

/// Rounds a float to a whole number of the same type.
fn whole(to: Type, from: Type) -> Option<Map2> {
    macro_rules! rounded {
        ($t:ident) => {
            map2!($t, u32, |a: $t, control: u32| {
                let whole = float::round_to_whole(a.double(), rounding(control));
                let rounded = $t::round(whole, Rounding::Nearest);
                float::clean_narrow(rounded, Mode(control as u8 & Mode::SATURATE))
            })
        };
    }
    match to.kind {
        _ if to != from => None,
        Kind::Brain => Some(rounded!(Brain)),
        _ => Some(rounded!(Half)),
    }
}

fn floats<T: Narrow + crate::alu::Value>(from: Type) -> Option<Map2> {
    fn row<T: Narrow + crate::alu::Value, S: Float>(
        r: &mut crate::program::Registers,
        d: Reg,
        s: [Reg; 2],
        mask: u32,
    ) {
        r.map2::<S, u32, T>(d, s, mask, to_narrow::<T, S>);
    }
    by_float!(from, S => row::<T, S> as Map2)
}

/// Converts a float of 16 bits to f32 or f64.
fn widen<'a>(
    body: &mut Body<'a, '_>,
    operands: &[Operand<'a>],
    (to, from): (Type, Type),
    mode: Mode,
) -> Result<(), String> {
    macro_rules! widened {
        ($s:ident, $single:expr) => {
            match (to.bits, mode.saturates()) {
                (32, false) => map1!($s, $single),
                (32, true) => map1!($s, |a: $s| {
                    float::clean_single::<{ Mode::SATURATE }>(a.single())
                }),
                (_, false) => map1!($s, |a: $s| float::half_to_double(a.0, $s::FORMAT)),
                (_, true) => map1!($s, |a: $s| float::saturate_double(a.double())),
            }
        };
    }
    let f: Map1 = match from.kind {
        // Without `.sat`, a conversion from bf16 to f32 changes no bit: even a NaN is not quieted.
        Kind::Brain => widened!(Brain, |a: Brain| f32::from_bits(u32::from(a.0) << 16)),
        _ => widened!(Half, |a: Half| a.single()),
    };
    let [d, a] = exactly(operands)?;
    let (a, (d, _)) = (body.wide_source(a, from)?, body.wide_target(d, to)?);
    body.emit(Op::Map1 { f, d, a }, Class::Convert);
    Ok(())
}

/// A pair of f16 or bf16 from two f32; the first source becomes the upper value.
pub(super) fn pair<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    part: PackedElement,
) -> Result<(), String> {
    let from = opcode.ty()?;
    let mode = opcode.mode();
    let finish = Finish::new(opcode.takes("relu"), opcode.takes("satfinite"));
    let f: Map3 = match (part, from.kind, from.bits) {
        (PackedElement::Half, Kind::Float, 32) => {
            map3!(f32, f32, u32, |a: f32, b: f32, control: u32| {
                Pair::<Half>([to_narrow(b, control), to_narrow(a, control)])
            })
        }
        (PackedElement::Brain, Kind::Float, 32) => {
            map3!(f32, f32, u32, |a: f32, b: f32, control: u32| {
                Pair::<Brain>([to_narrow(b, control), to_narrow(a, control)])
            })
        }
        _ => return Err(format!("`cvt` from {from} to a pair is not supported")),
    };
    let control = body.constant(finish.with(mode).into());
    let [d, a, b] = exactly(operands)?;
    let s = [body.source(a, from)?, body.source(b, from)?, control];
    let d = body.target(d, U32)?;
    body.emit(Op::Map3 { f, d, s }, Class::Convert);
    Ok(())
}

/// The pairs of 8-bit floats.
pub(super) const EIGHTHS: [(&str, Eighth); 2] =
    [("e4m3x2", Eighth::E4M3), ("e5m2x2", Eighth::E5M2)];

/// Converts to or from a pair of 8-bit floats.
pub(super) fn eighths<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    format: Eighth,
) -> Result<(), String> {
    let other = opcode.ty()?;
    let nearest = opcode.takes("rn");
    let (holds, rectifies) = (opcode.takes("satfinite"), opcode.takes("relu"));
    if !nearest {
        return Err("`cvt` of 8-bit floats without `.rn`".into());
    }
    let half = Type::unsigned(16);
    macro_rules! by_format {
        ($f:ident => $e:expr) => {
            match format {
                Eighth::E4M3 => {
                    const $f: Eighth = Eighth::E4M3;
                    $e
                }
                Eighth::E5M2 => {
                    const $f: Eighth = Eighth::E5M2;
                    $e
                }
            }
        };
    }
    match (other.kind, other.bits, operands, holds) {
        (Kind::Packed(PackedElement::Half), _, [d, a], false) => {
            let f = match rectifies {
                false => by_format!(F => map1!(u16, |a: u16| unpack_eighths(a, F))),
                true => by_format!(F => map1!(u16, |a: u16| {
                    Pair(unpack_eighths(a, F).0.map(float::rectify))
                })),
            };
            let (a, d) = (body.source(a, half)?, body.target(d, U32)?);
            body.emit(Op::Map1 { f, d, a }, Class::Convert);
        }
        (Kind::Packed(PackedElement::Half), _, [d, a], true) => {
            let f = match rectifies {
                false => by_format!(F => map1!(Pair<Half>, |a: Pair<Half>| {
                    pack_eighths(a.0.map(Float::double), F)
                })),
                true => by_format!(F => map1!(Pair<Half>, |a: Pair<Half>| {
                    pack_eighths(a.0.map(|x| float::rectify(x).double()), F)
                })),
            };
            let (a, d) = (body.source(a, U32)?, body.target(d, half)?);
            body.emit(Op::Map1 { f, d, a }, Class::Convert);
        }
        (Kind::Float, 32, [d, a, b], true) => {
            let f = match rectifies {
                false => by_format!(F => map2!(f32, f32, |a: f32, b: f32| {
                    pack_eighths([b.into(), a.into()], F)
                })),
                true => by_format!(F => map2!(f32, f32, |a: f32, b: f32| {
                    let positive = |x: f32| f64::from(if x < 0.0 { 0.0 } else { x.abs() });
                    pack_eighths([positive(b), positive(a)], F)
                })),
            };
            let s = [body.source(a, other)?, body.source(b, other)?];
            let d = body.target(d, half)?;
            body.emit(Op::Map2 { f, d, s }, Class::Convert);
        }
        _ => return Err(format!("`cvt` of 8-bit floats and {other} in this form")),
    }
    Ok(())
}

/// The lower byte becomes the lower value.
fn unpack_eighths(packed: u16, format: Eighth) -> Pair<Half> {
    Pair(packed.to_le_bytes().map(|byte| format.decode(byte)))
}

fn pack_eighths(values: [f64; 2], format: Eighth) -> u16 {
    u16::from_le_bytes(values.map(|value| format.encode(value)))
}

/// `cvt.pack`: two integers, clamped to a small type, side by side. With types of 8 bits, a third
/// source fills the upper half.
pub(super) fn pack<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let (to, from) = (opcode.ty()?, opcode.ty()?);
    if !opcode.takes("sat") || !from.is_signed() || from.bits != 32 {
        return Err("`cvt.pack` in this form is not supported".into());
    }
    let f: Map3 = match (to.is_signed(), to.bits) {
        (false, 16) => map3!(i32, i32, u32, packed::<u16>),
        (true, 16) => map3!(i32, i32, u32, packed::<i16>),
        (false, 8) => map3!(i32, i32, u32, packed::<u8>),
        (true, 8) => map3!(i32, i32, u32, packed::<i8>),
        _ => return Err(format!("`cvt.pack` to {to} is not supported")),
    };
    let (d, a, b, c) = match (operands, to.bits) {
        ([d, a, b], 16) => (d, a, b, body.constant(0)),
        ([d, a, b, c], 8) => {
            opcode.ty()?;
            (d, a, b, body.source(c, U32)?)
        }
        _ => return Err(format!("{} operands of `cvt.pack`", operands.len())),
    };
    let s = [body.source(a, from)?, body.source(b, from)?, c];
    let d = body.target(d, U32)?;
    body.emit(Op::Map3 { f, d, s }, Class::Convert);
    Ok(())
}

fn packed<T: Integer>(a: i32, b: i32, c: u32) -> u32 {
    let held = |x: i32| alu::saturate::<T>(x.widen()).to_slot() as u32;
    let above = c.checked_shl(2 * T::BITS).unwrap_or(0);
    above | held(a) << T::BITS | held(b)
}
