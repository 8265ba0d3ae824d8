//! An operator that calls `exp`, a method that `f32` does not have in `core`.

use warpfold::{Commutative, Op};

#[derive(Clone, Copy)]
pub struct Mine;

impl Op<f32> for Mine {
    type Accumulator = f32;
    type Output = f32;
    fn identity() -> f32 {
        0.0
    }
    fn combine(left: f32, right: f32) -> f32 {
        left + right.exp()
    }
    fn lift(item: f32) -> f32 {
        item
    }
    fn lower(value: f32) -> f32 {
        value
    }
}

impl Commutative for Mine {}

warpfold::operators! {
    mine: Mine, f32;
}
