//! A queued selection, without an output for the number of selected items.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::cust::stream::Stream;
use warpfold::{Gpu, NonZero, select};

fn chosen(
    gpu: &Gpu,
    stream: &Stream,
    items: &DeviceBuffer<f32>,
    chosen: &mut DeviceBuffer<f32>,
) -> warpfold::Result<()> {
    select::<NonZero, _>(items).to(chosen).queue(gpu, stream)
}

fn main() {}
