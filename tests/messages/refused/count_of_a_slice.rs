//! A reduction of a slice of the host, with a count in device memory.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, reduce};

fn sum(gpu: &Gpu, items: &[f32], count: &DeviceBuffer<u64>) -> warpfold::Result<f32> {
    reduce::<Sum, _>(items).count(count).wait(gpu)
}

fn main() {}
