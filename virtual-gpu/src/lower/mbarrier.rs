//! `mbarrier`: barriers in shared memory that count arrivals and bytes.
//!
//! `try_wait` answers at once, like `test_wait`. The time that `try_wait` names is an upper limit, so an early answer is allowed.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::map1;
use super::types::{Type, U32};
use crate::alu::pending_count;
use crate::counters::Class;
use crate::program::{
    Address, AddressSpace, Mbarrier, MbarrierKind, Op, Phase, Reg, Scope, Strength,
};
use crate::ptx::ast::Operand;

const SPACES: [(&str, AddressSpace); 3] = [
    ("shared", AddressSpace::Shared),
    ("shared::cta", AddressSpace::Shared),
    // The executing block is the only block of its cluster.
    ("shared::cluster", AddressSpace::Shared),
];

/// The address of an mbarrier. By default the access acquires or releases at block scope.
pub(super) fn address<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    place: &Operand<'a>,
) -> Result<Address, String> {
    let space = opcode.choice(&SPACES).unwrap_or(match opcode.name {
        "cp" => AddressSpace::Shared,
        _ => AddressSpace::Generic,
    });
    let strength = match opcode.strength() {
        Some(Strength::Relaxed) => Strength::Relaxed,
        _ => Strength::Acquire,
    };
    let scope = opcode.scope().unwrap_or(Scope::Block);
    Ok(Address {
        strength,
        scope,
        ..body.address(place, space)?
    })
}

const KINDS: [(&str, MbarrierKind); 8] = [
    ("init", MbarrierKind::Init),
    ("inval", MbarrierKind::Invalidate),
    ("arrive", MbarrierKind::Arrive),
    ("arrive_drop", MbarrierKind::ArriveAndDrop),
    ("expect_tx", MbarrierKind::Expect),
    ("complete_tx", MbarrierKind::Complete),
    ("test_wait", MbarrierKind::TestState),
    ("try_wait", MbarrierKind::TestState),
];

/// `arrive_drop.expect_tx`, in two steps: expect bytes, then arrive. The phase cannot end between the steps, because the arrival is still
/// pending.
fn expect_and_drop<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let [target, place, count] = exactly(operands)?;
    let (count, one) = (body.source(count, U32)?, body.constant(1));
    let d = body.target(target, Type::unsigned(64))?;
    let address = address(body, opcode, place)?;
    opcode.ty()?;
    for (kind, operand, d) in [
        (MbarrierKind::Expect, count, None),
        (MbarrierKind::ArriveAndDrop, one, Some(d)),
    ] {
        let op = Op::Mbarrier(Mbarrier {
            kind,
            phase: Phase::MayEnd,
            address,
            operand,
            d,
            p: None,
        });
        body.emit(op, Class::Sync);
    }
    Ok(())
}

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    if opcode.takes("pending_count") {
        let state = opcode.ty()?;
        let [d, a] = exactly(operands)?;
        let (a, d) = (body.source(a, state)?, body.target(d, U32)?);
        let f = map1!(u64, pending_count);
        body.emit(Op::Map1 { f, d, a }, Class::Integer);
        return Ok(());
    }
    let Some(kind) = opcode.choice(&KINDS) else {
        return Err("`mbarrier` without an operation that is supported".into());
    };
    let kind = match kind {
        MbarrierKind::Arrive if opcode.takes("expect_tx") => MbarrierKind::ExpectAndArrive,
        MbarrierKind::TestState if opcode.takes("parity") => MbarrierKind::TestParity,
        kind => kind,
    };
    if kind == MbarrierKind::ArriveAndDrop && opcode.takes("expect_tx") {
        return expect_and_drop(body, opcode, operands);
    }
    let arrives = matches!(kind, MbarrierKind::Arrive | MbarrierKind::ArriveAndDrop);
    let phase = match arrives && opcode.takes("noComplete") {
        true => Phase::GoesOn,
        false => Phase::MayEnd,
    };
    let state = Type::unsigned(64);
    let one = body.constant(1);
    let (mut d, mut p): (Option<Reg>, _) = (None, None);
    let (place, operand) = match (kind, operands) {
        (MbarrierKind::Init | MbarrierKind::Expect | MbarrierKind::Complete, [place, count]) => {
            (place, body.source(count, U32)?)
        }
        (MbarrierKind::Invalidate, [place]) => (place, one),
        (MbarrierKind::TestState, [target, place, operand, limit @ ..]) if limit.len() < 2 => {
            p = body.target_predicate(target)?;
            (place, body.source(operand, state)?)
        }
        (MbarrierKind::TestParity, [target, place, operand, limit @ ..]) if limit.len() < 2 => {
            p = body.target_predicate(target)?;
            (place, body.source(operand, U32)?)
        }
        (MbarrierKind::Arrive | MbarrierKind::ArriveAndDrop, [target, place]) => {
            d = Some(body.target(target, state)?);
            (place, one)
        }
        (
            MbarrierKind::Arrive | MbarrierKind::ArriveAndDrop | MbarrierKind::ExpectAndArrive,
            [target, place, count],
        ) => {
            d = Some(body.target(target, state)?);
            (place, body.source(count, U32)?)
        }
        _ => return Err(format!("{} operands of this `mbarrier`", operands.len())),
    };
    let address = address(body, opcode, place)?;
    if opcode.has("b64") {
        opcode.ty()?;
    }
    let op = Op::Mbarrier(Mbarrier {
        kind,
        phase,
        address,
        operand,
        d,
        p,
    });
    body.emit(op, Class::Sync);
    Ok(())
}
