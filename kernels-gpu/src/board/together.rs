//! Consecutive slots that the lanes of a warp read together.
//!
//! If each lane read a large value by itself, word by word, each load of the warp would touch 32 sectors. So the lanes read the words of up
//! to 32 slots in the order of the addresses: in round `r`, lane `l` reads word `32·r + l`. The lanes exchange the words through shared
//! memory.

use core::marker::PhantomData;

use crate::contract::WARP_LANES;
use crate::element::{accumulator_of_words, for_each_word};
use crate::element::{Accumulator, ACCUMULATOR_MAX_WORDS};
use crate::launch::slot_words;
use crate::simt;

/// Which words of consecutive slots the calling lane reads.
#[derive(Clone, Copy)]
pub struct Stripe<A> {
    /// The calling lane's number.
    pub lane: u32,
    /// The lane's number, multiplied by [`Self::INVERSE`].
    scaled: u32,
    accumulator: PhantomData<A>,
}

impl<A: Accumulator> Stripe<A> {
    /// A factor that replaces the division of a number by `A::WORDS`. To divide a number, multiply it by this factor, and shift the product
    /// right by 16 bits. The quotient is right for all numbers up to 32 times [`ACCUMULATOR_MAX_WORDS`]. A division takes more
    /// instructions. In a look-back, a single warp works, so no other warp hides the latency of these instructions.
    const INVERSE: u32 = (1u32 << 16).div_ceil(A::WORDS as u32);

    /// The calling lane's words.
    #[inline(always)]
    pub fn of_lane() -> Self {
        let lane = simt::lane();
        Stripe {
            lane,
            scaled: lane * Self::INVERSE,
            accumulator: PhantomData,
        }
    }

    /// The rounds in which the lane reads a word of the first `slots` slots, as a mask: bit `r` for round `r`.
    #[inline(always)]
    pub fn rounds(self, slots: u32) -> u32 {
        let words = slots * A::WORDS as u32;
        let rounds = (words + (WARP_LANES - 1) - self.lane) / WARP_LANES;
        ((1u64 << rounds) - 1) as u32
    }

    /// The slot of the word that the lane reads in a round.
    #[inline(always)]
    pub fn slot(self, round: usize) -> u32 {
        (self.scaled + round as u32 * WARP_LANES * Self::INVERSE) >> 16
    }

    /// The lane reads one word in each round. Returns that word's index in an array of slots, counted in words. Each slot of the array has
    /// `slot_words` words.
    #[inline(always)]
    pub fn place(self, round: usize, slot_words: usize) -> usize {
        let free = slot_words - A::WORDS;
        round * WARP_LANES as usize + self.lane as usize + self.slot(round) as usize * free
    }

    /// Writes `word`, which the lane has read in a round, to the word's place in `scratch`. The tag is left out. The slots of `scratch`
    /// have [`slot_words`] words.
    ///
    /// # Safety
    /// The scratch is in shared memory, and has slots for all words of the round. No other thread uses the word's place.
    #[inline(always)]
    pub unsafe fn put(self, scratch: *mut u32, round: usize, word: u64) {
        // SAFETY: the place is in the scratch, and no other thread uses it: this function's conditions.
        unsafe { put(scratch, self.place(round, slot_words(A::WORDS)), word) };
    }

    /// The value in slot `lane` of `scratch`.
    ///
    /// # Safety
    /// The lanes have written the slot's words by [`Self::put`], and a barrier of the warp has followed.
    #[inline(always)]
    pub unsafe fn get(self, scratch: *const u32) -> A {
        let slot = scratch.wrapping_add(self.lane as usize * slot_words(A::WORDS));
        let mut words = [0; ACCUMULATOR_MAX_WORDS];
        for_each_word!(W of A => {
            // SAFETY: the slot's words are in shared memory, and written: this function's condition.
            words[W] = unsafe { simt::read_shared(slot.add(W)) };
        });
        accumulator_of_words(words)
    }
}

/// Writes a published word to a place of `values`. The tag is left out.
///
/// # Safety
/// The place is in shared memory, and no other thread uses it.
#[inline(always)]
pub unsafe fn put(values: *mut u32, place: usize, word: u64) {
    // SAFETY: the place is in shared memory, and no other thread uses it: this function's condition.
    unsafe { values.add(place).write(word as u32) };
}
