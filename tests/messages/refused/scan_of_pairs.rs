//! A scan of two inputs.

use warpfold::{Dot, Gpu, scan};

fn sums(gpu: &Gpu, left: &[f32], right: &[f32]) -> warpfold::Result<Vec<f32>> {
    scan::<Dot, _>((left, right)).wait(gpu)
}

fn main() {}
