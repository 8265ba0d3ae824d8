//! The bodies of the table's operators, predicates and equalities. Each body is a function called `SYMBOL$HOLE`: the symbol of its row, and
//! the name of its hole. The rows are those of whole arrays and of selections. Kernels of segments, of columns and of runs of keys take the
//! bodies of the rows of whole arrays.
//!
//! Inputs and outputs are numbered as in [`crate::simt::holes`]. A row also has bodies for holes that its skeleton lacks; such bodies do
//! not ship.

use half::{bf16, f16};

use super::{finds_late, has_totals_of_four, streams_rows};
use crate::block::{Exclusive, Inclusive, Placement};
use crate::element::{first_words, vector_of, Accumulator, Element, Words};
use crate::op::*;
use crate::segments;
use crate::selection::{Equal, Equality, NonZero, NotNan, Predicate};
use crate::simt::holes::{give, give_result, give_words};
use crate::simt::holes::{take, take_accumulator, take_both};
use crate::simt::holes::{take_index, take_place, take_vector};
use crate::thread::Items;

#[inline(always)]
fn identity<O: Op<T>, T: Element>() {
    give_words(O::identity());
}

#[inline(always)]
fn identity_item<O: Op<T>, T: Element>() {
    if let Some(item) = O::identity_item() {
        give::<T, 0>(item);
    }
}

#[inline(always)]
fn lift<O: Op<T>, T: Element>() {
    let item = take::<T, 0>();
    give_words(O::lift_at(item, take_index::<O::Accumulator, 1>()));
}

#[inline(always)]
fn combine<O: Op<T>, T: Element>() {
    let (left, right) = take_both();
    give_words(O::combine(left, right));
}

#[inline(always)]
fn combine_equal<O: Op<T>, T: Element>() {
    let (left, right) = take_both();
    give_words(O::combine_equal(left, right));
}

#[inline(always)]
fn lower<O: Op<T>, T: Element>() {
    let value: O::Accumulator = take_accumulator();
    match <O::Accumulator as Accumulator>::IS_WIDE {
        false => give::<_, 0>(O::lower(value)),
        true => give_result(O::lower(value)),
    }
}

#[inline(always)]
fn total<O: Op<T>, T: Element>() {
    let words = take_words::<0, 1, 2, 3>();
    give_words(O::total(words, take_index::<O::Accumulator, 4>()));
}

/// The bodies of `stream`, `combine_streams` and `end_stream` are empty unless [`segments::streams_rows`] holds.
#[inline(always)]
fn stream<O: Op<T>, T: Element>() {
    const {
        assert!(O::STREAMS_ROWS == streams_rows::<O, T>());
    }
    if segments::streams_rows::<O, T>() {
        let words = take_words::<0, 1, 2, 3>();
        give_words(O::stream(words, take_place::<O::Accumulator, 4>()));
    }
}

#[inline(always)]
fn combine_streams<O: Op<T>, T: Element>() {
    if segments::streams_rows::<O, T>() {
        let (left, right) = take_both();
        give_words(O::combine_streams(left, right));
    }
}

#[inline(always)]
fn end_stream<O: Op<T>, T: Element>() {
    if segments::streams_rows::<O, T>() {
        give_words(O::end_stream(take_accumulator()));
    }
}

/// The body is empty for rows whose skeletons do not have this hole.
#[inline(always)]
fn total_of_four<O: Op<T>, T: Element>() {
    if has_totals_of_four::<O, T>() {
        let (vectors, index) = take_four_vectors::<O::Accumulator>();
        give_words(O::total_of_four(vectors, index));
    }
}

/// The body is empty for rows whose skeletons do not have this hole.
#[inline(always)]
fn bound_of_four<O: Op<T>, T: Element>() {
    if finds_late::<O, T>() {
        let (vectors, index) = take_four_vectors::<O::Accumulator>();
        give_words(O::bound_of_four(vectors, index));
    }
}

#[inline(always)]
fn place<P: Placement, O: Op<T>, T: Element>() {
    let ([w, x, y, z], _) = placed::<P, O, T>();
    give::<u32, 0>(w);
    give::<u32, 1>(x);
    give::<u32, 2>(y);
    give::<u32, 3>(z);
}

/// The body is empty for accumulators of one word, since no kernel with such accumulators uses this hole.
#[inline(always)]
fn after<P: Placement, O: Op<T>, T: Element>() {
    if <O::Accumulator as Accumulator>::WORDS > 1 {
        let (_, after) = placed::<P, O, T>();
        give_words(after);
    }
}

