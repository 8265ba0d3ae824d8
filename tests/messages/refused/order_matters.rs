//! A check of a user's operator that has no kernel row and is not `Commutative`.

use warpfold::{Op, check_reduce_operator};

#[derive(Clone, Copy)]
struct First;

impl Op<u32> for First {
    type Accumulator = u32;
    type Output = u32;

    fn identity() -> u32 {
        u32::MAX
    }

    fn lift(item: u32) -> u32 {
        item
    }

    fn combine(left: u32, right: u32) -> u32 {
        if left == u32::MAX { right } else { left }
    }

    fn lower(value: u32) -> u32 {
        value
    }
}

fn main() {
    let _ = check_reduce_operator::<First, u32>(&[1, 2, 3]);
}
