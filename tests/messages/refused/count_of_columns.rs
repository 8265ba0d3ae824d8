//! Columns, of which only the device knows how many there are.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, reduce};

fn sums(
    gpu: &Gpu,
    items: &DeviceBuffer<f32>,
    count: &DeviceBuffer<u64>,
    sums: &mut DeviceBuffer<f32>,
) -> warpfold::Result<()> {
    reduce::<Sum, _>(items).columns(8).count(count).to(sums).wait(gpu)
}

fn main() {}
