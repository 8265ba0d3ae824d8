//! An output of another type than the operator's results.

use warpfold::{Gpu, WideSum, scan};

fn sums(gpu: &Gpu, items: &[u32], sums: &mut [u32]) -> warpfold::Result<()> {
    scan::<WideSum, _>(items).to(sums).wait(gpu)
}

fn main() {}
