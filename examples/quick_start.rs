//! The program of the guide's first steps, on slices and on device memory.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, gpu_max, gpu_sum, reduce, scan};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers = vec![0.25f32; 1_000_000];
    assert_eq!(gpu_sum(&numbers)?, 250_000.0); // slice in, number out
    assert_eq!(gpu_max(&numbers)?, Some(0.25)); // `None` for an empty slice

    let gpu = Gpu::new()?; // from here on: device memory, in `cust`'s buffers
    gpu.make_current()?;
    let lengths = DeviceBuffer::from_slice(&[3u32, 1, 4, 1, 5])?;
    let mut offsets = DeviceBuffer::zeroed(lengths.len())?;
    scan::<Sum, _>(&lengths)
        .exclusive()
        .to(&mut offsets)
        .wait(&gpu)?;
    assert_eq!(offsets.as_host_vec()?, [0, 3, 4, 8, 9]);
    assert_eq!(reduce::<Sum, _>(&lengths).wait(&gpu)?, 14);
    Ok(())
}
