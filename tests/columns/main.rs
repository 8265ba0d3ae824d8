//! Reductions and scans of columns, for matrices of many shapes. Every kernel of columns agrees, bit for bit, with the CPU and with
//! segments that hold the same items.

mod axes;
#[path = "../common/buffers.rs"]
#[allow(dead_code, reason = "used in part")]
mod buffers;
mod calls;
mod counted;
#[path = "../common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "../common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "../common/engine.rs"]
mod engine;
#[path = "../common/gpus.rs"]
mod gpus;
mod of_device;
#[path = "../common/schedule.rs"]
mod schedule;
mod scheduled;

use crate::device::{Item, Kernel};
use axes::Array;
use std::env;

use cust::memory::{CopyDestination, DeviceBuffer};
use data::{Random, Sample, assert_same_bits, ordinary};
use gpus::gpu;
use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, cust, kind, reduce, scan};
use warpfold_kernels::op::*;
use warpfold_kernels::{for_each_columns_kernel, for_each_columns_scan_kernel};

/// The numbers of rows and columns of small matrices, around the boundaries of leaves, chunks and warps.
const SHAPES: [(usize, usize); 24] = [
    (1, 1),
    (1, 31),
    (1, 700),
    (2, 32),
    (15, 1),
    (15, 33),
    (16, 3),
    (16, 64),
    (17, 1),
    (17, 100),
    (33, 31),
    (255, 3),
    (255, 32),
    (256, 1),
    (256, 40),
    (257, 1),
    (257, 33),
    (512, 7),
    (513, 32),
    (700, 2),
    (4095, 1),
    (4096, 3),
    (4097, 1),
    (4400, 5),
];

/// The numbers of rows and columns of larger matrices.
const LARGE_SHAPES: [(usize, usize); 6] = [
    (65_536, 1),
    (65_537, 3),
    (66_000, 31),
    (9000, 100),
    (300, 5000),
    (1_050_000, 1),
];

/// The `count` results that a call writes. Asserts that the three elements after them do not change.
fn written<R: Item>(count: usize, call: impl FnOnce(&mut DeviceBuffer<R>)) -> Vec<R> {
    let mut output = DeviceBuffer::<R>::zeroed(count + 3).unwrap();
    call(&mut output);
    let mut found = vec![R::zeroed(); count + 3];
    output.copy_to(&mut found).unwrap();
    assert_same_bits(&found[count..], &[R::zeroed(); 3], "places behind");
    found.truncate(count);
    found
}

/// The items of a matrix, column after column.
fn transposed<T: Copy>(matrix: &[T], columns: usize) -> Vec<T> {
    let column = |column| matrix.iter().skip(column).step_by(columns).copied();
    (0..columns).flat_map(column).collect()
}

