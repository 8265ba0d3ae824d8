//! Accumulators as words of 32 bits, as state words carry them and ranks hand them to each other.

use warpfold_kernels::element::{
    ACCUMULATOR_MAX_WORDS, Accumulator, accumulator_of_words, accumulator_word,
};

/// Words of an accumulator.
pub(super) const fn words_of<A: Accumulator>() -> usize {
    A::WORDS
}

/// The accumulator's words.
pub(super) fn to_words<A: Accumulator>(value: A) -> impl Iterator<Item = u32> {
    (0..A::WORDS).map(move |word| accumulator_word(value, word))
}

/// The accumulator with these words, as many as it has.
pub(super) fn from_words<A: Accumulator>(words: &[u32]) -> A {
    let mut all = [0; ACCUMULATOR_MAX_WORDS];
    for (word, &given) in all.iter_mut().zip(words) {
        *word = given;
    }
    accumulator_of_words(all)
}

/// Values as bytes.
pub(super) fn to_bytes<A: Accumulator>(values: &[A]) -> Vec<u8> {
    let words = values.iter().flat_map(|&value| to_words(value));
    words.flat_map(u32::to_ne_bytes).collect()
}

/// The values of which these are the words, as many for each as it has.
pub(super) fn all_from_words<A: Accumulator>(words: &[u32]) -> Vec<A> {
    words
        .chunks_exact(words_of::<A>())
        .map(from_words)
        .collect()
}

/// The values of which these are the bytes.
pub(super) fn from_bytes<A: Accumulator>(bytes: &[u8]) -> Vec<A> {
    let value = |bytes: &[u8]| {
        let words: Vec<_> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        from_words(&words)
    };
    bytes.chunks_exact(4 * words_of::<A>()).map(value).collect()
}
