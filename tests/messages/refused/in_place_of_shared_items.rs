//! An in-place scan whose items are not borrowed mutably.

use warpfold::{Gpu, Sum, scan};

fn sums(gpu: &Gpu, items: &[f32]) -> warpfold::Result<()> {
    scan::<Sum, _>(&items[..]).in_place().wait(gpu)
}

fn main() {}
