//! Compares reductions of segments with plain sequential code. The reductions give indices of extremes (with ties, zeros of both signs and
//! NaNs), both extremes at once, counts of non-zero items, mean and variance, and others.

use warpfold::{
    All, Any, ArgMax, ArgMin, ArgMinMax, CountNonZero, Cpu, Equal, Extremes, MinMax, Moments,
    Statistics, SumOfSquares, reduce,
};

use crate::data::Random;
use crate::gpus::gpu;
use crate::shapes;

/// A small set of values, so that many items are equal.
const VALUES: [f32; 8] = [
    -0.0,
    0.0,
    1.5,
    -2.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    7.25,
    -7.25,
];

/// The index of the first greatest item in the order of `ArgMax`: NaNs are greater than all numbers, and +0.0 is greater than −0.0.
fn first_greatest(items: &[f32]) -> u64 {
    let mut best: Option<usize> = None;
    for (place, item) in items.iter().enumerate() {
        let is_better = match best.map(|best| items[best]) {
            None => true,
            Some(best) if best.is_nan() => false,
            Some(_) if item.is_nan() => true,
            Some(best) => {
                *item > best
                    || (*item == best && best.is_sign_negative() && item.is_sign_positive())
            }
        };
        if is_better {
            best = Some(place);
        }
    }
    best.map_or(u64::MAX, |place| place as u64)
}

fn first_least(items: &[f32]) -> u64 {
    let turned: Vec<f32> = items.iter().map(|&item| -item).collect();
    first_greatest(&turned)
}

/// Random segments of items from a small set of values. NaNs are rare.
fn lists(seed: u64) -> (Vec<f32>, Vec<usize>) {
    let mut random = Random::new(seed);
    let item_count = 1 + random.below(30_000);
    let lengths = shapes::random(&mut random, item_count);
    let offsets = shapes::offsets(random.below(9), &lengths);
    let values = &VALUES[..3 + random.below(6)];
    let items = (0..offsets[offsets.len() - 1]).map(|_| match random.below(900) {
        0 => f32::NAN,
        1 => -f32::NAN,
        _ => values[random.below(values.len())],
    });
    (items.collect(), offsets)
}

#[test]
fn indices_of_extremes_count_from_the_segments_start() {
    let gpu = gpu();
    for seed in 0..6 {
        let (items, offsets) = lists(seed);
        let segments = || offsets.windows(2).map(|ends| &items[ends[0]..ends[1]]);
        let least: Vec<u64> = segments().map(first_least).collect();
        let greatest: Vec<u64> = segments().map(first_greatest).collect();
        let request = reduce::<ArgMax, _>(&items).segments(&offsets);
        assert_eq!(request.wait(gpu).unwrap(), greatest, "seed {seed}");
        let request = reduce::<ArgMin, _>(&items).segments(&offsets);
        assert_eq!(request.wait(gpu).unwrap(), least, "seed {seed}");
        let both = std::iter::zip(&least, &greatest);
        let both: Vec<_> = both.map(|(&min, &max)| Extremes { min, max }).collect();
        let request = reduce::<ArgMinMax, _>(&items).segments(&offsets);
        assert_eq!(request.wait(gpu).unwrap(), both, "seed {seed}");
        let request = reduce::<Statistics, _>(&items).segments(&offsets);
        for (found, both) in request.wait(gpu).unwrap().iter().zip(both) {
            assert_eq!((found.min_index, found.max_index), (both.min, both.max));
        }
    }
}

