//! Atomic operations: `atom` and `red`.

use super::body::Body;
use super::opcode::Opcode;
use super::rows::{by_narrow, map1};
use super::transfer::{address, take_hints, without_policy};
use super::types::{Kind, Type};
use crate::alu::{self, Value};
use crate::counters::Class;
use crate::float::{self, Lanes};
use crate::program::{Address, AddressSpace, Atomic, Exchange, Modify, Op, Reg, Strength};
use crate::ptx::ast::Operand;

/// The two functions of an atomic operation: one for global memory, and one for the other spaces.
fn modification(name: &str, ty: Type) -> Option<(Modify, Modify)> {
    let signed = ty.is_signed();
    let single: Modify = match (name, ty.kind, ty.bits) {
        ("exch", _, 32 | 64) => |_, b, _| b,
        ("cas", _, 16 | 32 | 64) => |old, b, c| if old == b { c } else { old },
        ("and", Kind::Bits, 32 | 64) => |old, b, _| old & b,
        ("or", Kind::Bits, 32 | 64) => |old, b, _| old | b,
        ("xor", Kind::Bits, 32 | 64) => |old, b, _| old ^ b,
        ("inc", Kind::Unsigned, 32) => |old, b, _| alu::increment_to(old as u32, b as u32).into(),
        ("dec", Kind::Unsigned, 32) => |old, b, _| alu::decrement_from(old as u32, b as u32).into(),
        ("add", Kind::Float, 64) => {
            return Some((
                |old, b, _| {
                    float::add_double_global(f64::from_bits(old), f64::from_bits(b)).to_bits()
                },
                |old, b, _| {
                    float::add_double::<0>(f64::from_bits(b), f64::from_bits(old)).to_bits()
                },
            ));
        }
        ("add", Kind::Float, 32) => {
            // On global memory the hardware flushes subnormals; on shared memory it does not.
            return Some((
                |old, b, _| add_singles::<{ float::Mode::FLUSH }>(old, b),
                |old, b, _| add_singles::<0>(old, b),
            ));
        }
        ("add" | "min" | "max", _, 16) | ("add" | "min" | "max", Kind::Packed(_), _) => {
            return narrow(name, ty);
        }
        ("add", Kind::Unsigned | Kind::Signed, 32) => {
            |old, b, _| (old as u32).wrapping_add(b as u32).into()
        }
        ("add", Kind::Unsigned | Kind::Signed, 64) => |old, b, _| old.wrapping_add(b),
        ("min", Kind::Unsigned, 32 | 64) => |old, b, _| old.min(b),
        ("max", Kind::Unsigned, 32 | 64) => |old, b, _| old.max(b),
        ("min", Kind::Signed, 64) => |old, b, _| (old as i64).min(b as i64) as u64,
        ("max", Kind::Signed, 64) => |old, b, _| (old as i64).max(b as i64) as u64,
        ("min", _, 32) if signed => |old, b, _| ((old as i32).min(b as i32) as u32).into(),
        ("max", _, 32) if signed => |old, b, _| ((old as i32).max(b as i32) as u32).into(),
        _ => return None,
    };
    Some((single, single))
}

/// Operations on floats of 16 bits.
fn narrow(name: &str, ty: Type) -> Option<(Modify, Modify)> {
    macro_rules! each {
        ($f:expr) => {
            by_narrow!(ty, T => {
                let modify: Modify = |old, b, _| {
                    T::from_slot(old).with(T::from_slot(b), $f).to_slot()
                };
                modify
            })
        };
    }
    const PLAIN: float::Mode = float::Mode(0);
    const LEAST: float::Extreme = float::Extreme(0);
    const GREATEST: float::Extreme = float::Extreme(float::Extreme::GREATEST);
    let modify = match name {
        "add" => each!(|a, b| float::add_narrow(a, b, PLAIN)),
        "min" => each!(|a, b| float::extreme_narrow(a, b, LEAST, PLAIN)),
        _ => each!(|a, b| float::extreme_narrow(a, b, GREATEST, PLAIN)),
    }?;
    Some((modify, modify))
}

fn add_singles<const M: u8>(old: u64, b: u64) -> u64 {
    let sum = float::add_single::<M>(f32::from_bits(old as u32), f32::from_bits(b as u32));
    sum.to_bits().into()
}

