//! One thread: its vectors of a tile, in registers, in global memory and in shared memory.
//!
//! An array that is indexed at run time goes to local memory instead of registers. The compiler might not unroll long loops over a thread's
//! vectors or a vector's items. So [`for_each_vector!`] and [`crate::element::for_each_item!`] write these loops out. Vectors stay packed
//! in words, as in memory, and are unpacked where their items are used. A register for each narrow item would take too many registers.

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

/// Writes a Rust block out once for each index from 0 to 7, or for each listed index. The index is a constant in the block. A thread has at
/// most eight vectors.
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

/// The greatest number of items that a vector can have.
pub const MAX_VECTOR_ITEMS: usize = size_of::<Words>();

const _: () = assert!(MAX_VECTOR_ITEMS == 16);

/// Combines the values of a thread's two, four or eight vectors pairwise, neighbours first. `value` returns the value of a vector.
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
