//! A place for keys, of a request that has none.

use warpfold::{Gpu, Sum, reduce};

fn sums(gpu: &Gpu, items: &[f32], keys: &mut [u32]) -> warpfold::Result<f32> {
    reduce::<Sum, _>(items).keys_to(keys).wait(gpu)
}

fn main() {}
