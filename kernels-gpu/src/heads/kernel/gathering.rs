//! Gathering: the key and the start of each head are written to its run's place.
//!
//! A warp has a tile, or a part of one, in groups of 32 words: a lane has one word of each group. If a group has many heads, the warp goes
//! from word to word, and a lane takes the head of its own bit. Otherwise each lane goes through the heads of its own words. Both ways,
//! lanes side by side write to places side by side.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::heads::{part_shift, Layout, TILE_ITEMS, TILE_WORDS, WARPS};
use crate::selection::Equality;
use crate::thread::for_each_vector;
use crate::{simt, warp};

use super::Launch;

/// Groups of a tile.
const GROUPS: usize = 4;

/// Items of a group.
const GROUP_ITEMS: u32 = WARP_LANES * u32::BITS;

/// The most heads of a group whose words are taken by one lane each.
const SPARSE_HEADS: u32 = GROUP_ITEMS / 8;

/// The most words that a warp takes at once.
const MOST_AT_ONCE: usize = 8;

/// Where a tile's keys are read, and where they are written.
#[derive(Clone, Copy)]
struct Place<T> {
    /// The tile's first item.
    item: u64,
    /// The run of the tile's first head.
    run: u64,
    /// The key of the tile's first item.
    from: *const T,
    /// The place of the tile's first head.
    to: *mut T,
    /// How many keys there is room for from `to` on; at most the items of a tile.
    room: u32,
}

/// The numbers of heads of a tile's groups, two in a word.
#[derive(Clone, Copy)]
struct Ranks {
    /// The heads of the tile before the lane's word of each group.
    before: [u32; 2],
    /// The heads of each group, the same on all lanes.
    counts: [u32; 2],
}

impl Ranks {
    /// The numbers of heads of a tile. A lane has one word of each group.
    ///
    /// # Safety
    /// Convergent: a whole warp.
    #[inline(always)]
    unsafe fn of([a, b, c, d]: [u32; GROUPS]) -> Self {
        let low = a.count_ones() | b.count_ones() << 16;
        let high = c.count_ones() | d.count_ones() << 16;
        // SAFETY: the whole warp is here: this function's condition.
        let [low_upto, high_upto, low_count, high_count] = unsafe {
            let (low, high) = (warp::sums_up_to(low), warp::sums_up_to(high));
            let last = WARP_LANES - 1;
            [
                low,
                high,
                simt::shuffle_from(low, last),
                simt::shuffle_from(high, last),
            ]
        };
        // A tile has fewer than 2^16 items, so no sum carries into the upper half.
        let half = (low_count & 0xffff) + (low_count >> 16);
        Ranks {
            before: [
                low_upto - low + (low_count << 16),
                high_upto - high + (high_count << 16) + half * 0x1_0001,
            ],
            counts: [low_count, high_count],
        }
    }

    /// The number for a group among two words.
    #[inline(always)]
    fn half(words: [u32; 2], group: u32) -> u32 {
        let word = if group < 2 { words[0] } else { words[1] };
        word >> (16 * (group % 2)) & 0xffff
    }

    /// How many heads the tile has before the lane's word of a group.
    #[inline(always)]
    fn before(&self, group: u32) -> u32 {
        Self::half(self.before, group)
    }

    /// How many heads a group has.
    #[inline(always)]
    fn count(&self, group: u32) -> u32 {
        Self::half(self.counts, group)
    }
}

impl<E: Equality<T>, T: Element> Launch<E, T> {
    /// How many words a warp takes at once. Keys are read before any is written.
    const AT_ONCE: usize = match size_of::<T>() {
        0..=4 => MOST_AT_ONCE,
        5..=8 => 4,
        _ => 1,
    };

    /// The bits of the words that a warp takes at once.
    const TAKEN: u32 = (1 << Self::AT_ONCE) - 1;

    /// Whether a lane reads the keys of several words before it writes any. Larger keys take too many registers.
    const READS_AHEAD: bool = size_of::<T>() <= 8;

    /// Writes the key and the start of each head, where they are wanted, to the place of its run.
    ///
    /// # Safety
    /// Convergent: the whole block. The heads are marked.
    #[inline(always)]
    pub unsafe fn gather(&self) {
        let tiles = Layout::tile_count(self.arguments.key_count);
        let shift = part_shift(tiles);
        let mut part = simt::block_index() as u64 * WARPS as u64 + simt::warp() as u64;
        // SAFETY: the heads are marked (this function's condition). The whole warp is here, and has the same parts. One thread writes the
        // end.
        unsafe {
            while part < tiles << shift {
                let step = simt::opaque_one() as u64;
                self.gather_part(part >> shift, part as u32 & ((1 << shift) - 1), shift);
                part += step * simt::block_count() as u64 * WARPS as u64;
            }
            let is_first = simt::block_index() == 0 && simt::thread_index() == 0;
            if is_first && self.arguments.start_capacity > 0 {
                let (place, number) = match self.is_backward() {
                    true => (0, 0),
                    false => (self.runs(), self.arguments.key_count),
                };
                self.write_start(place, number);
            }
        }
    }

