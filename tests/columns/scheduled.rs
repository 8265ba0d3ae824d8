//! Tests that the bits are the same under many schedules, on devices of 1, 7 and 132 multiprocessors, and when the tags are used up.

use crate::device::Kernel;
use virtual_gpu::RunOptions;
use warpfold::{Cpu, Product, Sum, WideSum, kind, reduce, scan};

use crate::data::{Sample, assert_same_bits, ordinary};
use crate::engine::{Engine, GENERATIONS, SM_90};
use crate::schedule::schedules;

/// The numbers of rows and columns of matrices. In some of these, a block has several columns; in some, a column has several blocks. The
/// first has more than sixteen chunks.
const SHAPES: [(usize, usize); 3] = [(4700, 1), (1100, 7), (530, 40)];

fn assert_reduced<O: Kernel<kind::columns_reduce, T>, T: Sample>(
    engine: &Engine,
    (rows, columns): (usize, usize),
    options: &RunOptions,
) {
    let matrix = ordinary::<O, T>(rows * columns);
    let (found, _) = engine
        .columns_reduce::<O, T>(&matrix, columns, options)
        .unwrap_or_else(|error| panic!("{options:?}: {error}"));
    let expected = reduce::<O, _>(&matrix).columns(columns).wait(Cpu).unwrap();
    assert_same_bits(&found, &expected, &format!("{options:?}"));
}

fn assert_scanned<O: Kernel<kind::columns_scan, T>, T: Sample>(
    engine: &Engine,
    (rows, columns): (usize, usize),
    options: &RunOptions,
) {
    let matrix = ordinary::<O, T>(rows * columns);
    let (found, _) = engine
        .columns_scan::<O, T>(&matrix, columns, true, options)
        .unwrap_or_else(|error| panic!("{options:?}: {error}"));
    let expected = scan::<O, _>(&matrix)
        .exclusive()
        .columns(columns)
        .wait(Cpu)
        .unwrap();
    assert_same_bits(&found, &expected, &format!("{options:?}"));
}

/// Calls `check` twice under each schedule of [`schedules`]. The shapes, and devices of three sizes, take turns.
fn go_through(
    kernel: &str,
    seeds: u64,
    check: impl Fn(&Engine, (usize, usize), &RunOptions),
    engine: impl Fn(&str, u32, usize) -> Engine,
) {
    for (turn, options) in schedules(seeds).enumerate() {
        let multiprocessors = [1, 7, 132][turn / 3 % 3];
        let shape = SHAPES[turn % 3];
        let engine = engine(kernel, multiprocessors, turn);
        check(&engine, shape, &options);
        // The second launch uses the workspace that the first has left.
        check(&engine, shape, &options);
    }
}

/// An engine for a kernel. The generation changes every two turns.
fn engine<O: warpfold::Op<T>, T: Sample>(
    kernel: &str,
    multiprocessors: u32,
    turn: usize,
) -> Engine {
    let generation = GENERATIONS[turn / 2 % 3];
    let text = generation.kernel(kernel);
    Engine::new::<O, T>(generation, multiprocessors, &text, 40_000)
}

#[test]
fn sums_under_any_schedule() {
    let check = assert_reduced::<Sum, f32>;
    go_through("columns_reduce_sum_f32", 3, check, engine::<Sum, f32>);
}

#[test]
fn wide_sums_under_any_schedule() {
    let check = assert_reduced::<WideSum, u8>;
    go_through(
        "columns_reduce_wide_sum_u8",
        1,
        check,
        engine::<WideSum, u8>,
    );
}

#[test]
fn scans_under_any_schedule() {
    let check = assert_scanned::<Sum, f32>;
    go_through("columns_scan_sum_f32", 2, check, engine::<Sum, f32>);
}

#[test]
fn scans_of_wide_items_under_any_schedule() {
    let check = assert_scanned::<Product, f64>;
    go_through("columns_scan_product_f64", 1, check, engine::<Product, f64>);
}

#[test]
fn the_last_tag() {
    let (sum, scan) = ("columns_reduce_sum_f32", "columns_scan_sum_f32");
    for options in schedules(1) {
        let sums = Engine::new::<Sum, f32>(SM_90, 1, &SM_90.kernel(sum), 9000);
        let scans = Engine::new::<Sum, f32>(SM_90, 1, &SM_90.kernel(scan), 9000);
        for engine in [&sums, &scans] {
            engine.set_epoch(u32::MAX - 1);
        }
        assert_reduced::<Sum, f32>(&sums, (530, 7), &options);
        assert_scanned::<Sum, f32>(&scans, (530, 7), &options);
        for engine in [&sums, &scans] {
            assert_eq!(engine.epoch(), 0);
            assert!(engine.is_clear());
        }
        assert_reduced::<Sum, f32>(&sums, (600, 9), &options);
        assert_scanned::<Sum, f32>(&scans, (600, 9), &options);
        for engine in [&sums, &scans] {
            assert_eq!(engine.epoch(), 1);
        }
    }
}
