//! Items of one word: the extreme of one vector or of four vectors, and its place.
//!
//! For four vectors, the extreme is found first, and then the first place with the extreme's bits. So only the extreme's key is computed.
//! For one vector of `f32`, the extreme is found first too. For `f32`, this needs minimum and maximum instructions that propagate NaN:
//! without them, all keys are computed. NaNs are handled at the end.

use super::{directed, signed, single, unsigned, word_of, Located, Ordered};
use crate::arithmetic::{maximum_f32, minimum_f32, unless_nan, HAS_EXTREMES_F32};
use crate::element::Words;

/// Implements [`Ordered`] for integers of one word. Each type has a function that converts a word to a key.
macro_rules! words {
    ($($t:ident: $key:expr;)*) => {$(
        impl Word for $t {
            #[inline(always)]
            fn of_bits(bits: u32) -> $t {
                bits as $t
            }

            #[inline(always)]
            fn bits(self) -> u32 {
                self as u32
            }
        }

        impl Ordered for $t {
            type Located = [u32; 3];

            #[inline(always)]
            fn located<const FALLING: bool>(self, index: u64) -> [u32; 3] {
                Located::new(directed::<FALLING>($key(word_of(self))), index)
            }

            #[inline(always)]
            fn least<const FALLING: bool>(words: Words, index: u64) -> [u32; 3] {
                least_of_words(words.map(|word| directed::<FALLING>($key(word))), index)
            }

            #[inline(always)]
            fn streamed<const FALLING: bool>(words: Words, place: u32) -> [u32; 3] {
                let [key, first, _] = Self::least::<FALLING>(words, 0);
                [key, place + first, 0]
            }

            #[inline(always)]
            fn least_of_four<const FALLING: bool>(vectors: [Words; 4], index: u64) -> [u32; 3] {
                let found = Found::among(vectors, extreme_word::<$t, FALLING>);
                let key = directed::<FALLING>($key(found.extreme));
                Located::new(key, index + (found.first + place_of(found.words, found.extreme)) as u64)
            }

            #[inline(always)]
            fn bound_of_four<const FALLING: bool>(vectors: [Words; 4], index: u64) -> [u32; 3] {
                let extreme = extreme_of_four(vectors, extreme_word::<$t, FALLING>);
                Located::new(directed::<FALLING>($key(extreme)), index)
            }
        }
    )*};
}

/// The bits of the lesser of two integers, or of the greater if `FALLING`.
#[inline(always)]
fn extreme_word<T: Word, const FALLING: bool>(a: u32, b: u32) -> u32 {
    let (a, b) = (T::of_bits(a), T::of_bits(b));
    match FALLING {
        false => Ord::min(a, b).bits(),
        true => Ord::max(a, b).bits(),
    }
}

/// An integer of 32 bits.
trait Word: Copy + Ord {
    fn of_bits(bits: u32) -> Self;
    fn bits(self) -> u32;
}

/// The least of four keys. `index` is the index of the first key.
#[inline(always)]
fn least_of_words([a, b, c, d]: Words, index: u64) -> [u32; 3] {
    let (left, right) = (first_least((a, 0), (b, 1)), first_least((c, 2), (d, 3)));
    let (key, place) = first_least(left, right);
    Located::new(key, index + place as u64)
}

/// The bits of the extreme of the items of four vectors. Each item is a word. `extreme` returns the extreme of two items.
#[inline(always)]
fn extreme_of_four(vectors: [Words; 4], extreme: impl Fn(u32, u32) -> u32) -> u32 {
    let [a, b, c, d] = extremes(vectors, &extreme);
    extreme(extreme(a, b), extreme(c, d))
}

/// The bits of the extreme of each vector's items. rust-cuda's compiler would keep the vectors in local memory for `map`.
#[inline(always)]
fn extremes([a, b, c, d]: [Words; 4], extreme: &impl Fn(u32, u32) -> u32) -> Words {
    let of = |[a, b, c, d]: Words| extreme(extreme(a, b), extreme(c, d));
    [of(a), of(b), of(c), of(d)]
}

/// The extreme of the items of four vectors, and the vector that has it. Each item is a word.
struct Found {
    /// The bits of the extreme.
    extreme: u32,
    /// The first vector that has the extreme.
    words: Words,
    /// The place of that vector's first item among the 16 items.
    first: u32,
}

impl Found {
    /// Finds the extreme of the items of four vectors. `extreme` returns the bits of the extreme of two items.
    #[inline(always)]
    fn among(vectors: [Words; 4], extreme: impl Fn(u32, u32) -> u32) -> Self {
        let [a, b, c, d] = extremes(vectors, &extreme);
        let total = extreme(extreme(a, b), extreme(c, d));
        let mut found = Found {
            extreme: total,
            words: vectors[3],
            first: 12,
        };
        found = found.unless(c == total, vectors[2], 8);
        found = found.unless(b == total, vectors[1], 4);
        found.unless(a == total, vectors[0], 0)
    }

    /// If `is_here`, the earlier vector `words` has the extreme, and replaces the vector found so far.
    #[inline(always)]
    fn unless(self, is_here: bool, words: Words, first: u32) -> Self {
        let choose = |here: u32, there: u32| if is_here { here } else { there };
        let [a, b, c, d] = self.words;
        Found {
            extreme: self.extreme,
            words: [
                choose(words[0], a),
                choose(words[1], b),
                choose(words[2], c),
                choose(words[3], d),
            ],
            first: choose(first, self.first),
        }
    }
}

