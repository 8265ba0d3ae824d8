//! A reduction of rows of two inputs.

use warpfold::{Dot, Gpu, reduce};

fn sums(gpu: &Gpu, left: &[f32], right: &[f32]) -> warpfold::Result<Vec<f32>> {
    reduce::<Dot, _>((left, right)).rows(8).wait(gpu)
}

fn main() {}
