//! Conversions.

use super::super::kind::Kind::{self, *};
use super::{Row, combinations};

const INTEGERS: [Kind; 8] = [U8, S8, U16, S16, U32, S32, U64, S64];
const ROUNDINGS: [&str; 4] = [".rn", ".rz", ".rm", ".rp"];
const WHOLE: [&str; 4] = [".rni", ".rzi", ".rmi", ".rpi"];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for d in INTEGERS {
        for s in INTEGERS {
            rows.push(convert("", d, s));
            if !holds(d, s) {
                rows.push(convert(".sat", d, s));
            }
        }
    }
    integers_and_floats(&mut rows);
    singles_and_doubles(&mut rows);
    halves(&mut rows);
    packed(&mut rows);
    rows
}

fn convert(modes: &str, d: Kind, s: Kind) -> Row {
    Row::new(format!("cvt{modes}.{}.{}", d.suffix(), s.suffix()), d, &[s])
}

/// Whether every value of `s` is one of `d`.
fn holds(d: Kind, s: Kind) -> bool {
    let range = |kind: Kind| -> (i128, i128) {
        let bits = match kind {
            U8 | S8 => 8,
            U16 | S16 => 16,
            U32 | S32 => 32,
            _ => 64,
        };
        match kind {
            U8 | U16 | U32 | U64 => (0, (1 << bits) - 1),
            _ => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        }
    };
    range(d).0 <= range(s).0 && range(d).1 >= range(s).1
}

fn integers_and_floats(rows: &mut Vec<Row>) {
    for i in INTEGERS {
        for f in [F32, F64, F16] {
            for rounding in WHOLE {
                rows.push(convert(rounding, i, f));
            }
            for rounding in ROUNDINGS {
                rows.push(convert(rounding, f, i));
            }
        }
        for rounding in WHOLE {
            rows.push(convert(&format!("{rounding}.ftz"), i, F32));
        }
        rows.push(convert(".rzi.sat", i, F32));
        rows.push(convert(".rn.sat", F32, i));
        if !matches!(i, U8 | S8) {
            rows.push(convert(".rzi", i, Bf16));
            rows.push(convert(".rn", Bf16, i));
        }
    }
}

fn singles_and_doubles(rows: &mut Vec<Row>) {
    for modes in combinations(&[&WHOLE, &["", ".ftz"], &["", ".sat"]]) {
        rows.push(convert(&modes, F32, F32));
    }
    for modes in [".ftz", ".sat", ".ftz.sat"] {
        rows.push(convert(modes, F32, F32));
    }
    for rounding in WHOLE {
        rows.push(convert(rounding, F64, F64).with_open_nans());
    }
    for modes in combinations(&[&ROUNDINGS, &["", ".ftz"], &["", ".sat"]]) {
        rows.push(convert(&modes, F32, F64));
    }
    for modes in combinations(&[&["", ".ftz"], &["", ".sat"]]) {
        rows.push(convert(&modes, F64, F32).with_open_nans());
    }
}

fn halves(rows: &mut Vec<Row>) {
    for half in [F16, Bf16] {
        rows.push(convert("", F32, half).with_open_nans());
        rows.push(convert("", F64, half).with_open_nans());
        for rounding in ROUNDINGS {
            rows.push(convert(rounding, half, F32));
            rows.push(convert(rounding, half, F64));
        }
        for rounding in WHOLE {
            rows.push(convert(rounding, half, half).with_open_nans());
        }
    }
    rows.push(convert(".ftz", F32, F16).with_open_nans());
    rows.push(convert(".rn.sat", F16, F32));
    rows.push(convert(".rn.ftz", F16, F32));
    for modes in [".rn.relu", ".rz.relu"] {
        rows.push(convert(modes, F16, F32));
        rows.push(convert(modes, Bf16, F32));
    }
}

fn packed(rows: &mut Vec<Row>) {
    for d in [F16x2, Bf16x2] {
        for modes in [".rn", ".rz", ".rn.relu", ".rz.relu"] {
            rows.push(Row::new(
                format!("cvt{modes}.{}.f32", d.suffix()),
                d,
                &[F32, F32],
            ));
        }
    }
    for modes in [".rna", ".rn", ".rz", ".rn.relu", ".rz.relu"] {
        rows.push(Row::new(format!("cvt{modes}.tf32.f32"), B32, &[F32]));
    }
    for n in ["u8", "s8"] {
        rows.push(Row::new(
            format!("cvt.pack.sat.{n}.s32.b32"),
            B32,
            &[S32, S32, B32],
        ));
    }
    for n in ["u16", "s16"] {
        rows.push(Row::new(format!("cvt.pack.sat.{n}.s32"), B32, &[S32, S32]));
    }
}
