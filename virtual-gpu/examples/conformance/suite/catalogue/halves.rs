//! Arithmetic on f16, bf16, and pairs of them.

use super::super::kind::Kind::*;
use super::{Row, combinations};

const FLUSHING: [&str; 2] = ["", ".ftz"];
const EXTREMES: [&str; 2] = ["min", "max"];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for t in [F16, F16x2] {
        let n = t.suffix();
        for modes in combinations(&[&FLUSHING, &["", ".sat"]]) {
            for op in ["add", "sub", "mul"] {
                rows.push(Row::new(format!("{op}.rn{modes}.{n}"), t, &[t, t]));
            }
        }
        for modes in combinations(&[&FLUSHING, &["", ".sat", ".relu"]]) {
            rows.push(Row::new(format!("fma.rn{modes}.{n}"), t, &[t, t, t]));
        }
        for modes in combinations(&[&FLUSHING, &["", ".NaN"], &["", ".xorsign.abs"]]) {
            for op in EXTREMES {
                rows.push(Row::new(format!("{op}{modes}.{n}"), t, &[t, t]));
            }
        }
        for modes in FLUSHING {
            for op in ["abs", "neg"] {
                rows.push(Row::new(format!("{op}{modes}.{n}"), t, &[t]).with_open_nans());
            }
        }
    }
    for t in [F16, F16x2, Bf16, Bf16x2] {
        for modes in [".oob", ".oob.relu"] {
            let opcode = format!("fma.rn{modes}.{}", t.suffix());
            rows.push(Row::new(opcode, t, &[t, t, t]));
        }
    }
    for t in [Bf16, Bf16x2] {
        let n = t.suffix();
        for op in ["add", "sub", "mul"] {
            rows.push(Row::new(format!("{op}.rn.{n}"), t, &[t, t]));
        }
        for modes in ["", ".relu"] {
            rows.push(Row::new(format!("fma.rn{modes}.{n}"), t, &[t, t, t]));
        }
        for modes in combinations(&[&["", ".NaN"], &["", ".xorsign.abs"]]) {
            for op in EXTREMES {
                rows.push(Row::new(format!("{op}{modes}.{n}"), t, &[t, t]));
            }
        }
        for op in ["abs", "neg"] {
            rows.push(Row::new(format!("{op}.{n}"), t, &[t]).with_open_nans());
        }
    }
    rows
}
