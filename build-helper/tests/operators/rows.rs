//! Two rows, each with an operator of its own.

use warpfold::{Commutative, Op};

macro_rules! bitwise {
    ($name:ident, $identity:expr, $operation:tt) => {
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl Op<u32> for $name {
            type Accumulator = u32;
            type Output = u32;
            const EXACT: bool = true;
            fn identity() -> u32 {
                $identity
            }
            fn lift(item: u32) -> u32 {
                item
            }
            fn combine(a: u32, b: u32) -> u32 {
                a $operation b
            }
            fn lower(value: u32) -> u32 {
                value
            }
        }

        impl Commutative for $name {}
    };
}

bitwise!(Union, 0, |);
bitwise!(Intersection, !0, &);

warpfold::operators! {
    union: Union, u32, reduction only;
    intersection: Intersection, u32, reduction only;
}
