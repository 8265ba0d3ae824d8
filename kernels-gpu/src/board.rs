//! The board: values that blocks publish to each other while they run.
//!
//! A value is published at most once, in words that carry the launch's tag (see [`crate::workspace`]). A word with the tag is complete and
//! current, so relaxed accesses are enough, and no word has to be cleared before a launch.

mod glance;
mod together;

pub use self::glance::{Glance, NEIGHBOURS, OTHER};
pub(crate) use self::together::{put, Stripe};

use crate::element::{accumulator_of_words, accumulator_word, for_each_word};
use crate::element::{Accumulator, ACCUMULATOR_MAX_WORDS};
use crate::simt;

/// A launch's board.
#[derive(Clone, Copy)]
pub struct Board {
    words: *mut u64,
    tag: u32,
}

impl Board {
    /// The board of a launch with the tag `tag`. Its words begin at `words`, in global memory.
    #[inline(always)]
    pub fn new(words: *mut u64, tag: u32) -> Self {
        Board { words, tag }
    }

    /// The launch's tag.
    #[inline(always)]
    pub fn tag(&self) -> u32 {
        self.tag
    }

    /// The address of a slot's first word.
    #[inline(always)]
    pub(crate) fn address<A: Accumulator>(&self, slot: u32) -> *mut u64 {
        self.words.wrapping_add(slot as usize * A::WORDS)
    }

    /// Whether a word does not carry the launch's tag. If so, its value is not published yet.
    #[inline(always)]
    pub(crate) fn is_other(&self, word: u64) -> bool {
        (word >> 32) as u32 != self.tag
    }

    /// Publishes a value. One thread calls this.
    ///
    /// # Safety
    /// The board has the slot, and no other thread publishes a value in it.
    #[inline(always)]
    pub unsafe fn publish<A: Accumulator>(&self, slot: u32, value: A) {
        for_each_word!(W of A => {
            let word = (self.tag as u64) << 32 | accumulator_word(value, W) as u64;
            // SAFETY: the board has the slot (this function's condition), and the slot has a word in global memory for each word of `A`.
            unsafe { simt::store_word(self.address::<A>(slot).add(W), word) };
        });
    }

    /// Publishes a word of a value. For each word, one thread calls this.
    ///
    /// # Safety
    /// The board has the slot, the slot has the word, and no other thread publishes this word.
    #[inline(always)]
    pub unsafe fn publish_word<A: Accumulator>(&self, slot: u32, word: u32, bits: u32) {
        let address = self.address::<A>(slot).wrapping_add(word as usize);
        // SAFETY: the board has this word, in global memory: this function's condition.
        unsafe { simt::store_word(address, (self.tag as u64) << 32 | bits as u64) };
    }

    /// Reads a slot: the value, and whether it is published yet.
    ///
    /// # Safety
    /// The board has the slot.
    #[inline(always)]
    pub unsafe fn read<A: Accumulator>(&self, slot: u32) -> (A, bool) {
        let mut words = [0; ACCUMULATOR_MAX_WORDS];
        let mut published = true;
        for_each_word!(W of A => {
            // SAFETY: the board has the slot (this function's condition), and the slot has a word in global memory for each word of `A`.
            let word = unsafe { simt::load_word(self.address::<A>(slot).add(W)) };
            words[W] = word as u32;
            published &= (word >> 32) as u32 == self.tag;
        });
        (accumulator_of_words(words), published)
    }

    /// Clears the first `word_count` words. One thread calls this. The writes are strong, as are the accesses that publish and read values.
    ///
    /// # Safety
    /// The board has these words, and no other thread uses the board any more.
    #[inline(always)]
    pub unsafe fn clear(&self, word_count: u64) {
        let mut word = 0;
        while word < word_count {
            let step = simt::opaque_one() as u64;
            // SAFETY: `word < word_count`, and the board has `word_count` words (this function's condition).
            unsafe { simt::store_word(self.words.add(word as usize), 0) };
            word += step;
        }
    }
}
