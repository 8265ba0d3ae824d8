//! An item of 22 bytes.

use warpfold::{Commutative, Op};

warpfold::item! {
    pub struct Wide { pub numbers: [u16; 11] }
}

#[derive(Clone, Copy)]
pub struct Mine;

impl Op<Wide> for Mine {
    type Accumulator = Wide;
    type Output = Wide;
    fn identity() -> Wide {
        Wide { numbers: [0; 11] }
    }
    fn combine(left: Wide, right: Wide) -> Wide {
        left
    }
    fn lift(item: Wide) -> Wide {
        item
    }
    fn lower(value: Wide) -> Wide {
        value
    }
}

impl Commutative for Mine {}

warpfold::operators! {
    mine: Mine, Wide;
}
