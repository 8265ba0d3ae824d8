//! Compares means and variances with results of exact integer arithmetic. Some means are so far from 0 that a variance computed from the
//! sum of squares would be wrong.

use warpfold::{Moments, gpu_moments};

use crate::data::Random;

/// Random integers at most 1000 away from `mean`.
fn about(mean: i64, count: usize) -> Vec<i64> {
    let mut random = Random::new(count as u64);
    (0..count)
        .map(|_| mean + random.below(2001) as i64 - 1000)
        .collect()
}

/// The mean and the variance, computed with exact integers and rounded a few times at the end. For the variance, the first number is
/// subtracted from all numbers, which does not change the variance.
fn exact(numbers: &[i64]) -> (f64, f64) {
    let count = numbers.len() as i128;
    let sum: i128 = numbers.iter().map(|&number| i128::from(number)).sum();
    let shifted = || {
        numbers
            .iter()
            .map(|&number| i128::from(number - numbers[0]))
    };
    let squares: i128 = shifted().map(|number| number.pow(2)).sum();
    let scaled = count * squares - shifted().sum::<i128>().pow(2);
    let variance = scaled as f64 / (count * count) as f64;
    (sum as f64 / count as f64, variance)
}

/// The variance as the mean square minus the squared mean. This formula suffers from cancellation.
fn textbook(numbers: &[i64]) -> f64 {
    let count = numbers.len() as f64;
    let sum: f64 = numbers.iter().map(|&number| number as f64).sum();
    let squares: f64 = numbers.iter().map(|&number| (number as f64).powi(2)).sum();
    squares / count - (sum / count).powi(2)
}

/// The documented bound of the variance's relative error. There are so few items that a thread works on one tile, so `c` in the documented
/// formula is 1.
fn bound(count: usize, mean: f64, variance: f64) -> f64 {
    let condition = (1.0 + mean * mean / variance).sqrt();
    f64::EPSILON / 2.0 * condition * (1.0 + (count as f64).log2())
}

fn check(found: Moments, numbers: &[i64]) {
    let (mean, variance) = exact(numbers);
    assert_eq!(found.count(), numbers.len() as u64);
    let error = (found.mean() - mean).abs() / mean.abs();
    assert!(error <= 20.0 * f64::EPSILON, "mean: {error:e}");
    let error = (found.variance() - variance).abs() / variance;
    let bound = bound(numbers.len(), mean, variance);
    assert!(error <= bound, "variance: {error:e}, bound {bound:e}");
    let sample = variance * numbers.len() as f64 / (numbers.len() - 1) as f64;
    assert!((found.sample_variance() - sample).abs() <= 2.0 * bound * sample);
}

#[test]
fn the_mean_may_be_far_from_zero() {
    for count in [100, 4096, 30_001] {
        for mean in [0, 1_000_000, 1_000_000_000_000, 1 << 50] {
            let numbers = about(mean, count);
            let items: Vec<f64> = numbers.iter().map(|&number| number as f64).collect();
            check(gpu_moments(&items).unwrap(), &numbers);
            check(gpu_moments(&numbers).unwrap(), &numbers);
        }
    }
}

#[test]
fn single_floats_and_narrow_integers_lose_no_accuracy() {
    let numbers = about(16_000_000, 30_001);
    let items: Vec<f32> = numbers.iter().map(|&number| number as f32).collect();
    check(gpu_moments(&items).unwrap(), &numbers);
    let numbers = about(30_000, 30_001);
    let items: Vec<i16> = numbers.iter().map(|&number| number as i16).collect();
    check(gpu_moments(&items).unwrap(), &numbers);
}

#[test]
fn the_textbook_formula_would_fail_here() {
    let numbers = about(1_000_000_000_000, 30_001);
    let (mean, variance) = exact(&numbers);
    let error = (textbook(&numbers) - variance).abs() / variance;
    assert!(error > 100.0 * bound(numbers.len(), mean, variance));
}
