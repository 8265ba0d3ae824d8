//! The heads of a window, found from the keys themselves. No earlier launch has marked them.
//!
//! All warps compare the keys of the window and of some items before and after it, and write the bits to shared memory. The bits lie in
//! the room of the leaves' values, which is not used yet:
//!
//! ```text
//! near words       of the items before the window
//! window words     of the window
//! chunk words      of the items after the window: first the near words, and the others only if those have no head
//! ```
//!
//! A window publishes its last head before it waits for anything. If there is no head among the items just before a window, its warp 0
//! looks back over what earlier windows have published, many windows at a time. It waits only for windows with lower tickets. The values
//! of tails are published in slots of their own.

use crate::board::Board;
use crate::contract::WARP_LANES;
use crate::direction::Heading;
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::segments::Task;
use crate::simt;
use crate::thread::for_each_vector;

use super::super::items::Room;
use super::super::Launch;
use super::window::{first_lane, last_lane, Bits, Seen, VECTOR_WORDS};

/// The words that are marked before a window, and at once after it.
const NEAR_WORDS: u32 = 16;

/// How many words a warp marks at once.
const WORDS_AT_ONCE: u32 = 8;

/// How many words of the board a lane reads at once to look back.
pub const LOOKS_AT_ONCE: u32 = 4;

/// Keys that are equal exactly if their bytes are equal.
#[derive(Clone, Copy)]
pub struct Keys {
    /// The address of the keys, aligned to a key.
    pub address: *const u8,
    /// The size of a key: 1, 2, 4 or 8. 0 if there are no keys, because the heads are marked.
    pub bytes: u32,
}

/// Which of several items are heads: bit `i` for the item `i · stride` after `first`. Item 0 is one, and items from `count` on are not.
///
/// # Safety
/// `keys` points to `count` readable keys.
macro_rules! heads_among {
    ($launch:expr, $keys:expr, $first:expr, $stride:expr) => {{
        let (keys, count, direction) = (
            $keys,
            $launch.offsets.item_count,
            $launch.offsets.direction,
        );
        let mut heads = 0;
        for_each_vector!(V in 0 1 2 3 4 5 6 7 => {
            let item: u64 = $first.wrapping_add(V as u64 * $stride);
            let exists = item < count;
            // Where there is no item, a key is compared with itself.
            let item = if exists { item } else { 0 };
            let before = item - (item > 0) as u64;
            // SAFETY: there is a key (the window exists), and both numbers are less than the number of keys, which are readable.
            let differs = unsafe {
                keys.wrapping_add(direction.place(item, count) as usize).read()
                    != keys.wrapping_add(direction.place(before, count) as usize).read()
            };
            heads |= ((exists && (differs || item == 0)) as u32) << V;
        });
        heads
    }};
}

/// What a window publishes of its heads.
#[derive(Clone, Copy)]
pub struct PublishedHeads {
    /// One more than the place of the last head; 0 if there is none.
    pub end: u32,
    /// How many heads there are.
    pub count: u32,
}

impl PublishedHeads {
    /// In one word. Both numbers are at most the number of items of a chunk.
    #[inline(always)]
    fn packed(self) -> u32 {
        self.end | self.count << 16
    }

    #[inline(always)]
    pub fn of(word: u32) -> Self {
        PublishedHeads {
            end: word & 0xffff,
            count: word >> 16,
        }
    }
}

