//! Sums the numbers of a text file on the GPU, with their minimum, maximum and mean.
//!
//! ```text
//! cargo run --example sum             numbers made up on the spot
//! cargo run --example sum FILE        numbers from a file, see `parse`
//! ```
//!
//! Every result is checked against the CPU. Exit code: 0 if all went well, 2 if the input cannot be read,
//! 1 if the device failed or gave another answer than the CPU.

#[path = "../common/mod.rs"]
mod common;
mod parse;

use std::env;
use std::fs;
use std::process::ExitCode;

use warpfold::cust::error::CudaError;
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Max, Min, Sum, reduce, reference};

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("usage: sum [FILE]")]
    Usage,
    #[error("cannot read {path}: {source}")]
    Unreadable {
        path: String,
        source: std::io::Error,
    },
    #[error("{path}, {source}")]
    Malformed {
        path: String,
        source: parse::Malformed,
    },
    #[error(transparent)]
    Device(#[from] warpfold::Error),
    #[error("copying to the device: {0}")]
    Copy(#[from] CudaError),
    #[error("{what}: the device says {device:e}, the CPU {cpu:e}")]
    Mismatch {
        what: &'static str,
        device: f64,
        cpu: f64,
    },
}

fn main() -> ExitCode {
    let Err(failure) = run() else {
        return ExitCode::SUCCESS;
    };
    eprintln!("sum: {failure}");
    ExitCode::from(match failure {
        Failure::Usage | Failure::Unreadable { .. } | Failure::Malformed { .. } => 2,
        Failure::Device(_) | Failure::Copy(_) | Failure::Mismatch { .. } => 1,
    })
}

fn run() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (numbers, origin) = match arguments.as_slice() {
        [] => (made_up(), "made up"),
        [path] => (read(path)?, path.as_str()),
        _ => return Err(Failure::Usage),
    };
    let gpu = Gpu::new()?;
    common::print_device(&gpu);
    println!("numbers    {} ({origin})", numbers.len());

    gpu.make_current()?;
    let (input, copy_time) = common::timed(|| DeviceBuffer::from_slice(&numbers));
    let input = input?;
    // The first call of each loads its kernel, which is not what the clock is for.
    let sum = reduce::<Sum, _>(&gpu, &input)?;
    let min = reduce::<Min, _>(&gpu, &input)?;
    let max = reduce::<Max, _>(&gpu, &input)?;
    let (again, time) = common::timed(|| reduce::<Sum, _>(&gpu, &input));
    same("the sum, a second time", again?, sum)?;

    println!("sum        {sum}");
    if numbers.is_empty() {
        println!("           of nothing, so there is no minimum, maximum or mean");
    } else {
        println!("minimum    {min}");
        println!("maximum    {max}");
        println!("mean       {}", sum / numbers.len() as f64);
    }
    println!(
        "time       {time:.1?} for the sum, {copy_time:.1?} to copy the numbers to the device"
    );
    check(&numbers, sum, min, max)?;
    println!("check      the CPU agrees");
    Ok(())
}

fn read(path: &str) -> Result<Vec<f64>, Failure> {
    let text = fs::read_to_string(path).map_err(|source| Failure::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    parse::numbers(&text).map_err(|source| Failure::Malformed {
        path: path.to_owned(),
        source,
    })
}

/// Numbers between −1 and 1.
fn made_up() -> Vec<f64> {
    let mut random = common::Random::new(1);
    let next = |_| random.bits() as i64 as f64 / 2f64.powi(63);
    (0..common::item_count(1 << 26, 1_000_000))
        .map(next)
        .collect()
}

/// Bit for bit against the same tree on the CPU, and within the rounding error of a plain loop.
fn check(numbers: &[f64], sum: f64, min: f64, max: f64) -> Result<(), Failure> {
    same("sum", sum, reference::reduce::<Sum, _>(numbers))?;
    same("minimum", min, reference::reduce::<Min, _>(numbers))?;
    same("maximum", max, reference::reduce::<Max, _>(numbers))?;
    let plain: f64 = numbers.iter().sum();
    let magnitude: f64 = numbers.iter().map(|x| x.abs()).sum();
    // Either order of n additions is off by less than n·u·Σ|x|, and ε is 2u. A sum that overflows, or
    // has an infinity or a NaN in it, has no such bound.
    let bound = numbers.len() as f64 * f64::EPSILON * magnitude;
    if bound.is_finite() && (sum - plain).abs() > bound {
        return Err(Failure::Mismatch {
            what: "sum, in a plain loop",
            device: sum,
            cpu: plain,
        });
    }
    Ok(())
}

fn same(what: &'static str, device: f64, cpu: f64) -> Result<(), Failure> {
    if device.to_bits() == cpu.to_bits() {
        Ok(())
    } else {
        Err(Failure::Mismatch { what, device, cpu })
    }
}
