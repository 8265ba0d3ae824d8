//! How far float sums and products are from the exact value.
//!
//! Other tests check the bits; these show that the contract's tree of additions is accurate. With unit roundoff u, a tree of depth d has an
//! error of at most about d·u·Σ|x|. The tree of a reduction has these levels. For each position in a vector, 3 levels combine the items
//! that a thread's 8 vectors have at this position. Each tile of a chunk adds one level. Then up to 3 levels combine the positions, and 8
//! levels the threads of a block. In these tests, up to 8 more levels combine the chunks.

use approx::{assert_abs_diff_eq, assert_relative_eq};
use cust::memory::DeviceBuffer;
use warpfold::cust_half::{bf16, f16};
use warpfold::{Product, Sum, WideSum, cust, reduce, scan};

use crate::data::{Random, unit};
use crate::gpus::gpu;

/// An upper bound for the levels of a sum's tree in these tests.
const DEPTH: f64 = 24.0;

fn uniform(count: usize, low: f64, high: f64) -> Vec<f64> {
    let mut random = Random::new(count as u64);
    (0..count)
        .map(|_| low + (high - low) * unit(&mut random))
        .collect()
}

/// The sum by Neumaier's algorithm: the errors of the additions are summed, and added at the end.
fn exact_sum(items: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for &item in items {
        let next = sum + item;
        lost += if sum.abs() >= item.abs() {
            (sum - next) + item
        } else {
            (item - next) + sum
        };
        sum = next;
    }
    sum + lost
}

fn magnitude(items: &[f64]) -> f64 {
    items.iter().map(|item| item.abs()).sum()
}

#[test]
fn a_sum_of_f64_is_close() {
    let gpu = gpu();
    for (low, high) in [(0.0, 1.0), (-1.0, 1.0), (-1e300, 1e300)] {
        let items = uniform(100_000, low, high);
        let buffer = DeviceBuffer::from_slice(&items).unwrap();
        let sum = reduce::<Sum, _>(&buffer).wait(gpu).unwrap();
        let bound = DEPTH * f64::EPSILON / 2.0 * magnitude(&items);
        assert_abs_diff_eq!(sum, exact_sum(&items), epsilon = bound);
    }
}

#[test]
fn a_sum_of_f32_is_close() {
    let gpu = gpu();
    for (low, high) in [(0.0, 1.0), (-1.0, 1.0), (1e-42, 1e-40)] {
        let items: Vec<f32> = uniform(300_000, low, high)
            .into_iter()
            .map(|item| item as f32)
            .collect();
        let wide: Vec<f64> = items.iter().map(|&item| item as f64).collect();
        let buffer = DeviceBuffer::from_slice(&items).unwrap();
        let sum = reduce::<Sum, _>(&buffer).wait(gpu).unwrap();
        let bound = DEPTH * (f32::EPSILON as f64) / 2.0 * magnitude(&wide);
        assert_abs_diff_eq!(sum as f64, exact_sum(&wide), epsilon = bound);
    }
}

#[test]
fn a_product_of_f32_is_close() {
    let gpu = gpu();
    let items: Vec<f32> = uniform(10_000, 0.9, 1.1)
        .into_iter()
        .map(|item| item as f32)
        .collect();
    let exact: f64 = items.iter().map(|&item| item as f64).product();
    let buffer = DeviceBuffer::from_slice(&items).unwrap();
    let product = reduce::<Product, _>(&buffer).wait(gpu).unwrap();
    // Every multiplication rounds, so the bound grows with the number of items and not with the tree's depth.
    let bound = items.len() as f64 * (f32::EPSILON as f64) / 2.0;
    assert_relative_eq!(product as f64, exact, max_relative = bound);
}

#[test]
fn every_prefix_of_a_scan_is_close() {
    let gpu = gpu();
    let items: Vec<f32> = uniform(70_000, -1.0, 1.0)
        .into_iter()
        .map(|item| item as f32)
        .collect();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let mut output = DeviceBuffer::zeroed(items.len()).unwrap();
    scan::<Sum, _>(&input).to(&mut output).wait(gpu).unwrap();
    let (mut sum, mut magnitude) = (0.0f64, 0.0f64);
    for (item, prefix) in items.iter().zip(output.as_host_vec().unwrap()) {
        sum += *item as f64;
        magnitude += item.abs() as f64;
        let bound = 2.0 * DEPTH * (f32::EPSILON as f64) / 2.0 * magnitude;
        assert_abs_diff_eq!(prefix as f64, sum, epsilon = bound);
    }
}

/// Items, and their exact values.
fn rounded<T>(count: usize, low: f64, high: f64, round: impl Fn(f64) -> T) -> (Vec<T>, Vec<f64>)
where
    T: Copy,
    f64: From<T>,
{
    let items: Vec<T> = uniform(count, low, high).into_iter().map(round).collect();
    let exact = items.iter().map(|&item| f64::from(item)).collect();
    (items, exact)
}

#[test]
fn a_wide_sum_of_f32_is_as_close_as_one_of_f64() {
    let gpu = gpu();
    for (low, high) in [(0.0, 1.0), (-1.0, 1.0), (-1e38, 1e38)] {
        let (items, exact) = rounded(100_000, low, high, |item| item as f32);
        let buffer = DeviceBuffer::from_slice(&items).unwrap();
        let sum = reduce::<WideSum, _>(&buffer).wait(gpu).unwrap();
        let bound = DEPTH * f64::EPSILON / 2.0 * magnitude(&exact);
        assert_abs_diff_eq!(sum, exact_sum(&exact), epsilon = bound);
    }
}

#[test]
fn sums_of_narrow_floats_are_as_close_as_f32_sums_and_rounded_once() {
    let gpu = gpu();
    let in_f32 = DEPTH * f64::from(f32::EPSILON) / 2.0;
    for (low, high) in [(0.0, 0.5), (-1.0, 1.0)] {
        let (items, exact) = rounded(100_000, low, high, f16::from_f64);
        let buffer = DeviceBuffer::from_slice(&items).unwrap();
        let (sum, bound) = (exact_sum(&exact), in_f32 * magnitude(&exact));
        let wide = f64::from(reduce::<WideSum, _>(&buffer).wait(gpu).unwrap());
        assert_abs_diff_eq!(wide, sum, epsilon = bound);
        let narrow = f64::from(reduce::<Sum, _>(&buffer).wait(gpu).unwrap());
        let rounding = sum.abs() * f64::from(f16::EPSILON) / 2.0;
        assert_abs_diff_eq!(narrow, sum, epsilon = bound + rounding);

        let (items, exact) = rounded(100_000, low, high, bf16::from_f64);
        let buffer = DeviceBuffer::from_slice(&items).unwrap();
        let (sum, bound) = (exact_sum(&exact), in_f32 * magnitude(&exact));
        let wide = f64::from(reduce::<WideSum, _>(&buffer).wait(gpu).unwrap());
        assert_abs_diff_eq!(wide, sum, epsilon = bound);
        let narrow = f64::from(reduce::<Sum, _>(&buffer).wait(gpu).unwrap());
        let rounding = sum.abs() * f64::from(bf16::EPSILON) / 2.0;
        assert_abs_diff_eq!(narrow, sum, epsilon = bound + rounding);
    }
}
