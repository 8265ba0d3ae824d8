//! Two shapes at once.

use warpfold::{Gpu, Sum, reduce};

fn sums(gpu: &Gpu, items: &[f32]) -> warpfold::Result<Vec<f32>> {
    reduce::<Sum, _>(items).rows(8).columns(8).wait(gpu)
}

fn main() {}