const OPERATIONS: [(&str, &str); 10] = [
    ("exch", "exch"),
    ("cas", "cas"),
    ("and", "and"),
    ("or", "or"),
    ("xor", "xor"),
    ("inc", "inc"),
    ("dec", "dec"),
    ("add", "add"),
    ("min", "min"),
    ("max", "max"),
];

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let Some(operation) = opcode.choice(&OPERATIONS) else {
        return Err(format!(
            "`{}` without an operation that is supported",
            opcode.name
        ));
    };
    if opcode.name == "red" && matches!(operation, "exch" | "cas") {
        return Err(format!(
            "`red.{operation}`: only `atom` gives the old value"
        ));
    }
    let count = opcode.choice(&[("v2", 2), ("v4", 4), ("v8", 8)]);
    let ty = opcode.ty()?;
    if ty.bits == 128 {
        return wide(body, opcode, operands, operation);
    }
    if count.is_some_and(|count| count * ty.bytes() > 16 || !ty.is_float()) {
        return Err(format!("`{}.{operation}` on vectors of {ty}", opcode.name));
    }
    if ty.bits == 16 || matches!(ty.kind, Kind::Packed(_)) {
        opcode.takes("noftz");
    }
    let Some((modify, modify_shared)) = modification(operation, ty) else {
        return Err(format!(
            "`{}.{operation}` on {ty} is not supported",
            opcode.name
        ));
    };
    let operands = without_policy(body, opcode, operands)?;
    if let Some(count) = count {
        return vector(body, opcode, operands, ty, count, modify);
    }
    let (d, rest) = match (opcode.name, operands.split_first()) {
        ("red", _) => (None, operands),
        (_, Some((d, rest))) => (Some(body.target(d, ty)?), rest),
        _ => return Err("`atom` without operands".into()),
    };
    let (place, b, c) = match (operation, rest) {
        ("cas", [place, b, c]) => (place, b, c),
        ("cas", _) => return Err("`cas` takes an address and two values".into()),
        (_, [place, b]) => (place, b, b),
        _ => return Err(format!("`{operation}` takes an address and a value")),
    };
    let address = address(body, opcode, place, Strength::Relaxed)?;
    take_hints(opcode);
    if address.space == AddressSpace::KernelParam {
        return Err("an atomic operation on parameters".into());
    }
    let (b, c) = (body.source(b, ty)?, body.source(c, ty)?);
    let op = Op::Atomic(Atomic {
        address,
        width: ty.bytes(),
        modify,
        modify_shared,
        d,
        b,
        c,
    });
    body.emit(op, Class::Atomic);
    Ok(())
}

/// An atomic operation on each element of a vector in global memory. Each element's operation is atomic, but the operation on the whole
/// vector is not.
fn vector<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    ty: Type,
    count: u32,
    modify: Modify,
) -> Result<(), String> {
    let (targets, place, values) = match (opcode.name, operands) {
        ("red", [place, Operand::Vector(values)]) => (None, place, values),
        ("atom", [Operand::Vector(targets), place, Operand::Vector(values)]) => {
            (Some(targets), place, values)
        }
        (name, _) => return Err(format!("`{name}` on vectors in this form")),
    };
    let first = address(body, opcode, place, Strength::Relaxed)?;
    take_hints(opcode);
    let is_long = |parts: &Vec<_>| parts.len() == count as usize;
    if !is_long(values) || !targets.is_none_or(is_long) {
        return Err(format!("`{}` without {count} registers", opcode.name));
    }
    if !matches!(first.space, AddressSpace::Global | AddressSpace::Generic) {
        return Err("an operation on a vector that is not in global memory".into());
    }
    // A register may be both the target of one element and an operand of a later element, so the targets are written at the end.
    let mut results = Vec::new();
    for (value, part) in values.iter().zip(0..) {
        let b = body.source(value, ty)?;
        let d = targets.map(|_| body.new_register());
        results.extend(d);
        let op = Op::Atomic(Atomic {
            address: Address {
                offset: first.offset + part * i64::from(ty.bytes()),
                ..first
            },
            width: ty.bytes(),
            modify,
            modify_shared: modify,
            d,
            b,
            c: b,
        });
        body.emit(op, Class::Atomic);
    }
    for (target, a) in targets.into_iter().flatten().zip(results) {
        let d = body.target(target, ty)?;
        let f = map1!(u64, |a: u64| a);
        body.emit(Op::Map1 { f, d, a }, Class::Move);
    }
    Ok(())
}

/// `exch` and `cas` of 128 bits.
fn wide<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    operation: &str,
) -> Result<(), String> {
    let operands = without_policy(body, opcode, operands)?;
    let (d, place, new, expected) = match (opcode.name, operation, operands) {
        ("atom", "exch", [d, place, new]) => (d, place, new, None),
        ("atom", "cas", [d, place, expected, new]) => (d, place, new, Some(expected)),
        (name, ..) => return Err(format!("`{name}.{operation}` of .b128 in this form")),
    };
    let address = address(body, opcode, place, Strength::Relaxed)?;
    take_hints(opcode);
    if address.space == AddressSpace::KernelParam {
        return Err("an atomic operation on parameters".into());
    }
    let exchange = Exchange {
        address,
        d: body.halves(d)?,
        new: body.halves(new)?,
        expected: match expected {
            Some(expected) => Some(body.halves(expected)?),
            None => None,
        },
        scratch: [body.new_register(), body.new_register()],
    };
    body.emit(Op::Exchange(exchange), Class::Atomic);
    Ok(())
}
