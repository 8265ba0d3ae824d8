//! A reduction of segments with a pitch.

use warpfold::{Gpu, Sum, reduce};

fn sums(gpu: &Gpu, items: &[f32], offsets: &[u32]) -> warpfold::Result<Vec<f32>> {
    reduce::<Sum, _>(items).segments(offsets).pitch(32).wait(gpu)
}

fn main() {}
