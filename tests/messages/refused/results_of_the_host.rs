//! Items in device memory, and a slice of the host for the results.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, scan};

fn sums(gpu: &Gpu, items: &DeviceBuffer<f32>, sums: &mut [f32]) -> warpfold::Result<()> {
    scan::<Sum, _>(items).to(sums).wait(gpu)
}

fn main() {}
