//! A type that is no operator.

use warpfold::{Gpu, reduce};

struct Gcd;

fn divisor(gpu: &Gpu, items: &[u32]) -> warpfold::Result<u32> {
    reduce::<Gcd, _>(items).wait(gpu)
}

fn main() {}
