//! A scan of the whole array by an operator of the library that only reduces.

use warpfold::{Any, Gpu, scan};

fn any_so_far(gpu: &Gpu, items: &[u32]) -> warpfold::Result<Vec<u8>> {
    scan::<Any, _>(items).wait(gpu)
}

fn main() {}
