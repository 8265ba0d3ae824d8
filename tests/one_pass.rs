//! Reductions that find extremes, their indices, means and variances, norms, dot products or the number of non-zero items in one pass over
//! the items. The results are compared with plain loops, exact integers or the CPU's results. The laws of most of these operators are
//! checked.
//!
//! `bits.rs` also checks the bits of these kernels, except those that read two inputs, at sizes around the boundaries of warps, blocks and
//! tiles.

#[path = "one_pass/accuracy.rs"]
mod accuracy;
mod common;
#[path = "common/data.rs"]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "one_pass/pairs.rs"]
mod pairs;

use crate::device::Kernel;
use common::gpu;
use cust::memory::DeviceBuffer;
use data::{Random, Sample, ordinary};
use warpfold::cust_half::{bf16, f16};
use warpfold::{
    ArgMax, ArgMin, Commutative, CountNonZero, Extremes, Gpu, MinMax, Statistics, Sum,
    SumOfSquares, check_reduce_operator, cust, gpu_arg_max, gpu_arg_min, gpu_arg_min_max,
    gpu_min_max, gpu_moments, gpu_norm, kind, reduce,
};

/// The index of the item that comes first in the order `is_before`. If several items are equal and come first, the result is the lowest of
/// their indices.
fn first_by<T: Copy>(items: &[T], is_before: impl Fn(T, T) -> bool) -> Option<usize> {
    let mut best = 0;
    for (place, &item) in items.iter().enumerate() {
        if is_before(item, items[best]) {
            best = place;
        }
    }
    (!items.is_empty()).then_some(best)
}

#[test]
fn the_first_of_equal_extremes_is_found() {
    let mut random = Random::new(1);
    for _ in 0..12 {
        let count = random.below(30_000);
        let items: Vec<u8> = (0..count).map(|_| random.below(200) as u8 + 20).collect();
        let least = first_by(&items, |a, b| a < b);
        let greatest = first_by(&items, |a, b| a > b);
        assert_eq!(gpu_arg_min(&items).unwrap(), least);
        assert_eq!(gpu_arg_max(&items).unwrap(), greatest);
        let both = gpu_arg_min_max(&items).unwrap();
        assert_eq!(both.map(|both| both.min), least);
        assert_eq!(both.map(|both| both.max), greatest);
        let extremes = gpu_min_max(&items).unwrap();
        assert_eq!(
            extremes.map(|extremes| extremes.min),
            least.map(|i| items[i])
        );
        assert_eq!(
            extremes.map(|extremes| extremes.max),
            greatest.map(|i| items[i])
        );
    }
}

#[test]
fn all_equal_items_give_the_first() {
    for count in [1, 31, 4097, 20_000] {
        assert_eq!(gpu_arg_min(&vec![7.5f32; count]).unwrap(), Some(0));
        assert_eq!(gpu_arg_max(&vec![i64::MIN; count]).unwrap(), Some(0));
        assert_eq!(gpu_arg_min(&vec![u32::MAX; count]).unwrap(), Some(0));
        assert_eq!(
            gpu_arg_max(&vec![f16::NEG_INFINITY; count]).unwrap(),
            Some(0)
        );
    }
}

#[test]
fn the_first_nan_wins_and_the_zeros_differ() {
    fn check<T: Sample>(nan: T, zeros: [T; 2])
    where
        ArgMin: Kernel<kind::reduce, T, Output = u64>,
        ArgMax: Kernel<kind::reduce, T, Output = u64>,
    {
        let mut items = ordinary::<ArgMin, T>(9000);
        items[5001] = nan;
        items[8003] = nan;
        assert_eq!(gpu_arg_min(&items).unwrap(), Some(5001));
        assert_eq!(gpu_arg_max(&items).unwrap(), Some(5001));
        let [negative, positive] = zeros;
        let mut items = vec![positive; 5000];
        items[4321] = negative;
        assert_eq!(gpu_arg_min(&items).unwrap(), Some(4321));
        items[0] = negative;
        assert_eq!(gpu_arg_max(&items).unwrap(), Some(1));
    }
    check(f32::from_bits(0xffc0_0001), [-0.0, 0.0]);
    check(-f64::NAN, [-0.0, 0.0]);
    check(f16::from_bits(0xfe00), [0x8000, 0].map(f16::from_bits));
    check(bf16::from_bits(0xff81), [0x8000, 0].map(bf16::from_bits));
}

