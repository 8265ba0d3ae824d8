//! A reduction, a scan and a selection on the memory and the streams of `cudarc`.
//!
//!     cargo run

use std::error::Error;
use std::io::{Write, stdout};

use cudarc::driver::CudaContext;
use warpfold::{Cpu, Gpu, NonZero, Sum, reduce, scan, select};

fn main() -> Result<(), Box<dyn Error>> {
    // warpfold and `cudarc` both use the device's primary context.
    let gpu = Gpu::global()?;
    let context = CudaContext::new(0)?;
    let (uploads, stream) = (context.new_stream()?, context.new_stream()?);

    let items: Vec<f32> = (0..100_000).map(|i| (i % 7 * (i % 2)) as f32).collect();
    let x = uploads.clone_htod(&items)?;

    // A waiting call returns its result.
    let total = reduce::<Sum, _>(&x).wait(gpu)?;

    // The events of `cudarc` order queued work with `cudarc`'s other uses of the same slices, on any stream.
    let mut sums = uploads.alloc_zeros(items.len())?;
    let mut kept = uploads.alloc_zeros(items.len())?;
    let mut count = uploads.alloc_zeros(1)?;
    scan::<Sum, _>(&x).to(&mut sums).queue(gpu, &stream)?;
    select::<NonZero, _>(&x)
        .to(&mut kept)
        .count_to(&mut count)
        .queue(gpu, &stream)?;
    let sums = uploads.clone_dtoh(&sums)?;
    let count: u64 = uploads.clone_dtoh(&count)?[0];
    let mut kept = uploads.clone_dtoh(&kept)?;
    kept.truncate(count as usize);

    // The input of a request may also be a view of a slice.
    let second_half = reduce::<Sum, _>(&x.slice(50_000..)).wait(gpu)?;

    // The same requests give the same bits on the CPU.
    assert_eq!(total, reduce::<Sum, _>(&items).wait(Cpu)?);
    assert_eq!(second_half, reduce::<Sum, _>(&items[50_000..]).wait(Cpu)?);
    assert_eq!(sums, scan::<Sum, _>(&items).wait(Cpu)?);
    assert_eq!(kept, select::<NonZero, _>(&items).wait(Cpu)?);
    writeln!(stdout(), "the same bits on {} and on the host", gpu.name())?;
    Ok(())
}
