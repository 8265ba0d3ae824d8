//! Atomic operations: `atom` and `red`.

use super::body::Body;
use super::opcode::Opcode;
use super::rows::by_narrow;
use super::transfer::{address, take_hints, without_policy};
use super::types::{Kind, Type};
use crate::alu::{self, Value};
use crate::counters::Class;
use crate::float::{self, Lanes};
use crate::program::{AddressSpace, Atomic, Exchange, Modify, Op, Strength};
use crate::ptx::ast::Operand;

/// What an atomic operation does, on global memory and elsewhere.
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
        ("add", _, 16) | ("add", Kind::Packed(_), _) => return narrow(ty),
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

/// Additions of floats of 16 bits.
fn narrow(ty: Type) -> Option<(Modify, Modify)> {
    let add = by_narrow!(ty, T => {
        let add: Modify = |old, b, _| {
            let sum = T::from_slot(old).with(T::from_slot(b), |a, b| {
                float::add_narrow(a, b, float::Mode(0))
            });
            sum.to_slot()
        };
        add
    })?;
    Some((add, add))
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
    let ty = opcode.ty()?;
    if ty.bits == 128 {
        return wide(body, opcode, operands, operation);
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
