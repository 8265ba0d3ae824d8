//! `mov`, with packing and unpacking; `cvta` and `isspacep`.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::{describe, exactly};
use super::rows::{map_pair, map1};
use super::types::{Kind, Type};
use crate::counters::Class;
use crate::program::{AddressSpace, LOCAL_WINDOW, Map1, Op, PARAM_WINDOW, Reg, SHARED_WINDOW};
use crate::ptx::ast::Operand;

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    match opcode.name {
        "mov" => {
            let ty = opcode.ty()?;
            let [d, a] = exactly(operands)?;
            match (d, a) {
                _ if ty.kind == Kind::Predicate => move_predicate(body, d, a),
                _ if ty.bits == 128 => move_wide(body, d, a),
                (Operand::Vector(parts), a) => unpack(body, parts, a, ty),
                (d, Operand::Vector(parts)) => pack(body, d, parts, ty),
                _ => copy(body, d, a, ty),
            }
        }
        "cvta" => convert_address(body, opcode, operands),
        _ => {
            if opcode.has("const") {
                return Err("`isspacep.const` is not supported".into());
            }
            let space = space(opcode)?;
            let [d, a] = exactly(operands)?;
            let a = body.source(a, Type::unsigned(64))?;
            if let Some(d) = body.target_predicate(d)? {
                body.emit(Op::IsSpace { d, a, space }, Class::Move);
            }
            Ok(())
        }
    }
}

fn copy<'a>(
    body: &mut Body<'a, '_>,
    d: &Operand<'a>,
    a: &Operand<'a>,
    ty: Type,
) -> Result<(), String> {
    if let Operand::Name(name) = a
        && body.find(name).is_none()
        && let Some((which, bits)) = super::special::parse(name)
    {
        // The type may have fewer bits than the special register.
        if bits < ty.bits {
            return Err(format!("`{name}` has {bits} bits, and {ty} is read"));
        }
        let d = body.target(d, ty)?;
        body.emit(Op::Special { d, which }, Class::Move);
        return Ok(());
    }
    let (a, d) = (body.source(a, ty)?, body.target(d, ty)?);
    let f = map1!(u64, |a: u64| a);
    body.emit(Op::Map1 { f, d, a }, Class::Move);
    Ok(())
}

/// A move of 128 bits. Each operand is a register of 128 bits, or a vector of two operands of 64 bits.
fn move_wide<'a>(body: &mut Body<'a, '_>, d: &Operand<'a>, a: &Operand<'a>) -> Result<(), String> {
    let half = Type::unsigned(64);
    let a = match a {
        Operand::Vector(parts) => {
            let [low, high] = exactly(parts)?;
            [body.source(low, half)?, body.source(high, half)?]
        }
        whole => body.halves(whole)?,
    };
    let d = match d {
        Operand::Vector(parts) => {
            let [low, high] = exactly(parts)?;
            [body.target(low, half)?, body.target(high, half)?]
        }
        whole => body.halves(whole)?,
    };
    let nothing = body.constant(0);
    let f = map_pair!(u64, |[low, high, _, _]| (low, high));
    let s = [a[0], a[1], nothing, nothing];
    body.emit(Op::MapPair { f, d, s }, Class::Move);
    Ok(())
}

fn move_predicate<'a>(
    body: &mut Body<'a, '_>,
    d: &Operand<'a>,
    a: &Operand<'a>,
) -> Result<(), String> {
    let a = body.source_predicate(a)?;
    if let Some(d) = body.target_predicate(d)? {
        let op = Op::Logic {
            f: |a, _| a,
            d,
            a,
            b: a,
        };
        body.emit(op, Class::Move);
    }
    Ok(())
}

/// The type of each part.
fn part_type(ty: Type, count: usize) -> Result<Type, String> {
    match (ty.bits, count) {
        (16 | 32 | 64, 2) | (32 | 64, 4) => Ok(Type::unsigned(ty.bits / count as u32)),
        _ => Err(format!("{count} parts of {ty}")),
    }
}

fn pack<'a>(
    body: &mut Body<'a, '_>,
    d: &Operand<'a>,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    let part = part_type(ty, operands.len())?;
    let d = body.target(d, ty)?;
    let mut parts = [Reg(0); 4];
    for (to, operand) in parts.iter_mut().zip(operands) {
        *to = body.source(operand, part)?;
    }
    let op = Op::Pack {
        d,
        parts,
        count: operands.len() as u32,
        part_bits: part.bits,
    };
    body.emit(op, Class::Move);
    Ok(())
}

fn unpack<'a>(
    body: &mut Body<'a, '_>,
    operands: &[Operand<'a>],
    a: &Operand<'a>,
    ty: Type,
) -> Result<(), String> {
    let part = part_type(ty, operands.len())?;
    let a = body.source(a, ty)?;
    let mut d = [None; 4];
    for (to, operand) in d.iter_mut().zip(operands) {
        if !matches!(operand, Operand::Name("_")) {
            *to = Some(body.target(operand, part)?);
        }
    }
    let op = Op::Unpack {
        d,
        a,
        part_bits: part.bits,
    };
    body.emit(op, Class::Move);
    Ok(())
}

fn space(opcode: &mut Opcode<'_>) -> Result<AddressSpace, String> {
    let space = opcode.choice(&[
        ("global", AddressSpace::Global),
        ("const", AddressSpace::Constant),
        ("shared", AddressSpace::Shared),
        ("shared::cta", AddressSpace::Shared),
        ("local", AddressSpace::Local),
        ("param", AddressSpace::KernelParam),
        ("param::entry", AddressSpace::KernelParam),
    ]);
    space.ok_or_else(|| format!("`{}` without a space that is supported", opcode.name))
}

fn convert_address<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let is_from_generic = opcode.takes("to");
    let space = space(opcode)?;
    let ty = opcode.ty()?;
    let [d, a] = exactly(operands)?;
    if ty.bits != 64 {
        return Err(format!("{} as an address of {} bits", describe(a), ty.bits));
    }
    let (a, d) = (body.source(a, ty)?, body.target(d, ty)?);
    let f: Map1 = match (space, is_from_generic) {
        (AddressSpace::Shared, false) => map1!(u64, |a: u64| a.wrapping_add(SHARED_WINDOW)),
        (AddressSpace::Shared, true) => map1!(u64, |a: u64| a.wrapping_sub(SHARED_WINDOW)),
        (AddressSpace::Local, false) => map1!(u64, |a: u64| a.wrapping_add(LOCAL_WINDOW)),
        (AddressSpace::Local, true) => map1!(u64, |a: u64| a.wrapping_sub(LOCAL_WINDOW)),
        (AddressSpace::KernelParam, false) => map1!(u64, |a: u64| a.wrapping_add(PARAM_WINDOW)),
        (AddressSpace::KernelParam, true) => map1!(u64, |a: u64| a.wrapping_sub(PARAM_WINDOW)),
        _ => map1!(u64, |a: u64| a),
    };
    body.emit(Op::Map1 { f, d, a }, Class::Move);
    Ok(())
}
