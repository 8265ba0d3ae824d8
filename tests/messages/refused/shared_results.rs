//! A scan that writes its results to memory that is not borrowed mutably.

use warpfold::{Gpu, Sum, scan};

fn sums(gpu: &Gpu, items: &[f32], sums: &[f32]) -> warpfold::Result<()> {
    scan::<Sum, _>(items).to(sums).wait(gpu)
}

fn main() {}
