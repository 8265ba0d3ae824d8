//! A reduction of device memory by the CPU.

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Cpu, Sum, reduce};

fn sum(items: &DeviceBuffer<f32>) -> warpfold::Result<f32> {
    reduce::<Sum, _>(items).wait(Cpu)
}

fn main() {}