/// The place of the first of four words that has these bits; 3 if none of the first three words has them.
#[inline(always)]
fn place_of(words: Words, bits: u32) -> u32 {
    let mut place = 3;
    place = if words[2] == bits { 2 } else { place };
    place = if words[1] == bits { 1 } else { place };
    if words[0] == bits {
        0
    } else {
        place
    }
}

/// The lesser of two keys, with its place. If the keys are equal, the result is the first key.
#[inline(always)]
fn first_least(first: (u32, u32), second: (u32, u32)) -> (u32, u32) {
    if second.0 < first.0 {
        second
    } else {
        first
    }
}

words! {
    u32: unsigned;
    i32: signed::<0x8000_0000>;
}

impl Ordered for f32 {
    type Located = [u32; 3];

    #[inline(always)]
    fn located<const FALLING: bool>(self, index: u64) -> [u32; 3] {
        Located::new(directed::<FALLING>(single(self.to_bits())), index)
    }

    #[inline(always)]
    fn least<const FALLING: bool>(words: Words, index: u64) -> [u32; 3] {
        if !HAS_EXTREMES_F32 {
            return least_of_words(words.map(|word| directed::<FALLING>(single(word))), index);
        }
        let (extreme, key, place) = extreme::<FALLING>(words);
        let [key, place, ..] = unless_nan(extreme, words, [key, place, key, place]);
        Located::new(key, index + place as u64)
    }

    /// The function has no branch, so it can overlap with the computation of other vectors. Each item is replaced by the extreme of the
    /// item and itself. For a number, this is the number. For a NaN, it is one fixed NaN, whatever the bits of the item. So the first NaN
    /// is found in the same way as the extreme number.
    #[inline(always)]
    fn streamed<const FALLING: bool>(words: Words, place: u32) -> [u32; 3] {
        if !HAS_EXTREMES_F32 {
            let [key, first, _] = Self::least::<FALLING>(words, 0);
            return [key, place + first, 0];
        }
        let words = words.map(|word| extreme_of_two::<FALLING>(word, word));
        let (extreme, key, first) = extreme::<FALLING>(words);
        [if extreme.is_nan() { 0 } else { key }, place + first, 0]
    }

    /// If an item is NaN, the minimum and maximum instructions return one fixed NaN, whatever the item's bits. So the first vector with a
    /// NaN is found in the same way as the first vector with the extreme number.
    #[inline(always)]
    fn least_of_four<const FALLING: bool>(vectors: [Words; 4], index: u64) -> [u32; 3] {
        if !HAS_EXTREMES_F32 {
            let least = |v: usize| Self::least::<FALLING>(vectors[v], index + 4 * v as u64);
            let two = |v: usize| least(v).least_of_next(least(v + 1));
            return two(0).least_of_next(two(2));
        }
        let Found {
            extreme,
            words,
            first,
        } = Found::among(vectors, extreme_of_two::<FALLING>);
        let (key, place) = (number_key::<FALLING>(extreme), place_of(words, extreme));
        let [key, place, ..] = unless_nan(f32::from_bits(extreme), words, [key, place, key, place]);
        Located::new(key, index + (first + place) as u64)
    }

    #[inline(always)]
    fn bound_of_four<const FALLING: bool>(vectors: [Words; 4], index: u64) -> [u32; 3] {
        if !HAS_EXTREMES_F32 {
            return Self::least_of_four::<FALLING>(vectors, index);
        }
        let extreme = extreme_of_four(vectors, extreme_of_two::<FALLING>);
        let key = match f32::from_bits(extreme).is_nan() {
            true => 0,
            false => number_key::<FALLING>(extreme),
        };
        Located::new(key, index)
    }

    #[inline(always)]
    fn both_least(words: Words, index: u64) -> [[u32; 3]; 2] {
        if !HAS_EXTREMES_F32 {
            let rising = Self::least::<false>(words, index);
            return [rising, Self::least::<true>(words, index)];
        }
        let (least, low, low_place) = extreme::<false>(words);
        let (_, high, high_place) = extreme::<true>(words);
        let [low, low_place, high, high_place] =
            unless_nan(least, words, [low, low_place, high, high_place]);
        [
            Located::new(low, index + low_place as u64),
            Located::new(high, index + high_place as u64),
        ]
    }
}

/// The extreme of four floats (the least, or the greatest if `FALLING`), its key, and the first place with its bits. If an item is NaN, the
/// key has no meaning, and the place has a meaning only if each NaN has the bits of the extreme. Three instructions find the extreme, so
/// only the extreme's key is computed.
#[inline(always)]
fn extreme<const FALLING: bool>(words: Words) -> (f32, u32, u32) {
    let [a, b, c, d] = words;
    let of_two = extreme_of_two::<FALLING>;
    let bits = of_two(of_two(a, b), of_two(c, d));
    (
        f32::from_bits(bits),
        number_key::<FALLING>(bits),
        place_of(words, bits),
    )
}

/// The bits of the lesser of two floats, or of the greater if `FALLING`.
#[inline(always)]
fn extreme_of_two<const FALLING: bool>(a: u32, b: u32) -> u32 {
    let (a, b) = (f32::from_bits(a), f32::from_bits(b));
    match FALLING {
        false => minimum_f32(a, b).to_bits(),
        true => maximum_f32(a, b).to_bits(),
    }
}

/// The key of a float that is not NaN: the rising key, or the falling key if `FALLING`.
#[inline(always)]
fn number_key<const FALLING: bool>(bits: u32) -> u32 {
    let sign = (bits as i32 >> 31) as u32;
    let rising = bits ^ (sign | 1 << 31);
    if FALLING {
        !rising
    } else {
        rising
    }
}
