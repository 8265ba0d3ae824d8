//! The heads of a window, found from the keys themselves. No earlier launch has marked them.
//!
//! ```text
//! all warps:  compare the keys of the window, a few before it and 256 after it, and write the bits to shared memory; a barrier follows
//! warp 1:     publish the window's heads, and look back over what earlier windows have published, many windows at a time
//! ```
//!
//! In a scan, warp 1 looks back only if the window's first item is no head, and there is no head among the few keys before the window. In a
//! reduction it always looks back, since runs are numbered. It waits only for blocks with earlier tickets. Each of those blocks publishes
//! its window's heads before it waits for anything, so there is progress. The board has slots for the heads, besides the slots for the
//! chunks' values.
//!
//! The bits lie in the room of the leaves' values, which is not used yet. Each warp loads keys one turn ahead: scans of 2^20 `f32` in runs
//! of 1 took 6.6 µs on an H200 (2026-11-26) without this, and take 6.3 µs with it.
//!
//! The code is short, since small launches spend much of their time on the first fetch of their instructions. Scans of 2^16 `f32` in runs of
//! 4,096 took 7.1 µs with short code that loaded no keys ahead, and 7.9 µs with code for keys of any size and alignment. Two variants of
//! that short code were slower. In the first, a block copied all keys to shared memory before it compared any. In the second, two blocks
//! shared each window, one for each work. Scans of 2^20 `f32` on an H200, in µs (2026-11-26):
//!
//! | | runs of 1 | runs of 4,096 | runs by a power law |
//! |---|---|---|---|
//! | all keys copied first | 7.5 | 9.1 | 17.6 |
//! | two blocks for each window | 9.4 | 11.0 | 14.5 |
//! | the short code | 6.6 | 8.3 | 15.2 |
//! | keys loaded ahead, and [room for two chunks](crate::segments::RoomSize::Double) | 6.2 | 7.9 | 11.8 |
//!
//! Blocks of 512 threads, with this room, were slower: runs of 1 took 6.9 µs, and runs by a power law took 12.1 µs.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::op::Op;
use crate::segments::Task;
use crate::simt;
use crate::thread::for_each_vector;

use super::super::items::Room;
use super::super::Launch;
use super::window::{Bits, Seen, NODE_WORDS, NO_HEAD, VECTOR_WORDS};

/// The bits of the items just before a window fill this many words: one vector.
pub const NEAR_WORDS: u32 = VECTOR_WORDS;

/// How many items have their bits in [`NEAR_WORDS`] words.
const NEAR_ITEMS: u32 = NEAR_WORDS * u32::BITS;

/// The warp that publishes heads and looks back.
const LOOKING_WARP: u32 = 1;

/// The keys of a launch. If the launch compares keys, two keys are equal exactly if their words are equal.
#[derive(Clone, Copy)]
pub struct Keys {
    /// The address of the keys. It is a multiple of 16 if keys are compared.
    pub words: *const u32,
    /// The size of a key in bytes: 4 or 8 if keys are compared, otherwise any number.
    pub bytes: u32,
}

impl Keys {
    /// Whether a key has two words.
    #[inline(always)]
    pub fn are_wide(self) -> bool {
        self.bytes == 8
    }

    /// Whether a key consists of whole words: of one or two.
    #[inline(always)]
    pub fn have_words(self) -> bool {
        self.bytes >= size_of::<u32>() as u32
    }

    /// The binary logarithm of the number of words of a key.
    #[inline(always)]
    pub fn shift(self) -> u32 {
        self.are_wide() as u32
    }

    /// Loads a word.
    ///
    /// # Safety
    /// The word is part of a key, and readable.
    #[inline(always)]
    pub unsafe fn word(self, word: u64) -> u32 {
        // SAFETY: the word is readable: this function's condition.
        unsafe { self.words.wrapping_add(word as usize).read() }
    }

    /// Loads the vector of words that begins with word `word`.
    ///
    /// # Safety
    /// The vector's words are readable, and `word` is a multiple of 4.
    #[inline(always)]
    unsafe fn vector(self, word: u64) -> [u32; 4] {
        // SAFETY: the words are readable (this function's condition). The keys' address is a multiple of 16, and so is the vector's.
        unsafe { simt::load_vector(self.words.wrapping_add(word as usize)) }
    }

