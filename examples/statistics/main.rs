//! Count, mean, variance, minimum and maximum of the numbers of a text file, and the lines of the minimum and the maximum. The GPU reads
//! the numbers once for all these results.
//!
//! ```text
//! cargo run --example statistics             numbers made up on the spot
//! cargo run --example statistics FILE        numbers from a file, see `parse`
//! ```
//!
//! Every result is checked against plain loops on the CPU. Exit code: 0 if all went well or the reader of the output is gone, 2 if an
//! argument or the input file is wrong, 1 for every other error.

#[path = "../common/mod.rs"]
mod common;
#[path = "../sum/file.rs"]
mod file;
#[path = "../sum/parse.rs"]
mod parse;
mod plain;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use warpfold::cust::error::CudaError;
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Statistics, reduce};

use common::{program, quoted};

/// Count, mean, variance, minimum and maximum of the numbers of a text file, and the lines of the minimum and the maximum. The GPU reads
/// the numbers once for all these results.
///
/// Every result is checked against the CPU.
#[derive(Debug, Parser)]
#[command(name = "statistics")]
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
    #[error(transparent)]
    Mismatch(#[from] plain::Mismatch),
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

/// Numbers, the line of each, and where they come from.
struct Input {
    numbers: Vec<f64>,
    lines: Vec<usize>,
    origin: String,
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    gpu.make_current()?;
    let input = match &arguments.file {
        None => made_up(),
        Some(path) => {
            let (numbers, lines) = file::read(path, file::room()?, parse::numbers_and_lines)?;
            Input {
                numbers,
                lines,
                origin: quoted::path(path),
            }
        }
    };
    common::print_device(&gpu, out)?;
    writeln!(out, "numbers    {} ({})", input.numbers.len(), input.origin)?;
    let buffer = DeviceBuffer::from_slice(&input.numbers)?;
    // The first call loads the kernel, and is not timed.
    let statistics = reduce::<Statistics, _>(&buffer).wait(&gpu)?;
    let (again, time) = common::timed(|| reduce::<Statistics, _>(&buffer).wait(&gpu));
    print(&statistics, &input, out)?;
    writeln!(out, "time       {time:.1?} for one reading")?;
    plain::check_again(&statistics, &again?)?;
    plain::check(&statistics, &input.numbers)?;
    writeln!(out, "check      the CPU agrees")?;
    Ok(())
}

fn print(statistics: &Statistics, input: &Input, out: &mut dyn Write) -> io::Result<()> {
    let moments = &statistics.moments;
    let extremes = [
        ("minimum", statistics.min_index),
        ("maximum", statistics.max_index),
    ];
    if moments.count() == 0 {
        return writeln!(
            out,
            "           no numbers, so no mean, variance or extremes"
        );
    }
    writeln!(out, "mean       {}", moments.mean())?;
    writeln!(out, "variance   {}", moments.variance())?;
    for (name, index) in extremes {
        let place = index as usize;
        let (number, line) = (input.numbers[place], input.lines[place]);
        writeln!(out, "{name}    {number} (line {line})")?;
    }
    Ok(())
}

/// Numbers between 999 and 1001, one in each line. Their mean is far from 0.
fn made_up() -> Input {
    let mut random = common::Random::new(1);
    let next = |_| 1000.0 + random.bits() as i64 as f64 / 2f64.powi(63);
    let count = common::item_count(1 << 26, 300_000);
    Input {
        numbers: (0..count).map(next).collect(),
        lines: (1..=count).collect(),
        origin: "made up".to_owned(),
    }
}
