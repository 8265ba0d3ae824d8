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
//! Exit code: 0 if all went well, 1 if the device failed or the result is not what the CPU's `filter` gives.

mod common;

use std::process::ExitCode;

use warpfold::cust::error::CudaError;
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, exclusive_scan_in_place};

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
}

fn main() -> ExitCode {
    let Err(failure) = run() else {
        return ExitCode::SUCCESS;
    };
    eprintln!("compact: {failure}");
    ExitCode::FAILURE
}

fn run() -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    common::print_device(&gpu);
    let mut random = common::Random::new(3);
    let count = common::item_count(1 << 26, 1_000_000);
    let items: Vec<u32> = (0..count).map(|_| random.bits() as u32).collect();

    let (kept, time) = common::timed(|| compact(&gpu, &items, is_kept));
    let kept = kept?;
    println!("items      {count}");
    println!(
        "kept       {}, beginning with {:?}",
        kept.len(),
        head(&kept)
    );
    println!(
        "time       {time:.1?}, copies, the kernel's loading and the work on the host included"
    );

    let expected: Vec<u32> = items.into_iter().filter(|item| is_kept(*item)).collect();
    if kept != expected {
        return Err(Failure::Mismatch {
            device: kept.len(),
            cpu: expected.len(),
        });
    }
    println!("check      the CPU agrees");
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
