//! The heads of a window, found from the keys themselves. No earlier launch has marked them.
//!
//! ```text
//! all warps:  compare the keys of the window and a few before and after it, and write the bits to shared memory; a barrier follows
//! warp 1:     publish the window's heads, and look back over what earlier windows have published, many windows at a time
//! the others: if the few keys after the window are all equal, find the first other key after them, up to a chunk after the window
//! ```
//!
//! Warp 1 only looks back if there is no head among the few keys before the window, or if runs are numbered. It waits only for windows with
//! lower tickets, which publish their heads before they wait for anything. The values of tails are published in slots of their own.
//!
//! The bits lie in the room of the leaves' values, which is not used yet.

use crate::contract::WARP_LANES;
use crate::direction::Heading;
use crate::element::{for_each_item, item_of, put_item};
use crate::element::{Element, Vector, VECTOR_WORDS as WORDS};
use crate::op::Op;
use crate::segments::Task;
use crate::selection::{Equal, Equality};
use crate::simt;
use crate::simt::atomics::shared_min_u32;
use crate::thread::{for_each_vector, Access, Caching};

use super::super::items::Room;
use super::super::Launch;
use super::window::{Bits, Seen, NO_HEAD, VECTOR_WORDS};

/// The words that are marked before a window, and as many after it: a vector of them.
const NEAR_WORDS: u32 = VECTOR_WORDS;

/// The items of these words.
const NEAR_ITEMS: u32 = NEAR_WORDS * u32::BITS;

/// The size in bytes of a vector of keys.
const VECTOR_BYTES: u32 = 16;

/// The warp that publishes heads and looks back. It does not look for far heads.
const LOOKING_WARP: u32 = 1;

/// How many vectors a thread loads at once to find a far head.
const FAR_VECTORS: u32 = 5;

/// Keys that are equal exactly if their bytes are equal.
#[derive(Clone, Copy)]
pub struct Keys {
    /// The address of the keys, aligned to a key.
    pub address: *const u8,
    /// The size of a key: 1, 2, 4 or 8. 0 if there are no keys, because the heads are marked.
    pub bytes: u32,
}

impl Keys {
    /// How many keys a vector has.
    #[inline(always)]
    fn vector_items(self) -> u32 {
        VECTOR_BYTES >> self.bytes.trailing_zeros()
    }

