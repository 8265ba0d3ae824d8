//! Indices of items in device memory, returned.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, NonZero, select};

fn chosen(gpu: &Gpu, items: &DeviceBuffer<f32>) -> warpfold::Result<Vec<usize>> {
    select::<NonZero, _>(items).indices().wait(gpu)
}

fn main() {}