#[test]
fn no_items_have_no_extremes_and_no_mean() {
    assert_eq!(gpu_arg_min::<f32>(&[]).unwrap(), None);
    assert_eq!(gpu_arg_max::<u8>(&[]).unwrap(), None);
    assert_eq!(gpu_arg_min_max::<i64>(&[]).unwrap(), None);
    assert_eq!(gpu_min_max::<f64>(&[]).unwrap(), None);
    assert_eq!(gpu_norm::<f32>(&[]).unwrap().to_bits(), 0);
    let none = gpu_moments::<f32>(&[]).unwrap();
    assert_eq!((none.count(), none.squared_deviations()), (0, 0.0));
    assert!(none.mean().is_nan() && none.variance().is_nan() && none.sample_variance().is_nan());
    let buffer = DeviceBuffer::<u16>::from_slice(&[]).unwrap();
    assert_eq!(reduce::<ArgMin, _>(&buffer).wait(gpu()).unwrap(), u64::MAX);
    assert_eq!(reduce::<CountNonZero, _>(&buffer).wait(gpu()).unwrap(), 0);
    let extremes = reduce::<MinMax, _>(&buffer).wait(gpu()).unwrap();
    assert_eq!(
        extremes,
        Extremes {
            min: u16::MAX,
            max: 0
        }
    );
}

#[test]
fn one_item_has_a_mean_and_no_sample_variance() {
    let one = gpu_moments(&[3i8]).unwrap();
    assert_eq!((one.count(), one.mean(), one.variance()), (1, 3.0, 0.0));
    assert!(one.sample_variance().is_nan());
}

#[test]
fn statistics_are_moments_and_indices() {
    let items = ordinary::<Sum, f32>(12_345);
    let statistics = reduce::<Statistics, _>(&items).wait(Gpu::global()).unwrap();
    let moments = gpu_moments(&items).unwrap();
    assert_eq!(statistics.moments, moments);
    assert_eq!(
        Some(statistics.min_index as usize),
        gpu_arg_min(&items).unwrap()
    );
    assert_eq!(
        Some(statistics.max_index as usize),
        gpu_arg_max(&items).unwrap()
    );
}

#[test]
fn non_zero_items_are_counted() {
    let mut random = Random::new(2);
    for count in [1, 16, 100, 9001] {
        let items: Vec<i8> = (0..count).map(|_| random.below(3) as i8 - 1).collect();
        let nonzero = items.iter().filter(|&&item| item != 0).count() as u64;
        assert_eq!(
            reduce::<CountNonZero, _>(&items)
                .wait(Gpu::global())
                .unwrap(),
            nonzero
        );
        let floats: Vec<f16> = items
            .iter()
            .map(|&item| f16::from_f32(-0.0 * f32::from(item)))
            .collect();
        assert_eq!(
            reduce::<CountNonZero, _>(&floats)
                .wait(Gpu::global())
                .unwrap(),
            0
        );
        let halves: Vec<i16> = items.iter().map(|&item| i16::from(item) << 8).collect();
        assert_eq!(
            reduce::<CountNonZero, _>(&halves)
                .wait(Gpu::global())
                .unwrap(),
            nonzero
        );
        let floats: Vec<f64> = items.iter().map(|&item| f64::from(item) * 5e-324).collect();
        assert_eq!(
            reduce::<CountNonZero, _>(&floats)
                .wait(Gpu::global())
                .unwrap(),
            nonzero
        );
    }
    assert_eq!(
        reduce::<CountNonZero, _>(&[bf16::NAN; 11])
            .wait(Gpu::global())
            .unwrap(),
        11
    );
}

#[test]
fn norms_are_roots_of_sums_of_squares() {
    assert_eq!(
        gpu_norm(&[f16::from_f32(3.0), f16::from_f32(4.0)]).unwrap(),
        5.0
    );
    assert_eq!(gpu_norm(&[bf16::from_f32(-2.0); 4]).unwrap(), 4.0);
    assert_eq!(gpu_norm(&[2.0f64; 4096]).unwrap(), 128.0);
    // The squares overflow `f32`.
    assert_eq!(
        gpu_norm(&[-1.0e30f32; 4]).unwrap(),
        2.0 * f64::from(1.0e30f32)
    );
    let squares = reduce::<SumOfSquares, _>(&[-3i8, 100, -128])
        .wait(Gpu::global())
        .unwrap();
    assert_eq!(squares, 9 + 10_000 + 16_384);
    let wrapped = reduce::<SumOfSquares, _>(&[u64::MAX, i64::MAX as u64])
        .wait(Gpu::global())
        .unwrap();
    assert_eq!(wrapped, 1 + 1);
}

/// Checks the laws and the bits of an operator on items of each listed type.
macro_rules! laws {
    ($($op:ident: $($t:ident)*;)*) => {$(
        #[test]
        #[allow(non_snake_case)]
        fn $op() {
            $(keeps_its_laws::<warpfold::$op, $t>();)*
        }
    )*};
}

mod laws {
    use super::*;

    laws! {
        ArgMin: f32 u8;
        ArgMax: f64 i16;
        MinMax: bf16 u64;
        ArgMinMax: f32 i64;
        Moments: f32 u8;
        Statistics: f64 f16;
        SumOfSquares: f32 i32;
        WideSumOfSquares: f32;
        CountNonZero: f64 i8;
    }
}

fn keeps_its_laws<O: Commutative + Kernel<kind::reduce, T>, T: Sample>() {
    let mut items = ordinary::<O, T>(20);
    // Equal items, with different indices.
    items.extend_from_within(..5);
    check_reduce_operator::<O, T>(&items).unwrap();
}