#[test]
fn results_for_integers_match_plain_code() {
    let gpu = gpu();
    let mut random = Random::new(8);
    let lengths = shapes::random(&mut random, 20_000);
    let offsets = shapes::offsets(3, &lengths);
    let items: Vec<i16> = (0..offsets[offsets.len() - 1])
        .map(|_| random.below(5) as i16 - 1)
        .collect();
    let segments = || offsets.windows(2).map(|ends| &items[ends[0]..ends[1]]);
    let counts: Vec<u64> = segments()
        .map(|items| items.iter().filter(|&&item| item != 0).count() as u64)
        .collect();
    let request = reduce::<CountNonZero, _>(&items).segments(&offsets);
    assert_eq!(request.wait(gpu).unwrap(), counts);
    let squares: Vec<u64> = segments()
        .map(|items| items.iter().map(|&item| (item as i64).pow(2) as u64).sum())
        .collect();
    let request = reduce::<SumOfSquares, _>(&items).segments(&offsets);
    assert_eq!(request.wait(gpu).unwrap(), squares);
    let extremes: Vec<Extremes<i16>> = segments()
        .map(|items| Extremes {
            min: items.iter().copied().min().unwrap_or(i16::MAX),
            max: items.iter().copied().max().unwrap_or(i16::MIN),
        })
        .collect();
    let request = reduce::<MinMax, _>(&items).segments(&offsets);
    assert_eq!(request.wait(gpu).unwrap(), extremes);
    let all: Vec<u8> = segments()
        .map(|items| u8::from(items.iter().all(|&item| item != 0)))
        .collect();
    let request = reduce::<All, _>(&items).segments(&offsets);
    assert_eq!(request.wait(gpu).unwrap(), all);
    let any: Vec<u8> = segments()
        .map(|items| u8::from(items.iter().any(|&item| item != 0)))
        .collect();
    let request = reduce::<Any, _>(&items).segments(&offsets);
    assert_eq!(request.wait(gpu).unwrap(), any);
}

#[test]
fn moments_are_near_those_of_two_passes() {
    let gpu = gpu();
    let mut random = Random::new(9);
    let lengths = shapes::random(&mut random, 25_000);
    let offsets = shapes::offsets(5, &lengths);
    // The mean is so far from 0 that a variance from a sum of squares would miss the tolerance below.
    let items: Vec<f64> = (0..offsets[offsets.len() - 1])
        .map(|_| 1e9 + random.below(1000) as f64)
        .collect();
    let request = reduce::<Moments, _>(&items).segments(&offsets);
    let found = request.wait(gpu).unwrap();
    for (ends, found) in offsets.windows(2).zip(found) {
        let items = &items[ends[0]..ends[1]];
        assert_eq!(found.count(), items.len() as u64);
        if items.is_empty() {
            continue;
        }
        let count = items.len() as f64;
        let mean = items.iter().sum::<f64>() / count;
        let deviations = items.iter().map(|item| (item - mean).powi(2));
        let variance = deviations.sum::<f64>() / count;
        assert!((found.mean() - mean).abs() <= 1e-14 * mean);
        assert!((found.variance() - variance).abs() <= 1e-5 * variance.max(1.0));
    }
}

#[test]
fn runs_of_keys_have_indices_and_moments() {
    let gpu = gpu();
    let keys = [7u32, 7, 7, 2, 2, 7];
    let values = [1.0f32, 5.0, 5.0, 3.0, -3.0, 0.5];
    let request = reduce::<ArgMax, _>(&values).by_key::<Equal, _>(&keys);
    let expected = (vec![7, 2, 7], vec![1, 0, 0]);
    assert_eq!(request.wait(gpu).unwrap(), expected);
    let request = reduce::<ArgMax, _>(&values).by_key::<Equal, _>(&keys);
    assert_eq!(request.wait(Cpu).unwrap(), expected);
    let request = reduce::<Moments, _>(&values).by_key::<Equal, _>(&keys);
    let (_, moments) = request.wait(gpu).unwrap();
    let counts: Vec<u64> = moments.iter().map(Moments::count).collect();
    assert_eq!((counts, moments[1].variance()), (vec![3, 2, 1], 9.0));
}

/// The moments of a segment have the same bits as the moments of the same items by `.in_order()`, as one row, and as one column.
#[test]
fn moments_of_a_segment_equal_those_in_other_shapes() {
    let gpu = gpu();
    let mut random = Random::new(10);
    for length in [1, 15, 16, 17, 255, 257, 4097] {
        let items: Vec<f32> = (0..length)
            .map(|_| random.below(1 << 20) as f32 / 64.0)
            .collect();
        let alone = reduce::<Moments, _>(&items).in_order().wait(gpu).unwrap();
        let row = reduce::<Moments, _>(&items).rows(length).wait(gpu).unwrap();
        let column = reduce::<Moments, _>(&items).columns(1).wait(gpu).unwrap();
        let shifted = [&[9.0; 5][..], &items].concat();
        let offsets = [5, 5 + length];
        let segment = reduce::<Moments, _>(&shifted).segments(&offsets);
        let segment = segment.wait(gpu).unwrap();
        assert_eq!([row, column, segment], [[alone]; 3].map(Vec::from));
    }
}
