//! Consecutive slots that the lanes of a warp read together.
//!
//! A lane that reads a large value by itself issues a load for each of its words, and each load of the warp touches 32 sectors. So the
//! lanes read the words of 32 slots in their order: in round `r`, lane `l` reads word `32·r + l`. They exchange the words through shared
//! memory.

use core::marker::PhantomData;

use crate::contract::WARP_LANES;
use crate::element::{accumulator_of_words, for_each_word};
use crate::element::{Accumulator, ACCUMULATOR_MAX_WORDS};
use crate::launch::slot_words;
use crate::simt;

/// The words of consecutive slots that the calling lane reads.
#[derive(Clone, Copy)]
pub struct Stripe<A> {
    /// The calling lane.
    pub lane: u32,
    /// The lane, multiplied by [`Self::INVERSE`].
    scaled: u32,
    accumulator: PhantomData<A>,
}

impl<A: Accumulator> Stripe<A> {
    /// A factor that stands for a division by the words of a value: multiplied by it and shifted by 16 bits, each number up to 32 times the
    /// most words gives the right quotient. A division would take several instructions, and one warp waits for each.
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

    /// The rounds in which the lane reads a word of the first `slots` slots: a bit for each.
    #[inline(always)]
    pub fn rounds(self, slots: u32) -> u32 {
        let words = slots * A::WORDS as u32;
        let rounds = (words + (WARP_LANES - 1) - self.lane) / WARP_LANES;
        ((1u64 << rounds) - 1) as u32
    }

    /// The slot of the lane's word of a round.
    #[inline(always)]
    pub fn slot(self, round: usize) -> u32 {
        (self.scaled + round as u32 * WARP_LANES * Self::INVERSE) >> 16
    }

    /// The place of the lane's word of a round, if a slot has `slot_words` words.
    #[inline(always)]
    pub fn place(self, round: usize, slot_words: usize) -> usize {
        let free = slot_words - A::WORDS;
        round * WARP_LANES as usize + self.lane as usize + self.slot(round) as usize * free
    }

    /// Writes the lane's word of a round, without its tag, to its place in `scratch`, whose slots have [`slot_words`] words.
    ///
    /// # Safety
    /// The scratch is in shared memory, and has slots for the round. No other thread uses the place.
    #[inline(always)]
    pub unsafe fn put(self, scratch: *mut u32, round: usize, word: u64) {
        // SAFETY: the place is in the scratch and this thread's: this function's conditions.
        unsafe { put(scratch, self.place(round, slot_words(A::WORDS)), word) };
    }

    /// The value of the slot in `scratch` that has the lane's number.
    ///
    /// # Safety
    /// The lanes have put the slot's words, and a barrier of the warp has followed.
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

/// Writes a published word, without its tag, to a place.
///
/// # Safety
/// The place is in shared memory, and no other thread uses it.
#[inline(always)]
pub unsafe fn put(values: *mut u32, place: usize, word: u64) {
    // SAFETY: the place is in shared memory and this thread's: this function's condition.
    unsafe { values.add(place).write(word as u32) };
}
