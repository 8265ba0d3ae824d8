//! A queued reduction, without an output for its result.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::cust::stream::Stream;
use warpfold::{Gpu, Sum, reduce};

fn sum(gpu: &Gpu, stream: &Stream, items: &DeviceBuffer<f32>) -> warpfold::Result<()> {
    reduce::<Sum, _>(items).queue(gpu, stream)
}

fn main() {}
