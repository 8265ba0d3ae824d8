//! A selection that writes the selected items and returns their indices.

use warpfold::{Cpu, NonZero, select};

fn chosen(items: &[f32], chosen: &mut [f32]) -> warpfold::Result<usize> {
    select::<NonZero, _>(items).indices().to(chosen).wait(Cpu)
}

fn main() {}
