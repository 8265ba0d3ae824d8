//! Skeletons: the kernels with holes in place of the operator, and the operators' bodies that fill them.
//!
//! What differs between two kernels is nearly nothing. So the library ships few texts, one for each kind of kernel and
//! width of items, accumulators and results, in which an operator's functions are holes (see [`crate::simt::holes`]); and,
//! for each row of the table, the bodies that fill them. A filled skeleton is the kernel of that row.
//!
//! Holes are as large as they can be: a vector's total, and what a scan puts at a vector's places. So what an operator does
//! with narrow items lies within a body, and inclusive and exclusive scans differ in a body only.
//!
//! Reductions have accumulators of up to 16 words. Those of more than two words are for operators that look at an item's index,
//! have no identity item, and are exact or combine pairwise. Of two inputs, an item is a pair. There are no skeletons for other items of more than 64 bits, nor for scans
//! with accumulators of more than 64 bits.

mod bodies;

use core::marker::PhantomData;

use crate::block::Placement;
use crate::contract::Tree;
use crate::element::{first_words, put_item, vector_of};
use crate::element::{Accumulator, Element, Vector, Words};
use crate::grid::selection::{Flagged, Heads, If};
use crate::op::{Commutative, Op};
use crate::selection::Bytes16;
use crate::selection::{Equality, Predicate};
use crate::simt::holes;
use crate::thread::Items;

/// An operator made of holes, with accumulators `A` and results `R`. Where it does not `FILL`, no item lifts to the identity.
#[derive(Clone, Copy)]
pub struct Holes<A, R, const EXACT: bool, const FILLS: bool = true>(PhantomData<(A, R)>);

impl<A, R, const EXACT: bool, const FILLS: bool> Commutative for Holes<A, R, EXACT, FILLS> {}

