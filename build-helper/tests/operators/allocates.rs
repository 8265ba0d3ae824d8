//! An operator that calls `vec!`, a macro that `core` does not have.

use warpfold::{Commutative, Op};

#[derive(Clone, Copy)]
pub struct Mine;

impl Op<u32> for Mine {
    type Accumulator = u32;
    type Output = u32;
    fn identity() -> u32 {
        0
    }
    fn combine(left: u32, right: u32) -> u32 {
        vec![left, right][0]
    }
    fn lift(item: u32) -> u32 {
        item
    }
    fn lower(value: u32) -> u32 {
        value
    }
}

impl Commutative for Mine {}

warpfold::operators! {
    mine: Mine, u32;
}
