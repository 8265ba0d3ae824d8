//! Relations of two values, as loops over the lanes of two registers.
//!
//! If the name of a relation of floats ends in `u`, the relation also holds if an operand is a NaN.

use super::rows::{by_integer, relate};
use super::types::{Kind, PackedElement, Type};
use crate::float::{self, Brain, Half, Upper};
use crate::program::{Reg, Relate};

/// A relation of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// The operands are equal, or at least one is a NaN.
    EqOrNan,
    NeOrNan,
    LtOrNan,
    LeOrNan,
    GtOrNan,
    GeOrNan,
    /// No operand is a NaN.
    Number,
    /// At least one operand is a NaN.
    Nan,
}

pub(super) const RELATIONS: [(&str, Relation); 18] = [
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

pub(super) fn integers(relation: Relation, ty: Type) -> Option<Relate> {
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
            Relation::Number => relate!($t, |a: $t, b: $t| !$see(a).is_nan() && !$see(b).is_nan()),
            Relation::Nan => relate!($t, |a: $t, b: $t| $see(a).is_nan() || $see(b).is_nan()),
        })
    };
}

pub(super) fn doubles(relation: Relation) -> Option<Relate> {
    float_relations!(f64, relation, std::convert::identity)
}

pub(super) fn singles<const M: u8>(relation: Relation) -> Option<Relate> {
    match float::Mode(M).flushes() {
        true => {
            const FLUSH: u8 = float::Mode::FLUSH;
            float_relations!(f32, relation, float::compared_single::<FLUSH>)
        }
        false => float_relations!(f32, relation, std::convert::identity),
    }
}

/// The relation of two 16-bit floats of type `$part`. The operand type `$t` is `$part`, or `Upper<$part>` for the upper float of a pair.
macro_rules! narrow_relations {
    ($t:ty, $part:ty, $relation:expr, $flush:expr, |$x:ident| $value:expr) => {
        match $flush {
            false => float_relations!($t, $relation, |$x: $t| {
                float::compared_narrow::<$part, 0>($value)
            }),
            true => float_relations!($t, $relation, |$x: $t| {
                float::compared_narrow::<$part, { float::Mode::FLUSH }>($value)
            }),
        }
    };
}

/// The relation of 16-bit floats, or of the lower floats of pairs.
pub(super) fn narrow(relation: Relation, ty: Type, flushes: bool) -> Option<Relate> {
    match ty.kind {
        Kind::Float | Kind::Packed(PackedElement::Half) => {
            narrow_relations!(Half, Half, relation, flushes, |x| x)
        }
        Kind::Brain | Kind::Packed(PackedElement::Brain) => {
            narrow_relations!(Brain, Brain, relation, flushes, |x| x)
        }
        _ => None,
    }
}

/// The relation of the upper floats of pairs.
pub(super) fn upper(relation: Relation, ty: Type, flushes: bool) -> Option<Relate> {
    match ty.kind {
        Kind::Packed(PackedElement::Half) => {
            narrow_relations!(Upper<Half>, Half, relation, flushes, |x| x.0)
        }
        Kind::Packed(PackedElement::Brain) => {
            narrow_relations!(Upper<Brain>, Brain, relation, flushes, |x| x.0)
        }
        _ => None,
    }
}
