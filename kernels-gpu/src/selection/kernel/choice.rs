//! The ways to choose items, and the types of prefixes.

use core::marker::PhantomData;

use crate::contract::vector_items;
use crate::element::{Accumulator, Element, Vector, Words};
use crate::selection::{Before, BeforeRun, Equality, Predicate, Share};

/// The type of a tile's prefix, with the type of a group's published share.
pub trait Prefix: Accumulator {
    /// A group's published share.
    type Group: Accumulator;

    /// Whether the prefix has the index of the last chosen item.
    const HAS_LAST: bool;

    /// Adds a share to this prefix. The items of the share follow the items of the prefix. The share counts places from item `origin`.
    fn and(self, share: Share, origin: u64) -> Self;

    /// How many chosen items the prefix counts.
    fn count(self) -> u64;

    /// One more than the index of the last chosen item; 0 if there is none, or if the index is not kept.
    fn last(self) -> u64;

    /// A group's share, as it is published. The share counts places from the group's beginning.
    fn group_of(share: Share) -> Self::Group;

    /// The inverse of [`Self::group_of`].
    fn share_of(group: Self::Group) -> Share;
}

impl Prefix for Before {
    type Group = u32;
    const HAS_LAST: bool = false;

    #[inline(always)]
    fn and(self, share: Share, _origin: u64) -> Self {
        self + share.count as u64
    }

    #[inline(always)]
    fn count(self) -> u64 {
        self
    }

    #[inline(always)]
    fn last(self) -> u64 {
        0
    }

    #[inline(always)]
    fn group_of(share: Share) -> u32 {
        share.count
    }

    #[inline(always)]
    fn share_of(count: u32) -> Share {
        Share { count, last: 0 }
    }
}

impl Prefix for BeforeRun {
    type Group = [u32; 2];
    const HAS_LAST: bool = true;

    #[inline(always)]
    fn and(self, Share { count, last }: Share, origin: u64) -> Self {
        let last = match last {
            0 => self[1],
            last => origin.wrapping_add(last as u64),
        };
        [self[0] + count as u64, last]
    }

    #[inline(always)]
    fn count(self) -> u64 {
        self[0]
    }

    #[inline(always)]
    fn last(self) -> u64 {
        self[1]
    }

    #[inline(always)]
    fn group_of(Share { count, last }: Share) -> [u32; 2] {
        [count, last]
    }

    #[inline(always)]
    fn share_of([count, last]: [u32; 2]) -> Share {
        Share { count, last }
    }
}

/// A way to choose among items of type `T`.
pub trait Choice<T: Element> {
    /// The prefix that tiles look back for.
    type Prefix: Prefix;

    /// Whether flags choose the items. If so, the choice does not read the items' values.
    const HAS_FLAGS: bool = false;

    /// Whether the choice of an item depends on the item before it. If so, the first item of the input is always chosen.
    const LOOKS_BEFORE: bool = false;

    /// Whether a lane writes items in batches: see `Launch::BATCH`.
    const WRITES_IN_BATCHES: bool = false;

    /// The chosen items of a vector: bit `i` for item `i`. If [`Self::LOOKS_BEFORE`], `before` is the item before the vector; if the vector
    /// is the input's first, `before` may be any item. If [`Self::HAS_FLAGS`], `flags` has a byte for each item of the vector.
    fn chosen(vector: &Vector, before: T, flags: Words) -> u32;
}

/// Items whose flag is not 0.
pub struct Flagged;

/// Items for which the predicate holds.
pub struct If<P>(PhantomData<P>);

/// Items that begin a run.
pub struct Heads<E>(PhantomData<E>);

impl<T: Element> Choice<T> for Flagged {
    type Prefix = Before;
    const HAS_FLAGS: bool = true;

    #[inline(always)]
    fn chosen(_vector: &Vector, _before: T, [a, b, c, d]: Words) -> u32 {
        let mut chosen = non_zero_bytes(a);
        if vector_items::<T>() > 4 {
            chosen |= non_zero_bytes(b) << 4;
        }
        if vector_items::<T>() > 8 {
            chosen |= non_zero_bytes(c) << 8 | non_zero_bytes(d) << 12;
        }
        chosen
    }
}

impl<T: Element, P: Predicate<T>> Choice<T> for If<P> {
    type Prefix = Before;

    #[inline(always)]
    fn chosen(vector: &Vector, _before: T, _flags: Words) -> u32 {
        P::chosen(vector)
    }
}

impl<T: Element, E: Equality<T>> Choice<T> for Heads<E> {
    type Prefix = BeforeRun;
    const LOOKS_BEFORE: bool = true;
    const WRITES_IN_BATCHES: bool = true;

    #[inline(always)]
    fn chosen(vector: &Vector, before: T, _flags: Words) -> u32 {
        E::heads(vector, before)
    }
}

/// The bytes of a word that are not 0: bit `i` for byte `i`.
#[inline(always)]
fn non_zero_bytes(word: u32) -> u32 {
    // Adding 0x7f to a byte's low 7 bits carries into the byte's highest bit if one of the low bits is set.
    let high = (((word & 0x7f7f_7f7f) + 0x7f7f_7f7f) | word) >> 7 & 0x0101_0101;
    // The product moves bit 8·i to bit 28 + i. The sixteen partial products are different bits, so nothing carries.
    high.wrapping_mul(0x1020_4080) >> 28
}
