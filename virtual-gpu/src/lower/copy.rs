//! Asynchronous copies from global to shared memory: `cp.async`.
//!
//! A copy is carried out when it begins, as a load and a store: one of the times at which the hardware may do it.
//! So waiting for it is nothing, and a wait that is missing does not show.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use crate::counters::Class;
use crate::program::{Address, AddressSpace, Extend, Op, Scope, Strength, Transfer};
use crate::ptx::ast::{Number, Operand};

/// What may follow the opcode and has no effect here: how much a cache should fetch.
const CACHE_HINTS: [&str; 3] = ["L2::64B", "L2::128B", "L2::256B"];

/// What gathers copies and waits for them.
const WAITS: [&str; 3] = ["commit_group", "wait_group", "wait_all"];

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    if !opcode.takes("async") {
        return Err("`cp` is supported as `cp.async` only".into());
    }
    if WAITS.iter().any(|wait| opcode.takes(wait)) {
        body.emit(Op::Nothing, Class::Memory);
        return Ok(());
    }
    let whole_line = match opcode.choice(&[("ca", false), ("cg", true)]) {
        Some(whole_line) => whole_line,
        None => return Err("`cp.async` without a cache level that is supported".into()),
    };
    let to_shared = opcode.takes("shared") || opcode.takes("shared::cta");
    if !to_shared || !opcode.takes("global") {
        return Err("`cp.async` copies from `global` to `shared`".into());
    }
    for hint in CACHE_HINTS {
        opcode.takes(hint);
    }
    let [to, from, bytes] = exactly(operands)?;
    let (width, count) = match (bytes, whole_line) {
        (Operand::Number(Number::Integer(4)), false) => (4, 1),
        (Operand::Number(Number::Integer(8)), false) => (8, 1),
        (Operand::Number(Number::Integer(16)), _) => (8, 2),
        _ => return Err("`cp.async` of a size that is not supported".into()),
    };
    let first = body.new_register();
    let second = body.new_register();
    let mut transfer = |operand, space| -> Result<Transfer, String> {
        let (space, base, offset) = body.address(operand, space)?;
        Ok(Transfer {
            address: Address {
                space,
                base,
                offset,
                strength: Strength::Weak,
                scope: Scope::Device,
            },
            width,
            count,
            extend: Extend::Zero,
            data: [first, second, first, first],
        })
    };
    let load = transfer(from, AddressSpace::Global)?;
    let store = transfer(to, AddressSpace::Shared)?;
    body.emit(Op::Load(load), Class::Memory);
    body.emit(Op::Store(store), Class::Memory);
    Ok(())
}
