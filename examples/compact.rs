//! Compaction: keeps the items that pass a test, side by side and in their order, and finds their indices.
//!
//! ```text
//! items     0  4  0  8  2      keep what is not 0
//! kept      4  8  2
//! indices   1  3  4
//! ```
//!
//! This turns a dense vector into a sparse vector. One call writes the kept items, and another call writes their indices. Each call makes a
//! single pass over the items.
//!
//! Exit code: 0 if all went well or the reader of the output is gone, 2 if an argument is wrong, 1 for every other error.

mod common;

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::{Gpu, NonZero, select};

use common::program;

/// Makes up items, and compacts them on the GPU: keeps the items that are not 0, side by side and in their order, and finds their indices.
///
/// The result is checked against the CPU.
#[derive(Debug, Parser)]
#[command(name = "compact")]
struct Arguments {}

fn main() -> ExitCode {
    program::run(run)
}

fn run(Arguments {}: Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::new()?;
    common::print_device(&gpu, out)?;
    let mut random = common::Random::new(3);
    let count = common::item_count(1 << 26, 1_000_000);
    // About two of three items are 0.
    let items: Vec<u32> = (0..count)
        .map(|_| random.bits() as u32)
        .map(|bits| if bits.is_multiple_of(3) { bits } else { 0 })
        .collect();

    let (kept, time) = common::timed(|| compact(&gpu, &items));
    let (kept, indices) = kept?;
    writeln!(out, "items      {count}")?;
    let head = head(&kept);
    writeln!(out, "kept       {}, beginning with {head:?}", kept.len())?;
    writeln!(
        out,
        "time       {time:.1?}, copies and the kernels' loading included"
    )?;

    let places = items.iter().zip(0..).filter(|(item, _)| **item != 0);
    let (expected, places): (Vec<u32>, Vec<u32>) = places.unzip();
    if kept != expected || indices != places {
        return Err(format!(
            "the device keeps {} items, the CPU {}, and they are not the same",
            kept.len(),
            expected.len()
        )
        .into());
    }
    writeln!(out, "check      the CPU agrees")?;
    Ok(())
}

/// The items that are not 0, and their indices.
fn compact(gpu: &Gpu, items: &[u32]) -> Result<(Vec<u32>, Vec<u32>), Box<dyn Error>> {
    gpu.make_current()?;
    let input = DeviceBuffer::from_slice(items)?;
    let mut output = DeviceBuffer::zeroed(items.len())?;
    let count = select::<NonZero, _>(&input).to(&mut output).wait(gpu)?;
    let kept = first(&output, count)?;
    select::<NonZero, _>(&input)
        .indices_to(&mut output)
        .wait(gpu)?;
    Ok((kept, first(&output, count)?))
}

/// The first `count` items of a buffer.
fn first(buffer: &DeviceBuffer<u32>, count: usize) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut items = vec![0; count];
    buffer.index(..count).copy_to(&mut items)?;
    Ok(items)
}

/// The first few items.
fn head(items: &[u32]) -> &[u32] {
    &items[..items.len().min(5)]
}
