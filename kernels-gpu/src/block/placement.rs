//! The results of a vector of items, in an inclusive or an exclusive scan.

#[cfg(feature = "stable")]
use crate::contract::vector_items;
use crate::contract::Wider;
#[cfg(feature = "stable")]
use crate::element::for_each_word;
use crate::element::VECTOR_WORDS;
use crate::element::{for_each_item, put_item, Accumulator, Element, Vector};
use crate::op::Op;
#[cfg(feature = "stable")]
use crate::simt;
use crate::thread::{lift, Items};

/// Whether a scan is inclusive or exclusive.
pub trait Placement {
    /// Computes the results of one vector from its prefix `before`, and replaces `before` by the next vector's prefix. `index` is the index
    /// of the vector's first item.
    fn place<O: Op<T>, T: Element>(
        before: &mut O::Accumulator,
        vector: &Vector,
        index: u64,
        items: Items,
    ) -> Vector;
}

/// A result combines its own item and all items before it.
pub struct Inclusive;

/// A result combines all items before its own item.
pub struct Exclusive;

impl Placement for Inclusive {
    #[inline(always)]
    fn place<O: Op<T>, T: Element>(
        before: &mut O::Accumulator,
        vector: &Vector,
        index: u64,
        items: Items,
    ) -> Vector {
        let mut results = [0; VECTOR_WORDS];
        let mut upto = UpTo::<O, T>::new(*before);
        for_each_item!(P of Wider<T, O::Output> => {
            upto.append(lift::<O, T>(vector, P, index, items));
            put_item(&mut results, P, O::lower(upto.value()));
        });
        *before = upto.value();
        results
    }
}

impl Placement for Exclusive {
    #[inline(always)]
    fn place<O: Op<T>, T: Element>(
        before: &mut O::Accumulator,
        vector: &Vector,
        index: u64,
        items: Items,
    ) -> Vector {
        let mut results = [0; VECTOR_WORDS];
        let mut upto = UpTo::<O, T>::new(*before);
        for_each_item!(P of Wider<T, O::Output> => {
            let item = lift::<O, T>(vector, P, index, items);
            put_item(&mut results, P, O::lower(upto.value()));
            upto.append(item);
        });
        *before = upto.value();
        results
    }
}

/// Inclusive or exclusive. The kernel computes both results, and its PTX has a pseudo-instruction that takes one of them. `warpfold-build`
/// makes two texts from this PTX: an inclusive scan and an exclusive scan.
#[cfg(feature = "stable")]
pub struct Either;

#[cfg(feature = "stable")]
impl Placement for Either {
    #[inline(always)]
    fn place<O: Op<T>, T: Element>(
        before: &mut O::Accumulator,
        vector: &Vector,
        index: u64,
        items: Items,
    ) -> Vector {
        let (mut inclusive, mut exclusive) = ([0; VECTOR_WORDS], [0; VECTOR_WORDS]);
        let mut upto = UpTo::<O, T>::new(*before);
        for_each_item!(P of Wider<T, O::Output> => {
            put_item(&mut exclusive, P, O::lower(upto.value()));
            upto.append(lift::<O, T>(vector, P, index, items));
            put_item(&mut inclusive, P, O::lower(upto.value()));
        });
        *before = upto.value();
        let bytes = vector_items::<Wider<T, O::Output>>() * size_of::<O::Output>();
        let mut results = [0; VECTOR_WORDS];
        for_each_word!(W of Vector => {
            if 4 * W < bytes {
                results[W] = simt::placed(inclusive[W], exclusive[W]);
            }
        });
        results
    }
}

/// A vector's prefix, and those items of the vector that have been appended so far. [`Self::value`] combines all of these.
struct UpTo<O: Op<T>, T: Element> {
    before: O::Accumulator,
    /// If [`Self::GOES_ON`]: the prefix and the appended items, combined. Otherwise: the appended items alone, combined, or `None` if no
    /// item has been appended yet.
    items: Option<O::Accumulator>,
}

impl<O: Op<T>, T: Element> UpTo<O, T> {
    /// Whether each item is combined with the prefix directly. This is so if the operator is exact or its accumulator is wide. Otherwise,
    /// the vector's items are combined with each other first, and then with the prefix.
    const GOES_ON: bool = O::EXACT || O::Accumulator::IS_WIDE;

    #[inline(always)]
    fn new(before: O::Accumulator) -> Self {
        UpTo {
            before,
            items: if Self::GOES_ON { Some(before) } else { None },
        }
    }

    #[inline(always)]
    fn append(&mut self, item: O::Accumulator) {
        self.items = Some(match self.items {
            Some(items) => O::combine(items, item),
            None => item,
        });
    }

    #[inline(always)]
    fn value(&self) -> O::Accumulator {
        match self.items {
            Some(items) if Self::GOES_ON => items,
            Some(items) => O::combine(self.before, items),
            None => self.before,
        }
    }
}
