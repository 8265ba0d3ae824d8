//! Items as keys: numbers in whose order items are, so that the least key belongs to the extreme.
//!
//! ```text
//! rising keys     the minimum has the least         integers: the sign's bit turned over; floats: negative ones turned over
//! falling keys    the maximum has the least         the same, all bits turned over
//! NaN             has key 0 in both                 it wins, whatever its sign and payload
//! ```
//!
//! Narrow items are turned into keys all at once, as they lie in a word. To find the place of a vector's least key, each is
//! put above its place in one word: the least word then has both. Of `f32`, the machine finds a vector's extreme, and the place is that
//! of its bits; NaNs are seen to afterwards.

#[cfg(feature = "cust")]
use cust_half::{bf16 as cust_bf16, f16 as cust_f16};
use half::{bf16, f16};

use crate::arithmetic::{maximum_f32, minimum_f32, of_two_words, unless_nan, HAS_EXTREMES_F32};
use crate::element::VECTOR_WORDS;
use crate::element::{for_each_item, item_of, put_item, vector_of};
use crate::element::{Accumulator, Element, Words};

/// A key with the index of its item.
///
/// The least is the one with the least key; among equals, the one with the least index. So any order of combination gives
/// the same.
pub trait Located: Accumulator {
    /// The type of the keys.
    type Key: Copy + Ord;

    /// What is greater than every item: the greatest key, and no item's index.
    const NONE: Self;

    /// A key and an index.
    fn new(key: Self::Key, index: u64) -> Self;

    /// The key.
    fn key(self) -> Self::Key;

    /// The index.
    fn index(self) -> u64;

    /// The lesser of two of which the first has the lower index, without a branch.
    #[inline(always)]
    fn least_of_next(self, next: Self) -> Self {
        if next.key() < self.key() {
            next
        } else {
            self
        }
    }

    /// The lesser of two, without a branch.
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        let is_first = (self.key() < other.key())
            | ((self.key() == other.key()) & (self.index() < other.index()));
        if is_first {
            self
        } else {
            other
        }
    }
}

impl Located for [u32; 3] {
    type Key = u32;
    const NONE: Self = [u32::MAX; 3];

    #[inline(always)]
    fn new(key: u32, index: u64) -> Self {
        [key, index as u32, (index >> 32) as u32]
    }

    #[inline(always)]
    fn key(self) -> u32 {
        self[0]
    }

    #[inline(always)]
    fn index(self) -> u64 {
        of_two_words(self[1], self[2])
    }
}

impl Located for [u64; 2] {
    type Key = u64;
    const NONE: Self = [u64::MAX; 2];

    #[inline(always)]
    fn new(key: u64, index: u64) -> Self {
        [key, index]
    }

    #[inline(always)]
    fn key(self) -> u64 {
        self[0]
    }

    #[inline(always)]
    fn index(self) -> u64 {
        self[1]
    }

    /// Compilers would branch around so few instructions.
    #[inline(always)]
    fn least_of_next(self, next: Self) -> Self {
        self.least(next)
    }
}

/// An item with an order: a number of 8 to 64 bits.
pub trait Ordered: Element {
    /// A key of such an item with its index.
    type Located: Located;

    /// The item's key, with its index.
    fn located<const FALLING: bool>(self, index: u64) -> Self::Located;

    /// The least of 16 bytes' items, the first of which has this index.
    fn least<const FALLING: bool>(words: Words, index: u64) -> Self::Located;

    /// The least of 16 bytes' items with rising keys, and with falling ones.
    #[inline(always)]
    fn both_least(words: Words, index: u64) -> [Self::Located; 2] {
        let rising = Self::least::<false>(words, index);
        [rising, Self::least::<true>(words, index)]
    }

    /// The least of four vectors' items, the first of which has this index.
    #[inline(always)]
    fn least_of_four<const FALLING: bool>(vectors: [Words; 4], index: u64) -> Self::Located {
        let items = size_of::<Words>() / size_of::<Self>();
        let least = |v: usize| Self::least::<FALLING>(vectors[v], index + (v * items) as u64);
        let two = |v: usize| least(v).least_of_next(least(v + 1));
        two(0).least_of_next(two(2))
    }

    /// The key of the least of four vectors' items, with this index, which is that of the first; or with the right one.
    #[inline(always)]
    fn bound_of_four<const FALLING: bool>(vectors: [Words; 4], index: u64) -> Self::Located {
        Self::least_of_four::<FALLING>(vectors, index)
    }
}

