//! How one warp finds the chunks that begin in a window, from the window's bits.

use crate::contract::WARP_LANES;
use crate::element::{Element, Words};
use crate::heads::{Heads, TILE_ITEMS, TILE_WORDS};
use crate::op::Op;
use crate::segments::{Task, Window, Work, NODE_ITEMS, NO_CHUNK};
use crate::simt;
use crate::thread::for_each_vector;

use super::super::items::Room;
use super::super::Launch;
use super::published::warp_sum;
use super::words::Word;

/// The number of words of a vector.
pub const VECTOR_WORDS: u32 = 4;

/// The number of words for the bits of the items of a full node.
pub const NODE_WORDS: u32 = NODE_ITEMS as u32 / u32::BITS;

/// The number of bits of a vector.
const VECTOR_BITS: u64 = (VECTOR_WORDS * u32::BITS) as u64;

/// Stands for a head's place if there is no head.
pub const NO_HEAD: u32 = u32::MAX;

/// What a block finds of the heads in and around its window.
#[derive(Clone, Copy)]
pub struct Seen {
    /// The calling lane's bits of the window.
    pub own: Bits,
    /// The place of the first head after the window. The search covers as many items after the window as a full node has. If none of them
    /// is a head, this is [`NO_HEAD`].
    pub next: u32,
    /// The last head before the window. It is not used in window 0, nor if the window's first item is a head.
    pub last_before: u64,
}

impl Seen {
    /// No heads.
    pub const NOTHING: Self = Seen {
        own: Bits([0; 4]),
        next: NO_HEAD,
        last_before: 0,
    };
}

/// The bits of a lane: four consecutive words.
#[derive(Clone, Copy)]
pub struct Bits(pub Words);

impl Bits {
    /// Whether any bit is set.
    #[inline(always)]
    pub fn are_some(self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d != 0
    }

    /// How many bits are set.
    #[inline(always)]
    pub fn count(self) -> u32 {
        let [a, b, c, d] = self.0;
        a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()
    }

