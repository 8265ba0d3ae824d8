//! From lengths to offsets: finds where rows of different lengths start if they lie back to back in one buffer.
//!
//! Row i starts where the rows before it end, so the offsets are the exclusive scan of the lengths. The size of the buffer is the last
//! offset plus the last length.
//!
//! ```text
//! cargo run --example prefix_sum                  a small and a large number of rows
//! cargo run --example prefix_sum 5 0 12 3         rows of these lengths
//! ```
//!
//! Exit code: 0 if all went well or the reader of the output is gone, 2 if an argument is wrong, 1 for every other error.

mod common;

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, scan};

use common::program;

/// Turns the lengths of rows into their offsets in one buffer, by an exclusive scan on the GPU.
///
/// Every offset is checked against the CPU.
#[derive(Debug, Parser)]
#[command(name = "prefix_sum")]
struct Arguments {
    /// The lengths of the rows, in items [default: made-up lengths, first of a few rows and then of many]
    #[arg(value_name = "LENGTH", allow_negative_numbers = true, value_parser = length)]
    lengths: Vec<u64>,
}

/// Reads a length.
fn length(word: &str) -> Result<u64, String> {
    let most = u64::MAX;
    word.parse()
        .map_err(|_| format!("a length is a whole number from 0 to {most}"))
}

fn main() -> ExitCode {
    program::run(run)
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    common::print_device(Gpu::global()?, out)?;
    if arguments.lengths.is_empty() {
        small(&[5, 0, 12, 3, 7], out)?;
        writeln!(out)?;
        large(out)
    } else {
        small(&arguments.lengths, out)
    }
}

/// Scans the lengths of a few rows: one call takes a slice and returns a `Vec`.
fn small(lengths: &[u64], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let offsets = scan::<Sum, _>(lengths).exclusive().wait(Gpu::global())?;
    writeln!(out, "\n{:>8} {:>8} {:>8}", "row", "length", "offset")?;
    for (row, (length, offset)) in lengths.iter().zip(&offsets).enumerate() {
        writeln!(out, "{row:>8} {length:>8} {offset:>8}")?;
    }
    let end = end(lengths, &offsets);
    writeln!(out, "{:>8} {:>8} {end:>8}", "buffer", "")?;
    check(lengths, &offsets, out)
}

/// Scans the lengths of many rows, in device buffers.
fn large(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let mut random = common::Random::new(2);
    let rows = common::item_count(1 << 26, 1_000_000);
    let lengths: Vec<u64> = (0..rows).map(|_| random.bits() % 100).collect();

    let gpu = Gpu::global()?;
    gpu.make_current()?;
    let input = DeviceBuffer::from_slice(&lengths)?;
    let mut output = DeviceBuffer::zeroed(rows)?;
    // The first call loads the kernel, and is not timed.
    scan::<Sum, _>(&input)
        .exclusive()
        .to(&mut output)
        .wait(gpu)?;
    let (done, time) =
        common::timed(|| scan::<Sum, _>(&input).exclusive().to(&mut output).wait(gpu));
    done?;
    let offsets = output.as_host_vec()?;

    writeln!(out, "rows       {rows}")?;
    writeln!(out, "buffer     {} items", end(&lengths, &offsets))?;
    writeln!(out, "time       {time:.1?}")?;
    check(&lengths, &offsets, out)
}

/// The end of the last row.
fn end(lengths: &[u64], offsets: &[u64]) -> u64 {
    match (lengths.last(), offsets.last()) {
        (Some(length), Some(offset)) => offset.wrapping_add(*length),
        _ => 0,
    }
}

/// Checks the offsets against a plain loop. The scan and the loop wrap around at 2⁶⁴ items.
fn check(lengths: &[u64], offsets: &[u64], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let mut cpu = 0u64;
    for (row, (length, &device)) in lengths.iter().zip(offsets).enumerate() {
        if device != cpu {
            return Err(
                format!("row {row}: the device says offset {device}, the CPU {cpu}").into(),
            );
        }
        cpu = cpu.wrapping_add(*length);
    }
    writeln!(out, "check      the CPU agrees")?;
    Ok(())
}