/// The rising keys of a word's items, and all bits of those that are NaN.
type Keys = (u32, u32);

/// Keys of either direction.
#[inline(always)]
fn directed<const FALLING: bool>((rising, nans): Keys) -> u32 {
    let keys = if FALLING { !rising } else { rising };
    keys & !nans
}

/// The keys of unsigned integers.
#[inline(always)]
fn unsigned(word: u32) -> Keys {
    (word, 0)
}

/// The keys of the signed integers in a word, whose signs are these bits.
#[inline(always)]
fn signed<const SIGNS: u32>(word: u32) -> Keys {
    (word ^ SIGNS, 0)
}

/// The keys of two floats of 16 bits, whose infinities have these bits.
#[inline(always)]
fn halves<const INFINITY: u32>(word: u32) -> Keys {
    const EACH: u32 = 0x0001_0001;
    let signs = word >> 15 & EACH;
    // A NaN's magnitude is above infinity's: then the sum has the sign's bit.
    let magnitudes = word & (0x7fff * EACH);
    let nans = (magnitudes + (0x7fff - INFINITY) * EACH) >> 15 & EACH;
    (word ^ ((0x8000 * EACH) | (signs * 0xffff)), nans * 0xffff)
}

/// The key of a float.
#[inline(always)]
fn single(word: u32) -> Keys {
    let sign = (word as i32 >> 31) as u32;
    let is_nan = f32::from_bits(word).is_nan();
    (word ^ (sign | 1 << 31), if is_nan { u32::MAX } else { 0 })
}

/// The word with an item in its lowest bits.
#[inline(always)]
fn word_of<T: Element>(item: T) -> u32 {
    let mut vector = [0; VECTOR_WORDS];
    put_item(&mut vector, 0, item);
    vector[0]
}

/// Items of which a word has several: how a word's items become keys.
macro_rules! narrow {
    ($($t:ident: $keys:expr;)*) => {$(
        impl Ordered for $t {
            type Located = [u32; 3];

            #[inline(always)]
            fn located<const FALLING: bool>(self, index: u64) -> [u32; 3] {
                let key = directed::<FALLING>($keys(word_of(self)));
                Located::new(key & u32::MAX >> above::<$t>(), index)
            }

            #[inline(always)]
            fn least<const FALLING: bool>(words: Words, index: u64) -> [u32; 3] {
                let keys = words.map(|word| directed::<FALLING>($keys(word)));
                let mut least = u32::MAX;
                for_each_item!(P of $t => {
                    let place = P % (4 / size_of::<$t>());
                    let top = keys[P * size_of::<$t>() / 4] << (above::<$t>() - place * 8 * size_of::<$t>());
                    least = Ord::min(least, top & (u32::MAX << above::<$t>()) | P as u32);
                });
                let place = least & !(u32::MAX << above::<$t>());
                Located::new(least >> above::<$t>(), index + place as u64)
            }
        }
    )*};
}

/// How many bits of a word are left above an item that is in its lowest bits.
#[inline(always)]
const fn above<T>() -> usize {
    32 - 8 * size_of::<T>()
}

narrow! {
    u8: unsigned;
    i8: signed::<0x8080_8080>;
    u16: unsigned;
    i16: signed::<0x8000_8000>;
    f16: halves::<0x7c00>;
    bf16: halves::<0x7f80>;
}

// The same types of the version of `half` that `cust` knows.
#[cfg(feature = "cust")]
narrow! {
    cust_f16: halves::<0x7c00>;
    cust_bf16: halves::<0x7f80>;
}

/// Items that are one word: how it becomes a key.
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

/// The lesser of two integers, or the greater, as bits.
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

/// The least of four keys, the first of which has this index.
#[inline(always)]
fn least_of_words([a, b, c, d]: Words, index: u64) -> [u32; 3] {
    let (left, right) = (first_least((a, 0), (b, 1)), first_least((c, 2), (d, 3)));
    let (key, place) = first_least(left, right);
    Located::new(key, index + place as u64)
}

/// The extreme of four vectors' items, which are a word each, as `extreme` says which of two it is: all as bits.
#[inline(always)]
fn extreme_of_four(vectors: [Words; 4], extreme: impl Fn(u32, u32) -> u32) -> u32 {
    let [a, b, c, d] = vectors.map(|[a, b, c, d]| extreme(extreme(a, b), extreme(c, d)));
    extreme(extreme(a, b), extreme(c, d))
}

