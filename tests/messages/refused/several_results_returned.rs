//! A reduction of rows in device memory, without an output for the results.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, reduce};

fn sums(gpu: &Gpu, items: &DeviceBuffer<f32>) -> warpfold::Result<()> {
    reduce::<Sum, _>(items).rows(8).wait(gpu)
}

fn main() {}
