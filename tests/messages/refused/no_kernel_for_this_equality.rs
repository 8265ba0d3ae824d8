//! Keys for which an equality has no kernel.

use warpfold::{Equal, Gpu, Sum, reduce};

fn sums(gpu: &Gpu, keys: &[[u8; 3]], items: &[f32]) -> warpfold::Result<(Vec<[u8; 3]>, Vec<f32>)> {
    reduce::<Sum, _>(items).by_key::<Equal, _>(keys).wait(gpu)
}

fn main() {}
