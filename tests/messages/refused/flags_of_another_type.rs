//! Flags that are not bytes.

use warpfold::{Flagged, Gpu, select};

fn chosen(gpu: &Gpu, items: &[f32], flags: &[u32]) -> warpfold::Result<Vec<f32>> {
    select::<Flagged, _>((items, flags)).wait(gpu)
}

fn main() {}
