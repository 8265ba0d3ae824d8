//! Many slots seen at once: loads that do not wait for each other.

use crate::contract::WARP_LANES;
use crate::element::{accumulator_of_words, Accumulator, ACCUMULATOR_MAX_WORDS};
use crate::simt;
use crate::thread::for_each_vector;

use super::Board;

/// The most slots that are seen before the first one, [`WARP_LANES`] apart.
pub const NEIGHBOURS: usize = 7;

/// The place, among what is seen, of a slot that lies elsewhere.
pub const OTHER: usize = NEIGHBOURS + 1;

/// Runs a block for each place.
macro_rules! for_each_place {
    ($k:ident => $body:block) => {
        for_each_vector!($k in 0 1 2 3 4 5 6 7 8 => $body)
    };
}

const _: () = assert!(OTHER == 8);

/// What is seen at once: a slot, the slots 32, 64, … before it, and another.
pub struct Glance<A> {
    /// The values, where they are published.
    pub values: [A; OTHER + 1],
    /// Which are published, a bit each.
    pub published: u32,
}

impl<A: Accumulator> Glance<A> {
    /// How many slots are seen before the first one. More of wide values would fill the registers.
    pub const NEIGHBOURS: u32 = if A::IS_WIDE { 3 } else { NEIGHBOURS as u32 };

    /// Nothing seen yet.
    #[inline(always)]
    pub fn nothing() -> Self {
        Glance {
            values: [A::zeroed(); OTHER + 1],
            published: 0,
        }
    }

    /// Adds what was read of a place.
    #[inline(always)]
    fn add(&mut self, place: usize, value: A, is_published: bool) {
        self.values[place] = value;
        self.published |= (is_published as u32) << place;
    }
}

impl Board {
    /// Looks at `first` and the slots before it, and at `other`: at the places whose bits are set in `wanted`.
    ///
    /// # Safety
    /// The board has the slots that are wanted.
    #[inline(always)]
    pub unsafe fn glance<A: Accumulator>(&self, first: u32, other: u32, wanted: u32) -> Glance<A> {
        let mut seen = Glance::nothing();
        // SAFETY: the caller's.
        unsafe {
            if A::IS_WIDE {
                for_each_place!(K => {
                    let can_be_seen = K as u32 <= Glance::<A>::NEIGHBOURS || K == OTHER;
                    if can_be_seen && wanted >> K & 1 == 1 {
                        let before = first.wrapping_sub(K as u32 * WARP_LANES);
                        let (value, is_published) = self.read(if K == OTHER { other } else { before });
                        seen.add(K, value, is_published);
                    }
                });
                return seen;
            }
            let first = self.address::<A>(first).cast_const();
            let other = self.address::<A>(other).cast_const();
            if A::WORDS == 1 {
                let words = simt::load_words_apart(first, other, wanted);
                for_each_place!(K => {
                    let (value, is_published) = self.value([words[K], words[K]]);
                    seen.add(K, value, is_published);
                });
            } else {
                let words = simt::load_pairs_apart(first, other, wanted);
                for_each_place!(K => {
                    let (value, is_published) = self.value(words[K]);
                    seen.add(K, value, is_published);
                });
            }
        }
        seen
    }

    /// The value that is in one word, given twice, or in two; and whether it is published.
    #[inline(always)]
    fn value<A: Accumulator>(&self, [first, second]: [u64; 2]) -> (A, bool) {
        let mut words = [0; ACCUMULATOR_MAX_WORDS];
        words[0] = first as u32;
        if A::WORDS == 2 {
            words[1] = second as u32;
        }
        let is_published = (first >> 32) as u32 == self.tag && (second >> 32) as u32 == self.tag;
        (accumulator_of_words(words), is_published)
    }
}