/// The sum of a value over the lanes of a warp.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn warp_sum(mut value: u32) -> u32 {
    for_each_vector!(S in 1 2 4 8 16 => {
        // SAFETY: the whole warp is here: this function's condition.
        value = value.wrapping_add(unsafe { simt::shuffle_from(value, simt::lane() ^ S as u32) });
    });
    value
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The words that are marked before a window, and at once after it: at most those of a chunk.
    const NEAR_WORDS: u32 = {
        let most = Room::<T, O::Accumulator>::WINDOW_WORDS;
        if most < NEAR_WORDS {
            most
        } else {
            NEAR_WORDS
        }
    };

    /// Which of the items from `first` on, `stride` items apart, are heads: a bit for each of [`WORDS_AT_ONCE`] items.
    ///
    /// # Safety
    /// The launch has an item, and its keys are readable.
    #[inline(always)]
    unsafe fn heads_among(&self, keys: Keys, first: u64, stride: u64) -> u32 {
        match keys.bytes {
            1 => heads_among!(self, keys.address, first, stride),
            2 => heads_among!(self, keys.address.cast::<u16>(), first, stride),
            4 => heads_among!(self, keys.address.cast::<u32>(), first, stride),
            _ => heads_among!(self, keys.address.cast::<u64>(), first, stride),
        }
    }

    /// Writes `count` words of bits to `words`. The first bit is that of item `first`, which wraps if it is before item 0.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch has an item, and its keys are readable. There is room for the words, which no other thread
    /// uses.
    #[inline(always)]
    unsafe fn mark_words(&self, keys: Keys, first: u64, words: *mut u32, count: u32) {
        let (lane, warps) = (simt::lane(), self.threads() / WARP_LANES);
        let stride = warps as u64 * u32::BITS as u64;
        let mut word = simt::warp();
        while word < count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the whole warp votes, since all lanes have the same `word`. There is an item, and the keys are readable. Each word is
            // written by one lane.
            unsafe {
                let first = first.wrapping_add((word * u32::BITS + lane) as u64);
                let heads = self.heads_among(keys, first, stride);
                let mut own = 0;
                for_each_vector!(V in 0 1 2 3 4 5 6 7 => {
                    let bits = simt::ballot(heads >> V & 1 != 0);
                    if lane == V as u32 {
                        own = bits;
                    }
                });
                let number = word + lane * warps;
                if lane < WORDS_AT_ONCE && number < count {
                    words.wrapping_add(number as usize).write(own);
                }
            }
            word += step * WORDS_AT_ONCE * warps;
        }
    }

    /// Writes the bits around window `number` to shared memory, and publishes the window's last head. Returns the number of words after the
    /// window.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch has the window, its keys are readable, and the block's ticket and tag are written.
    #[inline(always)]
    pub unsafe fn mark_around(
        &self,
        keys: Keys,
        room: Room<T, O::Accumulator>,
        number: u64,
    ) -> u32 {
        let (near, own) = (Self::NEAR_WORDS, self.window_words());
        let chunk = Room::<T, O::Accumulator>::WINDOW_WORDS;
        let bits = room.raw_bits();
        let origin = number << self.window_shift;
        let first = origin.wrapping_sub((near * u32::BITS) as u64);
        let upto = near + own + near;
        let far = bits.wrapping_add(upto as usize);
        let far_item = first.wrapping_add((upto * u32::BITS) as u64);
        // SAFETY: the whole block is here, and the window and its keys exist: this function's conditions. The words lie one after the other
        // in the room of the leaves' values, which nobody uses yet. The branch goes the same way on all threads, since it depends on shared
        // memory. Nobody else publishes the window's last head.
        unsafe {
            self.mark_words(keys, first, bits, upto);
            // Orders the writes of near bits before all threads' reads.
            simt::barrier();
            if simt::warp() == 0 {
                self.publish_heads(room, number);
            }
            let lane = simt::lane();
            let mut after = 0;
            if lane < near {
                after = simt::read_shared(bits.wrapping_add((near + own + lane) as usize));
            }
            let is_far = simt::ballot(after != 0) == 0 && far_item < self.offsets.item_count;
            let count = if is_far { chunk - near } else { 0 };
            self.mark_words(keys, far_item, far, count);
            // Orders the writes of far bits before warp 0's reads.
            simt::barrier();
            near + count
        }
    }

    /// The lane's bits of `count` words in shared memory; `count` is a multiple of 4. Lanes past these words get no bits.
    ///
    /// # Safety
    /// The words are written, and begin at a multiple of 16 bytes.
    #[inline(always)]
    unsafe fn shared_bits(words: *const u32, count: u32) -> Bits {
        let word = simt::lane() * VECTOR_WORDS;
        if word < count {
            // SAFETY: the words are written, and a vector of them lies at a multiple of 16 bytes.
            Bits(unsafe { simt::read_vector(words.wrapping_add(word as usize)) })
        } else {
            Bits([0; 4])
        }
    }

    /// The board of the windows' last heads. Its slots lie after those of the windows' values.
    ///
    /// # Safety
    /// The tag is written.
    #[inline(always)]
    pub unsafe fn board_of_heads(&self) -> Board {
        let words = simt::block_count() as usize * O::Accumulator::WORDS;
        // SAFETY: the tag is in shared memory, and written: this function's condition.
        let tag = unsafe { simt::read_shared(&raw const (*self.header).tag) };
        Board::new(self.states.wrapping_add(words), tag)
    }

    /// Publishes the place of the last head of window `number` and, in a reduction, how many heads the window has.
    ///
    /// # Safety
    /// Convergent: the whole warp, once for the window. The window's bits are written, and so is the tag.
    #[inline(always)]
    unsafe fn publish_heads(&self, room: Room<T, O::Accumulator>, number: u64) {
        let words = room.raw_bits().wrapping_add(Self::NEAR_WORDS as usize);
        // SAFETY: the bits and the tag are written, and the whole warp votes and shuffles. The board has a slot for each window, and this
        // warp alone publishes it.
        unsafe {
            let own = Self::shared_bits(words, self.window_words());
            let found = simt::ballot(own.are_some());
            let highest = simt::shuffle_from(own.highest(), last_lane(found));
            let mut count = 0;
            if self.task == Task::Reduce {
                count = warp_sum(own.count());
            }
            let end = if found == 0 { 0 } else { highest + 1 };
            if simt::lane() == 0 {
                let heads = PublishedHeads { end, count };
                self.board_of_heads().publish(number as u32, heads.packed());
            }
        }
    }

    /// What a window's warp sees of the bits that [`Self::mark_around`] has written. Waits for earlier windows if there is no head just
    /// before the window.
    ///
    /// # Safety
    /// Convergent: the whole warp. The tag is written, and so are the bits around window `number`, with `next_words` words after it.
    #[inline(always)]
    pub unsafe fn see_marked(
        &self,
        room: Room<T, O::Accumulator>,
        number: u64,
        next_words: u32,
    ) -> Seen {
        let (near, own) = (Self::NEAR_WORDS, self.window_words());
        let bits = room.raw_bits();
        // SAFETY: the bits and the tag are written, and the whole warp votes and shuffles. All lanes have the same `found`.
        unsafe {
            let before = Self::shared_bits(bits, near);
            let found = simt::ballot(before.are_some());
            let highest = simt::shuffle_from(before.highest(), last_lane(found));
            let mut last_before = (number << self.window_shift)
                .wrapping_sub((near * u32::BITS) as u64)
                .wrapping_add(highest as u64);
            if found == 0 && number > 0 {
                last_before = self.look_back(number as u32);
            }
            Seen {
                own: Self::shared_bits(bits.wrapping_add(near as usize), own),
                next: Self::shared_bits(bits.wrapping_add((near + own) as usize), next_words),
                last_before,
            }
        }
    }

    /// The last head before window `number`, which earlier windows have published.
    ///
    /// # Safety
    /// Convergent: the whole warp. The tag is written, and the launch has an earlier window.
    #[inline(always)]
    unsafe fn look_back(&self, number: u32) -> u64 {
        let lane = simt::lane();
        // The windows from here on have no head.
        let mut upto = number;
        // SAFETY: the tag is written. The board has a slot for each window, and only windows before `number` are read. The whole warp votes
        // and shuffles, since all lanes have the same `upto` and leave together. Each of these windows publishes its last head, without
        // waiting, in a block with a lower ticket.
        unsafe {
            let board = self.board_of_heads();
            loop {
                let step = simt::opaque_one() as u32;
                let mut values = [0; LOOKS_AT_ONCE as usize];
                let mut unknown = 0;
                for_each_vector!(V in 0 1 2 3 => {
                    let window = upto.wrapping_sub(V as u32 * WARP_LANES + lane + 1);
                    let (value, is_published) = board.read::<u32>(if window < upto { window } else { 0 });
                    if window < upto {
                        values[V] = value;
                        unknown |= (!is_published as u32) << V;
                    }
                });
                // One more than the last head; 0 if none is known.
                let (mut last, mut is_known) = (0_u64, true);
                for_each_vector!(V in 0 1 2 3 => {
                    let waits = simt::ballot(unknown >> V & 1 != 0);
                    let end = PublishedHeads::of(values[V]).end;
                    let heads = simt::ballot(unknown >> V & 1 == 0 && end != 0);
                    let nearest = first_lane(heads);
                    let end = simt::shuffle_from(end, nearest);
                    let window = upto.wrapping_sub(V as u32 * WARP_LANES + nearest + 1);
                    let nearer = match heads {
                        0 => u32::MAX,
                        _ => (1 << nearest) - 1,
                    };
                    if last == 0 && is_known {
                        is_known = waits & nearer == 0;
                        if is_known && heads != 0 {
                            last = ((window as u64) << self.window_shift) + end as u64;
                        }
                    }
                });
                if last != 0 {
                    return last - 1;
                }
                if is_known {
                    upto = upto.wrapping_sub(step * LOOKS_AT_ONCE * WARP_LANES);
                }
            }
        }
    }
}
