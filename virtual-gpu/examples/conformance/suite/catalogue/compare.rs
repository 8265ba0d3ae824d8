//! Comparisons and selections.

use super::super::kind::Kind::{self, *};
use super::{Row, combinations};

const BITS: [&str; 2] = ["eq", "ne"];
const SIGNED: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];
const UNSIGNED: [&str; 10] = ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"];
const FLOATS: [&str; 14] = [
    "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
];

fn relations(t: Kind) -> &'static [&'static str] {
    match t {
        B16 | B32 | B64 => &BITS,
        S16 | S32 | S64 => &SIGNED,
        U16 | U32 | U64 => &UNSIGNED,
        _ => &FLOATS,
    }
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for t in [
        B16, U16, S16, B32, U32, S32, B64, U64, S64, F32, F64, F16, Bf16,
    ] {
        for relation in relations(t) {
            rows.push(set_predicate(relation, t));
        }
    }
    for t in [F32, F16] {
        for relation in FLOATS {
            rows.push(set_predicate(&format!("{relation}.ftz"), t));
        }
    }
    for t in [S32, U64, F32, F64] {
        let n = t.suffix();
        for modes in combinations(&[&["lt", "ne"], &[".and", ".or", ".xor"]]) {
            let row = || Row::new(format!("setp.{modes}.{n}"), Predicate, &[t, t, Predicate]);
            rows.push(row());
            rows.push(row().with_second_target(Predicate));
        }
        let opcode = format!("setp.ge.{n}");
        rows.push(Row::new(opcode, Predicate, &[t, t]).with_second_target(Predicate));
    }
    for t in [F16x2, Bf16x2] {
        for relation in FLOATS {
            rows.push(set_predicate(relation, t).with_second_target(Predicate));
        }
    }
    values(&mut rows);
    selections(&mut rows);
    for t in [F32, F64] {
        for sort in [
            "finite",
            "infinite",
            "number",
            "notanumber",
            "normal",
            "subnormal",
        ] {
            rows.push(Row::new(
                format!("testp.{sort}.{}", t.suffix()),
                Predicate,
                &[t],
            ));
        }
    }
    rows
}

fn set_predicate(relation: &str, t: Kind) -> Row {
    Row::new(
        format!("setp.{relation}.{}", t.suffix()),
        Predicate,
        &[t, t],
    )
}

/// The forms of `set`. Its result is a value and not a predicate.
fn values(rows: &mut Vec<Row>) {
    for t in [U16, S32, U32, S64, F32, F64] {
        for d in [U32, S32, F32] {
            for relation in ["lt", "eq"] {
                let types = format!("{}.{}", d.suffix(), t.suffix());
                rows.push(Row::new(format!("set.{relation}.{types}"), d, &[t, t]));
                let opcode = format!("set.{relation}.xor.{types}");
                rows.push(Row::new(opcode, d, &[t, t, Predicate]));
            }
        }
    }
    rows.push(Row::new("set.geu.ftz.f32.f32", F32, &[F32, F32]));
    rows.push(Row::new("set.num.u32.f64", U32, &[F64, F64]));
    for t in [F16x2, Bf16x2] {
        let n = t.suffix();
        rows.push(Row::new(format!("set.lt.{n}.{n}"), t, &[t, t]));
        rows.push(Row::new(format!("set.neu.{n}.{n}"), t, &[t, t]));
    }
}

fn selections(rows: &mut Vec<Row>) {
    for t in [B16, U16, S16, B32, U32, S32, F32, B64, U64, S64, F64] {
        let n = t.suffix();
        rows.push(Row::new(format!("selp.{n}"), t, &[t, t, Predicate]));
        rows.push(Row::new(format!("slct.{n}.s32"), t, &[t, t, S32]));
        rows.push(Row::new(format!("slct.{n}.f32"), t, &[t, t, F32]));
        rows.push(Row::new(format!("slct.ftz.{n}.f32"), t, &[t, t, F32]));
    }
}
