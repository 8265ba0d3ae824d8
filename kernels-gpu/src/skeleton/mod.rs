//! Skeletons: the kernels with holes in place of the operator, and the operators' bodies that fill them.
//!
//! What differs between two kernels is nearly nothing. So the library ships few texts, one for each kind of kernel and
//! width of items, accumulators and results, in which an operator's functions are holes (see [`crate::simt::holes`]); and,
//! for each row of the table, the bodies that fill them. A filled skeleton is the kernel of that row.
//!
//! Holes are as large as they can be: a vector's total, and what a scan puts at a vector's places. So what an operator does
//! with narrow items lies within a body, and inclusive and exclusive scans differ in a body only.
//!
//! There are no skeletons for items and accumulators of more than 64 bits, nor for operators that look at an item's index or
//! have no identity item.

mod bodies;

use core::marker::PhantomData;

use crate::block::Placement;
use crate::contract::Tree;
use crate::element::{first_words, vector_of, Accumulator, Element, Vector, Words};
use crate::op::{Commutative, Op};
use crate::simt::holes;
use crate::thread::Items;

/// An operator made of holes, with accumulators `A` and results `R`.
#[derive(Clone, Copy)]
pub struct Holes<A, R, const EXACT: bool>(PhantomData<(A, R)>);

impl<A, R, const EXACT: bool> Commutative for Holes<A, R, EXACT> {}

impl<T: Element, A: Accumulator, R: Element, const EXACT: bool> Op<T> for Holes<A, R, EXACT> {
    type Accumulator = A;
    type Output = R;
    const EXACT: bool = EXACT;
    const GROUP_TREE: Tree = Tree::Halves;

    #[inline(always)]
    fn identity() -> A {
        holes::identity()
    }

    #[inline(always)]
    fn identity_item() -> Option<T> {
        Some(holes::identity_item())
    }

    #[inline(always)]
    fn lift(item: T) -> A {
        holes::lift(item)
    }

    #[inline(always)]
    fn combine(left: A, right: A) -> A {
        holes::combine(left, right)
    }

    #[inline(always)]
    fn lower(value: A) -> R {
        holes::lower(value)
    }

    #[inline(always)]
    fn total(words: Words, _index: u64) -> A {
        holes::total(words)
    }
}

/// A hole for what a scan puts at each place.
struct Places;

impl Placement for Places {
    #[inline(always)]
    fn place<O: Op<T>, T: Element>(
        before: &mut O::Accumulator,
        vector: &Vector,
        _index: u64,
        _items: Items,
    ) -> Vector {
        let words = first_words(vector);
        let results = holes::place(*before, words);
        *before = holes::after(*before, words);
        vector_of(results)
    }
}

/// The skeletons: the kind; whether any order gives the same bits; an item, an accumulator and a result of these widths.
///
/// The names tell the same, in bits, save that segmented reductions, and scans with accumulators of 32 bits, are the same with
/// either kind of operator.
macro_rules! for_each_skeleton {
    ($callback:ident) => {
        $callback! {
            reduce true u8 u32 u8 => reduce_exact_8_32_8;
            reduce true u16 u32 u16 => reduce_exact_16_32_16;
            reduce true u32 u32 u32 => reduce_exact_32_32_32;
            reduce true u64 u64 u64 => reduce_exact_64_64_64;
            reduce true u16 u32 u8 => reduce_exact_16_32_8;
            reduce true u32 u32 u8 => reduce_exact_32_32_8;
            reduce true u64 u32 u8 => reduce_exact_64_32_8;
            reduce true u8 u64 u64 => reduce_exact_8_64_64;
            reduce true u16 u64 u64 => reduce_exact_16_64_64;
            reduce true u32 u64 u64 => reduce_exact_32_64_64;
            reduce false u16 u32 u16 => reduce_rounding_16_32_16;
            reduce false u16 u32 u32 => reduce_rounding_16_32_32;
            reduce false u32 u32 u32 => reduce_rounding_32_32_32;
            reduce false u32 u64 u64 => reduce_rounding_32_64_64;
            reduce false u64 u64 u64 => reduce_rounding_64_64_64;
            segmented_reduce true u8 u32 u8 => segmented_reduce_8_32_8;
            segmented_reduce true u16 u32 u16 => segmented_reduce_16_32_16;
            segmented_reduce true u32 u32 u32 => segmented_reduce_32_32_32;
            segmented_reduce true u64 u64 u64 => segmented_reduce_64_64_64;
            segmented_reduce true u16 u32 u8 => segmented_reduce_16_32_8;
            segmented_reduce true u32 u32 u8 => segmented_reduce_32_32_8;
            segmented_reduce true u64 u32 u8 => segmented_reduce_64_32_8;
            segmented_reduce true u8 u64 u64 => segmented_reduce_8_64_64;
            segmented_reduce true u16 u64 u64 => segmented_reduce_16_64_64;
            segmented_reduce true u32 u64 u64 => segmented_reduce_32_64_64;
            segmented_reduce true u16 u32 u32 => segmented_reduce_16_32_32;
            scan true u8 u32 u8 => scan_8_32_8;
            scan true u16 u32 u16 => scan_16_32_16;
            scan true u32 u32 u32 => scan_32_32_32;
            scan false u16 u32 u32 => scan_16_32_32;
            scan true u8 u64 u64 => scan_exact_8_64_64;
            scan true u16 u64 u64 => scan_exact_16_64_64;
            scan true u32 u64 u64 => scan_exact_32_64_64;
            scan false u32 u64 u64 => scan_rounding_32_64_64;
            scan true u64 u64 u64 => scan_exact_64_64_64;
            scan false u64 u64 u64 => scan_rounding_64_64_64;
        }
    };
}

macro_rules! reduce {
    ($exact:literal $t:ident $a:ident $r:ident $symbol:ident) => {
        reduce_entry!($symbol: Holes<$a, $r, $exact>, $t);
    };
}

macro_rules! segmented_reduce {
    ($exact:literal $t:ident $a:ident $r:ident $symbol:ident) => {
        segmented_reduce_entry!($symbol: Holes<$a, $r, $exact>, $t);
    };
}

macro_rules! scan {
    ($exact:literal $t:ident $a:ident $r:ident $symbol:ident) => {
        scan_entry!($symbol: Places, Holes<$a, $r, $exact>, $t);
    };
}

macro_rules! skeletons {
    ($($kind:ident $exact:literal $t:ident $a:ident $r:ident => $symbol:ident;)*) => {
        $($kind!($exact $t $a $r $symbol);)*
    };
}

for_each_skeleton!(skeletons);
