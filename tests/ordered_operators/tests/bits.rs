//! Operators that do not commute give the same bits on the device as on the CPU, and obey the laws.

#[path = "../../common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "../../common/gpus.rs"]
mod gpus;
#[path = "../../common/numbers.rs"]
mod numbers;
#[path = "../../common/own_operator.rs"]
#[allow(dead_code, reason = "used in part")]
mod own_operator;

use numbers::{Random, items};
use ordered_operators::operators::*;
use own_operator::check_scans;
use warpfold::{Gpu, check_scan_operator, reduce};

#[test]
fn extremes_keep_the_laws() {
    check_scan_operator::<Concatenation, u8>(&[0, 1, u8::MAX]).unwrap();
    let maps = [(0, 0), (1, 0), (u32::MAX, 1), (1 << 31, u32::MAX)];
    let maps = maps.map(|(scale, offset)| Affine { scale, offset });
    check_scan_operator::<Composition, Affine>(&maps).unwrap();
}

/// The identity matrix with −0.0 in place of 0.0 is not the operator's identity, although `==` says that the two are equal.
#[test]
fn products_recognise_the_identity_by_its_bits() {
    let matrix = |b, c| Matrix {
        rows: [[1.0, b], [c, 1.0]],
    };
    let matrices = [matrix(-0.0, 0.0), matrix(0.0, -0.0), matrix(0.5, 1e-45)];
    check_scan_operator::<MatrixProduct, Matrix>(&matrices).unwrap();
}

#[test]
fn matrix_product() {
    let item = |numbers: &mut Random| Matrix {
        rows: [
            [1.0 + numbers.float() / 8.0, numbers.float() / 8.0],
            [numbers.float() / 8.0, 1.0 + numbers.float() / 8.0],
        ],
    };
    check_scans::<MatrixProduct, Matrix>(item);
    check_scan_operator::<MatrixProduct, Matrix>(&items(6, item)).unwrap();
}

#[test]
fn composition() {
    let item = |numbers: &mut Random| Affine {
        scale: numbers.bits() as u32,
        offset: numbers.bits() as u32,
    };
    check_scans::<Composition, Affine>(item);
    check_scan_operator::<Composition, Affine>(&items(8, item)).unwrap();
}

#[test]
fn concatenation() {
    let item = |numbers: &mut Random| numbers.bits() as u8;
    check_scans::<Concatenation, u8>(item);
    check_scan_operator::<Concatenation, u8>(&items(8, item)).unwrap();
}

#[test]
fn bracket_depth() {
    let item = |numbers: &mut Random| b"()a"[numbers.bits() as usize % 3];
    check_scans::<BracketDepth, u8>(item);
    check_scan_operator::<BracketDepth, u8>(b"(a)").unwrap();
    let depth = reduce::<BracketDepth, _>(b"(a(b)c)(d")
        .in_order()
        .wait(Gpu::global());
    assert_eq!(depth, Ok(Depth { end: 1, deepest: 2 }));
}

#[test]
fn longest_run() {
    let item = |numbers: &mut Random| !numbers.bits().is_multiple_of(8) as u8;
    check_scans::<LongestRun, u8>(item);
    check_scan_operator::<LongestRun, u8>(&[0, 1, 1, 2]).unwrap();
    let longest = reduce::<LongestRun, _>(&[1, 1, 0, 1, 1, 1, 0])
        .in_order()
        .wait(Gpu::global());
    assert_eq!(longest, Ok(3));
}
