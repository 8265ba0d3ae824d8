//! One thread: its vectors of a tile, in registers, in global and in shared memory.
//!
//! An index that is known only at run time would put an array of registers into local memory. So loops over a
//! thread's vectors and over a vector's items, which may be too long for the compiler to unroll, are written out by
//! [`for_each_vector!`] and [`crate::element::for_each_item!`]. Vectors are kept as the words that they are in
//! memory and taken apart where their items are used: narrow items would fill the registers.

mod access;
mod lifting;
mod part;
mod slots;
mod source;

pub use access::Access;
pub use lifting::{append, lift, must_leave_out, pairwise_total, total, Items, TileItems};
pub use part::{Caching, Part};
pub use slots::Slots;
pub use source::{Source, TilePart};

use crate::contract::{thread_vectors, THREAD_VECTORS};
use crate::element::{Element, Vector, Words};
use crate::op::Op;
use crate::pairwise;

/// A thread's part of a tile in registers: up to eight vectors.
pub type Vectors = [Vector; THREAD_VECTORS];

/// Runs a block for each of a thread's vectors, written out eight times.
macro_rules! for_each_vector {
    ($v:ident => $body:block) => {
        $crate::thread::for_each_vector!($v in 0 1 2 3 4 5 6 7 => $body)
    };
    ($v:ident in $($index:literal)* => $body:block) => {
        $({
            const $v: usize = $index;
            $body
        })*
    };
}
pub(crate) use for_each_vector;

const _: () = assert!(THREAD_VECTORS == 8);

/// The most items that a vector has.
pub const MAX_VECTOR_ITEMS: usize = size_of::<Words>();

const _: () = assert!(MAX_VECTOR_ITEMS == 16);

/// Combines a value for each vector of a thread's part pairwise, neighbours first; there are two, four or eight.
#[inline(always)]
pub fn combine_vectors<O: Op<T>, T: Element>(
    value: impl Fn(usize) -> O::Accumulator,
) -> O::Accumulator {
    match thread_vectors::<T>() {
        2 => pairwise::two::<O, T>(&value, 0),
        4 => pairwise::four::<O, T>(&value, 0),
        _ => pairwise::eight::<O, T>(&value, 0),
    }
}
