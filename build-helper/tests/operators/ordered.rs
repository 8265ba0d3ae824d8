//! A reduction by an operator that is not declared commutative.

use warpfold::Op;

#[derive(Clone, Copy)]
pub struct Mine;

impl Op<u32> for Mine {
    type Accumulator = u32;
    type Output = u32;
    fn identity() -> u32 {
        0
    }
    fn combine(left: u32, right: u32) -> u32 {
        left
    }
    fn lift(item: u32) -> u32 {
        item
    }
    fn lower(value: u32) -> u32 {
        value
    }
}

warpfold::operators! {
    mine: Mine, u32;
}
