//! Lengths of runs of a slice, written to another slice.

use warpfold::{Equal, Gpu, runs};

fn found(gpu: &Gpu, items: &[u32], lengths: &mut [usize]) -> warpfold::Result<usize> {
    runs::<Equal, _>(items).lengths_to(lengths).wait(gpu)
}

fn main() {}
