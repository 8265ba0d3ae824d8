//! Loads, stores, atomic operations, fences, and hints about memory.
//!
//! Cache operators, eviction priorities and prefetch sizes are read and have no effect.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::map1;
use super::types::{Kind, Type};
use crate::alu;
use crate::counters::Class;
use crate::float;
use crate::program::{
    Address, AddressSpace, Atomic, Extend, Modify, Op, Reg, Scope, Strength, Transfer,
};
use crate::ptx::ast::Operand;

const SPACES: [(&str, AddressSpace); 9] = [
    ("global", AddressSpace::Global),
    ("const", AddressSpace::Global),
    ("shared", AddressSpace::Shared),
    ("shared::cta", AddressSpace::Shared),
    ("local", AddressSpace::Local),
    ("param", AddressSpace::KernelParam),
    ("param::entry", AddressSpace::KernelParam),
    ("param::func", AddressSpace::CallParam),
    ("generic", AddressSpace::Generic),
];

/// Modifiers that only say how a cache should treat the data.
const CACHE_HINTS: [&str; 22] = [
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "wb",
    "wt",
    "nc",
    "unified",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::evict_normal",
    "L2::evict_first",
    "L2::evict_last",
    "L2::evict_unchanged",
    "L2::64B",
    "L2::128B",
    "L2::256B",
    "L1",
];

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    match opcode.name {
        "ld" | "ldu" | "st" => transfer(body, opcode, operands),
        "atom" | "red" => atomic(body, opcode, operands),
        "membar" | "fence" => fence(body, opcode, operands),
        "createpolicy" => create_policy(body, opcode, operands),
        _ => {
            // A hint: the address is checked for its form, and nothing happens.
            opcode.takes("L2");
            take_hints(opcode);
            let space = opcode.choice(&SPACES).unwrap_or(AddressSpace::Generic);
            let address = operands.first().ok_or("a hint without an address")?;
            body.address(address, space)?;
            body.emit(Op::Nothing, Class::Memory);
            Ok(())
        }
    }
}

/// The operands without the cache policy at their end, if the opcode says that there is one.
pub(super) fn without_policy<'o, 'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &'o [Operand<'a>],
) -> Result<&'o [Operand<'a>], String> {
    match (opcode.takes("L2::cache_hint"), operands.split_last()) {
        (true, Some((policy, rest))) => {
            body.source(policy, Type::unsigned(64))?;
            Ok(rest)
        }
        _ => Ok(operands),
    }
}

/// `createpolicy`: an opaque value, which nothing heeds.
fn create_policy<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    for piece in ["fractional", "range", "cvt", "L2", "global"] {
        opcode.takes(piece);
    }
    take_hints(opcode);
    let ty = opcode.ty()?;
    let d = operands.first().ok_or("`createpolicy` without operands")?;
    let (d, a) = (body.target(d, ty)?, body.constant(0));
    let f = map1!(u64, |a: u64| a);
    body.emit(Op::Map1 { f, d, a }, Class::Move);
    Ok(())
}

fn take_hints(opcode: &mut Opcode<'_>) {
    for hint in CACHE_HINTS {
        opcode.takes(hint);
    }
}

/// Order, scope and space of an access.
fn address<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operand: &Operand<'a>,
    plain: Strength,
) -> Result<Address, String> {
    let strength = opcode.strength().unwrap_or(plain);
    let scope = opcode.scope().unwrap_or(match strength {
        Strength::Volatile => Scope::System,
        _ => Scope::Device,
    });
    let space = opcode.choice(&SPACES).unwrap_or(AddressSpace::Generic);
    let (space, base, offset) = body.address(operand, space)?;
    Ok(Address {
        space,
        base,
        offset,
        strength,
        scope,
    })
}

fn transfer<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let is_load = opcode.name != "st";
    let count = opcode.choice(&[("v2", 2), ("v4", 4)]).unwrap_or(1);
    let ty = opcode.ty()?;
    if ty.kind == Kind::Predicate {
        return Err("predicates have no place in memory".into());
    }
    let operands = without_policy(body, opcode, operands)?;
    let [first, second] = exactly(operands)?;
    let (data, place) = if is_load {
        (first, second)
    } else {
        (second, first)
    };
    let address = address(body, opcode, place, Strength::Weak)?;
    take_hints(opcode);
    let width = ty.bytes();
    if width * count > 16 {
        return Err(format!(
            "`{}` of {} bytes at once",
            opcode.name,
            width * count
        ));
    }
    let parts = match (data, count) {
        (Operand::Vector(parts), _) if parts.len() == count as usize => parts.as_slice(),
        (single, 1) if !matches!(single, Operand::Vector(_)) => std::slice::from_ref(single),
        _ => return Err(format!("`{}` without {count} registers", opcode.name)),
    };
    let mut transfer = Transfer {
        address,
        width,
        count,
        extend: Extend::Zero,
        data: [Reg(0); 4],
    };
    for (reg, part) in transfer.data.iter_mut().zip(parts) {
        if is_load {
            let (d, bits) = body.wide_target(part, ty)?;
            *reg = d;
            if ty.is_signed() && bits > ty.bits {
                transfer.extend = Extend::SignTo(bits);
            }
        } else {
            *reg = body.wide_source(part, ty)?;
        }
    }
    // The rest is never read or written, and must still name a row.
    let [first, ..] = transfer.data;
    transfer.data[count as usize..].fill(first);
    let op = if is_load {
        Op::Load(transfer)
    } else {
        Op::Store(transfer)
    };
    body.emit(op, Class::Memory);
    Ok(())
}

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
            |old, b, _| float::add_double::<0>(f64::from_bits(old), f64::from_bits(b)).to_bits()
        }
        ("add", Kind::Float, 32) => {
            // On global memory the hardware flushes subnormals; on shared memory it does not.
            return Some((
                |old, b, _| add_singles::<{ float::Mode::FLUSH }>(old, b),
                |old, b, _| add_singles::<0>(old, b),
            ));
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

fn atomic<'a>(
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

fn fence<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    if opcode.takes("mbarrier_init") {
        opcode.takes("release");
        opcode.takes("cluster");
        let [] = exactly(operands)?;
        let scope = Scope::Block;
        body.emit(Op::Fence { scope }, Class::Sync);
        return Ok(());
    }
    if opcode.takes("proxy") {
        // There is one way to memory here.
        for piece in [
            "alias",
            "async",
            "async.global",
            "global",
            "shared::cta",
            "shared::cluster",
        ] {
            opcode.takes(piece);
        }
        let [] = exactly(operands)?;
        body.emit(Op::Nothing, Class::Sync);
        return Ok(());
    }
    let [] = exactly(operands)?;
    opcode.takes("sc");
    opcode.takes("acq_rel");
    let Some(scope) = opcode.scope() else {
        return Err(format!("`{}` without a scope", opcode.name));
    };
    body.emit(Op::Fence { scope }, Class::Sync);
    Ok(())
}
