//! Compares the reference with plain loops, and with results that were worked out by hand.

mod open;

use std::fmt::Debug;

use super::*;
use half::{bf16, f16};
use warpfold_kernels::op::{Max, Min, Product, Sum, WideSum};

const SIZES: [usize; 10] = [0, 1, 2, 31, 33, 255, 8191, 8193, 20_000, 33 * 8192 + 5];

/// Numbers without a regular pattern.
fn numbers(count: usize) -> Vec<u32> {
    (0..count as u32)
        .map(|index| index.wrapping_mul(0x9E37_79B9) ^ (index >> 3))
        .collect()
}

fn check_reduce<O: Op<T, Output: PartialEq + Debug>, T: Element>(items: &[T]) {
    let fold = |total, &item: &T| O::combine(total, O::lift(item));
    let expected = O::lower(items.iter().fold(O::identity(), fold));
    assert_eq!(reduce::<O, T>(items), expected);
}

fn check<O: Op<T, Output = T>, T: Element + PartialEq + Debug>(items: &[T]) {
    let mut running = O::identity();
    let (mut inclusive, mut exclusive) = (Vec::new(), Vec::new());
    for &item in items {
        exclusive.push(O::lower(running));
        running = O::combine(running, O::lift(item));
        inclusive.push(O::lower(running));
    }
    check_reduce::<O, T>(items);
    assert_eq!(
        inclusive_scan_from::<O, T>(<O as Op<T>>::identity(), items).0,
        inclusive
    );
    assert_eq!(
        exclusive_scan_from::<O, T>(<O as Op<T>>::identity(), items).0,
        exclusive
    );
}

#[test]
fn integers_agree_with_the_definition() {
    for size in SIZES {
        let items = numbers(size);
        check::<Sum, u32>(&items);
        check::<Product, u32>(&items.iter().map(|item| item | 1).collect::<Vec<_>>());
        check::<Min, u32>(&items);
        check::<Max, i32>(&items.iter().map(|&item| item as i32).collect::<Vec<_>>());
        check::<Sum, u64>(&items.iter().map(|&item| item as u64).collect::<Vec<_>>());
        let bytes: Vec<i8> = items.iter().map(|&item| item as i8).collect();
        check::<Sum, i8>(&bytes);
        check::<Min, i8>(&bytes);
        check_reduce::<WideSum, i8>(&bytes);
        let halves: Vec<u16> = items.iter().map(|&item| item as u16).collect();
        check::<Product, u16>(&halves);
        check_reduce::<WideSum, u16>(&halves);
        check_reduce::<WideSum, i32>(&items.iter().map(|&item| item as i32).collect::<Vec<_>>());
    }
}

#[test]
fn narrow_floats_are_summed_in_wider_floats() {
    // In the items' own type, adding 1 to 2¹¹ or to 2⁸ would change nothing.
    let sum = reduce::<Sum, f16>(&[2048.0, 1.0, 1.0].map(f16::from_f32));
    assert_eq!(sum, f16::from_f32(2050.0));
    let sums = inclusive_scan_from::<Sum, bf16>(
        <Sum as Op<bf16>>::identity(),
        &[256.0, 1.0, 1.0].map(bf16::from_f32),
    )
    .0;
    assert_eq!(sums, [256.0, 256.0, 258.0].map(bf16::from_f32));
    assert_eq!(reduce::<WideSum, f16>(&[f16::MAX; 2]), 2.0 * 65504.0);
    assert_eq!(reduce::<WideSum, f32>(&[1e30, 1.0, -1e30]), 0.0);
    assert_eq!(reduce::<WideSum, f32>(&[1e10, 1.0, -1e10]), 1.0);
}

#[test]
fn reductions_follow_the_contracts_tree() {
    // In one tile, the first vector of thread 0 begins with item 0, and the second vector with item 1024. 2²⁴ + 1 rounds to 2²⁴, so the sum
    // shows the order of the additions.
    let mut items = vec![0.0f32; 2048];
    (items[0], items[1], items[1024], items[1025]) = (16_777_216.0, 1.0, 1.0, 1.0);
    // Position 0: 2²⁴ ⊕ 1 = 2²⁴. Position 1: 1 ⊕ 1 = 2. Together 2²⁴ + 2.
    assert_eq!(reduce::<Sum, f32>(&items), 16_777_218.0);
    // Now the second 1 is at position 2, so the two 1s are not added to each other: 2²⁴ ⊕ 1 = 2²⁴, twice.
    (items[1024], items[1025]) = (0.0, 0.0);
    (items[2], items[3]) = (1.0, 0.0);
    assert_eq!(reduce::<Sum, f32>(&items), 16_777_216.0);
}

#[test]
fn scans_follow_the_contracts_tree() {
    // Lane 1's vector is 1, 1, 0, 0. It is scanned before its values are combined with lane 0's total.
    let mut items = vec![0.0f32; 8];
    (items[0], items[4], items[5]) = (16_777_216.0, 1.0, 1.0);
    assert_eq!(
        inclusive_scan_from::<Sum, f32>(<Sum as Op<f32>>::identity(), &items).0[4..6],
        [16_777_216.0, 16_777_218.0]
    );
}

#[test]
fn empty_inputs_give_the_identity() {
    assert_eq!(
        reduce::<Sum, f32>(&[]).to_bits(),
        [0.0f32; 0].iter().sum::<f32>().to_bits()
    );
    assert_eq!(reduce::<Max, f64>(&[]), f64::NEG_INFINITY);
    assert_eq!(
        exclusive_scan_from::<Sum, f32>(<Sum as Op<f32>>::identity(), &[5.0]).0[0].to_bits(),
        (-0.0f32).to_bits()
    );
}

#[test]
fn every_nan_becomes_rusts_nan() {
    let odd = f32::from_bits(0xFFC1_2345);
    assert!(odd.is_nan());
    for result in [
        reduce::<Sum, f32>(&[odd]),
        reduce::<Min, f32>(&[1.0, odd]),
        inclusive_scan_from::<Max, f32>(<Max as Op<f32>>::identity(), &[odd, 2.0]).0[1],
    ] {
        assert_eq!(result.to_bits(), f32::NAN.to_bits());
    }
    let odd = [f16::from_bits(0xFC01)];
    assert_eq!(reduce::<Max, f16>(&odd).to_bits(), 0x7FFF);
    assert_eq!(reduce::<WideSum, f16>(&odd).to_bits(), f32::NAN.to_bits());
    let odd = [bf16::from_bits(0xFF81)];
    assert_eq!(reduce::<Sum, bf16>(&odd).to_bits(), 0x7FFF);
}
