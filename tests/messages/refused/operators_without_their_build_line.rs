//! A file of operators that its package's `build.rs` does not name.

use warpfold::{Commutative, Op};

#[derive(Clone, Copy)]
struct Total;

impl Op<u32> for Total {
    type Accumulator = u32;
    type Output = u32;

    fn identity() -> u32 {
        0
    }

    fn lift(item: u32) -> u32 {
        item
    }

    fn combine(left: u32, right: u32) -> u32 {
        left.wrapping_add(right)
    }

    fn lower(value: u32) -> u32 {
        value
    }
}

impl Commutative for Total {}

warpfold::operators! {
    total: Total, u32;
}

fn main() {}
