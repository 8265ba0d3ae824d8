//! Skeletons and bodies. A skeleton is a kernel with holes in place of the operator. The bodies of an operator fill the holes.
//!
//! Kernels of the same kind differ little. So the library ships few texts. Two kernels have the same skeleton if they agree in their kind,
//! in the widths of items, accumulators and results, and in a few properties of their operators. An operator's functions are holes in the
//! skeleton (see [`crate::simt::holes`]). The library also ships the bodies that fill the holes. A skeleton filled with a row's bodies is
//! the row's kernel. Three rows of the table ship as complete texts instead (see [`crate::for_each_whole_kernel!`]).
//!
//! Holes are as large as possible: a vector's total, or a scan's results for a vector. So everything that an operator does with narrow
//! items is within a body. Inclusive and exclusive scans differ only in one body.
//!
//! Reductions have accumulators of up to 14 words. An operator with an accumulator of more than two words may use an item's index, has no
//! identity item, and is exact or combines pairwise. Of these operators, scans have only the exact ones. With two inputs, an item is a pair
//! of up to 128 bits. Selections by flags also have items of up to 128 bits. All other items of skeletons have at most 64 bits.

mod bodies;

use core::marker::PhantomData;

use crate::arithmetic::of_two_words;
use crate::block::Placement;
use crate::contract::Tree;
use crate::element::{accumulator_of_words, accumulator_word, for_each_word};
use crate::element::{first_words, put_item, vector_of, Vector, Words, VECTOR_WORDS};
use crate::element::{Accumulator, AccumulatorWords, Element, ACCUMULATOR_MAX_WORDS};
use crate::op::{four_totals, Commutative, Op};
use crate::selection::{Equality, Predicate};
use crate::simt::holes;
use crate::thread::Items;

/// An operator made of holes, with accumulators `A` and results `R`. Without `FILLS`, no item lifts to the identity. Without `COMMUTES`,
/// the operator does not commute, so a scan combines the aggregates of a tile group neighbours first.
#[derive(Clone, Copy)]
pub struct Holes<A, R, const EXACT: bool, const FILLS: bool = true, const COMMUTES: bool = true>(
    PhantomData<(A, R)>,
);

/// Whether the skeleton has a hole that combines the items of four vectors. Such a hole exists only for items of 4 bytes. With items of 8
/// bytes, four vectors have only eight items, and compilers would make branches between the vectors.
const fn has_totals_of_four<O: Op<T>, T: Element>() -> bool {
    let (is_wide, has_two_words) = (O::Accumulator::IS_WIDE, O::Accumulator::WORDS == 2);
    (O::EXACT && is_wide || O::PAIRS_SIXTEENS && has_two_words) && size_of::<T>() == 4
}

/// Whether an operator [streams rows](Op::STREAMS_ROWS). An exact operator does if its accumulator is one or two keys of one word, each
/// with an index: 3 or 6 words. Any other operator does if it combines sixteens pairwise, and its accumulator has two words or six words.
/// Six words are a count and two sums.
const fn streams_rows<O: Op<T>, T: Element>() -> bool {
    match O::EXACT {
        true => matches!(O::Accumulator::WORDS, 3 | 6),
        false => O::PAIRS_SIXTEENS && matches!(O::Accumulator::WORDS, 2 | 6),
    }
}

/// Whether indices are [found late](Op::FINDS_LATE). They are if the accumulator is one key with an index, and the items have 4 bytes.
const fn finds_late<O: Op<T>, T: Element>() -> bool {
    has_totals_of_four::<O, T>() && O::Accumulator::WORDS == 3
}

/// Operators for which no item lifts to the identity. Their reductions lift only existing items.
pub type Existing<A, R, const EXACT: bool> = Holes<A, R, EXACT, false>;

/// Operators that do not commute.
pub type InOrder<A, R, const EXACT: bool> = Holes<A, R, EXACT, true, false>;

impl<A, R, const EXACT: bool, const FILLS: bool> Commutative for Holes<A, R, EXACT, FILLS> {}

