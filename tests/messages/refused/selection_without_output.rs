//! A selection in device memory, without an output for the selected items.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, NonZero, select};

fn chosen(gpu: &Gpu, items: &DeviceBuffer<f32>) -> warpfold::Result<usize> {
    select::<NonZero, _>(items).wait(gpu)
}

fn main() {}
