//! Comparisons and selections.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::relation::{self, RELATIONS};
use super::rows::{by_flush, map3, relate};
use super::types::{Kind, PackedElement, Type};
use crate::counters::Class;
use crate::float;
use crate::program::{Logic, Op, Pred, PredSource, Reg, Relate};
use crate::ptx::ast::Operand;

/// 1.0 in the formats of 16 bits.
const HALF_ONE: u64 = 0x3c00;
const BRAIN_ONE: u64 = 0x3f80;

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    match opcode.name {
        "setp" => set_predicate(body, opcode, operands),
        "set" => set_value(body, opcode, operands),
        "selp" => {
            let ty = opcode.ty()?;
            let [d, a, b, p] = exactly(operands)?;
            let (a, b) = (body.source(a, ty)?, body.source(b, ty)?);
            let (d, p) = (body.target(d, ty)?, body.source_predicate(p)?);
            body.emit(Op::Select { d, a, b, p }, Class::Compare);
            Ok(())
        }
        "slct" => select_by_sign(body, opcode, operands),
        _ => test(body, opcode, operands),
    }
}

/// The relation, and how its outcome is combined with another predicate.
struct Comparison {
    f: Relate,
    /// The relation of the upper values, if the type is a pair.
    upper: Option<Relate>,
    logic: Option<Logic>,
    ty: Type,
}

fn comparison(opcode: &mut Opcode<'_>, ty: Type) -> Result<Comparison, String> {
    let Some(relation) = opcode.choice(&RELATIONS) else {
        return Err(format!("`{}` without a relation", opcode.name));
    };
    let logic = opcode.choice::<Logic>(&[
        ("and", |a, b| a & b),
        ("or", |a, b| a | b),
        ("xor", |a, b| a ^ b),
    ]);
    let flush = opcode.mode_with(float::Rounding::Nearest);
    let flushes = flush.flushes();
    let f = match (ty.kind, ty.bits) {
        (Kind::Float, 32) => by_flush!(flush, M => relation::singles::<M>(relation)),
        (Kind::Float, 64) => relation::doubles(relation),
        _ if ty.is_float() => relation::narrow(relation, ty, flushes),
        _ => relation::integers(relation, ty),
    };
    match f {
        Some(f) => Ok(Comparison {
            f,
            upper: relation::upper(relation, ty, flushes),
            logic,
            ty,
        }),
        None => Err(format!("no such comparison of {ty}")),
    }
}

/// Emits a comparison. `sources` are the instruction's operands after its destination.
fn compare<'a>(
    body: &mut Body<'a, '_>,
    comparison: &Comparison,
    sources: &[Operand<'a>],
    d: Option<Pred>,
    inverse: Option<Pred>,
) -> Result<(), String> {
    let (a, b, with) = match (sources, comparison.logic) {
        ([a, b], None) => (a, b, None),
        ([a, b, c], Some(logic)) => (a, b, Some((logic, body.source_predicate(c)?))),
        _ => return Err(format!("{} sources of a comparison", sources.len())),
    };
    let s = [
        body.source(a, comparison.ty)?,
        body.source(b, comparison.ty)?,
    ];
    let one = |f, d, inverse| Op::Compare {
        f,
        s,
        d,
        inverse,
        with,
    };
    let Some(upper) = comparison.upper else {
        body.emit(one(comparison.f, d, inverse), Class::Compare);
        return Ok(());
    };
    // The compared values are pairs. The first destination gets the outcome for the lower values, and the second destination the outcome
    // for the upper values. Both outcomes are computed before either is stored, because a destination may also be a source. If a
    // destination is the guard, it is stored last.
    let outcomes = [body.new_predicate(), body.new_predicate()];
    body.emit(one(comparison.f, Some(outcomes[0]), None), Class::Compare);
    body.emit(one(upper, Some(outcomes[1]), None), Class::Compare);
    let mut moves = [(d, outcomes[0]), (inverse, outcomes[1])];
    if d == Some(body.guard().pred) {
        moves.reverse();
    }
    for (d, pred) in moves {
        let Some(d) = d else { continue };
        let (f, a, b): (Logic, _, _) =
            (|a, b| a & b, PredSource { pred, flip: 0 }, PredSource::TRUE);
        body.emit(Op::Logic { f, d, a, b }, Class::Compare);
    }
    Ok(())
}

fn set_predicate<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let ty = opcode.ty()?;
    let comparison = comparison(opcode, ty)?;
    let Some((target, sources)) = operands.split_first() else {
        return Err("`setp` without operands".into());
    };
    let (d, inverse) = match target {
        Operand::Pair(d, q) => (body.target_predicate(d)?, body.target_predicate(q)?),
        single => (body.target_predicate(single)?, None),
    };
    compare(body, &comparison, sources, d, inverse)
}

