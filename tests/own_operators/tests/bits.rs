//! Tests of the operators in `operators.rs`, which are such as users write. An operator gives the same bits on the device as on the CPU.
//! Most of the operators are tested at many lengths. All operators except `NegatedSum` are also passed to `check_operator` or one of its
//! variants, which checks the laws of operators.

#[path = "../../common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "../../common/gpus.rs"]
mod gpus;
#[path = "../../common/numbers.rs"]
mod numbers;
#[path = "../../common/own_operator.rs"]
mod own_operator;

use std::any::type_name;

use device::Kernel;
use numbers::{Random, items};
use own_operator::{assert_same, check, lengths};
use own_operators::operators::*;
use warpfold::kind::reduce;
use warpfold::{
    Commutative, Cpu, Pair, Triple, check_operator, check_pairs_operator, check_reduce_operator,
    reduce,
};

/// Values that may break operators of floats: both zeros, subnormals, extremes, infinities, NaN.
const ODD: [f32; 9] = [
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// [`ODD`] without the extremes, for sums in `f32`: whether a sum of extremes overflows depends on the order.
const SUMMED: [f32; 7] = [
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

#[test]
fn odd_floats_keep_the_laws() {
    check_operator::<ArgMin, f32>(&ODD).unwrap();
    check_operator::<SumAndMax, f32>(&SUMMED).unwrap();
    check_operator::<AbsoluteSum, f32>(&ODD).unwrap();
    check_operator::<LogSumExp, f32>(&ODD).unwrap();
    let weighted = std::iter::zip(ODD, [0, 1, 2, u32::MAX].into_iter().cycle());
    let weighted: Vec<_> = weighted
        .map(|(number, weight)| Pair(number, weight))
        .collect();
    check_pairs_operator::<WeightedMean, f32, u32>(&weighted).unwrap();
    check_reduce_operator::<SumAndPlace, f32>(&SUMMED).unwrap();
    check_reduce_operator::<Summary, f32>(&SUMMED).unwrap();
}

#[test]
fn extreme_integers_keep_the_laws() {
    check_operator::<Gcd, u64>(&[0, 1, 2, u64::MAX, 1 << 63]).unwrap();
    check_operator::<MinMax, i32>(&[0, 1, -1, i32::MIN, i32::MAX]).unwrap();
    check_operator::<SaturatingSum, u16>(&[0, 1, u16::MAX, u16::MAX - 1]).unwrap();
    check_operator::<LastPair, [u32; 2]>(&[[0, 0], [0, u32::MAX], [u32::MAX, 0]]).unwrap();
    check_operator::<WeightedByPlace, i64>(&[0, 1, i64::MIN, i64::MAX]).unwrap();
    check_reduce_operator::<CountEven, u32>(&[0, 1, u32::MAX]).unwrap();
}

/// The number 1 with an imaginary part of −0.0 is not the operator's identity, although `==` says that the two are equal.
#[test]
fn products_recognise_the_identity_by_its_bits() {
    let complex = [(1.0, -0.0), (-0.0, 1.0), (-0.0, -0.0), (1e-45, 0.0)];
    let complex = complex.map(|(re, im)| Complex { re, im });
    check_operator::<ComplexProduct, Complex>(&complex).unwrap();
}

/// A number of absolute value from 1 to 1.12. The product of a thousand such random numbers does not overflow.
fn unit(numbers: &mut Random) -> Complex {
    let angle = numbers.float();
    Complex {
        re: 1.0 - angle * angle / 2.0,
        im: angle,
    }
}

#[test]
fn complex_product() {
    check::<ComplexProduct, Complex>(unit);
}

#[test]
fn arg_min() {
    check::<ArgMin, f32>(|numbers| (numbers.bits() % 64) as f32 - 32.0);
    let items = [f32::NAN, 3.0, -0.0, -0.0, 0.0, -f32::NAN];
    let found = warpfold::reduce::<ArgMin, _>(&items[..5])
        .wait(warpfold::Gpu::global())
        .unwrap();
    assert_eq!((found.value.to_bits(), found.index), (0x8000_0000, 2));
    assert_eq!(
        warpfold::reduce::<ArgMin, _>(&items)
            .wait(warpfold::Gpu::global())
            .unwrap()
            .index,
        5
    );
    assert_eq!(
        warpfold::reduce::<ArgMin, _>(&[])
            .wait(warpfold::Gpu::global())
            .unwrap()
            .count,
        0
    );
}

#[test]
fn log_sum_exp() {
    check::<LogSumExp, f32>(|numbers| numbers.float() * 20.0);
    let found = warpfold::reduce::<LogSumExp, _>(&[1.0; 1000])
        .wait(warpfold::Gpu::global())
        .unwrap();
    assert_eq!((found.exponent, found.scale), (1.0, 1000.0));
}

#[test]
fn gcd() {
    check::<Gcd, u64>(|numbers| numbers.bits() % 1000 * 360);
    assert_eq!(
        warpfold::reduce::<Gcd, _>(&[36, 60, 24]).wait(warpfold::Gpu::global()),
        Ok(12)
    );
}

#[test]
fn min_max() {
    check::<MinMax, i32>(|numbers| numbers.bits() as i32);
    let found = warpfold::reduce::<MinMax, _>(&[3, -5, 8])
        .wait(warpfold::Gpu::global())
        .unwrap();
    assert_eq!((found.least, found.greatest), (-5, 8));
}

#[test]
fn several_operators_in_one_pass() {
    check::<SumAndMax, f32>(|numbers| numbers.float());
    let Pair(sum, max) = warpfold::reduce::<SumAndMax, _>(&[3.0, -5.0, 8.0])
        .wait(warpfold::Gpu::global())
        .unwrap();
    assert_eq!((sum, max), (6.0, 8.0));
    reduces_only::<SumAndPlace>();
    reduces_only::<Summary>();
    let items = [3.0, -5.0, 8.0, -5.0, 0.0];
    let Triple(sum, place, count) = warpfold::reduce::<Summary, _>(&items)
        .wait(warpfold::Gpu::global())
        .unwrap();
    assert_eq!((sum, place, count), (1.0, 1, 4));
}

#[test]
fn maps_before_an_operator() {
    check::<AbsoluteSum, f32>(Random::float);
    check::<WeightedByPlace, i64>(|numbers| numbers.bits() as i64);
    let found = warpfold::reduce::<AbsoluteSum, _>(&[1.5, -2.5]).wait(warpfold::Gpu::global());
    assert_eq!(found, Ok(4.0));
    let found = warpfold::scan::<WeightedByPlace, _>(&[5, -3, 7]).wait(warpfold::Gpu::global());
    assert_eq!(found, Ok(vec![0, -3, 11]));
    let items: Vec<u32> = (0..10_001).collect();
    assert_eq!(
        warpfold::reduce::<CountEven, _>(&items).wait(warpfold::Gpu::global()),
        Ok(5001)
    );
    check_reduce_operator::<CountEven, u32>(&[1, 2, 3, 4]).unwrap();
}

/// The mapped items have the size of the items. They fill several tiles of a reduction, and several tile groups of a scan.
#[test]
fn a_mapped_operator_has_the_bits_of_its_base() {
    let gpu = warpfold::Gpu::global().unwrap();
    let mut numbers = Random::new(33);
    let items: Vec<f32> = (0..300_000).map(|_| numbers.float()).collect();
    let negated: Vec<f32> = items.iter().map(|item| -item).collect();
    let of = |found: Vec<f32>| -> Vec<u32> { found.into_iter().map(f32::to_bits).collect() };
    assert_eq!(
        of(warpfold::scan::<NegatedSum, _>(&items).wait(gpu).unwrap()),
        of(warpfold::scan::<warpfold::Sum, _>(&negated)
            .wait(gpu)
            .unwrap())
    );
    let reduced = warpfold::reduce::<NegatedSum, _>(&items).wait(gpu).unwrap();
    let expected = warpfold::reduce::<warpfold::Sum, _>(&negated)
        .wait(gpu)
        .unwrap();
    assert_eq!(reduced.to_bits(), expected.to_bits());
}

fn reduces_only<O: Commutative + Kernel<reduce, f32>>() {
    for length in lengths::<f32>() {
        let items = items(length, |numbers| 1.0e5 + numbers.float());
        let found = warpfold::reduce::<O, _>(&items)
            .wait(warpfold::Gpu::global())
            .unwrap();
        let expected = reduce::<O, _>(&items).wait(Cpu).unwrap();
        assert_same(&[found], &[expected], type_name::<O>());
    }
    check_reduce_operator::<O, f32>(&items(6, Random::float)).unwrap();
}

#[test]
fn two_inputs() {
    for length in lengths::<f32>() {
        let left = items(length, Random::float);
        let right = items(length, |numbers| numbers.bits() as u32 % 9);
        let found = warpfold::reduce::<WeightedMean, _>((&left, &right))
            .wait(warpfold::Gpu::global())
            .unwrap();
        let pairs: Vec<_> = std::iter::zip(&left, &right)
            .map(|(&left, &right)| Pair(left, right))
            .collect();
        let expected = reduce::<WeightedMean, _>(&pairs).wait(Cpu).unwrap();
        assert_same(&[found], &[expected], "a weighted mean");
    }
    let mean = warpfold::reduce::<WeightedMean, _>((&[1.0f32, 5.0], &[3u32, 1]))
        .wait(warpfold::Gpu::global());
    assert_eq!(mean, Ok(2.0));
}

#[test]
fn saturating_sum() {
    check::<SaturatingSum, u16>(|numbers| numbers.bits() as u16 % 16);
}

#[test]
fn last_pair() {
    check::<LastPair, [u32; 2]>(|numbers| {
        let pair = numbers.bits();
        [pair as u32 % 8, (pair >> 32) as u32]
    });
}
