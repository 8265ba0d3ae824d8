//! The times of a process's first calls, and of the driver calls in them.

use std::time::Duration;

use anyhow::{Result, ensure};
use virtual_gpu::driver::{TimedCall, time_calls};
use warpfold::{Gpu, gpu_sum};

use super::{micros, row, time};

/// A driver call that takes at least this long has a separate line in the output. The times of shorter calls are added up.
const SHORT: Duration = Duration::from_micros(50);

/// Measures the first call of [`Gpu::global`], and then four calls of [`gpu_sum`].
pub fn measure() -> Result<&'static Gpu> {
    let gpu = timed("context", Gpu::global)?;
    for what in ["first_gpu_sum", "second_gpu_sum", "third_gpu_sum"] {
        let sum = timed(what, || gpu_sum(&[1.0f32; 1000]))?;
        ensure!(sum == 1000.0, "the sum is {sum}");
    }
    let sum = timed("first_gpu_sum_u64", || gpu_sum(&[1u64; 1000]))?;
    ensure!(sum == 1000, "the sum is {sum}");
    Ok(gpu)
}

/// Runs `work`, and prints its time and the times of its long driver calls.
fn timed<R>(what: &str, work: impl FnOnce() -> warpfold::Result<R>) -> Result<R> {
    let ((result, took), calls) = time_calls(|| time(work));
    row(what, "all", micros(took), "us");
    let in_driver: Duration = calls.iter().map(|call| call.took).sum();
    row(what, "outside the driver", micros(took - in_driver), "us");
    let (long, short): (Vec<TimedCall>, Vec<TimedCall>) =
        calls.into_iter().partition(|call| call.took >= SHORT);
    for TimedCall { name, took } in long {
        row(what, name, micros(took), "us");
    }
    let of = format!("{} short driver calls", short.len());
    row(
        what,
        of,
        micros(short.iter().map(|call| call.took).sum()),
        "us",
    );
    Ok(result?)
}
