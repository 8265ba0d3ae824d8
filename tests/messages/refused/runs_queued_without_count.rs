//! A queued request for runs, without an output for their number.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::cust::stream::Stream;
use warpfold::{Equal, Gpu, runs};

fn found(
    gpu: &Gpu,
    stream: &Stream,
    items: &DeviceBuffer<u32>,
    firsts: &mut DeviceBuffer<u32>,
) -> warpfold::Result<()> {
    runs::<Equal, _>(items).to(firsts).queue(gpu, stream)
}

fn main() {}
