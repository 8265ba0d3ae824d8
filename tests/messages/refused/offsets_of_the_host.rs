//! Items in device memory, and offsets of the host.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, reduce};

fn sums(
    gpu: &Gpu,
    items: &DeviceBuffer<f32>,
    offsets: &[u32],
    sums: &mut DeviceBuffer<f32>,
) -> warpfold::Result<()> {
    reduce::<Sum, _>(items).segments(offsets).to(sums).wait(gpu)
}

fn main() {}