    /// A bit for each key of a vector of keys: whether the key is a head. `before` has the two words before the vector. The bits of the key
    /// of item 0, and of keys that do not exist, may be 0 or 1.
    #[inline(always)]
    fn heads_of(self, vector: [u32; 4], before: u64) -> u32 {
        let [low, high] = [before as u32, (before >> 32) as u32];
        let [a, b, c, _] = vector;
        if self.are_wide() {
            let words = differences(vector, [low, high, a, b]);
            let either = words | words >> 1;
            either & 1 | either >> 1 & 2
        } else {
            differences(vector, [high, a, b, c])
        }
    }
}

/// Compares two vectors of words. Bit `i` of the result says whether they differ in word `i`.
#[inline(always)]
fn differences(left: [u32; 4], right: [u32; 4]) -> u32 {
    let mut differences = 0;
    for_each_vector!(W in 0 1 2 3 => {
        differences |= ((left[W] != right[W]) as u32) << W;
    });
    differences
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Loads the vector of keys that begins with the key of item `item`, and the two words before the vector. If the vector begins before
    /// item 0, the number `item` has wrapped. In place of a word that does not exist, another word of the keys is loaded.
    ///
    /// # Safety
    /// The launch has an item, and its keys are readable. `item` is a multiple of the number of keys that a vector has.
    #[inline(always)]
    unsafe fn load_keys(&self, keys: Keys, item: u64) -> ([u32; 4], u64) {
        let shift = keys.shift();
        let (word, end) = (item << shift, self.offsets.item_count << shift);
        // SAFETY: each word that is loaded is before the keys' end, and the number of a vector's first word is a multiple of 4. The two
        // words before the vector, or the first two words of the keys, lie at a multiple of 8 bytes.
        unsafe {
            if word < end && end - word >= VECTOR_WORDS as u64 {
                let before: *const u64 = keys
                    .words
                    .wrapping_add(word.saturating_sub(2) as usize)
                    .cast();
                (keys.vector(word), before.read())
            } else {
                let load = |word: u64| keys.word(Ord::min(word, end - 1));
                let mut vector = [0; 4];
                for_each_vector!(W in 0 1 2 3 => { vector[W] = load(word.wrapping_add(W as u64)); });
                let [low, high] = [load(word.wrapping_sub(2)), load(word.wrapping_sub(1))];
                (vector, low as u64 | (high as u64) << 32)
            }
        }
    }

    /// Writes `count` words of bits to `words`. The first bit is that of item `first`. If the bits begin before item 0, the number `first`
    /// has wrapped.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch has an item, and its keys are readable. There is room for the words, and nobody else uses
    /// it.
    #[inline(always)]
    unsafe fn mark_words(&self, keys: Keys, first: u64, words: *mut u32, count: u32) {
        let items = VECTOR_WORDS >> keys.shift();
        let lane = simt::lane();
        let end = count * u32::BITS;
        let item_at = |place: u32| first.wrapping_add((place + lane * items) as u64);
        let mut place = simt::warp() * WARP_LANES * items;
        // SAFETY: there is an item, and the keys are readable (this function's conditions). `first` and the places are multiples of 4.
        let mut loaded = unsafe { self.load_keys(keys, item_at(place)) };
        while place < end {
            let step = simt::opaque_one() as u32;
            let own = place + lane * items;
            let item = item_at(place);
            let (vector, before) = loaded;
            place += step * self.threads() * items;
            // The keys of the next turn are in flight during this turn.
            if place < end {
                // SAFETY: as before the loop.
                loaded = unsafe { self.load_keys(keys, item_at(place)) };
            }
            // SAFETY: the whole warp shuffles, since all lanes have the same `place`. The launch has an item, and its keys are readable.
            // Each word is written by one lane.
            unsafe {
                let heads = keys.heads_of(vector, before) | (item == 0) as u32;
                let existing = self.offsets.item_count.saturating_sub(item);
                let heads = heads & ((1 << Ord::min(existing, items as u64)) - 1);
                // 8 lanes have the bits of a word, or 16 if keys are wide.
                let mut word = heads << (own % u32::BITS);
                for_each_vector!(S in 1 2 4 8 => {
                    if S < 8 || keys.are_wide() {
                        word |= simt::shuffle_from(word, lane ^ S as u32);
                    }
                });
                let number = own / u32::BITS;
                if own.is_multiple_of(u32::BITS) && number < count {
                    words.wrapping_add(number as usize).write(word);
                }
            }
        }
    }

    /// Compares the keys of window `number`, and a few before and after it. Writes the heads' bits to shared memory.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch has the window, and its keys are readable. Nobody uses the values of leaves yet.
    #[inline(always)]
    pub unsafe fn mark_keys(&self, keys: Keys, room: Room<T, O::Accumulator>, number: u64) {
        let origin = number << self.window_shift;
        let first = origin.wrapping_sub(NEAR_ITEMS as u64);
        let count = NEAR_WORDS + self.window_words() + NODE_WORDS;
        // SAFETY: the whole block is here, the window and its keys exist, and nobody uses the room of the leaves' values: this function's
        // conditions.
        unsafe { self.mark_words(keys, first, room.raw_bits(), count) };
    }

    /// Finds the heads in and around window `number`, and publishes the heads in the window. Returns what the block has found. In a
    /// reduction, the number of runs before the window may be read only after the next barrier.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch has the window, and the block's ticket and tag are written. [`Self::mark_keys`] was called
    /// before.
    #[inline(always)]
    pub unsafe fn see_keys(&self, room: Room<T, O::Accumulator>, number: u64) -> Seen {
        let own_words = self.window_words();
        let window = 1_u32 << self.window_shift;
        let bits = room.raw_bits();
        let origin = number << self.window_shift;
        // SAFETY: the whole block is here, and the window exists: this function's conditions. The words lie one after the other in the room
        // of the leaves' values, where `mark_keys` has written them. The branches around barriers go the same way on all threads, since they
        // depend on shared memory.
        unsafe {
            // Orders the writes of the bits before all threads' reads.
            simt::barrier();
            let before = Near(simt::read_vector(bits));
            let after_at = bits.wrapping_add((NEAR_WORDS + own_words) as usize);
            let after = [
                Near(simt::read_vector(after_at)),
                Near(simt::read_vector(
                    after_at.wrapping_add(VECTOR_WORDS as usize),
                )),
            ];
            // If the window begins with a head, no earlier run continues in the window.
            let has_first = simt::read_shared(bits.wrapping_add(NEAR_WORDS as usize)) & 1 != 0;
            let looks_back = before.are_none() && number > 0 && !has_first;
            if simt::warp() == LOOKING_WARP {
                let own = Self::own_bits(bits, own_words);
                self.publish_heads(own, number);
                if looks_back || self.task == Task::Reduce {
                    self.look_back(number as u32);
                }
            }
            if looks_back {
                // Orders the write of the last head of earlier windows before all threads' reads.
                simt::barrier();
            }
            let mut last_before = origin.wrapping_sub(NEAR_ITEMS as u64);
            last_before = last_before.wrapping_add(before.highest() as u64);
            if looks_back {
                last_before = simt::read_shared(self.head_before_address());
            }
            let next = match [after[0].are_none(), after[1].are_none()] {
                [false, _] => window + after[0].lowest(),
                [true, false] => window + VECTOR_WORDS * u32::BITS + after[1].lowest(),
                [true, true] => NO_HEAD,
            };
            Seen {
                own: Self::own_bits(bits, own_words),
                next,
                last_before,
            }
        }
    }

    /// The lane's bits of the window. `bits` begins with the bits of the items before the window.
    ///
    /// # Safety
    /// The bits are written.
    #[inline(always)]
    unsafe fn own_bits(bits: *const u32, own_words: u32) -> Bits {
        let word = simt::lane() * VECTOR_WORDS;
        if word < own_words {
            // SAFETY: the words are written, and a vector of them lies at a multiple of 16 bytes.
            Bits(unsafe { simt::read_vector(bits.wrapping_add((NEAR_WORDS + word) as usize)) })
        } else {
            Bits([0; 4])
        }
    }
}

/// The bits of the few items before or after a window. All lanes have the same bits.
#[derive(Clone, Copy)]
struct Near([u32; NEAR_WORDS as usize]);

impl Near {
    #[inline(always)]
    fn are_none(self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d == 0
    }

    /// The lowest bit that is set; any number if none is.
    #[inline(always)]
    fn lowest(self) -> u32 {
        let mut lowest = 0;
        for_each_vector!(W in 3 2 1 0 => {
            if self.0[W] != 0 {
                lowest = W as u32 * u32::BITS + self.0[W].trailing_zeros();
            }
        });
        lowest
    }

    /// The highest bit that is set; any number if none is.
    #[inline(always)]
    fn highest(self) -> u32 {
        let mut highest = 0;
        for_each_vector!(W in 0 1 2 3 => {
            if self.0[W] != 0 {
                highest = W as u32 * u32::BITS + u32::BITS - 1 - self.0[W].leading_zeros();
            }
        });
        highest
    }
}
