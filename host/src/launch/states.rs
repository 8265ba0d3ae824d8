//! Converts accumulators to state words and back: ranks exchange accumulators as state words. The low half of a state word has 32 bits of
//! the value. The high half has the tag of the launch that published the value.

use warpfold_kernels::element::{
    ACCUMULATOR_MAX_WORDS, Accumulator, accumulator_of_words, accumulator_word,
};

/// Bytes of an accumulator's state words.
pub(crate) const fn state_bytes<A: Accumulator>() -> usize {
    8 * A::WORDS
}

/// The state words of a value.
pub(crate) fn to_states<A: Accumulator>(tag: u32, value: A) -> impl Iterator<Item = u64> {
    (0..A::WORDS).map(move |word| u64::from(tag) << 32 | u64::from(accumulator_word(value, word)))
}

/// The accumulators in these state words.
pub(crate) fn from_states<A: Accumulator>(bytes: &[u8]) -> impl Iterator<Item = A> {
    bytes.chunks_exact(state_bytes::<A>()).map(|states| {
        let mut words = [0; ACCUMULATOR_MAX_WORDS];
        for (word, state) in words.iter_mut().zip(states.as_chunks::<8>().0) {
            *word = u64::from_ne_bytes(*state) as u32;
        }
        accumulator_of_words(words)
    })
}
