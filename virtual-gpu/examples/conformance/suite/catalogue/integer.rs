//! Integer arithmetic.

use super::super::kind::Kind::{self, *};
use super::Row;

const ALL: [Kind; 6] = [U16, S16, U32, S32, U64, S64];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for t in ALL {
        let n = t.suffix();
        for op in ["add", "sub", "mul.lo", "mul.hi", "min", "max"] {
            rows.push(Row::new(format!("{op}.{n}"), t, &[t, t]));
        }
        for op in ["mad.lo", "mad.hi", "sad"] {
            rows.push(Row::new(format!("{op}.{n}"), t, &[t, t, t]));
        }
        for op in ["div", "rem"] {
            rows.push(Row::new(format!("{op}.{n}"), t, &[t, t]).with_divisor());
        }
    }
    for t in [S16, S32, S64] {
        for op in ["abs", "neg"] {
            rows.push(Row::new(format!("{op}.{}", t.suffix()), t, &[t]));
        }
    }
    for (t, wide) in [(U16, U32), (S16, S32), (U32, U64), (S32, S64)] {
        let n = t.suffix();
        rows.push(Row::new(format!("mul.wide.{n}"), wide, &[t, t]));
        rows.push(Row::new(format!("mad.wide.{n}"), wide, &[t, t, wide]));
    }
    for t in [U32, S32] {
        for part in ["lo", "hi"] {
            let n = t.suffix();
            rows.push(Row::new(format!("mul24.{part}.{n}"), t, &[t, t]));
            rows.push(Row::new(format!("mad24.{part}.{n}"), t, &[t, t, t]));
        }
    }
    for op in ["add.sat.s32", "sub.sat.s32"] {
        rows.push(Row::new(op, S32, &[S32, S32]));
    }
    rows.push(Row::new("mad.hi.sat.s32", S32, &[S32, S32, S32]));
    rows.push(Row::new("mad24.hi.sat.s32", S32, &[S32, S32, S32]));
    products_of_parts(&mut rows);
    pairs(&mut rows);
    rows
}

fn products_of_parts(rows: &mut Vec<Row>) {
    for a in [U32, S32] {
        for b in [U32, S32] {
            let d = if a == U32 && b == U32 { U32 } else { S32 };
            let types = format!("{}.{}", a.suffix(), b.suffix());
            for op in ["dp4a", "dp2a.lo", "dp2a.hi"] {
                rows.push(Row::new(format!("{op}.{types}"), d, &[a, b, d]));
            }
        }
    }
}

/// Operations on pairs of 16-bit integers, and all integer forms of `min` and `max` with `.relu`.
fn pairs(rows: &mut Vec<Row>) {
    for op in ["add", "min", "max"] {
        for n in ["u16x2", "s16x2"] {
            rows.push(Row::new(format!("{op}.{n}"), Pair, &[Pair, Pair]));
        }
    }
    for op in ["min", "max"] {
        rows.push(Row::new(format!("{op}.relu.s16x2"), Pair, &[Pair, Pair]));
        rows.push(Row::new(format!("{op}.relu.s32"), S32, &[S32, S32]));
    }
}
