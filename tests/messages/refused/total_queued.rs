//! A queued scan with a returned total.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::cust::stream::Stream;
use warpfold::{Gpu, Sum, scan};

fn sums(
    gpu: &Gpu,
    stream: &Stream,
    items: &DeviceBuffer<f32>,
    sums: &mut DeviceBuffer<f32>,
) -> warpfold::Result<()> {
    scan::<Sum, _>(items).to(sums).and_total().queue(gpu, stream)
}

fn main() {}
