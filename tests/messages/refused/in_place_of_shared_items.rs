//! A scan in the place of items that may not be overwritten.

use warpfold::{Gpu, Sum, scan};

fn sums(gpu: &Gpu, items: &[f32]) -> warpfold::Result<()> {
    scan::<Sum, _>(&items[..]).in_place().wait(gpu)
}

fn main() {}
