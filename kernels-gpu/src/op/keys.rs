//! Items as keys. A key is an unsigned integer. The minimum has the least *rising* key, and the maximum has the least *falling* key.
//!
//! ```text
//! rising keys     the minimum has the least key     integers: the sign bit inverted if signed
//!                                                   floats: all bits inverted if negative, else the sign bit
//! falling keys    the maximum has the least key     the bits of the rising key, inverted
//! NaN             key 0 in both                     it wins, whatever its sign and payload
//! ```
//!
//! *Narrow* items are smaller than a word of 32 bits. All narrow items in a word are converted to keys at once. To find the least key of a
//! vector of narrow items, each key is put into the upper bits of a word, and its place into the lower bits. The least of these words has
//! the least key and its place. Some GPUs have minimum and maximum instructions for `f32` that propagate NaN. On such a GPU, these
//! instructions find a vector's extreme. A comparison of bits then finds the extreme's place, and NaNs are handled at the end.

mod words;

#[cfg(feature = "cust")]
use cust_half::{bf16 as cust_bf16, f16 as cust_f16};
use half::{bf16, f16};

use crate::arithmetic::of_two_words;
use crate::element::VECTOR_WORDS;
use crate::element::{for_each_item, item_of, put_item, vector_of};
use crate::element::{Accumulator, Element, Words};

/// A key with the index of its item.
///
/// The least value is the value with the least key; among equal keys, the value with the least index. So every order of combination gives
/// the same value.
pub trait Located: Accumulator {
    /// The type of the keys.
    type Key: Copy + Ord;

    /// A value that is greater than the value of every item: the greatest key, and an index that no item has.
    const NONE: Self;

    /// The value with this key and this index.
    fn new(key: Self::Key, index: u64) -> Self;

    /// The key.
    fn key(self) -> Self::Key;

    /// The index.
    fn index(self) -> u64;

    /// The value with `distance` added to its index, modulo 2^64.
    #[inline(always)]
    fn moved(self, distance: u64) -> Self {
        Self::new(self.key(), self.index().wrapping_add(distance))
    }

    /// The lesser of two values whose indices fit in 32 bits, without a branch.
    #[inline(always)]
    fn least_of_short(self, other: Self) -> Self {
        self.least(other)
    }

    /// The lesser of two values, without a branch. `self` has the lower index.
    #[inline(always)]
    fn least_of_next(self, next: Self) -> Self {
        if next.key() < self.key() {
            next
        } else {
            self
        }
    }

    /// The lesser of two values, without a branch.
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

    /// Compares a key and an index as one number.
    #[inline(always)]
    fn least_of_short(self, other: Self) -> Self {
        let number = |[key, index, _]: Self| of_two_words(index, key);
        let [key, index, _] = if number(other) < number(self) {
            other
        } else {
            self
        };
        [key, index, 0]
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

    /// Compares indices too: without this comparison, compilers make a branch.
    #[inline(always)]
    fn least_of_next(self, next: Self) -> Self {
        self.least(next)
    }
}

/// A type of numbers of 8 to 64 bits. An item of this type has a rising key and a falling key.
pub trait Ordered: Element {
    /// A key with the index of its item.
    type Located: Located;

    /// The item's rising key or, if `FALLING`, its falling key, with `index`.
    fn located<const FALLING: bool>(self, index: u64) -> Self::Located;

    /// The least key of the items in 16 bytes, with its item's index. `index` is the index of the first item.
    fn least<const FALLING: bool>(words: Words, index: u64) -> Self::Located;

    /// The least rising key and the least falling key of the items in 16 bytes, each with its item's index.
    #[inline(always)]
    fn both_least(words: Words, index: u64) -> [Self::Located; 2] {
        let rising = Self::least::<false>(words, index);
        [rising, Self::least::<true>(words, index)]
    }

    /// As [`Self::least`], for the items in 16 bytes of a [streamed row](super::Op::STREAMS_ROWS). Their indices fit in 32 bits. `place` is
    /// the index of the first item.
    #[inline(always)]
    fn streamed<const FALLING: bool>(words: Words, place: u32) -> Self::Located {
        Self::least::<FALLING>(words, place as u64)
    }

    /// The least key of the items of four vectors, with its item's index. `index` is the index of the first item.
    #[inline(always)]
    fn least_of_four<const FALLING: bool>(vectors: [Words; 4], index: u64) -> Self::Located {
        let items = size_of::<Words>() / size_of::<Self>();
        let least = |v: usize| Self::least::<FALLING>(vectors[v], index + (v * items) as u64);
        let two = |v: usize| least(v).least_of_next(least(v + 1));
        two(0).least_of_next(two(2))
    }

    /// The least key of the items of four vectors, with an index. For items of one word, this may be `index`, the index of the first item.
    /// For other items, it is the index of the item with the least key.
    #[inline(always)]
    fn bound_of_four<const FALLING: bool>(vectors: [Words; 4], index: u64) -> Self::Located {
        Self::least_of_four::<FALLING>(vectors, index)
    }
}

/// The rising keys of a word's items, and a mask in which all bits of the NaN items are set.
type Keys = (u32, u32);

/// The rising keys or, if `FALLING`, the falling keys. The key of a NaN is 0.
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

/// The keys of the signed integers in a word. `SIGNS` are their sign bits.
#[inline(always)]
fn signed<const SIGNS: u32>(word: u32) -> Keys {
    (word ^ SIGNS, 0)
}

/// The keys of two floats of 16 bits. `INFINITY` is the bit pattern of their infinity.
#[inline(always)]
fn halves<const INFINITY: u32>(word: u32) -> Keys {
    const EACH: u32 = 0x0001_0001;
    let signs = word >> 15 & EACH;
    // A NaN has a greater magnitude than infinity, so the addition below carries into the sign bit.
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

/// A word that has the item in its lowest bits.
#[inline(always)]
fn word_of<T: Element>(item: T) -> u32 {
    let mut vector = [0; VECTOR_WORDS];
    put_item(&mut vector, 0, item);
    vector[0]
}

/// Implements [`Ordered`] for items smaller than a word. Each type has a function that converts a word's items to keys.
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

/// How many bits of a word are above an item that is in the lowest bits.
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

// The 16-bit floats of the version of `half` that `cust` uses.
#[cfg(feature = "cust")]
narrow! {
    cust_f16: halves::<0x7c00>;
    cust_bf16: halves::<0x7f80>;
}

/// Implements [`Ordered`] for items of two words. Each type has a function that returns an item's rising key, and whether the item is NaN.
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
mod tests;
