//! An in-place scan of rows.

use warpfold::{Gpu, Sum, scan};

fn sums(gpu: &Gpu, items: &mut [u32]) -> warpfold::Result<()> {
    scan::<Sum, _>(items).in_place().rows(8).wait(gpu)
}

fn main() {}
