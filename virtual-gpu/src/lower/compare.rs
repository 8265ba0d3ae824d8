//! Comparisons and selections.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::{by_flush, by_integer, map3, relate};
use super::types::{Kind, Type};
use crate::counters::Class;
use crate::float;
use crate::program::{Logic, Op, Pred, PredSource, Reg, Relate};
use crate::ptx::ast::Operand;

/// A relation of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// The same, or one of the two is a NaN.
    EqOrNan,
    NeOrNan,
    LtOrNan,
    LeOrNan,
    GtOrNan,
    GeOrNan,
    /// Neither is a NaN.
    Number,
    /// One of the two is.
    Nan,
}

const RELATIONS: [(&str, Relation); 18] = [
    ("eq", Relation::Eq),
    ("ne", Relation::Ne),
    ("lt", Relation::Lt),
    ("le", Relation::Le),
    ("gt", Relation::Gt),
    ("ge", Relation::Ge),
    ("lo", Relation::Lt),
    ("ls", Relation::Le),
    ("hi", Relation::Gt),
    ("hs", Relation::Ge),
    ("equ", Relation::EqOrNan),
    ("neu", Relation::NeOrNan),
    ("ltu", Relation::LtOrNan),
    ("leu", Relation::LeOrNan),
    ("gtu", Relation::GtOrNan),
    ("geu", Relation::GeOrNan),
    ("num", Relation::Number),
    ("nan", Relation::Nan),
];

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

/// The relation, and the way it is combined with a third predicate.
struct Comparison {
    f: Relate,
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
    let f = match (ty.kind, ty.bits) {
        (Kind::Float, 32) => by_flush!(flush, M => singles::<M>(relation)),
        (Kind::Float, 64) => doubles(relation),
        (Kind::Brain | Kind::Float | Kind::Predicate, _) => None,
        _ => integers(relation, ty),
    };
    match f {
        Some(f) => Ok(Comparison { f, logic, ty }),
        None => Err(format!("no such comparison of {ty}")),
    }
}

fn integers(relation: Relation, ty: Type) -> Option<Relate> {
    match relation {
        Relation::Eq => by_integer!(ty, T => relate!(T, |a: T, b: T| a == b)),
        Relation::Ne => by_integer!(ty, T => relate!(T, |a: T, b: T| a != b)),
        Relation::Lt => by_integer!(ty, T => relate!(T, |a: T, b: T| a < b)),
        Relation::Le => by_integer!(ty, T => relate!(T, |a: T, b: T| a <= b)),
        Relation::Gt => by_integer!(ty, T => relate!(T, |a: T, b: T| a > b)),
        Relation::Ge => by_integer!(ty, T => relate!(T, |a: T, b: T| a >= b)),
        _ => None,
    }
}

macro_rules! float_relations {
    ($t:ty, $relation:expr, $see:expr) => {
        Some(match $relation {
            Relation::Eq => relate!($t, |a: $t, b: $t| $see(a) == $see(b)),
            Relation::Ne => relate!($t, |a: $t, b: $t| $see(a) < $see(b) || $see(a) > $see(b)),
            Relation::Lt => relate!($t, |a: $t, b: $t| $see(a) < $see(b)),
            Relation::Le => relate!($t, |a: $t, b: $t| $see(a) <= $see(b)),
            Relation::Gt => relate!($t, |a: $t, b: $t| $see(a) > $see(b)),
            Relation::Ge => relate!($t, |a: $t, b: $t| $see(a) >= $see(b)),
            Relation::EqOrNan => {
                relate!($t, |a: $t, b: $t| !($see(a) < $see(b) || $see(a) > $see(b)))
            }
            Relation::NeOrNan => relate!($t, |a: $t, b: $t| $see(a) != $see(b)),
            Relation::LtOrNan => relate!($t, |a: $t, b: $t| !matches!(
                $see(a).partial_cmp(&$see(b)),
                Some(std::cmp::Ordering::Equal | std::cmp::Ordering::Greater)
            )),
            Relation::LeOrNan => relate!($t, |a: $t, b: $t| !matches!(
                $see(a).partial_cmp(&$see(b)),
                Some(std::cmp::Ordering::Greater)
            )),
            Relation::GtOrNan => relate!($t, |a: $t, b: $t| !matches!(
                $see(a).partial_cmp(&$see(b)),
                Some(std::cmp::Ordering::Equal | std::cmp::Ordering::Less)
            )),
            Relation::GeOrNan => relate!($t, |a: $t, b: $t| !matches!(
                $see(a).partial_cmp(&$see(b)),
                Some(std::cmp::Ordering::Less)
            )),
            Relation::Number => relate!($t, |a: $t, b: $t| !a.is_nan() && !b.is_nan()),
            Relation::Nan => relate!($t, |a: $t, b: $t| a.is_nan() || b.is_nan()),
        })
    };
}

fn doubles(relation: Relation) -> Option<Relate> {
    float_relations!(f64, relation, std::convert::identity)
}

fn singles<const M: u8>(relation: Relation) -> Option<Relate> {
    match float::Mode(M).flushes() {
        true => {
            const FLUSH: u8 = float::Mode::FLUSH;
            float_relations!(f32, relation, float::compared_single::<FLUSH>)
        }
        false => float_relations!(f32, relation, std::convert::identity),
    }
}

/// Emits a comparison of the operands after the destination.
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
    let op = Op::Compare {
        f: comparison.f,
        s,
        d,
        inverse,
        with,
    };
    body.emit(op, Class::Compare);
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

/// `set`: all ones or 1.0 where the relation holds, and 0 elsewhere.
fn set_value<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let (to, from) = (opcode.ty()?, opcode.ty()?);
    let yes = match (to.kind, to.bits) {
        (Kind::Float, 32) => u64::from(1.0_f32.to_bits()),
        (Kind::Float | Kind::Brain | Kind::Predicate, _) => {
            return Err(format!("`set` to {to} is not supported"));
        }
        _ => to.cut(u64::MAX),
    };
    let comparison = comparison(opcode, from)?;
    let Some((target, sources)) = operands.split_first() else {
        return Err("`set` without operands".into());
    };
    let d = body.target(target, to)?;
    let pred = body.new_predicate();
    compare(body, &comparison, sources, Some(pred), None)?;
    let (a, b) = (body.constant(yes), body.constant(0));
    let p = PredSource { pred, flip: 0 };
    body.emit(Op::Select { d, a, b, p }, Class::Compare);
    Ok(())
}

/// `slct`: the first source if the third is not negative, or else the second.
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

/// `testp`: what sort of float a value is.
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
                ("normal", relate!($t, |a: $t, _: $t| a.is_normal())),
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
