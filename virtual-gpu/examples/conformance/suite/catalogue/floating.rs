//! Arithmetic on f32 and f64.

use super::super::kind::Kind::*;
use super::{Row, combinations};

const ROUNDINGS: [&str; 4] = [".rn", ".rz", ".rm", ".rp"];
const FLUSHING: [&str; 2] = ["", ".ftz"];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = singles();
    rows.extend(doubles());
    rows
}

fn singles() -> Vec<Row> {
    let mut rows = Vec::new();
    for modes in combinations(&[&ROUNDINGS, &FLUSHING, &["", ".sat"]]) {
        for op in ["add", "sub", "mul"] {
            rows.push(Row::new(format!("{op}{modes}.f32"), F32, &[F32, F32]));
        }
        rows.push(Row::new(format!("fma{modes}.f32"), F32, &[F32, F32, F32]));
    }
    for modes in combinations(&[&ROUNDINGS, &FLUSHING]) {
        rows.push(Row::new(format!("div{modes}.f32"), F32, &[F32, F32]));
        for op in ["rcp", "sqrt"] {
            rows.push(Row::new(format!("{op}{modes}.f32"), F32, &[F32]));
        }
    }
    for modes in combinations(&[&FLUSHING, &["", ".NaN"], &["", ".xorsign.abs"]]) {
        for op in ["min", "max"] {
            rows.push(Row::new(format!("{op}{modes}.f32"), F32, &[F32, F32]));
        }
    }
    for modes in FLUSHING {
        for op in ["abs", "neg"] {
            rows.push(Row::new(format!("{op}{modes}.f32"), F32, &[F32]).with_open_nans());
        }
    }
    rows.push(Row::new("copysign.f32", F32, &[F32, F32]));
    rows
}

fn doubles() -> Vec<Row> {
    let mut rows = Vec::new();
    for modes in ROUNDINGS {
        for op in ["add", "sub", "mul", "div"] {
            rows.push(Row::new(format!("{op}{modes}.f64"), F64, &[F64, F64]));
        }
        rows.push(Row::new(format!("fma{modes}.f64"), F64, &[F64, F64, F64]));
        for op in ["rcp", "sqrt"] {
            rows.push(Row::new(format!("{op}{modes}.f64"), F64, &[F64]));
        }
    }
    for op in ["min.f64", "max.f64", "copysign.f64"] {
        rows.push(Row::new(op, F64, &[F64, F64]));
    }
    for op in ["abs.f64", "neg.f64"] {
        rows.push(Row::new(op, F64, &[F64]));
    }
    rows.into_iter().map(Row::with_open_nans).collect()
}
