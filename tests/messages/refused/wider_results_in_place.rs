//! Results that are wider than the items whose places they are to take.

use warpfold::{Gpu, WideSum, scan};

fn sums(gpu: &Gpu, items: &mut [u32]) -> warpfold::Result<()> {
    scan::<WideSum, _>(items).in_place().wait(gpu)
}

fn main() {}