impl<T: Element, A: Accumulator, R: Element, const EXACT: bool, const FILLS: bool> Op<T>
    for Holes<A, R, EXACT, FILLS>
{
    type Accumulator = A;
    type Output = R;
    const EXACT: bool = EXACT;
    const IS_PAIRWISE: bool = A::IS_WIDE && !EXACT;
    const GROUP_TREE: Tree = Tree::Halves;

    #[inline(always)]
    fn identity() -> A {
        holes::identity()
    }

    #[inline(always)]
    fn identity_item() -> Option<T> {
        FILLS.then(holes::identity_item)
    }

    #[inline(always)]
    fn lift(item: T) -> A {
        Self::lift_at(item, 0)
    }

    #[inline(always)]
    fn lift_at(item: T, index: u64) -> A {
        holes::lift(item, index)
    }

    #[inline(always)]
    fn combine(left: A, right: A) -> A {
        holes::combine(left, right)
    }

    #[inline(always)]
    fn combine_equal(left: A, right: A) -> A {
        match A::IS_WIDE && !EXACT {
            true => holes::combine_equal(left, right),
            false => holes::combine(left, right),
        }
    }

    #[inline(always)]
    fn lower(value: A) -> R {
        holes::lower(value)
    }

    #[inline(always)]
    fn total(words: Words, index: u64) -> A {
        holes::total(words, index)
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

/// A predicate or an equality that is a hole.
#[derive(Clone, Copy)]
pub struct ChoiceHole;

impl<T: Element> Predicate<T> for ChoiceHole {
    #[inline(always)]
    fn holds(item: T) -> bool {
        <Self as Predicate<T>>::chosen(&one(item)) & 1 == 1
    }

    #[inline(always)]
    fn chosen(vector: &Vector) -> u32 {
        holes::chosen(first_words(vector))
    }
}

impl<T: Element> Equality<T> for ChoiceHole {
    #[inline(always)]
    fn same(left: T, right: T) -> bool {
        Self::heads(&one(right), left) & 1 == 0
    }

    #[inline(always)]
    fn heads(vector: &Vector, before: T) -> u32 {
        holes::heads(before, first_words(vector))
    }
}

/// A vector with one item.
#[inline(always)]
fn one<T: Element>(item: T) -> Vector {
    let mut vector = [0; 8];
    put_item(&mut vector, 0, item);
    vector
}

macro_rules! arrays {
    ($($name:ident = $length:literal $t:ident;)*) => { $(type $name = [$t; $length];)* };
}

// Accumulators of several words, and results with the alignment of what they stand for.
arrays! {
    Bytes2 = 2 u8;
    Halves2 = 2 u16;
    Words2 = 2 u32;
    Words3 = 3 u32;
    Words4 = 4 u32;
    Words6 = 6 u32;
    Words8 = 8 u32;
    Words12 = 12 u32;
    Words14 = 14 u32;
    Long2 = 2 u64;
    Long3 = 3 u64;
    Long5 = 5 u64;
}

/// The skeletons: the kind; whether any order gives the same bits; an item, an accumulator and a result of these widths.
///
/// Of pairs, one of the two values of an item has the width.
///
/// The names tell the same, in bits, save that reductions and scans of segments and of columns, and scans with accumulators of 32 bits,
/// are the same with either kind of operator. A reduction for which no item lifts to the identity lifts existing items only.
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
            segmented_scan true u8 u32 u8 => segmented_scan_8_32_8;
            segmented_scan true u16 u32 u16 => segmented_scan_16_32_16;
            segmented_scan true u32 u32 u32 => segmented_scan_32_32_32;
            segmented_scan true u64 u64 u64 => segmented_scan_64_64_64;
            segmented_scan true u8 u64 u64 => segmented_scan_8_64_64;
            segmented_scan true u16 u64 u64 => segmented_scan_16_64_64;
            segmented_scan true u32 u64 u64 => segmented_scan_32_64_64;
            segmented_scan true u16 u32 u32 => segmented_scan_16_32_32;
            columns_reduce true u8 u32 u8 => columns_reduce_8_32_8;
            columns_reduce true u16 u32 u16 => columns_reduce_16_32_16;
            columns_reduce true u32 u32 u32 => columns_reduce_32_32_32;
            columns_reduce true u64 u64 u64 => columns_reduce_64_64_64;
            columns_reduce true u16 u32 u8 => columns_reduce_16_32_8;
            columns_reduce true u32 u32 u8 => columns_reduce_32_32_8;
            columns_reduce true u64 u32 u8 => columns_reduce_64_32_8;
            columns_reduce true u8 u64 u64 => columns_reduce_8_64_64;
            columns_reduce true u16 u64 u64 => columns_reduce_16_64_64;
            columns_reduce true u32 u64 u64 => columns_reduce_32_64_64;
            columns_reduce true u16 u32 u32 => columns_reduce_16_32_32;
            columns_scan true u8 u32 u8 => columns_scan_8_32_8;
            columns_scan true u16 u32 u16 => columns_scan_16_32_16;
            columns_scan true u32 u32 u32 => columns_scan_32_32_32;
            columns_scan true u64 u64 u64 => columns_scan_64_64_64;
            columns_scan true u8 u64 u64 => columns_scan_8_64_64;
            columns_scan true u16 u64 u64 => columns_scan_16_64_64;
            columns_scan true u32 u64 u64 => columns_scan_32_64_64;
            columns_scan true u16 u32 u32 => columns_scan_16_32_32;
            reduce_existing true u8 u64 Bytes2 => reduce_exact_8_64_16_existing;
            reduce_existing true u16 u64 Halves2 => reduce_exact_16_64_32_existing;
            reduce_existing true u32 u64 Words2 => reduce_exact_32_64_64_existing;
            reduce_existing true u64 Words4 Long2 => reduce_exact_64_128_128_existing;
            reduce_existing true u8 Words3 u64 => reduce_exact_8_96_64_existing;
            reduce_existing true u16 Words3 u64 => reduce_exact_16_96_64_existing;
            reduce_existing true u32 Words3 u64 => reduce_exact_32_96_64_existing;
            reduce_existing true u64 Words4 u64 => reduce_exact_64_128_64_existing;
            reduce_existing true u8 Words6 Long2 => reduce_exact_8_192_128_existing;
            reduce_existing true u16 Words6 Long2 => reduce_exact_16_192_128_existing;
            reduce_existing true u32 Words6 Long2 => reduce_exact_32_192_128_existing;
            reduce_existing true u64 Words8 Long2 => reduce_exact_64_256_128_existing;
            reduce_existing false u8 Words6 Long3 => reduce_rounding_8_192_192_existing;
            reduce_existing false u16 Words6 Long3 => reduce_rounding_16_192_192_existing;
            reduce_existing false u32 Words6 Long3 => reduce_rounding_32_192_192_existing;
            reduce_existing false u64 Words6 Long3 => reduce_rounding_64_192_192_existing;
            reduce_existing false u8 Words12 Long5 => reduce_rounding_8_384_320_existing;
            reduce_existing false u16 Words12 Long5 => reduce_rounding_16_384_320_existing;
            reduce_existing false u32 Words12 Long5 => reduce_rounding_32_384_320_existing;
            reduce_existing false u64 Words14 Long5 => reduce_rounding_64_448_320_existing;
            reduce_pairs true u8 u64 u64 => reduce_pairs_exact_16_64_64;
            reduce_pairs true u16 u64 u64 => reduce_pairs_exact_32_64_64;
            reduce_pairs true u32 u64 u64 => reduce_pairs_exact_64_64_64;
            reduce_pairs true u64 u64 u64 => reduce_pairs_exact_128_64_64;
            reduce_pairs false u16 u32 u32 => reduce_pairs_rounding_32_32_32;
            reduce_pairs false u32 u32 u32 => reduce_pairs_rounding_64_32_32;
            reduce_pairs false u64 u64 u64 => reduce_pairs_rounding_128_64_64;
            scan true u8 u32 u8 => scan_exact_8_32_8;
            scan true u16 u32 u16 => scan_exact_16_32_16;
            scan false u16 u32 u16 => scan_rounding_16_32_16;
            scan true u32 u32 u32 => scan_exact_32_32_32;
            scan false u32 u32 u32 => scan_rounding_32_32_32;
            scan false u16 u32 u32 => scan_rounding_16_32_32;
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

macro_rules! segmented_scan {
    ($exact:literal $t:ident $a:ident $r:ident $symbol:ident) => {
        segmented_scan_entry!($symbol: Holes<$a, $r, $exact>, $t);
    };
}

macro_rules! columns_reduce {
    ($exact:literal $t:ident $a:ident $r:ident $symbol:ident) => {
        columns_reduce_entry!($symbol: Holes<$a, $r, $exact>, $t);
    };
}

macro_rules! columns_scan {
    ($exact:literal $t:ident $a:ident $r:ident $symbol:ident) => {
        columns_scan_entry!($symbol: Holes<$a, $r, $exact>, $t);
    };
}

macro_rules! reduce_existing {
    ($exact:literal $t:ident $a:ident $r:ident $symbol:ident) => {
        reduce_entry!($symbol: Holes<$a, $r, $exact, false>, $t);
    };
}

macro_rules! reduce_pairs {
    ($exact:literal $t:ident $a:ident $r:ident $symbol:ident) => {
        reduce_pairs_entry!($symbol: Holes<$a, $r, $exact>, $t);
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

/// The skeletons of selections: what chooses, and an item of this width. Where flags choose there are no holes.
macro_rules! for_each_selection_skeleton {
    ($callback:ident) => {
        $callback! {
            selection_if_8: If<ChoiceHole>, u8;
            selection_if_16: If<ChoiceHole>, u16;
            selection_if_32: If<ChoiceHole>, u32;
            selection_if_64: If<ChoiceHole>, u64;
            selection_runs_8: Heads<ChoiceHole>, u8;
            selection_runs_16: Heads<ChoiceHole>, u16;
            selection_runs_32: Heads<ChoiceHole>, u32;
            selection_runs_64: Heads<ChoiceHole>, u64;
            selection_flagged_8: Flagged, u8;
            selection_flagged_16: Flagged, u16;
            selection_flagged_32: Flagged, u32;
            selection_flagged_64: Flagged, u64;
            selection_flagged_128: Flagged, Bytes16;
        }
    };
}

macro_rules! selection_skeletons {
    ($($symbol:ident: $choice:ty, $t:ty;)*) => { $(selection_entry!($symbol: $choice, $t);)* };
}

for_each_selection_skeleton!(selection_skeletons);
