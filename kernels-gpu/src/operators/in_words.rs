//! A user's operator in the form that its kernels use: wide accumulators are copied word by word.
//!
//! Compilers choose in which pieces they copy a struct of three or more words: one copy takes 64 and then 32 bits, another copy 32 and then
//! 64 bits. LLVM keeps a value in registers only if it is read in the pieces in which it was written. The kernels must not use local
//! memory, so a wide accumulator is copied word by word before a function of the operator takes it, and after a function returns it.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::contract::Tree;
use crate::element::{for_each_word, Accumulator, Element, Words};
use crate::op::{Commutative, Op};

/// The operator `O`, whose wide accumulators are copied word by word. The results are those of `O`.
#[derive(Clone, Copy)]
pub struct InWords<O>(PhantomData<O>);

/// Every `InWords<O>` counts as commutative. [`commutes`] checks whether `O` itself commutes. It is called at the row that names `O`, so
/// the compiler's message points to this row.
impl<O> Commutative for InWords<O> {}

/// Compiles only for an operator that commutes.
pub const fn commutes<O: Commutative>() {}

impl<T: Element, O: Op<T>> Op<T> for InWords<O> {
    type Accumulator = O::Accumulator;
    type Output = O::Output;
    const EXACT: bool = O::EXACT;
    const GROUP_TREE: Tree = O::GROUP_TREE;
    const IS_PAIRWISE: bool = O::IS_PAIRWISE;
    const PAIRS_SIXTEENS: bool = O::PAIRS_SIXTEENS;

    #[inline(always)]
    fn identity() -> O::Accumulator {
        in_words(O::identity())
    }

    #[inline(always)]
    fn identity_item() -> Option<T> {
        O::identity_item()
    }

    #[inline(always)]
    fn lift(item: T) -> O::Accumulator {
        in_words(O::lift(item))
    }

    #[inline(always)]
    fn lift_at(item: T, index: u64) -> O::Accumulator {
        in_words(O::lift_at(item, index))
    }

    #[inline(always)]
    fn combine(left: O::Accumulator, right: O::Accumulator) -> O::Accumulator {
        in_words(O::combine(in_words(left), in_words(right)))
    }

    #[inline(always)]
    fn combine_equal(left: O::Accumulator, right: O::Accumulator) -> O::Accumulator {
        in_words(O::combine_equal(in_words(left), in_words(right)))
    }

    #[inline(always)]
    fn lower(value: O::Accumulator) -> O::Output {
        O::lower(in_words(value))
    }

    #[inline(always)]
    fn total(words: Words, index: u64) -> O::Accumulator {
        in_words(O::total(words, index))
    }

    #[inline(always)]
    fn total_of_four(vectors: [Words; 4], index: u64) -> O::Accumulator {
        in_words(O::total_of_four(vectors, index))
    }
}

/// The value, copied word by word if it has more than two words.
#[inline(always)]
fn in_words<A: Accumulator>(value: A) -> A {
    if !A::IS_WIDE {
        return value;
    }
    let mut copy = MaybeUninit::<A>::uninit();
    let from = (&raw const value).cast::<u32>();
    let to = copy.as_mut_ptr().cast::<u32>();
    for_each_word!(W of A => {
        // SAFETY: `W < A::WORDS`, so the word is in bounds of both values.
        unsafe { to.add(W).write_unaligned(from.add(W).read_unaligned()) }
    });
    // SAFETY: an accumulator consists of `A::WORDS` whole words (a check of the trait), and all of them are written above.
    unsafe { copy.assume_init() }
}
