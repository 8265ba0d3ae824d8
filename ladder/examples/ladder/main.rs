//! Runs the ladder's reductions and scans on the available device, from the naive kernels to ours.
//!
//! ```text
//! cargo run --release -p warpfold-ladder --example ladder                     everything
//! cargo run --release -p warpfold-ladder --example ladder 2 4                 the ladders of documents 2 and 4
//! cargo run --release -p warpfold-ladder --example ladder block-sizes         document 2's experiment with block sizes
//! cargo run --release -p warpfold-ladder --example ladder sweep               document 3's sweep over sizes and block sizes
//! cargo run --release -p warpfold-ladder --example ladder … --output FOLDER   also as CSV files, and the ladders as a chart, in FOLDER
//! ```
//!
//! The kernels' times are measured between events on the device. On a real GPU, a time is the median of several runs, except that a long
//! run is not repeated; the sweep also shows the least time. On a machine without a GPU, the inputs are small, and the times mean nothing,
//! since an interpreter runs the kernels. The tables of the ladders then also have the virtual GPU's exact counts. A result of each rung
//! is checked against the CPU.
//!
//! Exit code: 0 if all went well or the reader of the output is gone; 2 if an argument is invalid or FOLDER cannot be created; 1 if the
//! device failed, a result differs from the CPU's, or a file or the output cannot be written.

mod arguments;
mod block_sizes;
mod chart;
#[path = "../../../examples/common/mod.rs"]
#[allow(dead_code, reason = "used in part")]
mod common;
mod failure;
mod ladders;
mod measure;
mod problem;
mod record;
mod sweep;
mod table;

use std::fs;
use std::io::Write;
use std::process::ExitCode;

use warpfold_ladder::Ladder;

use arguments::{Arguments, Table};
use common::{program, quoted};
use failure::Failure;
use measure::Bench;

fn main() -> ExitCode {
    program::run(run)
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let tables = arguments.tables();
    let output = arguments.output;
    if let Some(folder) = &output {
        fs::create_dir_all(folder).map_err(|error| Failure::Folder {
            path: folder.clone(),
            error,
        })?;
    }
    let ladder = Ladder::new()?;
    common::print_device(ladder.gpu(), out)?;
    let bench = Bench::new(ladder);

    let mut ladders = Vec::new();
    for table in tables {
        match table {
            Table::Ladder(number) => ladders.extend(ladders::run(&bench, number, out)?),
            Table::BlockSizes => block_sizes::run(&bench, output.as_deref(), out)?,
            Table::Sweep => sweep::run(&bench, output.as_deref(), out)?,
        }
    }
    let Some(folder) = output.filter(|_| !ladders.is_empty()) else {
        return Ok(());
    };
    record::write_csv(&folder.join("ladder.csv"), &ladders)?;
    chart::draw(
        &folder.join("ladder.svg"),
        bench.ladder.gpu().name(),
        &ladders,
    )?;
    writeln!(out, "\nwritten to {}", quoted::path(&folder))?;
    Ok(())
}
