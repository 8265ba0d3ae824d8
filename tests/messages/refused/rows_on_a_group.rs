//! A reduction of rows on a group of GPUs.

use warpfold::group::Gpus;
use warpfold::{Sum, reduce};

fn sums(gpus: &Gpus, items: &[f32]) -> warpfold::Result<Vec<f32>> {
    reduce::<Sum, _>(items).rows(8).wait(gpus)
}

fn main() {}
