//! An output for keys in a request without keys.

use warpfold::{Gpu, Sum, reduce};

fn sums(gpu: &Gpu, items: &[f32], keys: &mut [u32]) -> warpfold::Result<f32> {
    reduce::<Sum, _>(items).keys_to(keys).wait(gpu)
}

fn main() {}