#[inline(always)]
fn chosen<P: Predicate<T>, T: Element>() {
    give::<u32, 0>(P::chosen(&vector_of(take_words::<0, 1, 2, 3>())));
}

#[inline(always)]
fn heads<E: Equality<T>, T: Element>() {
    let before = take::<T, 0>();
    give::<u32, 0>(E::heads(&vector_of(take_words::<1, 2, 3, 4>()), before));
}

/// The results of a scan for the vector in the inputs, and the prefix of the next vector.
#[inline(always)]
fn placed<P: Placement, O: Op<T>, T: Element>() -> (Words, O::Accumulator) {
    let mut before = take_accumulator::<O::Accumulator>();
    let (words, index) = take_vector::<O::Accumulator>();
    let results = P::place::<O, T>(&mut before, &vector_of(words), index, Items::All);
    (first_words(&results), before)
}

/// Takes four vectors from the inputs. If the accumulator is wide, also takes the index of the first item. Otherwise the index is 0.
#[inline(always)]
fn take_four_vectors<A: Accumulator>() -> ([Words; 4], u64) {
    let vectors = [
        take_words::<0, 1, 2, 3>(),
        take_words::<4, 5, 6, 7>(),
        take_words::<8, 9, 10, 11>(),
        take_words::<12, 13, 14, 15>(),
    ];
    (vectors, take_index::<A, 16>())
}

/// Takes a vector from the four inputs with the numbers `A`, `B`, `C` and `D`.
#[inline(always)]
fn take_words<const A: usize, const B: usize, const C: usize, const D: usize>() -> Words {
    [
        take::<_, A>(),
        take::<_, B>(),
        take::<_, C>(),
        take::<_, D>(),
    ]
}

macro_rules! body {
    ($symbol:ident $hole:ident: $body:expr) => {
        const _: () = {
            #[export_name = concat!(stringify!($symbol), "$", stringify!($hole))]
            extern "C" fn body() {
                $body
            }
        };
    };
}

/// Emits the bodies of a row. The first arm has the bodies that reductions and scans share.
macro_rules! row {
    ($op:ident $t:ident $symbol:ident) => {
        body!($symbol identity: identity::<$op, $t>());
        body!($symbol identity_item: identity_item::<$op, $t>());
        body!($symbol lift: lift::<$op, $t>());
        body!($symbol combine: combine::<$op, $t>());
        body!($symbol lower: lower::<$op, $t>());
        body!($symbol total: total::<$op, $t>());
    };
    (reduce $op:ident $t:ident $symbol:ident) => {
        row!($op $t $symbol);
        body!($symbol combine_equal: combine_equal::<$op, $t>());
        body!($symbol stream: stream::<$op, $t>());
        body!($symbol combine_streams: combine_streams::<$op, $t>());
        body!($symbol end_stream: end_stream::<$op, $t>());
        body!($symbol total_of_four: total_of_four::<$op, $t>());
        body!($symbol bound_of_four: bound_of_four::<$op, $t>());
    };
    (reduce_pairs $op:ident $t:ident $symbol:ident) => {
        const _: () = {
            type Item = Pair<$t, $t>;
            row!($op Item $symbol);
            body!($symbol combine_equal: combine_equal::<$op, Item>());
        };
    };
    (inclusive_scan $op:ident $t:ident $symbol:ident) => {
        row!($op $t $symbol);
        body!($symbol place: place::<Inclusive, $op, $t>());
        body!($symbol after: after::<Inclusive, $op, $t>());
    };
    (exclusive_scan $op:ident $t:ident $symbol:ident) => {
        row!($op $t $symbol);
        body!($symbol place: place::<Exclusive, $op, $t>());
        body!($symbol after: after::<Exclusive, $op, $t>());
    };
}

/// Emits the body of a row of selections. A selection by flags has no body.
macro_rules! selection_row {
    (select_if $predicate:ident $t:ident $symbol:ident) => {
        body!($symbol chosen: chosen::<$predicate, $t>());
    };
    (runs $equality:ident $t:ident $symbol:ident) => {
        body!($symbol heads: heads::<$equality, $t>());
    };
    // A kernel that marks heads uses the body of the row for runs.
    (heads $equality:ident $t:ident $symbol:ident) => {};
    (select_flagged $flags:ident $t:ident $symbol:ident) => {};
}

macro_rules! selection_rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { $(selection_row!($kind $op $t $symbol);)* };
}

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { $(row!($kind $op $t $symbol);)* };
}

crate::for_each_kernel!(rows);
crate::for_each_pair_kernel!(rows);
crate::for_each_selection_kernel!(selection_rows);