/// What is found of the extreme of four vectors' items, which are a word each.
struct Found {
    /// Its bits.
    extreme: u32,
    /// The first vector that has it.
    words: Words,
    /// The place of that vector's first item.
    first: u32,
}

impl Found {
    /// Finds the extreme, as `extreme` says which of two it is: one of their bits.
    #[inline(always)]
    fn among(vectors: [Words; 4], extreme: impl Fn(u32, u32) -> u32) -> Self {
        let [a, b, c, d] = vectors.map(|[a, b, c, d]| extreme(extreme(a, b), extreme(c, d)));
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

    /// The same, unless an earlier vector has it.
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

/// The place of the first of four words with these bits, which one of them has.
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

/// The lesser of two keys with their places; of equals, the first.
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

    /// The machine gives one NaN for all of them, so the first vector with a NaN is found as one with a number is.
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

/// The least of four floats, or the greatest, its key in this direction, and the place of the first of its bits: of floats that are
/// numbers. The machine finds it in three instructions, so keys are not made of the others.
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

/// The lesser of two floats, or the greater, as bits.
#[inline(always)]
fn extreme_of_two<const FALLING: bool>(a: u32, b: u32) -> u32 {
    let (a, b) = (f32::from_bits(a), f32::from_bits(b));
    match FALLING {
        false => minimum_f32(a, b).to_bits(),
        true => maximum_f32(a, b).to_bits(),
    }
}

/// The key in this direction of a float that is a number.
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

/// Items of two words: how their bits become a rising key, and whether they are NaN.
macro_rules! wide {
    ($($t:ident: $key:expr;)*) => {$(
        impl Ordered for $t {
            type Located = [u64; 2];

            #[inline(always)]
            fn located<const FALLING: bool>(self, index: u64) -> [u64; 2] {
                let (rising, is_nan) = $key(self);
                let key = if FALLING { !rising } else { rising };
                Located::new(if is_nan { 0 } else { key }, index)
            }

            #[inline(always)]
            fn least<const FALLING: bool>(words: Words, index: u64) -> [u64; 2] {
                let vector = vector_of(words);
                let first = item_of::<$t>(&vector, 0).located::<FALLING>(index);
                let second = item_of::<$t>(&vector, 1).located::<FALLING>(index + 1);
                if second.key() < first.key() {
                    second
                } else {
                    first
                }
            }
        }
    )*};
}

/// The rising key of a float, and whether it is NaN.
#[inline(always)]
fn double(item: f64) -> (u64, bool) {
    let bits = item.to_bits();
    let sign = (bits as i64 >> 63) as u64;
    (bits ^ (sign | 1 << 63), item.is_nan())
}

wide! {
    u64: |item| (item, false);
    i64: |item| (item as u64 ^ 1 << 63, false);
    f64: double;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks items that are given from the least to the greatest, each but the first NaN of another key.
    fn check<T: Ordered>(rising: &[T]) {
        let keys = |item: T| {
            let up = item.located::<false>(0).key();
            (up, item.located::<true>(0).key())
        };
        for pair in rising.windows(2) {
            let (low, high) = (keys(pair[0]), keys(pair[1]));
            assert!(low.0 < high.0 && low.1 > high.1);
        }
    }

    #[test]
    fn keys_have_the_items_order() {
        check(&[0_u8, 1, 127, 128, 255]);
        check(&[-128_i8, -1, 0, 1, 127]);
        check(&[0_u16, 1, 0x7fff, 0x8000, u16::MAX]);
        check(&[i16::MIN, -1, 0, 1, i16::MAX]);
        check(&[0_u32, 1, u32::MAX]);
        check(&[i32::MIN, -1, 0, i32::MAX]);
        check(&[0_u64, 1, u64::MAX]);
        check(&[i64::MIN, -1, 0, i64::MAX]);
        check(&[f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1e-45, f32::INFINITY]);
        check(&[f64::NEG_INFINITY, -1.0, -0.0, 0.0, 5e-324, f64::INFINITY]);
        check(&[-1.0, -0.0, 0.0, 1.0, f32::INFINITY].map(f16::from_f32));
        check(&[-1.0, -0.0, 0.0, 1.0, f32::INFINITY].map(bf16::from_f32));
    }

    #[test]
    fn nan_has_the_least_key_whatever_its_sign() {
        fn check<T: Ordered>(nan: T, least: <T::Located as Located>::Key)
        where
            <T::Located as Located>::Key: core::fmt::Debug,
        {
            assert_eq!(nan.located::<false>(0).key(), least);
            assert_eq!(nan.located::<true>(0).key(), least);
        }
        check(f32::from_bits(0xff80_0001), 0);
        check(f32::NAN, 0);
        check(-f64::NAN, 0);
        check(f16::from_bits(0xfc01), 0);
        check(f16::from_bits(0x7fff), 0);
        check(bf16::from_bits(0xff81), 0);
        check(bf16::from_bits(0x7fff), 0);
    }

    #[test]
    fn a_vectors_least_item_is_found_where_it_is_first() {
        fn check<T: Ordered>(words: Words) {
            let vector = vector_of(words);
            let (mut rising, mut falling) = (T::Located::NONE, T::Located::NONE);
            for_each_item!(P of T => {
                let item = item_of::<T>(&vector, P);
                rising = rising.least(item.located::<false>(40 + P as u64));
                falling = falling.least(item.located::<true>(40 + P as u64));
            });
            let found = T::least::<false>(words, 40);
            assert!(found.key() == rising.key() && found.index() == rising.index());
            let found = T::least::<true>(words, 40);
            assert!(found.key() == falling.key() && found.index() == falling.index());
            let [low, high] = T::both_least(words, 40);
            assert!(low.key() == rising.key() && low.index() == rising.index());
            assert!(high.key() == falling.key() && high.index() == falling.index());
        }

        /// Each vector in each place, among vectors of which one is given.
        fn check_four<T: Ordered>(words: Words, others: Words) {
            for place in 0..4 {
                let mut vectors = [others; 4];
                vectors[place] = words;
                let items = 16 / size_of::<T>() as u64;
                let (mut rising, mut falling) = (T::Located::NONE, T::Located::NONE);
                for (v, vector) in vectors.iter().enumerate() {
                    let index = 40 + v as u64 * items;
                    rising = rising.least(T::least::<false>(*vector, index));
                    falling = falling.least(T::least::<true>(*vector, index));
                }
                let found = T::least_of_four::<false>(vectors, 40);
                assert!(found.key() == rising.key() && found.index() == rising.index());
                let found = T::least_of_four::<true>(vectors, 40);
                assert!(found.key() == falling.key() && found.index() == falling.index());
                assert!(T::bound_of_four::<false>(vectors, 40).key() == rising.key());
                assert!(T::bound_of_four::<true>(vectors, 40).key() == falling.key());
            }
        }
        const NAN: u32 = 0xffc0_0001;
        for words in [
            [0; 4],
            [u32::MAX; 4],
            [0x0102_0304, 0xfffe_8001, 0x8000_7fff, 0x0102_0300],
            [0x7c01_3c00, 0xfc01_bc00, 0x7f80_0001, 0xff80_0001],
            [0x8000_0000, 0x7fff_ffff, 0x8000_0000, 0x7fff_ffff],
            [0, 0x8000_0000, 0, 0x8000_0000],
            [0x8000_0000, 0, 0, 0x8000_0000],
            [0x7f80_0000, NAN, 0x7f80_0000, NAN],
            [0xff80_0000, 0x7f80_0000, NAN, 0xff80_0000],
            [0xff80_0000, 0x7f80_0000, 0x7f80_0000, NAN],
            [NAN, 0x7fff_ffff, 0, 0],
        ] {
            for others in [
                [0; 4],
                [u32::MAX; 4],
                [NAN, 1, 0x8000_0000, 3],
                [0x3f80_0000; 4],
            ] {
                check_four::<u32>(words, others);
                check_four::<i32>(words, others);
                check_four::<f32>(words, others);
                check_four::<u64>(words, others);
                check_four::<f64>(words, others);
                check_four::<u8>(words, others);
                check_four::<f16>(words, others);
            }
            check::<u8>(words);
            check::<i8>(words);
            check::<u16>(words);
            check::<i16>(words);
            check::<f16>(words);
            check::<bf16>(words);
            check::<u32>(words);
            check::<i32>(words);
            check::<f32>(words);
            check::<u64>(words);
            check::<i64>(words);
            check::<f64>(words);
        }
    }
}
