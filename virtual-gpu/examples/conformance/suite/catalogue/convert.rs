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

/// Whether every value of `s` is also a value of `d`.
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
        for modes in [".rzi.sat", ".rni.ftz.sat"] {
            rows.push(convert(modes, i, F32));
        }
        rows.push(convert(".rmi.sat", i, F64));
        rows.push(convert(".rpi.sat", i, F16));
        for f in [F32, F64, F16] {
            rows.push(convert(".rn.sat", f, i));
        }
        if !matches!(i, U8 | S8) {
            rows.extend(WHOLE.map(|rounding| convert(rounding, i, Bf16)));
            rows.extend(ROUNDINGS.map(|rounding| convert(rounding, Bf16, i)));
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
        rows.push(convert(&format!("{rounding}.sat"), F64, F64));
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
    rows.push(convert(".sat", F32, F16));
    rows.push(convert(".sat", F64, F16));
    rows.push(convert(".rni.sat", F16, F16));
    for modes in [
        ".rn.relu",
        ".rz.relu",
        ".rn.satfinite",
        ".rn.relu.satfinite",
    ] {
        rows.push(convert(modes, F16, F32));
        rows.push(convert(modes, Bf16, F32));
    }
    for rounding in ROUNDINGS {
        rows.push(convert(rounding, F16, Bf16));
        rows.push(convert(rounding, Bf16, F16));
    }
}

fn packed(rows: &mut Vec<Row>) {
    for d in [F16x2, Bf16x2] {
        for modes in [
            ".rn",
            ".rz",
            ".rn.relu",
            ".rz.relu",
            ".rn.satfinite",
            ".rn.relu.satfinite",
        ] {
            rows.push(Row::new(
                format!("cvt{modes}.{}.f32", d.suffix()),
                d,
                &[F32, F32],
            ));
        }
    }
    for eighths in ["e4m3x2", "e5m2x2"] {
        for relu in ["", ".relu"] {
            let modes = format!(".rn.satfinite{relu}.{eighths}");
            rows.push(Row::new(format!("cvt{modes}.f32"), B16, &[F32, F32]));
            rows.push(Row::new(format!("cvt{modes}.f16x2"), B16, &[F16x2]));
            let opcode = format!("cvt.rn{relu}.f16x2.{eighths}");
            rows.push(Row::new(opcode, F16x2, &[B16]));
        }
    }
    for modes in [
        ".rna",
        ".rn",
        ".rz",
        ".rn.relu",
        ".rz.relu",
        ".rna.satfinite",
    ] {
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
