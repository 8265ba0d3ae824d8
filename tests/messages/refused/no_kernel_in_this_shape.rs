//! An operator that reduces and does not scan.

use warpfold::{Gpu, Moments, scan};

fn moments(gpu: &Gpu, items: &[f32]) -> warpfold::Result<Vec<Moments>> {
    scan::<Moments, _>(items).rows(8).wait(gpu)
}

fn main() {}
