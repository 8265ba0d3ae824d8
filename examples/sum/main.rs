//! The sum, mean, minimum and maximum of the numbers of a text file. The GPU computes all of these except the mean.
//!
//! ```text
//! cargo run --example sum             numbers made up on the spot
//! cargo run --example sum FILE        numbers from a file, see `parse`
//! ```
//!
//! Every result is checked against the CPU. Exit code: 0 if all went well or the reader of the output is gone, 2 if an argument or the
//! input file is wrong, 1 for every other error.

#[path = "../common/mod.rs"]
mod common;
mod file;
mod parse;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use warpfold::cust::error::CudaError;
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Cpu, Gpu, Max, Min, Sum, reduce};

use common::{program, quoted};

/// The sum, mean, minimum and maximum of the numbers of a text file. The GPU computes all of these except the mean.
///
/// Every result is checked against the CPU.
#[derive(Debug, Parser)]
#[command(name = "sum")]
struct Arguments {
    /// A text of numbers, separated by white space, commas or semicolons [default: numbers made up on the spot]
    file: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Input(#[from] file::Unusable),
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
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl program::Failure for Failure {
    fn output_error(&self) -> Option<&io::Error> {
        match self {
            Failure::Output(error) => Some(error),
            _ => None,
        }
    }

    fn is_of_input(&self) -> bool {
        matches!(self, Failure::Input(_))
    }
}

fn main() -> ExitCode {
    program::run(run)
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    gpu.make_current()?;
    let (numbers, origin) = match &arguments.file {
        None => (made_up(), "made up".to_owned()),
        Some(path) => {
            let numbers = file::read(path, file::room()?, parse::numbers)?;
            (numbers, quoted::path(path))
        }
    };
    common::print_device(&gpu, out)?;
    writeln!(out, "numbers    {} ({origin})", numbers.len())?;

    let (input, copy_time) = common::timed(|| DeviceBuffer::from_slice(&numbers));
    let input = input?;
    // The first call with each operator loads a kernel, and is not timed.
    let sum = reduce::<Sum, _>(&input).wait(&gpu)?;
    let min = reduce::<Min, _>(&input).wait(&gpu)?;
    let max = reduce::<Max, _>(&input).wait(&gpu)?;
    let (again, time) = common::timed(|| reduce::<Sum, _>(&input).wait(&gpu));
    same("the sum, a second time", again?, sum)?;

    if numbers.is_empty() {
        // If there are no floats, the library's sum is −0.0, since adding −0.0 changes no float. The example prints 0 instead.
        writeln!(out, "sum        0")?;
        writeln!(out, "           no numbers, so no minimum, maximum or mean")?;
    } else {
        writeln!(out, "sum        {sum}")?;
        writeln!(out, "minimum    {min}")?;
        writeln!(out, "maximum    {max}")?;
        writeln!(out, "mean       {}", sum / numbers.len() as f64)?;
    }
    writeln!(
        out,
        "time       {time:.1?} for the sum, {copy_time:.1?} to copy the numbers to the device"
    )?;
    check(&numbers, sum, min, max)?;
    writeln!(out, "check      the CPU agrees")?;
    Ok(())
}

/// Numbers between −1 and 1.
fn made_up() -> Vec<f64> {
    let mut random = common::Random::new(1);
    let next = |_| random.bits() as i64 as f64 / 2f64.powi(63);
    (0..common::item_count(1 << 26, 1_000_000))
        .map(next)
        .collect()
}

/// Checks that the library's calls on the CPU, which combine in the same tree, give the same bits. Also checks that a plain loop gives the
/// same sum, within the rounding error.
fn check(numbers: &[f64], sum: f64, min: f64, max: f64) -> Result<(), Failure> {
    same("sum", sum, reduce::<Sum, _>(numbers).wait(Cpu)?)?;
    same("minimum", min, reduce::<Min, _>(numbers).wait(Cpu)?)?;
    same("maximum", max, reduce::<Max, _>(numbers).wait(Cpu)?)?;
    let plain: f64 = numbers.iter().sum();
    let magnitude: f64 = numbers.iter().map(|x| x.abs()).sum();
    // In any order, the error of n additions is at most n·ε/2·Σ|x|: `bound` has room for the errors of two sums. There is no such bound if
    // a sum overflows, or contains an infinity or a NaN.
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