    /// The address of the key at a place in memory.
    #[inline(always)]
    fn at<K>(self, place: u64) -> *const K {
        let offset = place << self.bytes.trailing_zeros();
        self.address.wrapping_add(offset as usize).cast()
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The key of item `item`. Where there is no such item, any other key.
    ///
    /// # Safety
    /// There is an item, and its keys are readable.
    #[inline(always)]
    unsafe fn key<K: Element>(&self, keys: Keys, item: u64) -> K {
        let count = self.offsets.item_count;
        let item = Ord::min(item, count - 1);
        let place = self.offsets.direction.place(item, count);
        // SAFETY: the place is less than the number of keys, which are readable: this function's condition.
        unsafe { keys.at::<K>(place).read() }
    }

    /// The keys of a vector's items from `item` on, in the order of the items. Where there is no item, any other key.
    ///
    /// # Safety
    /// The conditions of [`Self::key`].
    #[inline(always)]
    unsafe fn keys<K: Element>(&self, keys: Keys, item: u64) -> Vector {
        let count = self.offsets.item_count;
        let address: *const u32 = keys.at(item);
        let all_exist = item < count && count - item >= keys.vector_items() as u64;
        // SAFETY: the conditions are this function's. A whole vector is aligned, and all its keys exist, in the order of memory.
        unsafe {
            if all_exist
                && address.addr().is_multiple_of(VECTOR_BYTES as usize)
                && self.offsets.direction.if_backward(1) == 0
            {
                return Access::new(16, 16).load(address, Caching::Kept);
            }
            let mut vector = [0; WORDS];
            for_each_item!(P of K => {
                put_item::<K>(&mut vector, P, self.key(keys, item.wrapping_add(P as u64)));
            });
            vector
        }
    }

    /// Which of a vector's items from `item` on are heads: a bit for each. Items that do not exist are not.
    ///
    /// # Safety
    /// The conditions of [`Self::key`]. `keys` are of type `K`, whose size is their size.
    #[inline(always)]
    unsafe fn heads_of<K: Element + PartialEq>(&self, keys: Keys, item: u64) -> u32 {
        // SAFETY: the conditions are this function's.
        unsafe {
            let vector = self.keys::<K>(keys, item);
            let before = self.key::<K>(keys, item.wrapping_sub(1));
            Equal::heads(&vector, before)
        }
    }

    /// Writes `count` words of bits to `words`. The first bit is that of item `first`, which wraps if it is before item 0.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch has an item, and its keys are readable. There is room for the words, which no other thread
    /// uses.
    #[inline(always)]
    unsafe fn mark_words(&self, keys: Keys, first: u64, words: *mut u32, count: u32) {
        let items = keys.vector_items();
        // How many lanes have the bits of a word: 32 items.
        let word_lanes = 2 * keys.bytes;
        let lane = simt::lane();
        let mut place = simt::warp() * WARP_LANES * items;
        while place < count * u32::BITS {
            let step = simt::opaque_one() as u32;
            let own = place + lane * items;
            let item = first.wrapping_add(own as u64);
            // SAFETY: the whole warp shuffles, since all lanes have the same `place`. There is an item, and the keys are readable. Each
            // word is written by one lane.
            unsafe {
                let mut heads = match keys.bytes {
                    1 => self.heads_of::<u8>(keys, item),
                    2 => self.heads_of::<u16>(keys, item),
                    4 => self.heads_of::<u32>(keys, item),
                    _ => self.heads_of::<u64>(keys, item),
                };
                heads |= (item == 0) as u32;
                let existing = self.offsets.item_count.saturating_sub(item);
                heads &= (1 << Ord::min(existing, items as u64)) - 1;
                let mut word = heads << (own % u32::BITS);
                for_each_vector!(S in 1 2 4 8 => {
                    if (S as u32) < word_lanes {
                        word |= simt::shuffle_from(word, lane ^ S as u32);
                    }
                });
                let number = own / u32::BITS;
                if own.is_multiple_of(u32::BITS) && number < count {
                    words.wrapping_add(number as usize).write(word);
                }
            }
            place += step * self.threads() * items;
        }
    }

    /// The place, among the items of [`FAR_VECTORS`] vectors, of the first item whose key is not `key`; [`NO_HEAD`] if there is none. The
    /// first vector begins with item `first`, the others `stride` items further on.
    ///
    /// # Safety
    /// The conditions of [`Self::heads_of`].
    #[inline(always)]
    unsafe fn other_key<K: Element + PartialEq>(
        &self,
        keys: Keys,
        first: u64,
        stride: u32,
        last: u64,
    ) -> u32 {
        let mut found = NO_HEAD;
        // SAFETY: the conditions are this function's.
        unsafe {
            let key = self.key::<K>(keys, last);
            let mut vectors: [Vector; FAR_VECTORS as usize] = [[0; WORDS]; FAR_VECTORS as usize];
            for_each_vector!(V in 0 1 2 3 4 => {
                vectors[V] = self.keys::<K>(keys, first + V as u64 * stride as u64);
            });
            for_each_vector!(V in 4 3 2 1 0 => {
                let mut others = 0;
                for_each_item!(P of K => {
                    others |= ((item_of::<K>(&vectors[V], P) != key) as u32) << P;
                });
                if others != 0 {
                    found = V as u32 * stride + others.trailing_zeros();
                }
            });
        }
        found
    }

    /// Finds the first head from item `first` on, before item `end`, with all warps except the looking one. All items just before `first`
    /// belong to one run. Puts the head's place after item `origin` to `far`, if there is one and it is less.
    ///
    /// # Safety
    /// Convergent: whole warps, all except the looking one. The conditions of [`Self::mark_words`]. `far` is written, in shared memory.
    #[inline(always)]
    unsafe fn find_far(&self, keys: Keys, origin: u64, first: u64, end: u64, far: *mut u32) {
        let items = keys.vector_items();
        let warp = simt::warp() - (simt::warp() > LOOKING_WARP) as u32;
        let stride = (self.threads() - WARP_LANES) * items;
        let mut item = first + ((warp * WARP_LANES + simt::lane()) * items) as u64;
        while item < end {
            let step = simt::opaque_one() as u32;
            // SAFETY: the first item exists, so there is an item before it, and the keys are readable. `far` is in shared memory.
            unsafe {
                let place = match keys.bytes {
                    1 => self.other_key::<u8>(keys, item, stride, first - 1),
                    2 => self.other_key::<u16>(keys, item, stride, first - 1),
                    4 => self.other_key::<u32>(keys, item, stride, first - 1),
                    _ => self.other_key::<u64>(keys, item, stride, first - 1),
                };
                if place != NO_HEAD && item + (place as u64) < end {
                    shared_min_u32(far, (item - origin) as u32 + place);
                    return;
                }
            }
            item += (step * FAR_VECTORS * stride) as u64;
        }
    }

    /// Finds the heads around window `number`, and publishes the window's own heads. Returns what the block sees.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch has the window, its keys are readable, and the block's ticket and tag are written.
    #[inline(always)]
    pub unsafe fn see_keys(&self, keys: Keys, room: Room<T, O::Accumulator>, number: u64) -> Seen {
        let own_words = self.window_words();
        let window = 1_u32 << self.window_shift;
        let chunk = Room::<T, O::Accumulator>::WINDOW_WORDS * u32::BITS;
        let count = self.offsets.item_count;
        let bits = room.raw_bits();
        let origin = number << self.window_shift;
        let far_item = origin + (window + NEAR_ITEMS) as u64;
        // SAFETY: the whole block is here, and the window and its keys exist: this function's conditions. The words lie one after the other
        // in the room of the leaves' values, which nobody uses yet. The branches around barriers go the same way on all threads, since they
        // depend on shared memory.
        unsafe {
            if simt::thread_index() == 0 {
                room.far_head().write(NO_HEAD);
            }
            let first = origin.wrapping_sub(NEAR_ITEMS as u64);
            self.mark_words(keys, first, bits, own_words + 2 * NEAR_WORDS);
            // Orders the writes of the bits before all threads' reads.
            simt::barrier();
            let before = Near(simt::read_vector(bits));
            let after_at = bits.wrapping_add((NEAR_WORDS + own_words) as usize);
            let after = Near(simt::read_vector(after_at));
            let looks_back = before.are_none() && number > 0;
            let looks_far = after.are_none() && far_item < count;
            if simt::warp() == LOOKING_WARP {
                let own = Self::own_bits(bits, own_words);
                self.publish_heads(own, number);
                if looks_back || self.task == Task::Reduce {
                    self.look_back(number as u32);
                }
            } else if looks_far {
                let end = Ord::min(count, origin + (window + chunk) as u64);
                self.find_far(keys, origin, far_item, end, room.far_head());
            }
            if looks_back || looks_far {
                // Orders the writes of far heads before all threads' reads.
                simt::barrier();
            }
            let mut last_before = origin.wrapping_sub(NEAR_ITEMS as u64) + before.highest() as u64;
            if looks_back {
                last_before = simt::read_shared(self.head_before_address());
            }
            let mut next = simt::read_shared(room.far_head());
            if !after.are_none() {
                next = window + after.lowest();
            }
            Seen {
                own: Self::own_bits(bits, own_words),
                next,
                last_before,
            }
        }
    }

    /// The lane's bits of the window, among the bits around it.
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

/// The bits of the few items before or after a window. All lanes have the same.
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
