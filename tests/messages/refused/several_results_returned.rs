//! Results of several groups in device memory, without a place for them.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, reduce};

fn sums(gpu: &Gpu, items: &DeviceBuffer<f32>) -> warpfold::Result<()> {
    reduce::<Sum, _>(items).rows(8).wait(gpu)
}

fn main() {}
