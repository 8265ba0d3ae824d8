//! A glance reads several slots at once: up to eight slots of a board, each 32 slots below the previous one, and one *other slot*, which
//! may be on another board. If all values have one word, or all have two, the loads do not wait for each other.

use crate::contract::WARP_LANES;
use crate::element::{accumulator_of_words, Accumulator, ACCUMULATOR_MAX_WORDS};
use crate::simt;
use crate::thread::for_each_vector;

use super::Board;

/// The most slots that a glance reads below its first slot. From each of these slots to the next, the distance is [`WARP_LANES`] slots.
pub const NEIGHBOURS: usize = 7;

/// The bit of the other slot, in the masks of wanted slots and of published slots.
pub const OTHER: u32 = 1 << (NEIGHBOURS + 1);

/// Runs a block of code for each index of [`Glance::values`].
macro_rules! for_each_place {
    ($k:ident => $body:block) => {
        for_each_vector!($k in 0 1 2 3 4 5 6 7 => $body)
    };
}

const _: () = assert!(NEIGHBOURS == 7);

/// The values of slots that were read at once: of a first slot, of the slots 32, 64, … below it, and of the other slot. The other slot's
/// value has the type `P`.
pub struct Glance<A, P> {
    /// The values of the first slot and of the slots below it. If a slot's bit in `published` is not set, the slot's value has no meaning.
    pub values: [A; NEIGHBOURS + 1],
    /// The other slot's value. If the bit [`OTHER`] in `published` is not set, this value has no meaning.
    pub other: P,
    /// A mask: a slot's bit is set if the slot was read and is published. [`OTHER`] is the bit of the other slot.
    pub published: u32,
}

impl<A: Accumulator, P: Accumulator> Glance<A, P> {
    /// The largest number of slots that are read below the first slot. If values are wide, only a few of them fit in registers.
    pub const NEIGHBOURS: u32 = if A::IS_WIDE { 3 } else { NEIGHBOURS as u32 };

    /// A glance in which no slot is published.
    #[inline(always)]
    pub fn nothing() -> Self {
        Glance {
            values: [A::zeroed(); NEIGHBOURS + 1],
            other: P::zeroed(),
            published: 0,
        }
    }

    /// Records a value read from a slot.
    #[inline(always)]
    fn add(&mut self, place: usize, (value, is_published): (A, bool)) {
        self.values[place] = value;
        self.published |= (is_published as u32) << place;
    }

    /// Records a value read from the other slot.
    #[inline(always)]
    fn add_other(&mut self, (value, is_published): (P, bool)) {
        self.other = value;
        self.published |= (is_published as u32) << (NEIGHBOURS + 1);
    }
}

impl Board {
    /// Reads slot `first`, the slots 32, 64, … below it, and slot `other` of the board `others`. Only slots whose bits are set in `wanted`
    /// are read.
    ///
    /// # Safety
    /// Every slot whose bit is set in `wanted` exists on its board.
    #[inline(always)]
    pub unsafe fn glance<A: Accumulator, P: Accumulator>(
        &self,
        first: u32,
        others: Board,
        other: u32,
        wanted: u32,
    ) -> Glance<A, P> {
        let mut seen = Glance::nothing();
        let first_word = self.address::<A>(first).cast_const();
        let other_word = others.address::<P>(other).cast_const();
        // SAFETY: only wanted slots are loaded, and their boards have them (this function's condition).
        unsafe {
            match (A::WORDS, P::WORDS) {
                (1, 1) => {
                    let (words, other) = simt::load_words_apart(first_word, other_word, wanted);
                    for_each_place!(K => { seen.add(K, self.value([words[K], 0, 0, 0])); });
                    seen.add_other(others.value([other, 0, 0, 0]));
                }
                (2, 2) => {
                    let (words, [a, b]) = simt::load_pairs_apart(first_word, other_word, wanted);
                    for_each_place!(K => {
                        let [low, high] = words[K];
                        seen.add(K, self.value([low, high, 0, 0]));
                    });
                    seen.add_other(others.value([a, b, 0, 0]));
                }
                _ => {
                    for_each_place!(K => {
                        let can_be_seen = K as u32 <= Glance::<A, P>::NEIGHBOURS;
                        if can_be_seen && wanted >> K & 1 == 1 {
                            let before = first.wrapping_sub(K as u32 * WARP_LANES);
                            seen.add(K, self.read(before));
                        }
                    });
                    if wanted & OTHER != 0 {
                        seen.add_other(others.read(other));
                    }
                }
            }
        }
        seen
    }

    /// The value in the first `A::WORDS` of the words `loaded`, and whether it is published.
    #[inline(always)]
    fn value<A: Accumulator>(&self, loaded: [u64; 4]) -> (A, bool) {
        let mut words = [0; ACCUMULATOR_MAX_WORDS];
        let mut is_published = true;
        for_each_vector!(W in 0 1 2 3 => {
            if W < A::WORDS {
                words[W] = loaded[W] as u32;
                is_published &= (loaded[W] >> 32) as u32 == self.tag;
            }
        });
        (accumulator_of_words(words), is_published)
    }
}
