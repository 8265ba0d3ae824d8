//! The host's cost of a call: a program's first call, a call that only queues, a call that waits, and a call on a slice.
//!
//! ```text
//! what,of,value,unit
//! ```
//!
//! Times and rates are medians, except for the first calls and for the rows `least call`. The driver calls pass through the virtual GPU's
//! crate, which adds some tens of nanoseconds to each.

mod calls;
mod first;
mod pinned;
mod slices;
mod staging;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use virtual_gpu::Mode;

use crate::cli::HostPath;

/// Takes the measurements that the options request.
pub fn run(options: &HostPath) -> Result<ExitCode> {
    if virtual_gpu::mode()? == Mode::Virtual && !options.virtual_too {
        println!("There is no GPU on this machine, and the virtual one's times mean nothing.");
        return Ok(ExitCode::SUCCESS);
    }
    println!("what,of,value,unit");
    let gpu = first::measure()?;
    gpu.make_current()?;
    calls::measure(gpu, options.repeats)?;
    slices::measure(options.slice_mib)?;
    staging::measure(options.slice_mib)?;
    Ok(ExitCode::SUCCESS)
}

/// One line of the output.
fn row(what: &str, of: impl std::fmt::Display, value: f64, unit: &str) {
    println!("{what},{of},{value:.3},{unit}");
}

fn micros(took: Duration) -> f64 {
    took.as_secs_f64() * 1e6
}

/// The result of `work`, and how long it took.
fn time<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed())
}

/// The median time of `runs` runs of `work`, or of one run if `runs` is 0. Two warm-up runs do not count.
fn median(runs: u32, mut work: impl FnMut() -> Result<()>) -> Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..runs.max(1) + 2 {
        let (result, took) = time(&mut work);
        result?;
        times.push(took);
    }
    let counted = &mut times[2..];
    counted.sort();
    Ok(counted[counted.len() / 2])
}

/// Gigabytes per second.
fn rate(bytes: usize, took: Duration) -> f64 {
    bytes as f64 / took.as_secs_f64() / 1e9
}
