//! A scan of rows with an initial value.

use warpfold::{Gpu, Sum, scan};

fn sums(gpu: &Gpu, items: &[u32]) -> warpfold::Result<Vec<u32>> {
    scan::<Sum, _>(items).rows(8).initial(1).wait(gpu)
}

fn main() {}
