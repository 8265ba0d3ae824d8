//! A predicate that has no kernel.

use warpfold::{Gpu, Predicate, select};

#[derive(Clone, Copy)]
struct Even;

impl Predicate<u32> for Even {
    fn holds(item: u32) -> bool {
        item.is_multiple_of(2)
    }
}

fn chosen(gpu: &Gpu, items: &[u32]) -> warpfold::Result<Vec<u32>> {
    select::<Even, _>(items).wait(gpu)
}

fn main() {}
