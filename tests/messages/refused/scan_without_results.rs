//! A scan of device memory, without an output for its results.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, scan};

fn sums(gpu: &Gpu, items: &DeviceBuffer<f32>) -> warpfold::Result<()> {
    scan::<Sum, _>(items).wait(gpu)
}

fn main() {}
