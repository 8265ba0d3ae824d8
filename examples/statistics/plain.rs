//! Checks the device's statistics against plain sequential loops on the CPU.

use std::cmp::Ordering;

use warpfold::Statistics;

/// A result of the device that differs from the CPU's, or from the result of an earlier call on the device.
#[derive(Debug, thiserror::Error)]
#[error("{what}: the device says {device:e}, expected was {expected:e}")]
pub struct Mismatch {
    what: &'static str,
    device: f64,
    expected: f64,
}

/// Checks that a second call gave the same mean and variance.
pub fn check_again(first: &Statistics, second: &Statistics) -> Result<(), Mismatch> {
    same(
        "the mean, a second time",
        second.moments.mean(),
        first.moments.mean(),
    )?;
    same(
        "the variance, a second time",
        second.moments.variance(),
        first.moments.variance(),
    )
}

/// Compares with plain loops. Count and indices must be equal. Mean and variance may differ by the rounding errors of the device and of the
/// loops.
pub fn check(statistics: &Statistics, numbers: &[f64]) -> Result<(), Mismatch> {
    let moments = &statistics.moments;
    same("count", moments.count() as f64, numbers.len() as f64)?;
    if numbers.is_empty() {
        return Ok(());
    }
    let least = first_of(numbers, Ordering::Less);
    let greatest = first_of(numbers, Ordering::Greater);
    same(
        "place of the minimum",
        statistics.min_index as f64,
        least as f64,
    )?;
    same(
        "place of the maximum",
        statistics.max_index as f64,
        greatest as f64,
    )?;

    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squared = |x: &f64| (x - mean).powi(2);
    let variance = numbers.iter().map(squared).sum::<f64>() / count;
    let magnitude = numbers.iter().map(|x| x.abs()).sum::<f64>() / count;
    // In any order, the error of n additions is at most n·ε·Σ|x|. So the error of a mean is at most n·ε times the mean magnitude. The error
    // of `mean` adds at most the square of this bound to `variance`.
    let bound = count * f64::EPSILON * magnitude;
    near("mean", moments.mean(), mean, bound)?;
    // The device combines in a tree. The relative error of its variance is less than n·ε·κ, where κ·σ is the root mean square of the
    // numbers.
    let spread = variance.sqrt() * (variance + mean * mean).sqrt();
    let bound = count * f64::EPSILON * (variance + spread) + bound * bound;
    near("variance", moments.variance(), variance, bound)
}

/// The index of the least number if `better` is `Less`, of the greatest if it is `Greater`. If there are several, the first index. A NaN
/// counts as less and as greater than every number.
fn first_of(numbers: &[f64], better: Ordering) -> usize {
    let mut best = 0;
    for (place, number) in numbers.iter().enumerate() {
        if !numbers[best].is_nan()
            && (number.is_nan() || number.total_cmp(&numbers[best]) == better)
        {
            best = place;
        }
    }
    best
}

fn same(what: &'static str, device: f64, expected: f64) -> Result<(), Mismatch> {
    near(what, device, expected, 0.0)
}

/// Checks that two numbers are within a bound of each other. The bound is not finite if a sum overflows, or contains an infinity or a NaN.
/// Then any two numbers pass.
fn near(what: &'static str, device: f64, expected: f64, bound: f64) -> Result<(), Mismatch> {
    let are_same = device == expected || device.is_nan() && expected.is_nan();
    if are_same || !bound.is_finite() || (device - expected).abs() <= bound {
        Ok(())
    } else {
        Err(Mismatch {
            what,
            device,
            expected,
        })
    }
}
