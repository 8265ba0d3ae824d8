//! Compaction: keeps the items that pass a test, in their order, with no gaps.
//!
//! An item's place in the result is the number of items kept before it: the exclusive scan of the flags.
//!
//! ```text
//! items     17  4  9  8  2     keep the even ones
//! flags      0  1  0  1  1
//! places     0  0  1  1  2     exclusive scan of the flags
//! result     4  8  2           each kept item goes to its place
//! ```
//!
//! The scan runs on the device. Flags and the move to the places are made on the host, since this library
//! brings no kernel that scatters; in a program whose items live on the device, a kernel of its own does it.
//!
//! Exit code: 0 if all went well, 2 if there is an argument, 1 if the device failed or the result is not what the
//! CPU's `filter` gives, or if the output cannot be written.

mod common;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use warpfold::cust::error::CudaError;
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, exclusive_scan_in_place};

use common::program;

/// Keeps those of made-up items that pass a test, in their order, with no gaps, by an exclusive scan on the GPU.
///
/// The result is checked against the CPU.
#[derive(Debug, Parser)]
#[command(name = "compact")]
struct Arguments {}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Device(#[from] warpfold::Error),
    #[error("copying to or from the device: {0}")]
    Copy(#[from] CudaError),
    #[error("the device puts a kept item in place {place}, behind the last one's")]
    OutOfPlace { place: u32 },
    #[error("the device keeps {device} items, the CPU {cpu}, and they are not the same")]
    Mismatch { device: usize, cpu: usize },
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
}

fn main() -> ExitCode {
    program::run(run)
}

fn run(Arguments {}: Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    common::print_device(&gpu, out)?;
    let mut random = common::Random::new(3);
    let count = common::item_count(1 << 26, 1_000_000);
    let items: Vec<u32> = (0..count).map(|_| random.bits() as u32).collect();

    let (kept, time) = common::timed(|| compact(&gpu, &items, is_kept));
    let kept = kept?;
    writeln!(out, "items      {count}")?;
    let head = head(&kept);
    writeln!(out, "kept       {}, beginning with {head:?}", kept.len())?;
    writeln!(
        out,
        "time       {time:.1?}, copies, the kernel's loading and the work on the host included"
    )?;

    let expected: Vec<u32> = items.into_iter().filter(|item| is_kept(*item)).collect();
    if kept != expected {
        return Err(Failure::Mismatch {
            device: kept.len(),
            cpu: expected.len(),
        });
    }
    writeln!(out, "check      the CPU agrees")?;
    Ok(())
}

/// The test: multiples of three.
fn is_kept(item: u32) -> bool {
    item.is_multiple_of(3)
}

/// The items that pass the test, in their order.
fn compact(gpu: &Gpu, items: &[u32], is_kept: fn(u32) -> bool) -> Result<Vec<u32>, Failure> {
    let flags: Vec<u32> = items.iter().map(|item| is_kept(*item).into()).collect();
    gpu.make_current()?;
    let mut places = DeviceBuffer::from_slice(&flags)?;
    exclusive_scan_in_place::<Sum, _>(gpu, &mut places)?;
    let places = places.as_host_vec()?;

    let (Some(last_place), Some(last_flag)) = (places.last(), flags.last()) else {
        return Ok(Vec::new());
    };
    let mut kept = vec![0; last_place.wrapping_add(*last_flag) as usize];
    for ((item, flag), place) in items.iter().zip(&flags).zip(&places) {
        if *flag == 1 {
            let slot = kept.get_mut(*place as usize);
            *slot.ok_or(Failure::OutOfPlace { place: *place })? = *item;
        }
    }
    Ok(kept)
}

/// The first few items.
fn head(items: &[u32]) -> &[u32] {
    &items[..items.len().min(5)]
}
