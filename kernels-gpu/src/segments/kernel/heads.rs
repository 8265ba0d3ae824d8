//! Segments that start at heads of runs: a window's runs, and the starts of a work's chunks, from the [bits](crate::heads).
//!
//! A window has as many items as a chunk, and owns the chunks that begin there. Its bits are a few vectors for each lane of one warp. The
//! bits belong to the library, and earlier work has written all of them. So nothing is checked or refused here.

use crate::contract::WARP_LANES;
use crate::element::{Element, Words};
use crate::heads::{Heads, TILE_ITEMS, TILE_WORDS};
use crate::op::Op;
use crate::segments::{chunk_items, Work};
use crate::simt;
use crate::thread::for_each_vector;
use crate::warp;

use super::items::Room;
use super::Launch;

/// The words of a vector.
const VECTOR_WORDS: u32 = 4;

/// The runs of a window. Places are counted from the window's first item. Valid on lane 0.
#[derive(Clone, Copy)]
pub struct Runs {
    /// How many heads there are before the window.
    pub before: u64,
    /// The last head before the window, if there is one.
    pub last_before: u64,
    /// How many heads the window has.
    pub count: u32,
    /// How many of them are in its first half.
    pub half_count: u32,
    /// The place of the first head, if there is one.
    pub first: u32,
    /// The place of the last head, if there is one.
    pub last: u32,
    /// The place of the last head of the first half, if there is one.
    pub last_of_half: u32,
    /// The place of the first head of the second half, if there is one.
    pub second_half: u32,
    /// The place of the next head after the window, or of the end of the items; at most the place two windows on.
    pub end: u32,
}

/// The bits of a lane: four consecutive words.
#[derive(Clone, Copy)]
struct Bits(Words);

impl Bits {
    /// How many bits are set.
    #[inline(always)]
    fn count(self) -> u32 {
        let [a, b, c, d] = self.0;
        a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()
    }

    /// The lowest bit that is set, counted from the first bit of lane 0; any number if none is.
    #[inline(always)]
    fn lowest(self) -> u32 {
        let (mut word, mut bits) = (3, self.0[3]);
        for_each_vector!(W in 2 1 0 => {
            if self.0[W] != 0 {
                (word, bits) = (W as u32, self.0[W]);
            }
        });
        Self::first_of(word) + bits.trailing_zeros()
    }

    /// The highest bit that is set, counted from the first bit of lane 0; any number if none is.
    #[inline(always)]
    fn highest(self) -> u32 {
        let (mut word, mut bits) = (0, self.0[0]);
        for_each_vector!(W in 1 2 3 => {
            if self.0[W] != 0 {
                (word, bits) = (W as u32, self.0[W]);
            }
        });
        Self::first_of(word) + (u32::BITS - 1).wrapping_sub(bits.leading_zeros())
    }

