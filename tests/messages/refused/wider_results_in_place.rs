//! An in-place scan whose results are wider than the items.

use warpfold::{Gpu, WideSum, scan};

fn sums(gpu: &Gpu, items: &mut [u32]) -> warpfold::Result<()> {
    scan::<WideSum, _>(items).in_place().wait(gpu)
}

fn main() {}
