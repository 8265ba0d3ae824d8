//! What a scan puts at each place of a vector.

use crate::element::{first_words, for_each_item, item_of, put_item, vector_of, Element, Words};
use crate::op::Op;

/// What a scan puts at each place.
pub trait Placement {
    /// The results of one vector, `before` which this stands; then it is what stands before the next.
    fn place<O: Op<T, Output = T>, T: Element>(before: &mut O::Accumulator, words: Words) -> Words;
}

/// Everything up to and including the place.
pub struct Inclusive;

/// Everything before the place.
pub struct Exclusive;

impl Placement for Inclusive {
    #[inline(always)]
    fn place<O: Op<T, Output = T>, T: Element>(before: &mut O::Accumulator, words: Words) -> Words {
        let vector = vector_of(words);
        let mut results = [0; 8];
        let mut upto = UpTo::<O, T>::new(*before);
        for_each_item!(P of T => {
            upto.append(O::lift(item_of(&vector, P)));
            put_item(&mut results, P, O::lower(upto.value()));
        });
        *before = upto.value();
        first_words(&results)
    }
}

impl Placement for Exclusive {
    #[inline(always)]
    fn place<O: Op<T, Output = T>, T: Element>(before: &mut O::Accumulator, words: Words) -> Words {
        let vector = vector_of(words);
        let mut results = [0; 8];
        let mut upto = UpTo::<O, T>::new(*before);
        for_each_item!(P of T => {
            let item = O::lift(item_of(&vector, P));
            put_item(&mut results, P, O::lower(upto.value()));
            upto.append(item);
        });
        *before = upto.value();
        first_words(&results)
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
