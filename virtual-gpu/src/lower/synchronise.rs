//! Barriers, shuffles, votes, matches, warp reductions, elections, active masks, and dependences between launches.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::types::{Kind, Type, U32};
use crate::counters::Class;
use crate::program::{
    Alignment, Barrier, BarrierKind, Combine, Op, Pred, PredSource, Reg, Shuffle, ShuffleMode,
    VoteMode,
};
use crate::ptx::ast::Operand;

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    match opcode.name {
        "activemask" => {
            let ty = opcode.ty()?;
            let [d] = exactly(operands)?;
            let d = body.target(d, ty)?;
            body.emit(Op::ActiveMask { d }, Class::Sync);
            return Ok(());
        }
        "bar" | "barrier" => return barrier(body, opcode, operands),
        "griddepcontrol" => return dependence(body, opcode, operands),
        _ => {}
    }
    if !opcode.takes("sync") {
        let name = opcode.name;
        return Err(format!("`{name}` without `.sync` is not supported"));
    }
    let op = match opcode.name {
        "shfl" => shuffle(body, opcode, operands)?,
        "vote" => vote(body, opcode, operands)?,
        "match" => find_equal(body, opcode, operands)?,
        "redux" => reduce(body, opcode, operands)?,
        _ => {
            let [targets, members] = exactly(operands)?;
            let members = body.source(members, U32)?;
            let (d, p) = with_predicate(body, targets, U32)?;
            let p = p.ok_or("`elect` without a predicate")?;
            Op::Elect {
                d: Some(d),
                p,
                members,
            }
        }
    };
    body.emit(op, Class::Sync);
    Ok(())
}

/// The targets in an operand: a register and a predicate if it is `d|p`, or a register alone if it is `d`.
fn with_predicate<'a>(
    body: &mut Body<'a, '_>,
    operand: &Operand<'a>,
    ty: Type,
) -> Result<(Reg, Option<Pred>), String> {
    match operand {
        Operand::Pair(d, p) => Ok((body.target(d, ty)?, body.target_predicate(p)?)),
        single => Ok((body.target(single, ty)?, None)),
    }
}

fn shuffle<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<Op, String> {
    let mode = opcode.choice(&[
        ("up", ShuffleMode::Up),
        ("down", ShuffleMode::Down),
        ("bfly", ShuffleMode::Butterfly),
        ("idx", ShuffleMode::Index),
    ]);
    let ty = opcode.ty()?;
    let [target, a, b, c, members] = exactly(operands)?;
    let (a, b) = (body.source(a, ty)?, body.source(b, U32)?);
    let (c, members) = (body.source(c, U32)?, body.source(members, U32)?);
    let (d, in_range) = with_predicate(body, target, ty)?;
    Ok(Op::Shuffle(Shuffle {
        mode: mode.ok_or("`shfl` without a mode")?,
        d,
        in_range,
        a,
        b,
        c,
        members,
    }))
}

fn vote<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<Op, String> {
    let [d, p, members] = exactly(operands)?;
    let p = body.source_predicate(p)?;
    let members = body.source(members, U32)?;
    if opcode.takes("ballot") {
        let ty = opcode.ty()?;
        let d = body.target(d, ty)?;
        return Ok(Op::Ballot { d, p, members });
    }
    let mode = opcode.choice(&[
        ("all", VoteMode::All),
        ("any", VoteMode::Any),
        ("uni", VoteMode::Uniform),
    ]);
    opcode.ty()?;
    let d = body.target_predicate(d)?;
    Ok(Op::Vote {
        mode: mode.ok_or("`vote` without a mode")?,
        d: d.ok_or("`vote` without a destination")?,
        p,
        members,
    })
}

fn find_equal<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<Op, String> {
    let is_all = opcode.takes("all");
    let is_any = opcode.takes("any");
    let ty = opcode.ty()?;
    let [target, a, members] = exactly(operands)?;
    let (a, members) = (body.source(a, ty)?, body.source(members, U32)?);
    let (d, p) = with_predicate(body, target, U32)?;
    match (is_all, is_any) {
        (true, false) => Ok(Op::MatchAll { d, p, a, members }),
        (false, true) if p.is_none() => Ok(Op::MatchAny { d, a, members }),
        _ => Err("`match` takes `.all` or `.any`".into()),
    }
}

