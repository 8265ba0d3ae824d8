//! Softmax and layer norm of the rows of a matrix, with kernels that this program defines.
//!
//!     cargo run

mod kernels;

use std::error::Error;

use kernels::{LAYER_NORM_SHARED_BYTES, SOFTMAX_SHARED_BYTES, layer_norm, softmax};
use warpfold::cust::launch;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::{Cpu, Gpu, LogSumExp, reduce};

const ROWS: usize = 12;
const COLUMNS: usize = 1000;
const EPSILON: f32 = 1e-5;

fn main() -> Result<(), Box<dyn Error>> {
    let matrix: Vec<f32> = (0..ROWS * COLUMNS)
        .map(|i| (i * i % 1013) as f32 / 32.0 - (i / COLUMNS) as f32)
        .collect();
    let gpu = Gpu::global()?;
    gpu.make_current()?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;

    let rows = DeviceBuffer::from_slice(&matrix)?;
    let module = softmax.load(gpu)?;
    let function = module.get_function(softmax.name())?;
    // SAFETY: there is a block for each row, with the 256 threads and the shared memory that the kernel needs. The buffer lives until
    // the stream is done.
    unsafe {
        launch!(function<<<ROWS as u32, 256, SOFTMAX_SHARED_BYTES, stream>>>(
            rows.as_device_ptr(), COLUMNS as u64
        ))?;
    }
    stream.synchronize()?;
    check(&rows, &matrix, 0.0, softmax_of)?;

    let rows = DeviceBuffer::from_slice(&matrix)?;
    let gains: Vec<f32> = (0..COLUMNS).map(|i| 0.5 + (i % 7) as f32 / 4.0).collect();
    let biases: Vec<f32> = (0..COLUMNS).map(|i| (i % 5) as f32 - 2.0).collect();
    let (gains_there, biases_there) = (
        DeviceBuffer::from_slice(&gains)?,
        DeviceBuffer::from_slice(&biases)?,
    );
    let module = layer_norm.load(gpu)?;
    let function = module.get_function(layer_norm.name())?;
    // SAFETY: as above, with `LAYER_NORM_SHARED_BYTES`; there are `COLUMNS` gains and biases.
    unsafe {
        launch!(function<<<ROWS as u32, 256, LAYER_NORM_SHARED_BYTES, stream>>>(
            rows.as_device_ptr(), COLUMNS as u64,
            gains_there.as_device_ptr(), biases_there.as_device_ptr(), EPSILON
        ))?;
    }
    stream.synchronize()?;
    // The bias may cancel most of a result. So if a result is smaller than 1, its error is taken relative to 1.
    let of_row = |row: &[f64]| layer_norm_of(row, &gains, &biases);
    check(&rows, &matrix, 1.0, of_row)?;

    // The logarithm of each row's sum of exponentials needs no kernel of this program: the library has an operator for it. The GPU and the
    // CPU give the same bits.
    let sums = reduce::<LogSumExp, _>(&matrix).rows(COLUMNS).wait(gpu)?;
    assert_eq!(
        sums,
        reduce::<LogSumExp, _>(&matrix).rows(COLUMNS).wait(Cpu)?
    );

    println!(
        "{ROWS} rows of {COLUMNS} on {}: softmax and layer norm are right",
        gpu.name()
    );
    println!("logarithms of the sums of exponentials: {:?}", &sums[..4]);
    Ok(())
}

/// Compares each row with the result of `exact` in `f64`. An error is relative to the result, or to `least` if the result is smaller.
fn check(
    rows: &DeviceBuffer<f32>,
    matrix: &[f32],
    least: f64,
    exact: impl Fn(&[f64]) -> Vec<f64>,
) -> Result<(), Box<dyn Error>> {
    let mut found = vec![0.0; matrix.len()];
    rows.copy_to(&mut found)?;
    for (row, found) in matrix.chunks(COLUMNS).zip(found.chunks(COLUMNS)) {
        let row: Vec<f64> = row.iter().copied().map(f64::from).collect();
        for (&found, exact) in found.iter().zip(exact(&row)) {
            let error = (f64::from(found) - exact).abs();
            assert!(
                error <= 4e-6 * exact.abs().max(least),
                "{found}, not {exact}"
            );
        }
    }
    Ok(())
}

fn softmax_of(row: &[f64]) -> Vec<f64> {
    let greatest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponentials: Vec<f64> = row.iter().map(|item| (item - greatest).exp()).collect();
    let sum: f64 = exponentials.iter().sum();
    exponentials.iter().map(|item| item / sum).collect()
}

fn layer_norm_of(row: &[f64], gains: &[f32], biases: &[f32]) -> Vec<f64> {
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    let squares = row.iter().map(|item| (item - mean).powi(2));
    let variance = squares.sum::<f64>() / row.len() as f64;
    let deviation = (variance + f64::from(EPSILON)).sqrt();
    let affine = gains.iter().zip(biases);
    row.iter()
        .zip(affine)
        .map(|(item, (&gain, &bias))| (item - mean) / deviation * f64::from(gain) + f64::from(bias))
        .collect()
}
