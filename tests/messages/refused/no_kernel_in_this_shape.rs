//! An operator that has kernels for whole arrays only.

use warpfold::{ArgMax, Gpu, reduce};

fn places(gpu: &Gpu, items: &[f32]) -> warpfold::Result<Vec<u64>> {
    reduce::<ArgMax, _>(items).rows(8).wait(gpu)
}

fn main() {}
