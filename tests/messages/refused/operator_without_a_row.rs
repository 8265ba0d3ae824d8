//! A check of a user's operator that has no kernel row. The items are literals without a type.

use warpfold::{Commutative, Op, check_operator};

#[derive(Clone, Copy)]
struct Largest;

impl Op<u32> for Largest {
    type Accumulator = u32;
    type Output = u32;

    fn identity() -> u32 {
        0
    }

    fn lift(item: u32) -> u32 {
        item
    }

    fn combine(left: u32, right: u32) -> u32 {
        left.max(right)
    }

    fn lower(value: u32) -> u32 {
        value
    }
}

impl Commutative for Largest {}

fn main() {
    let _ = check_operator::<Largest, _>(&[12, 18]);
}
