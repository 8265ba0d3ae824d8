//! Measures reductions and scans on the GPU of this machine, beside CUB and a plain copy.
//!
//! ```text
//! cargo run --release -p warpfold-bench -- measure --out results
//! cargo run --release -p warpfold-bench -- chart results/results.csv --out results
//! cargo run --release -p warpfold-bench -- targets results/results.csv
//! cargo run --release -p warpfold-bench -- shapes --out results
//! cargo run --release -p warpfold-bench -- cub --out cub-libraries
//! cargo run --release -p warpfold-bench -- host
//! ```
//!
//! `measure` times and checks the calls of all sides, which take turns on the same buffers. `chart` draws the measurements again, and
//! `targets` compares those of `measure` and `host` with the targets. `shapes` times more kinds of calls, such as segments, selections and
//! keys. `cub` compiles CUB's libraries for machines without `nvcc`. `host` times the host's part of a call. If there is no real GPU,
//! `measure`, `shapes` and `host` only print a message, unless `--virtual` is set. Two other programs need no GPU: `walk` counts the
//! instructions that a call takes on the host, and `interpreter` measures the virtual GPU.

mod check;
mod cli;
mod contender;
mod cub;
mod data;
#[path = "../../tests/common/graph.rs"]
mod graph;
mod host_path;
mod measure;
mod record;
mod report;
mod shapes;
mod sink;
mod timing;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use cli::{Cli, Command};

fn main() -> Result<ExitCode> {
    match Cli::parse().command {
        Command::Measure(options) => measure::run(&options),
        Command::Chart(options) => match shapes::report::is_of_shapes(&options.csv)? {
            true => shapes::report::draw(&options.csv, &options.out),
            false => report::draw(&options.csv, &options.out),
        },
        Command::Targets(options) => report::print_targets(&options.csv, options.host.as_deref()),
        Command::Cub(options) => cub::prepare(&options),
        Command::Shapes(options) => shapes::run(&options),
        Command::Host(options) => host_path::run(&options),
    }
}
