//! A scan of a slice of the host, with a count in device memory.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, scan};

fn sums(gpu: &Gpu, items: &[f32], count: &DeviceBuffer<u64>) -> warpfold::Result<Vec<f32>> {
    scan::<Sum, _>(items).count(count).wait(gpu)
}

fn main() {}
