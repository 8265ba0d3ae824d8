//! What a scan puts at each place of a vector.

use crate::element::{for_each_item, Element, Words};
use crate::op::Op;

/// What a scan puts at each place.
pub trait Placement {
    /// The results of one vector, `before` which this stands; then it is what stands before the next.
    fn place<O: Op<T, Output = T>, T: Element>(
        before: &mut O::Accumulator,
        words: Words,
    ) -> T::Vector;
}

/// Everything up to and including the place.
pub struct Inclusive;

/// Everything before the place.
pub struct Exclusive;

impl Placement for Inclusive {
    #[inline(always)]
    fn place<O: Op<T, Output = T>, T: Element>(
        before: &mut O::Accumulator,
        words: Words,
    ) -> T::Vector {
        let mut vector = T::unpack(words);
        let items = vector.as_mut();
        let mut upto = UpTo::<O, T>::new(*before);
        for_each_item!(P of T => {
            upto.append(O::lift(items[P]));
            items[P] = O::lower(upto.value());
        });
        *before = upto.value();
        vector
    }
}

impl Placement for Exclusive {
    #[inline(always)]
    fn place<O: Op<T, Output = T>, T: Element>(
        before: &mut O::Accumulator,
        words: Words,
    ) -> T::Vector {
        let mut vector = T::unpack(words);
        let items = vector.as_mut();
        let mut upto = UpTo::<O, T>::new(*before);
        for_each_item!(P of T => {
            let item = O::lift(items[P]);
            items[P] = O::lower(upto.value());
            upto.append(item);
        });
        *before = upto.value();
        vector
    }
}

/// The combination of all items of a vector up to a place, and of what stands before the vector.
struct UpTo<O: Op<T>, T: Element> {
    before: O::Accumulator,
    /// The vector's items alone; with what stands before, where any order does.
    items: Option<O::Accumulator>,
}

impl<O: Op<T>, T: Element> UpTo<O, T> {
    #[inline(always)]
    fn new(before: O::Accumulator) -> Self {
        UpTo {
            before,
            items: if O::EXACT { Some(before) } else { None },
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
            Some(items) if O::EXACT => items,
            Some(items) => O::combine(self.before, items),
            None => self.before,
        }
    }
}
