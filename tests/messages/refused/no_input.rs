//! A `Vec` by value, instead of a reference to it.

use warpfold::{Gpu, Sum, reduce};

fn sum(gpu: &Gpu, items: Vec<f32>) -> warpfold::Result<f32> {
    reduce::<Sum, _>(items).wait(gpu)
}

fn main() {}