fn reduce<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<Op, String> {
    let ty = opcode.ty()?;
    if ty.bits != 32 || ty.is_float() {
        return Err(format!("`redux` on {ty} is not supported"));
    }
    let combine = opcode.choice::<Combine>(match ty.is_signed() {
        false => &[
            ("add", |a, b| u64::from((a as u32).wrapping_add(b as u32))),
            ("min", |a, b| a.min(b)),
            ("max", |a, b| a.max(b)),
            ("and", |a, b| a & b),
            ("or", |a, b| a | b),
            ("xor", |a, b| a ^ b),
        ],
        true => &[
            ("add", |a, b| u64::from((a as u32).wrapping_add(b as u32))),
            ("min", |a, b| u64::from((a as i32).min(b as i32) as u32)),
            ("max", |a, b| u64::from((a as i32).max(b as i32) as u32)),
        ],
    });
    let [d, a, members] = exactly(operands)?;
    let (a, members) = (body.source(a, ty)?, body.source(members, U32)?);
    Ok(Op::Reduce {
        f: combine.ok_or("`redux` without an operation that is supported")?,
        d: body.target(d, ty)?,
        a,
        members,
    })
}

fn barrier<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    if opcode.takes("warp") {
        opcode.takes("sync");
        let [members] = exactly(operands)?;
        let members = body.source(members, U32)?;
        body.emit(Op::WarpBarrier { members }, Class::Sync);
        return Ok(());
    }
    opcode.takes("cta");
    // `bar` means `barrier.aligned`.
    let alignment = match opcode.takes("aligned") || opcode.name == "bar" {
        true => Alignment::Aligned,
        false => Alignment::Independent,
    };
    let mut barrier = Barrier {
        kind: BarrierKind::Sync,
        alignment,
        number: Reg(0),
        threads: None,
        predicate: PredSource::TRUE,
    };
    let count = |body: &mut Body<'a, '_>, threads: &[Operand<'a>]| match threads {
        [] => Ok(None),
        [threads] => body.source(threads, U32).map(Some),
        _ => Err(format!("{} operands too many", threads.len() - 1)),
    };
    let arrives = opcode.takes("arrive");
    if arrives || opcode.takes("sync") {
        if arrives {
            barrier.kind = BarrierKind::Arrive;
            if operands.len() < 2 {
                return Err("a barrier's `.arrive` without a count of threads".into());
            }
        }
        let (number, threads) = operands.split_first().ok_or("a barrier without a number")?;
        barrier.number = body.source(number, U32)?;
        barrier.threads = count(body, threads)?;
    } else if opcode.takes("red") {
        let (d, rest) = operands.split_first().ok_or("a barrier without operands")?;
        let (number, rest) = rest.split_first().ok_or("a barrier without a number")?;
        let (predicate, threads) = rest.split_last().ok_or("a barrier without a predicate")?;
        barrier.number = body.source(number, U32)?;
        barrier.threads = count(body, threads)?;
        barrier.predicate = body.source_predicate(predicate)?;
        barrier.kind = reduction(body, opcode, d)?;
    } else {
        return Err(format!("this form of `{}` is not supported", opcode.name));
    }
    body.emit(Op::Barrier(barrier), Class::Sync);
    Ok(())
}

/// `griddepcontrol`. The launches of a stream run one after the other, so `launch_dependents` has no effect.
fn dependence<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let [] = exactly(operands)?;
    let op = match opcode.takes("wait") {
        true => Op::AwaitLaunches,
        false if opcode.takes("launch_dependents") => Op::Nothing,
        false => return Err("`griddepcontrol` without what to do".into()),
    };
    body.emit(op, Class::Sync);
    Ok(())
}

fn reduction<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    d: &Operand<'a>,
) -> Result<BarrierKind, String> {
    if opcode.takes("popc") {
        opcode.ty()?;
        return Ok(BarrierKind::Count(body.target(d, U32)?));
    }
    let is_all = opcode.takes("and");
    let is_any = opcode.takes("or");
    if opcode.ty()?.kind != Kind::Predicate {
        return Err("a barrier's `and` and `or` give predicates".into());
    }
    let d = body.target_predicate(d)?;
    let d = d.ok_or("a barrier without a destination")?;
    match (is_all, is_any) {
        (true, false) => Ok(BarrierKind::All(d)),
        (false, true) => Ok(BarrierKind::Any(d)),
        _ => Err("`red` takes `.popc`, `.and` or `.or`".into()),
    }
}
