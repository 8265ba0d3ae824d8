//! A queued reduction by key, without an output for the number of the runs.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::cust::stream::Stream;
use warpfold::{Equal, Gpu, Sum, reduce};

fn sums(
    gpu: &Gpu,
    stream: &Stream,
    keys: &DeviceBuffer<u32>,
    items: &DeviceBuffer<f32>,
    sums: &mut DeviceBuffer<f32>,
) -> warpfold::Result<()> {
    reduce::<Sum, _>(items).by_key::<Equal, _>(keys).to(sums).queue(gpu, stream)
}

fn main() {}
