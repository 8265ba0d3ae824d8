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
//!
//! A lane compares every 32nd key of a turn, so a vote of the warp makes a word of bits. Once each lane compared a vector of keys, and
//! shuffles joined the lanes' bits. Then scans took 0 to 4 % more time, and sums of 2^20 items took 2 % less (2026-11-27). This made little
//! difference, since warps mostly wait for keys here.

use crate::contract::WARP_LANES;
use crate::element::{Element, Words};
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

    /// The address of the key of item `item`. If `item` has wrapped, so has the address.
    #[inline(always)]
    fn address_of(self, item: u64) -> *const u32 {
        self.words.wrapping_add((item << self.shift()) as usize)
    }
}

/// The keys of consecutive items. Places are counted from one of these items.
#[derive(Clone, Copy)]
struct Stretch {
    /// The address of the key at place 0. Its item may not exist.
    keys: *const u32,
    /// The first and the last place whose item exists, among those that are looked at.
    places: [i32; 2],
}

impl Stretch {
    /// Loads the key at a place. In place of a key that does not exist, the nearest key is loaded. A key of one word becomes the low word.
    ///
    /// # Safety
    /// The stretch's keys are readable. They have two words if `WIDE`, and otherwise one.
    #[inline(always)]
    unsafe fn key<const WIDE: bool>(&self, place: i32) -> u64 {
        let [first, last] = self.places;
        let place = Ord::max(Ord::min(place, last), first) as isize;
        // SAFETY: the key is readable, and lies at a multiple of its size: keys begin at a multiple of 16 bytes.
        unsafe {
            match WIDE {
                true => self.keys.cast::<u64>().wrapping_offset(place).read(),
                false => self.keys.wrapping_offset(place).read() as u64,
            }
        }
    }

    /// Loads the keys of the turn whose first place is `place`.
    ///
    /// # Safety
    /// The condition of [`Self::key`].
    #[inline(always)]
    unsafe fn turn<const WIDE: bool>(&self, place: u32) -> TurnKeys {
        let place = place as i32;
        let mut own = [0; VECTOR_WORDS as usize];
        // SAFETY: the condition is this function's.
        unsafe {
            for_each_vector!(W in 0 1 2 3 => {
                own[W] = self.key::<WIDE>(place + W as i32 * u32::BITS as i32 + simt::lane() as i32);
            });
            TurnKeys {
                own,
                before: self.key::<WIDE>(place - 1),
            }
        }
    }
}

/// The keys that a warp compares in a turn: those of 128 consecutive items, whose bits fill a vector.
#[derive(Clone, Copy)]
struct TurnKeys {
    /// In entry `w`, the calling lane's key among those of word `w`.
    own: [u64; VECTOR_WORDS as usize],
    /// The key before all of these.
    before: u64,
}

impl TurnKeys {
    /// A bit for each item of the turn: whether its key differs from the key before. If one of these two keys does not exist, the bit is 0.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the keys of one turn.
    #[inline(always)]
    unsafe fn differences<const WIDE: bool>(&self) -> Words {
        let lane = simt::lane();
        let from = lane.wrapping_sub(1) % WARP_LANES;
        let mut words = [0; VECTOR_WORDS as usize];
        let mut last = self.before;
        for_each_vector!(W in 0 1 2 3 => {
            let own = self.own[W];
            // SAFETY: the whole warp shuffles and votes: this function's condition.
            unsafe {
                let mut turned = simt::shuffle_from(own as u32, from) as u64;
                if WIDE {
                    turned |= (simt::shuffle_from((own >> 32) as u32, from) as u64) << 32;
                }
                let before = if lane == 0 { last } else { turned };
                // Lane 0 gets the last of these keys.
                last = turned;
                words[W] = simt::ballot(own != before);
            }
        });
        // The last key of the turn is not used.
        let _ = last;
        words
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Writes `count` words of bits to `words`; `count` is a multiple of 4. A bit says whether the key at a place of the stretch differs from
    /// the key before.
    ///
    /// # Safety
    /// Convergent: the whole block. The stretch's keys are readable. They have two words if `WIDE`, and otherwise one. There is room for the
    /// words at a multiple of 16 bytes, and nobody else uses it.
    #[inline(always)]
    unsafe fn mark_stretch<const WIDE: bool>(
        &self,
        stretch: &Stretch,
        words: *mut u32,
        count: u32,
    ) {
        let mut word = simt::warp() * VECTOR_WORDS;
        // SAFETY: the keys are readable and have this size: this function's conditions.
        let mut loaded = unsafe { stretch.turn::<WIDE>(word * u32::BITS) };
        while word < count {
            let own = word;
            let turn = loaded;
            word += simt::opaque_one() as u32 * self.threads() / WARP_LANES * VECTOR_WORDS;
            // The keys of the next turn are in flight during this turn.
            if word < count {
                // SAFETY: as before the loop.
                loaded = unsafe { stretch.turn::<WIDE>(word * u32::BITS) };
            }
            // SAFETY: the whole warp is here, since all lanes have the same `word`. Lane 0 alone writes these words.
            unsafe {
                let bits = turn.differences::<WIDE>();
                if simt::lane() == 0 {
                    simt::write_vector(words.wrapping_add(own as usize), bits);
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
        let upto = Ord::min(self.offsets.item_count - origin, (count * u32::BITS) as u64) as i32;
        let stretch = Stretch {
            keys: keys.address_of(first),
            places: [
                if number > 0 { -1 } else { NEAR_ITEMS as i32 },
                NEAR_ITEMS as i32 + upto - 1,
            ],
        };
        // SAFETY: the whole block is here, the window and its keys exist, and nobody uses the room of the leaves' values: this function's
        // conditions. The room begins at a multiple of 16 bytes. The word of item 0 is written by the lane that has written it before.
        unsafe {
            let words = room.raw_bits();
            match keys.are_wide() {
                true => self.mark_stretch::<true>(&stretch, words, count),
                false => self.mark_stretch::<false>(&stretch, words, count),
            }
            // Item 0 is a head. Its turn is the second one, which warp 1 has.
            if number == 0 && simt::thread_index() == WARP_LANES {
                let word = words.wrapping_add(NEAR_WORDS as usize);
                word.write(simt::read_shared(word) | 1);
            }
        }
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