    /// Writes what is at the heads of a part of a tile.
    ///
    /// # Safety
    /// Convergent: a whole warp. The heads are marked, and the launch has the tile.
    #[inline(always)]
    unsafe fn gather_part(&self, tile: u64, part: u32, shift: u32) {
        let word = tile * TILE_WORDS + simt::lane() as u64;
        // SAFETY: the heads are marked (this function's condition), so the bits of the tile are written, and what is known before it. The
        // whole warp shuffles, since all its lanes have the same tile.
        unsafe {
            let mut words = [0; GROUPS];
            for_each_vector!(G in 0 1 2 3 => {
                words[G] = self.heads.word(word + (G as u32 * WARP_LANES) as u64).read();
            });
            let range = tile >> self.heads.layout.range_shift;
            let before_range = (*self.heads.range(range)).count;
            let run = before_range + (*self.heads.tile(tile)).count as u64;
            let ranks = Ranks::of(words);
            let part_words = TILE_WORDS as u32 >> shift;
            for_each_vector!(G in 0 1 2 3 => {
                let place = G as u32 * WARP_LANES + simt::lane();
                if place.wrapping_sub(part * part_words) >= part_words {
                    words[G] = 0;
                }
            });

            let item = tile * TILE_ITEMS;
            let mut room = 0;
            if !self.arguments.firsts.is_null() {
                let left = self.arguments.first_capacity.saturating_sub(run);
                room = Ord::min(left, TILE_ITEMS) as u32;
            }
            let place = Place {
                item,
                run,
                from: self.arguments.keys.wrapping_add(item as usize),
                to: self.arguments.firsts.wrapping_add(run as usize),
                room,
            };
            let mut sparse = words;
            let mut group = 0;
            while group < GROUPS as u32 {
                let step = simt::opaque_one() as u32;
                let first = group * GROUP_ITEMS;
                if ranks.count(group) > SPARSE_HEADS && room > 0 {
                    self.gather_words(&place, first, words[0], ranks.before(group));
                }
                if self.arguments.start_capacity > 0 {
                    self.gather_starts(&place, first, words[0], ranks.before(group));
                }
                [words[0], words[1], words[2]] = [words[1], words[2], words[3]];
                group += step;
            }
            let mut first_ranks = [0; GROUPS];
            for_each_vector!(G in 0 1 2 3 => {
                first_ranks[G] = ranks.before(G as u32);
                if ranks.count(G as u32) > SPARSE_HEADS || room == 0 {
                    sparse[G] = 0;
                }
            });
            self.gather_own(&place, sparse, first_ranks);
        }
    }

    /// Writes the keys at the heads of a group's words. A lane has a word, and the number of the tile's heads before it. The group's items
    /// begin at `first`, counted from the tile's beginning.
    ///
    /// # Safety
    /// Convergent: a whole warp. The words are the launch's.
    #[inline(always)]
    unsafe fn gather_words(&self, place: &Place<T>, first: u32, bits: u32, rank: u32) {
        let lane = simt::lane();
        let below = (1_u32 << lane) - 1;
        // SAFETY: the whole warp votes and shuffles, since all lanes have the same words. A bit is that of an item, which is readable, and
        // of a run of its own.
        unsafe {
            let mut nonzero = simt::ballot(bits != 0);
            while nonzero != 0 {
                // The first word that has a head, or one of the words before it.
                let word = nonzero.trailing_zeros() & !(Self::AT_ONCE as u32 - 1);
                let mut keys = [T::zeroed(); MOST_AT_ONCE];
                let mut ranks = [u32::MAX; MOST_AT_ONCE];
                let own = first + word * WARP_LANES + lane;
                let from = place.from.wrapping_add(own as usize);
                for_each_vector!(W => {
                    if W < Self::AT_ONCE {
                        let other = simt::shuffle_from(bits, word + W as u32);
                        let rank = simt::shuffle_from(rank, word + W as u32);
                        if other >> lane & 1 != 0 {
                            ranks[W] = rank + (other & below).count_ones();
                        }
                        if Self::READS_AHEAD && ranks[W] < place.room {
                            keys[W] = from.wrapping_add(W * WARP_LANES as usize).read();
                        }
                    }
                });
                for_each_vector!(W => {
                    if W < Self::AT_ONCE {
                        if ranks[W] < place.room {
                            if !Self::READS_AHEAD {
                                keys[W] = from.wrapping_add(W * WARP_LANES as usize).read();
                            }
                            place.to.wrapping_add(ranks[W] as usize).write(keys[W]);
                        }
                    }
                });
                nonzero &= !(Self::TAKEN << word);
            }
        }
    }

