//! Offsets that are not unsigned.

use warpfold::{Gpu, Sum, reduce};

fn sums(gpu: &Gpu, items: &[f32], offsets: &[i32]) -> warpfold::Result<Vec<f32>> {
    reduce::<Sum, _>(items).segments(offsets).wait(gpu)
}

fn main() {}