fn check_reduction<O: Kernel<kind::columns_reduce, T>, T: Sample>(rows: usize, columns: usize) {
    let matrix = ordinary::<O, T>(rows * columns);
    let input = DeviceBuffer::from_slice(&matrix).unwrap();
    let found = written::<O::Output>(columns, |output| {
        reduce::<O, _>(&input)
            .columns(columns)
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    let expected = reduce::<O, _>(&matrix).columns(columns).wait(Cpu).unwrap();
    let what = format!("{rows} rows, {columns} columns");
    assert_same_bits(&found, &expected, &what);
}

fn check_scans<O: Kernel<kind::columns_scan, T>, T: Sample>(rows: usize, columns: usize) {
    let matrix = ordinary::<O, T>(rows * columns);
    let input = DeviceBuffer::from_slice(&matrix).unwrap();
    let what = format!("{rows} rows, {columns} columns");
    let found = written::<O::Output>(matrix.len(), |output| {
        scan::<O, _>(&input)
            .columns(columns)
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    let expected = scan::<O, _>(&matrix).columns(columns).wait(Cpu).unwrap();
    assert_same_bits(&found, &expected, &format!("inclusive, {what}"));
    let found = written::<O::Output>(matrix.len(), |output| {
        scan::<O, _>(&input)
            .exclusive()
            .columns(columns)
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    let expected = scan::<O, _>(&matrix)
        .exclusive()
        .columns(columns)
        .wait(Cpu)
        .unwrap();
    assert_same_bits(&found, &expected, &format!("exclusive, {what}"));
}

#[test]
fn reductions_at_the_borders_of_leaves_chunks_and_warps() {
    gpu();
    for (rows, columns) in SHAPES {
        check_reduction::<Sum, f32>(rows, columns);
    }
}

#[test]
fn scans_at_the_borders_of_leaves_chunks_and_warps() {
    gpu();
    for (rows, columns) in SHAPES {
        check_scans::<Sum, f32>(rows, columns);
    }
}

#[test]
fn random_shapes() {
    gpu();
    let mut random = Random::new(3);
    for _ in 0..10 {
        let most = 1 << random.below(9);
        let columns = 1 + random.below(most);
        let rows = 1 + random.below(12_000 / columns + 1);
        check_reduction::<Sum, f32>(rows, columns);
        check_scans::<Sum, f64>(rows, columns);
    }
}

#[test]
fn large_matrices() {
    gpu();
    let is_sweep = env::var_os("WARPFOLD_SWEEP").is_some();
    let shapes = match is_sweep {
        true => &LARGE_SHAPES[..],
        false => &LARGE_SHAPES[..1],
    };
    for &(rows, columns) in shapes {
        check_reduction::<Sum, f32>(rows, columns);
        check_scans::<Sum, f32>(rows, columns);
    }
}

/// Compares the columns of a matrix with the rows of the transposed matrix.
fn check_transposed<O, T>(rows: usize, columns: usize)
where
    T: Sample,
    O: Kernel<kind::columns_reduce, T>
        + Kernel<kind::columns_scan, T>
        + Kernel<kind::segmented_reduce, T>
        + Kernel<kind::segmented_scan, T>,
{
    let matrix = ordinary::<O, T>(rows * columns);
    let turned = transposed(&matrix, columns);
    let input = DeviceBuffer::from_slice(&matrix).unwrap();
    let turned = DeviceBuffer::from_slice(&turned).unwrap();
    let what = format!("{rows} rows, {columns} columns");
    let found = written::<O::Output>(columns, |output| {
        reduce::<O, _>(&input)
            .columns(columns)
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    let expected = written::<O::Output>(columns, |output| {
        reduce::<O, _>(&turned)
            .rows(rows)
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    assert_same_bits(&found, &expected, &what);
    let found = written::<O::Output>(matrix.len(), |output| {
        scan::<O, _>(&input)
            .columns(columns)
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    let expected = written::<O::Output>(matrix.len(), |output| {
        scan::<O, _>(&turned)
            .rows(rows)
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    assert_same_bits(&transposed(&found, columns), &expected, &what);
    let found = written::<O::Output>(matrix.len(), |output| {
        scan::<O, _>(&input)
            .exclusive()
            .columns(columns)
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    let expected = written::<O::Output>(matrix.len(), |output| {
        scan::<O, _>(&turned)
            .exclusive()
            .rows(rows)
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    assert_same_bits(&transposed(&found, columns), &expected, &what);
}

#[test]
fn columns_are_rows_of_the_transposed_matrix() {
    gpu();
    check_transposed::<Sum, f32>(273, 33);
    check_transposed::<Sum, f64>(4200, 3);
    check_transposed::<Product, f16>(300, 20);
    check_transposed::<WideSum, f32>(600, 9);
}

/// The axis has two whole leaves and a partial leaf: fewer leaves than a block has warps.
const SMALL_ARRAY: Array = Array {
    outer: 9,
    length: 37,
    inner: 7,
    gap: 2,
};

/// Makes a test for each kernel of columns, on [`SMALL_ARRAY`] and on a matrix. The matrix has more columns than a warp has lanes. Its
/// columns have two chunks, and end with a partial leaf. A reduction is also tested on one column of more than sixteen chunks.
macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {$(
        #[test]
        fn $symbol() {
            gpu();
            rows!(@ $kind $op $t);
        }
    )*};
    (@ columns_reduce $op:ident $t:ident) => {
        check_reduction::<$op, $t>(275, 33);
        check_reduction::<$op, $t>(4100, 1);
        axes::check_reduction::<$op, $t>(SMALL_ARRAY);
    };
    (@ columns_scan $op:ident $t:ident) => {
        check_scans::<$op, $t>(275, 33);
        axes::check_scans::<$op, $t>(SMALL_ARRAY);
    };
}

for_each_columns_kernel!(rows);
for_each_columns_scan_kernel!(rows);
