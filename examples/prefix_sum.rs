//! From lengths to offsets: packs rows of different lengths one behind the other into one buffer.
//!
//! Row i starts where the rows before it end, so the offsets are the exclusive scan of the lengths. The
//! last offset and the last length give the size of the buffer.
//!
//! ```text
//! cargo run --example prefix_sum                  a small and a large number of rows
//! cargo run --example prefix_sum 5 0 12 3         rows of these lengths
//! ```
//!
//! Exit code: 0 if all went well, 2 if an argument is no length, 1 if the device failed or gave another
//! answer than the CPU.

mod common;

use std::env;
use std::process::ExitCode;

use warpfold::cust::error::CudaError;
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, exclusive_scan, gpu_exclusive_scan};

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("`{0}` is not a length")]
    NotALength(String),
    #[error(transparent)]
    Device(#[from] warpfold::Error),
    #[error("copying to or from the device: {0}")]
    Copy(#[from] CudaError),
    #[error("row {row}: the device says offset {device}, the CPU {cpu}")]
    Mismatch { row: usize, device: u64, cpu: u64 },
}

fn main() -> ExitCode {
    let Err(failure) = run() else {
        return ExitCode::SUCCESS;
    };
    eprintln!("prefix_sum: {failure}");
    ExitCode::from(match failure {
        Failure::NotALength(_) => 2,
        Failure::Device(_) | Failure::Copy(_) | Failure::Mismatch { .. } => 1,
    })
}

fn run() -> Result<(), Failure> {
    let lengths = env::args()
        .skip(1)
        .map(|word| word.parse().map_err(|_| Failure::NotALength(word)))
        .collect::<Result<Vec<u64>, Failure>>()?;
    common::print_device(Gpu::global()?);
    if lengths.is_empty() {
        small(&[5, 0, 12, 3, 7])?;
        println!();
        large()
    } else {
        small(&lengths)
    }
}

/// A few rows, from slice to `Vec` in one call.
fn small(lengths: &[u64]) -> Result<(), Failure> {
    let offsets = gpu_exclusive_scan::<Sum, _>(lengths)?;
    println!("\n{:>8} {:>8} {:>8}", "row", "length", "offset");
    for (row, (length, offset)) in lengths.iter().zip(&offsets).enumerate() {
        println!("{row:>8} {length:>8} {offset:>8}");
    }
    println!("{:>8} {:>8} {:>8}", "buffer", "", end(lengths, &offsets));
    check(lengths, &offsets)
}

/// Many rows, in device buffers.
fn large() -> Result<(), Failure> {
    let mut random = common::Random::new(2);
    let rows = common::item_count(1 << 26, 1_000_000);
    let lengths: Vec<u64> = (0..rows).map(|_| random.bits() % 100).collect();

    let gpu = Gpu::global()?;
    gpu.make_current()?;
    let input = DeviceBuffer::from_slice(&lengths)?;
    let mut output = DeviceBuffer::zeroed(rows)?;
    // The first call loads the kernel, which is not what the clock is for.
    exclusive_scan::<Sum, _>(gpu, &input, &mut output)?;
    let (done, time) = common::timed(|| exclusive_scan::<Sum, _>(gpu, &input, &mut output));
    done?;
    let offsets = output.as_host_vec()?;

    println!("rows       {rows}");
    println!("buffer     {} items", end(&lengths, &offsets));
    println!("time       {time:.1?}");
    check(&lengths, &offsets)
}

/// The end of the last row.
fn end(lengths: &[u64], offsets: &[u64]) -> u64 {
    match (lengths.last(), offsets.last()) {
        (Some(length), Some(offset)) => offset.wrapping_add(*length),
        _ => 0,
    }
}

/// Against a plain loop. Both wrap around where the rows are longer than 2⁶⁴ items together.
fn check(lengths: &[u64], offsets: &[u64]) -> Result<(), Failure> {
    let mut cpu = 0u64;
    for (row, (length, &device)) in lengths.iter().zip(offsets).enumerate() {
        if device != cpu {
            return Err(Failure::Mismatch { row, device, cpu });
        }
        cpu = cpu.wrapping_add(*length);
    }
    println!("check      the CPU agrees");
    Ok(())
}
