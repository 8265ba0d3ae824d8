//! A request that is neither waited for nor queued.

#![deny(unused_must_use)]

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Sum, scan};

fn sums(items: &DeviceBuffer<f32>, sums: &mut DeviceBuffer<f32>) {
    scan::<Sum, _>(items).to(sums);
}

fn main() {}