    /// Writes the keys at the heads of the lane's own words, one of each group. `ranks` are the numbers of the tile's heads before the words.
    ///
    /// # Safety
    /// The words are the launch's.
    #[inline(always)]
    unsafe fn gather_own(&self, place: &Place<T>, mut words: [u32; GROUPS], mut ranks: [u32; GROUPS]) {
        let [mut a, mut b, mut c, mut d] = words;
        while a | b | c | d != 0 {
            let step = simt::opaque_one() as u32;
            words = [a, b, c, d];
            let mut keys = [T::zeroed(); GROUPS];
            let mut items = [0; GROUPS];
            // SAFETY: the bit is that of an item, which is readable, and of a run of its own.
            unsafe {
                for_each_vector!(G in 0 1 2 3 => {
                    let first = G as u32 * GROUP_ITEMS + simt::lane() * u32::BITS;
                    items[G] = first + words[G].trailing_zeros();
                    if Self::READS_AHEAD && words[G] != 0 && ranks[G] < place.room {
                        keys[G] = place.from.wrapping_add(items[G] as usize).read();
                    }
                });
                for_each_vector!(G in 0 1 2 3 => {
                    if words[G] != 0 {
                        if ranks[G] < place.room {
                            if !Self::READS_AHEAD {
                                keys[G] = place.from.wrapping_add(items[G] as usize).read();
                            }
                            place.to.wrapping_add(ranks[G] as usize).write(keys[G]);
                        }
                    }
                    words[G] &= words[G].wrapping_sub(1);
                    ranks[G] += step;
                });
            }
            [a, b, c, d] = words;
        }
    }

    /// Writes the starts of a group's heads. The arguments are those of [`Self::gather_words`].
    ///
    /// # Safety
    /// Convergent: a whole warp. The words are the launch's, and starts are wanted.
    #[inline(always)]
    unsafe fn gather_starts(&self, place: &Place<T>, first: u32, bits: u32, rank: u32) {
        let lane = simt::lane();
        // SAFETY: the whole warp votes and shuffles, since all lanes have the same words. A bit is that of an item, and of a run of its own.
        unsafe {
            let mut nonzero = simt::ballot(bits != 0);
            while nonzero != 0 {
                let step = simt::opaque_one() as u32;
                let word = nonzero.trailing_zeros();
                let other = simt::shuffle_from(bits, word);
                let rank = simt::shuffle_from(rank, word);
                if other >> lane & 1 != 0 {
                    let below = (other & ((1 << lane) - 1)).count_ones();
                    self.write_border(place, first + word * WARP_LANES + lane, rank + below);
                }
                nonzero &= nonzero - step;
            }
        }
    }

    /// Writes the border at a head: its start, or in a backward scan the end of the run, which is the start of the next run in memory. Item
    /// and rank are counted from the tile's beginning.
    ///
    /// # Safety
    /// The launch has the item, and no other thread has the run. Starts are wanted.
    #[inline(always)]
    unsafe fn write_border(&self, tile: &Place<T>, item: u32, rank: u32) {
        let (item, run) = (tile.item + item as u64, tile.run + rank as u64);
        // SAFETY: no other thread has the run: this function's condition.
        unsafe {
            let (place, number) = match self.is_backward() {
                true => (self.runs() - run, self.arguments.key_count - item),
                false => (run, item),
            };
            self.write_start(place, number);
        }
    }

    /// Writes a start, if it has a place.
    ///
    /// # Safety
    /// No other thread writes the place.
    #[inline(always)]
    unsafe fn write_start(&self, place: u64, number: u64) {
        let (to, place, room) = (self.arguments.starts, place as usize, self.arguments.start_capacity);
        if (place as u64) < room {
            // SAFETY: the output has the place, and no other thread writes it: this function's condition.
            unsafe {
                if self.arguments.start_bytes == 4 {
                    to.wrapping_add(place).write(number as u32);
                } else {
                    to.cast::<u64>().wrapping_add(place).write(number);
                }
            }
        }
    }

    /// The number of runs.
    ///
    /// # Safety
    /// The heads are marked.
    #[inline(always)]
    unsafe fn runs(&self) -> u64 {
        // SAFETY: the summary is written: this function's condition.
        unsafe { (*self.heads.summary()).run_count }
    }
}
