//! Logic, shifts, bit fields, and other operations on bits.

use super::super::kind::Kind::*;
use super::Row;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for t in [B16, B32, B64, Predicate] {
        for op in ["and", "or", "xor"] {
            rows.push(Row::new(format!("{op}.{}", t.suffix()), t, &[t, t]));
        }
        rows.push(Row::new(format!("not.{}", t.suffix()), t, &[t]));
    }
    for t in [B16, B32, B64] {
        rows.push(Row::new(format!("cnot.{}", t.suffix()), t, &[t]));
    }
    for t in [B16, B32, B64] {
        rows.push(Row::new(format!("shl.{}", t.suffix()), t, &[t, Amount]));
    }
    for t in [B16, U16, S16, B32, U32, S32, B64, U64, S64] {
        rows.push(Row::new(format!("shr.{}", t.suffix()), t, &[t, Amount]));
    }
    for op in ["l.clamp", "l.wrap", "r.clamp", "r.wrap"] {
        rows.push(Row::new(format!("shf.{op}.b32"), B32, &[B32, B32, Amount]));
    }
    for t in [B32, B64] {
        for op in ["popc", "clz"] {
            rows.push(Row::new(format!("{op}.{}", t.suffix()), U32, &[t]));
        }
        rows.push(Row::new(format!("brev.{}", t.suffix()), t, &[t]));
        let sources = [t, t, Amount, Amount];
        rows.push(Row::new(format!("bfi.{}", t.suffix()), t, &sources));
    }
    for t in [U32, S32, U64, S64] {
        let n = t.suffix();
        rows.push(Row::new(format!("bfind.{n}"), U32, &[t]));
        rows.push(Row::new(format!("bfind.shiftamt.{n}"), U32, &[t]));
        rows.push(Row::new(format!("bfe.{n}"), t, &[t, Amount, Amount]));
    }
    for edge in ["clamp", "wrap"] {
        rows.push(Row::new(format!("bmsk.{edge}.b32"), B32, &[Amount, Amount]));
        for t in [U32, S32] {
            let opcode = format!("szext.{edge}.{}", t.suffix());
            rows.push(Row::new(opcode, t, &[t, Amount]));
        }
    }
    rows.push(Row::new("fns.b32", B32, &[B32, Lane, S32]));
    for mode in [
        "b32", "b32.f4e", "b32.b4e", "b32.rc8", "b32.ecl", "b32.ecr", "b32.rc16",
    ] {
        rows.push(Row::new(format!("prmt.{mode}"), B32, &[B32, B32, B32]));
    }
    for table in ["0x96", "0xe8", "0xca", "0x01", "0x7f", "0x3c"] {
        rows.push(Row::new("lop3.b32", B32, &[B32, B32, B32]).with_literal(table));
    }
    rows
}
