//! One operator, for tests of the build itself.

use warpfold::{Commutative, Op};

/// The bitwise union.
#[derive(Clone, Copy)]
pub struct Union;

impl Op<u32> for Union {
    type Accumulator = u32;
    type Output = u32;
    fn identity() -> u32 {
        0
    }
    fn lift(item: u32) -> u32 {
        item
    }
    fn combine(a: u32, b: u32) -> u32 {
        a | b
    }
    fn lower(value: u32) -> u32 {
        value
    }
}

impl Commutative for Union {}

warpfold::operators! {
    union: Union, u32, reduction only;
}