impl<
        T: Element,
        A: Accumulator,
        R: Element,
        const EXACT: bool,
        const FILLS: bool,
        const COMMUTES: bool,
    > Op<T> for Holes<A, R, EXACT, FILLS, COMMUTES>
{
    type Accumulator = A;
    type Output = R;
    const EXACT: bool = EXACT;
    const IS_PAIRWISE: bool = A::IS_WIDE && !EXACT;
    const PAIRS_SIXTEENS: bool = !EXACT;
    const GROUP_TREE: Tree = match COMMUTES {
        true => Tree::Halves,
        false => Tree::Neighbours,
    };

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
        match A::IS_WIDE {
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

    const STREAMS_ROWS: bool = streams_rows::<Self, T>();

    /// If the operator is not exact and the accumulator has six words: the two words of the count. If the operator is exact: the upper word
    /// of each index.
    const EQUAL_WORDS: u32 = match (EXACT, A::WORDS) {
        (false, 6) => 0b11,
        (true, 3) => 0b100,
        (true, 6) => 0b100100,
        _ => 0,
    };

    #[inline(always)]
    fn stream(words: Words, place: u32) -> A {
        holes::stream(words, place)
    }

    #[inline(always)]
    fn combine_streams(left: A, right: A) -> A {
        match A::IS_WIDE {
            true => holes::combine_streams(left, right),
            false => holes::combine(left, right),
        }
    }

    #[inline(always)]
    fn end_stream(value: A) -> A {
        match A::IS_WIDE {
            true => holes::end_stream(value),
            false => value,
        }
    }

    #[inline(always)]
    fn moved(value: A, distance: u64) -> A {
        if !EXACT || !streams_rows::<Self, T>() {
            return value;
        }
        let mut words: AccumulatorWords = [0; ACCUMULATOR_MAX_WORDS];
        for_each_word!(W of A => { words[W] = accumulator_word(value, W); });
        let moved = |low, high| {
            let index = of_two_words(low, high).wrapping_add(distance);
            [index as u32, (index >> 32) as u32]
        };
        [words[1], words[2]] = moved(words[1], words[2]);
        if A::WORDS == 6 {
            [words[4], words[5]] = moved(words[4], words[5]);
        }
        accumulator_of_words(words)
    }

    #[inline(always)]
    fn total_of_four(vectors: [Words; 4], index: u64) -> A {
        match has_totals_of_four::<Self, T>() {
            true => holes::total_of_four(vectors, index),
            false => four_totals::<Self, T>(vectors, index),
        }
    }

    const FINDS_LATE: bool = finds_late::<Self, T>();

    #[inline(always)]
    fn bound_of_four(vectors: [Words; 4], index: u64) -> A {
        match finds_late::<Self, T>() {
            true => holes::bound_of_four(vectors, index),
            false => <Self as Op<T>>::total_of_four(vectors, index),
        }
    }

    /// If the accumulator has three words, the first word is a key, and the other two are an index.
    #[inline(always)]
    fn index_of(value: A) -> u64 {
        match A::WORDS {
            3 => of_two_words(accumulator_word(value, 1), accumulator_word(value, 2)),
            _ => 0,
        }
    }
}

/// A placement made of holes, for a scan's results.
pub struct Places;

impl Placement for Places {
    #[inline(always)]
    fn place<O: Op<T>, T: Element>(
        before: &mut O::Accumulator,
        vector: &Vector,
        index: u64,
        _items: Items,
    ) -> Vector {
        let words = first_words(vector);
        let results = holes::place(*before, words, index);
        *before = holes::after(*before, words, index);
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
    let mut vector = [0; VECTOR_WORDS];
    put_item(&mut vector, 0, item);
    vector
}

macro_rules! arrays {
    ($($name:ident = $length:literal $t:ident;)*) => { $(pub type $name = [$t; $length];)* };
}

// Types for accumulators of several words, and for results of several values. Such a result has the alignment of one value.
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

/// Emits the skeletons of a kind. A line has `true` or `false`, and then three types with the right widths: for the item, the accumulator
/// and the result. The skeleton's name follows, and contains the widths in bits. For pairs, the line has the type of one of the two values,
/// and the name has the width of the pair.
///
/// For whole arrays, `true` stands for exact operators, and the name also says whether the operators are exact. In reductions and scans of
/// segments, of runs of keys and of columns, `false` stands for operators that combine sixteens pairwise, and `true` for all other
/// operators.
macro_rules! skeletons {
    ([$emit:path] $holes:ident: $($exact:literal $t:ident $a:ident $r:ident => $symbol:ident;)*) => {
        $($emit! { [forward] [$symbol] $holes<$a, $r, $exact>, $t })*
    };
}