    /// The lowest bit that is set, counted from the first bit of lane 0; any number if none is.
    #[inline(always)]
    pub fn lowest(self) -> u32 {
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
    pub fn highest(self) -> u32 {
        let (mut word, mut bits) = (0, self.0[0]);
        for_each_vector!(W in 1 2 3 => {
            if self.0[W] != 0 {
                (word, bits) = (W as u32, self.0[W]);
            }
        });
        Self::first_of(word) + (u32::BITS - 1).wrapping_sub(bits.leading_zeros())
    }

    /// These bits, with bit `bit` also set if the calling lane has this bit. `bit` counts from the first bit of lane 0.
    #[inline(always)]
    fn with(mut self, bit: u32) -> Self {
        for_each_vector!(W in 0 1 2 3 => {
            let place = bit.wrapping_sub(Self::first_of(W as u32));
            if place < u32::BITS {
                self.0[W] |= 1 << place;
            }
        });
        self
    }

    /// The number of the first bit of word `word` of the calling lane, counted from the first bit of lane 0.
    #[inline(always)]
    fn first_of(word: u32) -> u32 {
        (simt::lane() * VECTOR_WORDS + word) * u32::BITS
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The lane's bits of `count` words from word `first` on; both numbers are multiples of 4. Lanes past these words get no bits.
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

    /// How many words the bits of a window take.
    #[inline(always)]
    pub fn window_words(&self) -> u32 {
        1 << self.window_shift >> u32::BITS.trailing_zeros()
    }

    /// The last head before a window, if there is one. In a reduction, also how many heads there are before the window.
    ///
    /// # Safety
    /// Convergent: the whole warp. The heads are marked, and the launch has the window.
    #[inline(always)]
    unsafe fn heads_before(&self, heads: &Heads, number: u64) -> (u64, u64) {
        let begin = number << self.window_shift;
        let tile = begin / TILE_ITEMS;
        let range = tile >> heads.layout.range_shift;
        // SAFETY: the launch has the window (this function's condition), so the window's tile exists, and all bits of the tile are written.
        // The whole warp votes and shuffles.
        unsafe {
            // The tile's bits before the window.
            let words = (begin % TILE_ITEMS / u32::BITS as u64) as u32;
            let bits = Self::bits(heads, tile * TILE_WORDS, words);
            let before_range = heads.range(range).read();
            let before_tile = heads.tile(tile).read();
            let mut last = before_range.end.wrapping_sub(1);
            if before_tile.end > 0 {
                let origin = (range << heads.layout.range_shift) * TILE_ITEMS;
                last = origin + (before_tile.end - 1) as u64;
            }
            let found = simt::ballot(bits.are_some());
            let highest = simt::shuffle_from(bits.highest(), last_lane(found));
            if found != 0 {
                last = tile * TILE_ITEMS + highest as u64;
            }
            let mut count = before_range.count + before_tile.count as u64;
            if self.task == Task::Reduce {
                count += warp_sum(bits.count()) as u64;
            }
            (last, count)
        }
    }

    /// What one warp finds of the heads in and around window `number`, if heads are marked. In a reduction, also writes the number of runs
    /// that begin before the window.
    ///
    /// # Safety
    /// Convergent: the whole warp, once for the block. The heads are marked, and the launch has window `number`.
    #[inline(always)]
    pub unsafe fn see(&self, heads: &Heads, number: u64) -> Seen {
        let words = self.window_words();
        let first = number * words as u64;
        let left = self.offsets.item_count - (number << self.window_shift);
        let left = left
            .div_ceil(VECTOR_BITS)
            .saturating_mul(VECTOR_WORDS as u64);
        let upto = Ord::min(left, (words + NODE_WORDS) as u64) as u32;
        // SAFETY: the launch has the window, all of whose bits are written. The bits after the window are written as far as there are
        // items. The whole warp is here: this function's condition. All loads are in flight at once.
        unsafe {
            let own = Self::bits(heads, first, words);
            let next = Self::bits(heads, first + words as u64, upto.saturating_sub(words));
            let (last_before, count) = self.heads_before(heads, number);
            if self.task == Task::Reduce && simt::lane() == 0 {
                self.rank_address().write(count);
            }
            let of_next = simt::ballot(next.are_some());
            let next_lowest = simt::shuffle_from(next.lowest(), first_lane(of_next));
            Seen {
                own,
                next: match of_next {
                    0 => NO_HEAD,
                    _ => next_lowest + (1 << self.window_shift),
                },
                last_before,
            }
        }
    }

    /// Finds the chunks of window `number` of the launch, and writes the words, the work and the [`Window`].
    ///
    /// # Safety
    /// Convergent: the whole warp. `seen` is what the warp has found of the window. The launch has the window. No other warp accesses the
    /// header or the words before the next barrier.
    #[inline(always)]
    pub unsafe fn find_chunks(&self, seen: Seen, room: Room<T, O::Accumulator>, number: u64) {
        let words = Room::<T, O::Accumulator>::WINDOW_WORDS;
        let node = NODE_ITEMS as u32;
        let window = 1 << self.window_shift;
        let origin = number << self.window_shift;
        let left = self.offsets.item_count - origin;
        let lane = simt::lane();
        let Seen {
            own,
            next,
            last_before,
        } = seen;
        // SAFETY: the whole warp votes and shuffles. The words and the work are in shared memory, and no other warp accesses them (this
        // function's conditions). Lane 0 alone writes the work.
        unsafe {
            let of_own = simt::ballot(own.are_some());
            let first = simt::shuffle_from(own.lowest(), first_lane(of_own));
            let last_head = simt::shuffle_from(own.highest(), last_lane(of_own));
            // The place of the first head after the window, if `next` has one. Otherwise the end of the items, but at most one node's
            // length after the window.
            let end = match next {
                NO_HEAD => Ord::min(left, (window + node) as u64) as u32,
                _ => next,
            };
            let next = if of_own != 0 { first } else { end };

            // The tail: the nodes that begin in the window, of a run that began in an earlier window.
            let (mut has_tail, mut index, mut tail) = (0, 0, u32::MAX);
            if number > 0 {
                index = (origin - last_before).div_ceil(NODE_ITEMS);
                tail = (last_before + index * NODE_ITEMS - origin) as u32;
                has_tail = (tail < Ord::min(next, window)) as u32;
            }
            let own = if has_tail != 0 { own.with(tail) } else { own };
            let found = simt::ballot(own.are_some());
            let begin = if has_tail != 0 { tail } else { first };
            let last = if of_own != 0 { last_head } else { tail };
            // The first place after the window at which a node of the last chunk's run would begin.
            let last_end = window + (last.wrapping_sub(window) & (node - 1));
            let upto = Ord::min(end, last_end);
            let goes_on = found != 0 && end > last_end;

            let (lowest, highest) = (own.lowest(), own.highest());
            let below = found & ((1 << lane) - 1);
            let above = found & !(2_u32 << lane).wrapping_sub(1);
            let mut before = simt::shuffle_from(highest, last_lane(below)) + 1;
            let mut after = simt::shuffle_from(lowest, first_lane(above));
            if below == 0 {
                before = 0;
            }
            if above == 0 {
                after = upto;
            }
            let mut next_starts = [after; VECTOR_WORDS as usize];
            for_each_vector!(W in 2 1 0 => {
                let heads = own.0[W + 1];
                next_starts[W] = match heads {
                    0 => next_starts[W + 1],
                    _ => Bits::first_of(W as u32 + 1) + heads.trailing_zeros(),
                };
            });
            // Words past a small window have no heads.
            for_each_vector!(W in 0 1 2 3 => {
                let place = lane * VECTOR_WORDS + W as u32;
                let heads = own.0[W];
                if place < words {
                    let after = next_starts[W];
                    room.word_address(place).write(Word { heads, before, after }.packed());
                }
                if heads != 0 {
                    before = Bits::first_of(W as u32) + u32::BITS - heads.leading_zeros();
                }
            });
            // The last value of `before`, which would belong to the next lane's first word, is not used.
            let _ = before;
            if self.task == Task::Reduce {
                let mut upto = own.count();
                for_each_vector!(S in 1 2 4 8 16 => {
                    let below = simt::shuffle_up(upto, S as u32);
                    if lane >= S as u32 {
                        upto += below;
                    }
                });
                let mut count = upto - own.count();
                for_each_vector!(W in 0 1 2 3 => {
                    let place = lane * VECTOR_WORDS + W as u32;
                    if place < words {
                        room.heads_count(place).write(count);
                    }
                    count += own.0[W].count_ones();
                });
                if lane == WARP_LANES - 1 {
                    room.heads_count(words).write(count);
                }
            }
            if lane != 0 {
                return;
            }
            let beyond = Word {
                heads: 0,
                before: last.wrapping_add(1),
                after: upto,
            };
            room.word_address(words).write(beyond.packed());
            room.flags_of_runs().write(0);
            // Windows are cut by items, so the diagonal at which a segment begins is the number of the segment's first item. Elsewhere this
            // diagonal is `begin + segment`, so here `segment` is 0.
            self.window_address(0).write(Window {
                segment: 0,
                begin: last_before,
                index,
                has_tail,
                is_last: (of_own != 0 || !goes_on) as u32,
            });
            let place = self.place_in_vector(origin);
            let mut work = Work {
                base: origin.wrapping_sub(place as u64),
                segment: 0,
                index: index * has_tail as u64 * NODE_ITEMS,
                begin: place + begin,
                end: place.wrapping_add(upto),
                chunk_count: 1,
                tail_chunk: has_tail.wrapping_sub(1),
                cut_chunk: if goes_on {
                    last.wrapping_sub(begin)
                } else {
                    NO_CHUNK
                },
                window: 0,
                is_followed: 0,
                starts: place,
            };
            if found == 0 {
                (work.begin, work.end, work.tail_chunk) = (place, place, NO_CHUNK);
            }
            self.work_address(0).write(work);
        }
    }
}

/// The lowest lane whose bit is set in `lanes`; lane 0 if no bit is set.
#[inline(always)]
pub fn first_lane(lanes: u32) -> u32 {
    lanes.trailing_zeros() % WARP_LANES
}

/// The highest lane whose bit is set in `lanes`; the last lane if no bit is set.
#[inline(always)]
pub fn last_lane(lanes: u32) -> u32 {
    (WARP_LANES - 1).wrapping_sub(lanes.leading_zeros()) % WARP_LANES
}