/// `set`: if the relation holds, the result is 1.0, or all ones in an integer type. Otherwise the result is 0.
fn set_value<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let (to, from) = (opcode.ty()?, opcode.ty()?);
    let yes = match (to.kind, to.bits) {
        (Kind::Float, 32) => u64::from(1.0_f32.to_bits()),
        (Kind::Float, 16) | (Kind::Packed(PackedElement::Half), _) => HALF_ONE,
        (Kind::Brain, _) | (Kind::Packed(PackedElement::Brain), _) => BRAIN_ONE,
        _ if to.is_integer() => to.cut(u64::MAX),
        _ => return Err(format!("`set` to {to} is not supported")),
    };
    let comparison = comparison(opcode, from)?;
    let Some((target, sources)) = operands.split_first() else {
        return Err("`set` without operands".into());
    };
    let d = body.target(target, to)?;
    if comparison.upper.is_none() {
        let p = compared(body, &comparison, sources)?;
        let (a, b) = (body.constant(yes), body.constant(0));
        body.emit(Op::Select { d, a, b, p }, Class::Compare);
        return Ok(());
    }
    if to.bits != 32 {
        return Err(format!("`set` from {from} to {to} is not supported"));
    }
    let pair = [body.new_predicate(), body.new_predicate()];
    compare(body, &comparison, sources, Some(pair[0]), Some(pair[1]))?;
    let parts = pair.map(|pred| {
        let (d, a, b) = (
            body.new_register(),
            body.constant(yes & 0xffff),
            body.constant(0),
        );
        let p = PredSource { pred, flip: 0 };
        body.emit(Op::Select { d, a, b, p }, Class::Compare);
        d
    });
    let op = Op::Pack {
        d,
        parts: [parts[0], parts[1], parts[0], parts[0]],
        count: 2,
        part_bits: 16,
    };
    body.emit(op, Class::Compare);
    Ok(())
}

/// Emits a comparison whose outcome goes to a new predicate.
fn compared<'a>(
    body: &mut Body<'a, '_>,
    comparison: &Comparison,
    sources: &[Operand<'a>],
) -> Result<PredSource, String> {
    let pred = body.new_predicate();
    compare(body, comparison, sources, Some(pred), None)?;
    Ok(PredSource { pred, flip: 0 })
}

/// `slct`: the first source if the third is zero or more, or else the second.
fn select_by_sign<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let (ty, by) = (opcode.ty()?, opcode.ty()?);
    let [d, a, b, c] = exactly(operands)?;
    let flushes = opcode.takes("ftz");
    let f = match (by.kind, by.bits, flushes) {
        (Kind::Signed, 32, false) => {
            map3!(u64, u64, i32, |a: u64, b: u64, c: i32| if c >= 0 {
                a
            } else {
                b
            })
        }
        (Kind::Float, 32, false) => {
            map3!(u64, u64, f32, |a: u64, b: u64, c: f32| if c >= 0.0 {
                a
            } else {
                b
            })
        }
        (Kind::Float, 32, true) => map3!(u64, u64, f32, |a: u64, b: u64, c: f32| {
            if float::flush(c) >= 0.0 { a } else { b }
        }),
        _ => return Err(format!("`slct` by {by} is not supported")),
    };
    let s = [
        body.source(a, ty)?,
        body.source(b, ty)?,
        body.source(c, by)?,
    ];
    let d = body.target(d, ty)?;
    body.emit(Op::Map3 { f, d, s }, Class::Compare);
    Ok(())
}

/// `testp`: whether a float belongs to a class, such as the finite floats. Zero counts as normal.
fn test<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    macro_rules! sorts {
        ($t:ty) => {
            opcode.choice::<Relate>(&[
                ("finite", relate!($t, |a: $t, _: $t| a.is_finite())),
                ("infinite", relate!($t, |a: $t, _: $t| a.is_infinite())),
                ("number", relate!($t, |a: $t, _: $t| !a.is_nan())),
                ("notanumber", relate!($t, |a: $t, _: $t| a.is_nan())),
                (
                    "normal",
                    relate!($t, |a: $t, _: $t| a.is_finite() && !a.is_subnormal()),
                ),
                ("subnormal", relate!($t, |a: $t, _: $t| a.is_subnormal())),
            ])
        };
    }
    let ty = opcode.ty()?;
    let f = match (ty.kind, ty.bits) {
        (Kind::Float, 32) => sorts!(f32),
        (Kind::Float, 64) => sorts!(f64),
        _ => None,
    };
    let f = f.ok_or("`testp` without a sort of float that is known")?;
    let [d, a] = exactly(operands)?;
    let (d, a): (_, Reg) = (body.target_predicate(d)?, body.source(a, ty)?);
    let op = Op::Compare {
        f,
        s: [a, a],
        d,
        inverse: None,
        with: None,
    };
    body.emit(op, Class::Compare);
    Ok(())
}
