//! An accumulator of seventeen words, which the compiler refuses.

use warpfold::Op;

#[derive(Clone, Copy)]
pub struct TooWide;

impl Op<u32> for TooWide {
    type Accumulator = [u32; 17];
    type Output = u32;
    fn identity() -> [u32; 17] {
        [0; 17]
    }
    fn lift(item: u32) -> [u32; 17] {
        [item; 17]
    }
    fn combine(left: [u32; 17], _right: [u32; 17]) -> [u32; 17] {
        left
    }
    fn lower(value: [u32; 17]) -> u32 {
        value[0]
    }
}

warpfold::operators! {
    too_wide: TooWide, u32, scans only;
}
