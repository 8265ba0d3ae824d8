//! What the compiler refuses: an accumulator of nine words.

use warpfold::Op;

#[derive(Clone, Copy)]
pub struct TooWide;

impl Op<u32> for TooWide {
    type Accumulator = [u32; 9];
    type Output = u32;
    fn identity() -> [u32; 9] {
        [0; 9]
    }
    fn lift(item: u32) -> [u32; 9] {
        [item; 9]
    }
    fn combine(left: [u32; 9], _right: [u32; 9]) -> [u32; 9] {
        left
    }
    fn lower(value: [u32; 9]) -> u32 {
        value[0]
    }
}

warpfold::operators! {
    too_wide: TooWide, u32, scans only;
}
