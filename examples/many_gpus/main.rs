//! A sum and a scan over several GPUs, in one process or in several. Prints times and rates.
//!
//! ```text
//! cargo run --features nccl --example many_gpus                       all GPUs of the machine, numbers made up on the spot
//! cargo run … -- --gpus 2 --numbers 1048576,16777216                  on two GPUs: two runs, with 2^20 and 2^24 numbers on each
//! cargo run … -- --file FILE                                          numbers from a file: 64-bit, the lowest byte first
//! cargo run … -- --rank 0 --of 2 --id FILE & … --rank 1 --of 2 --id FILE   two processes, GPU 0 and GPU 1, over NCCL
//! cargo run … -- --slice 8589934592                                   a sum and a scan of a slice of 8 GiB on the host
//! ```
//!
//! The sum and the scan are checked against the CPU. Exit code: 0 if all went well or the reader of the output is gone, 2 if an argument or
//! the input file is wrong, 1 for every other error.

#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "used in part")]
mod common;
mod failure;
mod id_file;
mod numbers;
mod rank;
mod slice;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser;
use warpfold::Gpu;
use warpfold::group::{self, Gpus, Member, UniqueId};

use common::program;
use failure::Failure;
use numbers::Numbers;
use rank::Report;

/// A sum and a scan over several GPUs, in one process or in several. Prints times and rates.
///
/// The sum and the scan are checked against the CPU.
#[derive(Debug, Parser)]
#[command(name = "many_gpus")]
struct Arguments {
    /// How many GPUs this process takes [default: all]
    #[arg(long, conflicts_with = "rank")]
    gpus: Option<usize>,

    /// How many numbers on each GPU; with several values, one run for each value [default: what suits the device]
    #[arg(long, value_delimiter = ',')]
    numbers: Vec<usize>,

    /// Numbers from a file: unsigned 64-bit ones, the lowest byte first [default: numbers made up on the spot]
    #[arg(long, conflicts_with = "numbers")]
    file: Option<PathBuf>,

    /// This process's rank, which is also the number of its GPU; needs --of and --id
    #[arg(long, requires_all = ["of", "id"])]
    rank: Option<u32>,

    /// How many processes there are
    #[arg(long, requires = "rank")]
    of: Option<usize>,

    /// The file by which the processes find each other: rank 0 makes it, and removes it when all ranks have joined
    #[arg(long, requires = "rank")]
    id: Option<PathBuf>,

    /// The seconds that a rank waits for others
    #[arg(long, default_value_t = 60)]
    limit: u64,

    /// Sum and scan a host slice of this many bytes instead
    #[arg(long, conflicts_with_all = ["rank", "gpus", "file", "numbers"])]
    slice: Option<usize>,
}

fn main() -> ExitCode {
    program::run(run)
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let limit = Duration::from_secs(arguments.limit);
    if let (Some(rank), Some(of), Some(file)) = (arguments.rank, arguments.of, &arguments.id) {
        return run_rank(&arguments, rank, of, file, out);
    }
    let all = Gpus::all()?;
    let gpus = all.as_slice();
    let gpus = &gpus[..arguments.gpus.unwrap_or(gpus.len()).clamp(1, gpus.len())];
    for gpu in gpus {
        common::print_device(gpu, out)?;
    }
    if let Some(bytes) = arguments.slice {
        return slice::run(&all, bytes, out);
    }
    for numbers in all_numbers(&arguments, gpus.len())? {
        let members = group::within(gpus, limit);
        let reports: Vec<Result<Report, Failure>> = thread::scope(|scope| {
            let run = |mut member| {
                let numbers = &numbers;
                scope.spawn(move || rank::run(&mut member, numbers))
            };
            let ranks: Vec<_> = members.into_iter().map(run).collect();
            let ends = ranks.into_iter().map(|rank| rank.join());
            ends.map(|end| end.unwrap_or(Err(Failure::Panic))).collect()
        });
        for (rank, report) in reports.into_iter().enumerate() {
            report?.print(rank, gpus.len(), out)?;
        }
    }
    Ok(())
}

/// Runs as one of several processes.
fn run_rank(
    arguments: &Arguments,
    rank: u32,
    of: usize,
    file: &Path,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let limit = Duration::from_secs(arguments.limit);
    let index = rank as usize;
    if index >= of {
        return Err(Failure::NoSuchRank { rank, of });
    }
    let runs = all_numbers(arguments, of)?;
    let gpu = Gpu::with_device(rank)?;
    let of_file = |fault| Failure::IdFile {
        path: file.to_owned(),
        fault,
    };
    let (id, written) = if rank == 0 {
        let id = UniqueId::new()?;
        let written = id_file::write(file, &id.to_bytes()).map_err(of_file)?;
        (id, Some(written))
    } else {
        let bytes = id_file::read(file, limit).map_err(of_file)?;
        (UniqueId::from_bytes(bytes), None)
    };
    let mut member = Member::join(&gpu, &id, index, of, limit)?;
    // All ranks have joined.
    drop(written);
    for numbers in runs {
        let report = rank::run(&mut member, &numbers)?;
        report.print(index, of, out)?;
    }
    Ok(())
}

/// The numbers of each run.
fn all_numbers(arguments: &Arguments, ranks: usize) -> Result<Vec<Numbers>, Failure> {
    if let Some(path) = &arguments.file {
        return Ok(vec![Numbers::read(path)?]);
    }
    let counts = match arguments.numbers[..] {
        [] => &[common::item_count(1 << 26, 1 << 14)],
        _ => &arguments.numbers[..],
    };
    let made_up = |&count: &usize| match count.checked_mul(ranks) {
        Some(all) => Ok(Numbers::made_up(all)),
        None => Err(Failure::TooManyToCount { count, ranks }),
    };
    counts.iter().map(made_up).collect()
}
