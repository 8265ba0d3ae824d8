//! Loads, stores, fences, and hints about memory.
//!
//! Cache operators, eviction priorities and prefetch sizes are read and have no effect.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::map1;
use super::types::{Kind, Type};
use crate::counters::Class;
use crate::program::Strength::{self, Acquire, ReadOnly, Relaxed, Release, Volatile, Weak};
use crate::program::{Address, AddressSpace, Extend, Op, Order, Reg, Scope, Transfer};
use crate::ptx::ast::Operand;

const SPACES: [(&str, AddressSpace); 9] = [
    ("global", AddressSpace::Global),
    ("const", AddressSpace::Constant),
    ("shared", AddressSpace::Shared),
    ("shared::cta", AddressSpace::Shared),
    ("local", AddressSpace::Local),
    ("param", AddressSpace::KernelParam),
    ("param::entry", AddressSpace::KernelParam),
    ("param::func", AddressSpace::CallParam),
    ("generic", AddressSpace::Generic),
];

/// Modifiers without an effect on the virtual device. Most say how a cache should treat the data.
const CACHE_HINTS: [&str; 21] = [
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "wb",
    "wt",
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
        "membar" | "fence" => fence(body, opcode, operands),
        "createpolicy" => create_policy(body, opcode, operands),
        _ => {
            // A hint without an effect. Only the form of the address is checked.
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

/// The operands without the cache policy. With `L2::cache_hint`, the last operand is a cache policy.
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

/// `createpolicy`: an opaque value, which has no effect.
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

pub(super) fn take_hints(opcode: &mut Opcode<'_>) {
    for hint in CACHE_HINTS {
        opcode.takes(hint);
    }
}

/// The address of an access, with its space, order and scope.
pub(super) fn address<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operand: &Operand<'a>,
    plain: Strength,
) -> Result<Address, String> {
    let name = opcode.name;
    let (asked, scope) = (opcode.strength(), opcode.scope());
    let strength = asked.unwrap_or(plain);
    let is_known = match name {
        "ld" => matches!(asked, None | Some(Weak | Volatile | Relaxed | Acquire)),
        "st" => matches!(asked, None | Some(Weak | Volatile | Relaxed | Release)),
        "atom" => !matches!(asked, Some(Weak | Volatile)),
        "red" => matches!(asked, None | Some(Relaxed | Release)),
        _ => asked.is_none(),
    };
    let is_atomic = matches!(name, "atom" | "red");
    let has_order = matches!(asked, Some(Relaxed | Acquire | Release));
    if !is_known || !is_atomic && has_order != scope.is_some() {
        return Err(format!("`{name}` with this order and this scope"));
    }
    if plain == ReadOnly && asked.is_some() {
        return Err("`.nc` with an order".into());
    }
    let scope = scope.unwrap_or(match strength {
        Volatile => Scope::System,
        _ => Scope::Device,
    });
    if opcode.has("const") && (is_atomic || name == "st") {
        return Err(format!("`{name}` to constants"));
    }
    let space = opcode.choice(&SPACES).unwrap_or(AddressSpace::Generic);
    if plain == ReadOnly && space != AddressSpace::Global {
        return Err("`.nc` outside of global memory".into());
    }
    Ok(Address {
        strength,
        scope,
        ..body.address(operand, space)?
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
    let plain = match opcode.name == "ld" && opcode.takes("nc") {
        true => ReadOnly,
        false => Weak,
    };
    let address = address(body, opcode, place, plain)?;
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
    if ty.bits == 128 {
        let [low, high] = body.halves(data)?;
        (transfer.width, transfer.count) = (8, 2);
        transfer.data = [low, high, low, low];
        body.emit(load_or_store(is_load, transfer), Class::Memory);
        return Ok(());
    }
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
    // The elements of `data` from `count` on are unused, but must name a register.
    let [first, ..] = transfer.data;
    transfer.data[count as usize..].fill(first);
    body.emit(load_or_store(is_load, transfer), Class::Memory);
    Ok(())
}

fn load_or_store(is_load: bool, transfer: Transfer) -> Op {
    match is_load {
        true => Op::Load(transfer),
        false => Op::Store(transfer),
    }
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
        let (scope, order) = (Scope::Block, Order::Release);
        body.emit(Op::Fence { scope, order }, Class::Sync);
        return Ok(());
    }
    if opcode.takes("proxy") {
        // The virtual device has only one proxy.
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
    let (order, scope) = match opcode.name {
        "membar" => {
            let levels = [
                ("cta", Scope::Block),
                ("gl", Scope::Device),
                ("sys", Scope::System),
            ];
            (None, opcode.choice(&levels))
        }
        _ => {
            let orders = [
                ("sc", Order::Both),
                ("acq_rel", Order::Both),
                ("acquire", Order::Acquire),
                ("release", Order::Release),
            ];
            (opcode.choice(&orders), opcode.scope())
        }
    };
    let Some(scope) = scope else {
        return Err(format!("`{}` without a scope", opcode.name));
    };
    let order = order.unwrap_or(Order::Both);
    body.emit(Op::Fence { scope, order }, Class::Sync);
    Ok(())
}