    /// The first bit of a word of the calling lane.
    #[inline(always)]
    fn first_of(word: u32) -> u32 {
        (simt::lane() * VECTOR_WORDS + word) * u32::BITS
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Words of bits of a window.
    const WORDS: u32 = chunk_items::<T, O::Accumulator>() as u32 / u32::BITS;

    /// The launch's heads.
    #[inline(always)]
    fn heads(&self) -> Heads {
        Heads::new(
            self.offsets.address.cast_mut().cast(),
            self.offsets.most_items,
        )
    }

    /// The lane's bits of `count` words from word `first` on, a multiple of 4. Lanes beyond them get none.
    ///
    /// # Safety
    /// The launch has these words.
    #[inline(always)]
    unsafe fn bits(heads: &Heads, first: u64, count: u32) -> Bits {
        let word = simt::lane() * VECTOR_WORDS;
        if word < count {
            // SAFETY: the launch has the words, and those of a vector lie together at a multiple of 16 bytes.
            Bits(unsafe { simt::load_vector(heads.word(first + word as u64)) })
        } else {
            Bits([0; 4])
        }
    }

    /// Finds the runs of a window.
    ///
    /// # Safety
    /// Convergent: the whole warp. Segments start at heads, which are marked, and the launch has the window.
    #[inline(always)]
    pub unsafe fn find_runs(&self, number: u64) -> Runs {
        let window = chunk_items::<T, O::Accumulator>();
        let heads = self.heads();
        let begin = number * window;
        let first_word = begin / u32::BITS as u64;
        let tile = begin / TILE_ITEMS;
        let range = tile >> heads.layout.range_shift;
        let left = self.offsets.item_count - begin;
        // SAFETY: the launch has the window (this function's condition), so it has its tile, all of whose bits are written. The next
        // window's bits are written if it has an item. The whole warp votes and shuffles.
        unsafe {
            // All loads are in flight at once.
            let own = Self::bits(&heads, first_word, Self::WORDS);
            let next = if left > window {
                let next_word = first_word + Self::WORDS as u64;
                Self::bits(&heads, next_word, Self::WORDS)
            } else {
                Bits([0; 4])
            };
            let in_tile = if window < TILE_ITEMS {
                let words = (first_word % TILE_WORDS) as u32;
                Self::bits(&heads, tile * TILE_WORDS, words)
            } else {
                Bits([0; 4])
            };
            let before_range = heads.range(range).read();
            let before_tile = heads.tile(tile).read();

            let half = Self::WORDS / 2 / VECTOR_WORDS;
            let own_count = own.count();
            let both = own_count | if simt::lane() < half { own_count << 16 } else { 0 };
            let counts = sum(both);
            let (lowest, highest) = (own.lowest(), own.highest());
            let found = simt::ballot(own_count > 0);
            let of_half = found & ((1 << half) - 1);
            let of_next = simt::ballot(next.count() > 0);
            let end = Ord::min(left, 2 * window) as u32;
            let next_lowest = simt::shuffle_from(next.lowest(), first_lane(of_next));
            let mut runs = Runs {
                before: before_range.count + before_tile.count as u64,
                last_before: before_range.last.wrapping_sub(1),
                count: counts & 0xffff,
                half_count: counts >> 16,
                first: simt::shuffle_from(lowest, first_lane(found)),
                last: simt::shuffle_from(highest, last_lane(found)),
                last_of_half: simt::shuffle_from(highest, last_lane(of_half)),
                second_half: simt::shuffle_from(lowest, first_lane(found & !of_half)),
                end: if of_next == 0 {
                    end
                } else {
                    window as u32 + next_lowest
                },
            };
            if before_tile.last > 0 {
                let origin = (range << heads.layout.range_shift) * TILE_ITEMS;
                runs.last_before = origin + (before_tile.last - 1) as u64;
            }
            if window < TILE_ITEMS {
                let found = simt::ballot(in_tile.count() > 0);
                let last = simt::shuffle_from(in_tile.highest(), last_lane(found));
                runs.before += sum(in_tile.count()) as u64;
                if found != 0 {
                    runs.last_before = tile * TILE_ITEMS + last as u64;
                }
            }
            runs
        }
    }

    /// Writes the starts of a work's chunks, and the end of the last one.
    ///
    /// A lane takes a word of bits. It begins with another bit than its neighbours do, so that lanes whose words are full write to
    /// different banks.
    ///
    /// # Safety
    /// 1. Convergent: the whole block. The header is written, and `work` is one of the block's works. Segments start at heads.
    /// 2. No thread uses the starts of earlier works any more.
    #[inline(always)]
    pub unsafe fn write_heads(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let (lane, warp) = (simt::lane(), simt::warp());
        // SAFETY: the header is written, and the work has the window, which has an item, so its bits are written. The whole warp shuffles,
        // since all its lanes have the same work. The starts have room for all chunks and for the last one's end. Chunk 0 and the end are
        // written by one thread, and the start of each other chunk by the lane with the bit of its head. No thread uses earlier starts
        // (condition 2).
        unsafe {
            if simt::thread_index() == 0 {
                self.start_address(work, room, 0)
                    .write(self.low_half(work, work.begin));
                self.start_address(work, room, work.chunk_count)
                    .write(self.low_half(work, work.end));
            }
            if work.chunk_count <= 1 || warp >= VECTOR_WORDS {
                return;
            }
            let window = self.window_number(work.window as u32);
            let first_word = window * Self::WORDS as u64;
            let bits = Self::bits(&self.heads(), first_word, Self::WORDS);
            let own = bits.count();
            let mut first = work.first_head.wrapping_add(warp::sums_up_to(own) - own);
            let mut word = 0;
            for_each_vector!(W in 0 1 2 3 => {
                if (W as u32) < warp {
                    first = first.wrapping_add(bits.0[W].count_ones());
                }
                if W as u32 == warp {
                    word = bits.0[W];
                }
            });
            let begin = window * chunk_items::<T, O::Accumulator>();
            let place = (begin.wrapping_sub(work.base) as u32).wrapping_add(Bits::first_of(warp));
            let mut left = word.rotate_right(lane);
            while left != 0 {
                let step = simt::opaque_one() as u32;
                let bit = (left.trailing_zeros() + lane) % u32::BITS;
                let before = (word & ((1 << bit) - 1)).count_ones();
                let chunk = first.wrapping_add(before);
                // Chunks before the work's first head wrap.
                if chunk.wrapping_sub(1) < work.chunk_count - 1 {
                    self.start_address(work, room, chunk)
                        .write(self.low_half(work, place.wrapping_add(bit)));
                }
                left &= left - step;
            }
        }
    }
}

/// The lowest lane with a bit; lane 0 if there is none.
#[inline(always)]
fn first_lane(lanes: u32) -> u32 {
    lanes.trailing_zeros() % WARP_LANES
}

/// The highest lane with a bit; the last lane if there is none.
#[inline(always)]
fn last_lane(lanes: u32) -> u32 {
    (WARP_LANES - 1).wrapping_sub(lanes.leading_zeros()) % WARP_LANES
}

/// The sum of all lanes' numbers; valid on lane 0.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
unsafe fn sum(mut number: u32) -> u32 {
    let mut delta = WARP_LANES / 2;
    while delta > 0 {
        // SAFETY: the whole warp is here: this function's condition.
        number += unsafe { simt::shuffle_down(number, delta) };
        delta /= 2;
    }
    number
}
