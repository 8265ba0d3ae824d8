//! Subtracts from each row of a matrix the row's mean, with a kernel that this program defines.
//!
//!     cargo run

mod kernels;

use std::error::Error;

use kernels::{SHARED_BYTES, standardise};
use warpfold::Gpu;
use warpfold::cust::launch;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::cust::stream::{Stream, StreamFlags};

const ROWS: usize = 20;
const COLUMNS: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let matrix: Vec<f32> = (0..ROWS * COLUMNS)
        .map(|i| (i * i % 1013) as f32 / 8.0 + (i / COLUMNS) as f32)
        .collect();

    let gpu = Gpu::global()?;
    let module = standardise.load(gpu)?;
    let function = module.get_function(standardise.name())?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let rows = DeviceBuffer::from_slice(&matrix)?;
    let largest = DeviceBuffer::from_slice(&[0.0f32; ROWS])?;
    // SAFETY: there is a block for each row, with the 256 threads and the shared memory that the kernel needs. The buffers have
    // the lengths that the kernel needs, and live until the stream is done.
    unsafe {
        launch!(function<<<ROWS as u32, 256, SHARED_BYTES, stream>>>(
            rows.as_device_ptr(), COLUMNS as u64, largest.as_device_ptr()
        ))?;
    }
    stream.synchronize()?;

    let mut distances = vec![0.0; matrix.len()];
    rows.copy_to(&mut distances)?;
    let mut found = [0.0; ROWS];
    largest.copy_to(&mut found)?;
    for (row, (items, distances)) in matrix
        .chunks(COLUMNS)
        .zip(distances.chunks(COLUMNS))
        .enumerate()
    {
        // The order of the additions does not matter, since the result of each is exact.
        let mean = items.iter().copied().map(f64::from).sum::<f64>() / COLUMNS as f64;
        let expected: Vec<f32> = items
            .iter()
            .map(|&item| (f64::from(item) - mean) as f32)
            .collect();
        assert_eq!(distances, expected, "row {row}");
        let farthest = expected
            .iter()
            .fold(0.0, |farthest: f32, distance| farthest.max(distance.abs()));
        assert_eq!(found[row], farthest, "row {row}");
    }
    println!("{ROWS} rows of {COLUMNS} on {}", gpu.name());
    println!("farthest from the mean of its row: {:?}", &found[..4]);
    Ok(())
}
