//! A raw handle instead of a stream.

use std::ffi::c_void;

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, scan};

fn sums(gpu: &Gpu, stream: *mut c_void, items: &mut DeviceBuffer<f32>) -> warpfold::Result<()> {
    scan::<Sum, _>(items).in_place().queue(gpu, &stream)
}

fn main() {}
