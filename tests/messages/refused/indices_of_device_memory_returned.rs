//! A selection in device memory that returns indices.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, NonZero, select};

fn chosen(gpu: &Gpu, items: &DeviceBuffer<f32>) -> warpfold::Result<Vec<usize>> {
    select::<NonZero, _>(items).indices().wait(gpu)
}

fn main() {}
