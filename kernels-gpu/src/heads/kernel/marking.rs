//! Writes the bits of a block's range, and the heads before each tile of the range.

use crate::contract::{vector_bytes, vector_items, WARP_LANES};
use crate::element::{for_each_item, item_of, put_item, Element, Vector, VECTOR_WORDS};
use crate::heads::{BeforeRange, BeforeTile, Layout, TILE_ITEMS, TILE_WORDS, WARPS};
use crate::selection::Equality;
use crate::simt;
use crate::thread::{for_each_vector, Access, Caching};

use super::Launch;

/// How many items of a tile a warp marks.
const WARP_ITEMS: u32 = TILE_ITEMS as u32 / WARPS;

/// How many words of bits a warp writes for a tile.
const WARP_WORDS: u32 = WARP_ITEMS / u32::BITS;

/// The most rows that a warp loads at once. A row is a vector for each lane of the warp.
const MOST_AT_ONCE: usize = 4;

/// The keys that a warp loads in advance: the first keys of its part of a tile.
#[derive(Clone, Copy)]
struct Begun<T> {
    /// Rows of vectors. Used only if `is_whole`.
    rows: [Vector; MOST_AT_ONCE],
    /// In lane 0, the key before the part. Used only if `is_whole`.
    before: T,
    /// Whether the part is loaded in vectors.
    is_whole: bool,
}

impl<E: Equality<T>, T: Element> Launch<E, T> {
    /// Items of a vector.
    const VECTOR_ITEMS: u32 = vector_items::<T>() as u32;

    /// How many rows a warp's part of a tile has.
    const ROWS: u32 = WARP_ITEMS / (WARP_LANES * Self::VECTOR_ITEMS);

    /// How many rows are loaded at once.
    const ROWS_AT_ONCE: u32 = {
        let most = match size_of::<T>() {
            0..=16 => MOST_AT_ONCE as u32,
            17..=32 => 2,
            _ => 1,
        };
        if most < Self::ROWS {
            most
        } else {
            Self::ROWS
        }
    };

    /// How many lanes fill a word with their bits: twice the number of rows.
    const WORD_LANES: u32 = u32::BITS / Self::VECTOR_ITEMS;

    const ACCESS: Access = Access::new(vector_bytes::<T>(), vector_bytes::<T>());

    /// Marks the heads of the block's range. The last block to arrive finds the heads before each range.
    ///
    /// # Safety
    /// Convergent: the whole block, once. The launch has a block for each range.
    #[inline(always)]
    pub unsafe fn mark(&self) {
        let shift = self.heads.layout.range_shift;
        let range = simt::block_index() as u64;
        let first = range << shift;
        let tiles = Layout::tile_count(self.arguments.key_count);
        let tiles = Ord::min(tiles.saturating_sub(first), 1 << shift) as u32;
        let mut turn = 0;
        // SAFETY: the whole block is here (this function's condition), and all its threads have the same tiles. A barrier lies between the
        // writes of bits and the reads of them, and another one between these reads and the next writes. The same holds for the writes and
        // reads of the turn's tiles in shared memory. Until all blocks have arrived, only this block writes its range and its tiles. The
        // layout has memory for them. A block's `arrive` releases its write of the range, and the last block's `arrive` acquires the writes
        // of all blocks. The barrier orders these writes before the reads of the last block's other threads.
        unsafe {
            let mut begun = self.begin_part(first);
            while turn < tiles {
                let step = simt::opaque_one() as u32;
                let count = Ord::min(tiles - turn, WARPS);
                let mut place = 0;
                while place < count {
                    let step = simt::opaque_one() as u32;
                    let tile = turn + place;
                    let has_next = tile + 1 < tiles;
                    self.mark_part(first + tile as u64, self.bits(place), &mut begun, has_next);
                    place += step;
                }
                // Orders the writes of bits before all warps' reads.
                simt::barrier();
                if simt::warp() < count {
                    self.finish_tile(first + (turn + simt::warp()) as u64);
                }
                // Orders the writes of the turn's tiles before warp 0's reads, and the reads of bits before the next turn's writes.
                simt::barrier();
                if simt::warp() == 0 {
                    self.write_tiles(first, turn, count);
                }
                turn += step * WARPS;
            }
            if simt::thread_index() == 0 {
                let before = self.before_turn(turn);
                let end = match before.end {
                    0 => 0,
                    end => first * TILE_ITEMS + end as u64,
                };
                let count = before.count as u64;
                self.heads.range(range).write(BeforeRange { end, count });
                let arrivals = simt::arrive(&raw mut (*self.heads.summary()).arrivals);
                (*self.shared).is_last = (arrivals == simt::block_count() - 1) as u32;
            }
            // Orders the write of `is_last` before all threads' reads.
            simt::barrier();
            if simt::read_shared(&raw const (*self.shared).is_last) != 0 {
                self.place_ranges();
            }
        }
    }

    /// Begins the calling warp's part of a tile. Loads the part's first rows and the key before them on three conditions: the work is
    /// forward, all keys of the part exist, and vectors are aligned. Otherwise loads nothing.
    ///
    /// # Safety
    /// A whole warp.
    #[inline(always)]
    unsafe fn begin_part(&self, tile: u64) -> Begun<T> {
        let first = tile * TILE_ITEMS + (simt::warp() * WARP_ITEMS) as u64;
        let existing = self.arguments.key_count.saturating_sub(first);
        let from = self.arguments.keys.wrapping_add(first as usize);
        let is_aligned = from.addr().is_multiple_of(Self::ACCESS.unit());
        let mut begun = Begun {
            rows: [[0; VECTOR_WORDS]; MOST_AT_ONCE],
            before: T::zeroed(),
            is_whole: is_aligned && existing >= WARP_ITEMS as u64 && !self.is_backward(),
        };
        if begun.is_whole {
            // SAFETY: all keys of the part exist, and vectors are aligned. The key before the part exists, except before item 0: then item
            // 0 is read in its place.
            unsafe {
                if simt::lane() == 0 {
                    begun.before = from.wrapping_sub((first > 0) as usize).read();
                }
                begun.rows = Self::load_rows(from, 0);
            }
        }
        begun
    }

    /// Loads [`Self::ROWS_AT_ONCE`] rows of a part of a tile, from row `row` on. `from` is the address of the part's first key.
    ///
    /// # Safety
    /// All keys of the part exist, and vectors are aligned.
    #[inline(always)]
    unsafe fn load_rows(from: *const T, row: u32) -> [Vector; MOST_AT_ONCE] {
        let vector = row * WARP_LANES + simt::lane();
        let from = from.wrapping_add((vector * Self::VECTOR_ITEMS) as usize);
        let mut rows: [Vector; MOST_AT_ONCE] = [[0; VECTOR_WORDS]; MOST_AT_ONCE];
        for_each_vector!(R in 0 1 2 3 => {
            if (R as u32) < Self::ROWS_AT_ONCE {
                let row_items = (WARP_LANES * Self::VECTOR_ITEMS) as usize;
                let from = from.wrapping_add(R * row_items);
                // SAFETY: the row's keys exist, and its vectors are aligned: this function's conditions.
                rows[R] = unsafe { Self::ACCESS.load(from.cast(), Caching::Kept) };
            }
        });
        rows
    }

    /// Puts the bits of the calling warp's part of a tile into shared memory. `bits` is the address of the tile's bits there. If
    /// `has_next`, also begins the warp's part of the next tile. If this part is loaded in vectors, the next part is begun before the last
    /// rows of this part are compared. So the warp has loads in flight most of the time.
    ///
    /// # Safety
    /// Convergent: a whole warp. The launch has the tile, and the next one if `has_next`. `begun` is the result of [`Self::begin_part`]
    /// for this part. No other warp uses this warp's bits.
    #[inline(always)]
    unsafe fn mark_part(&self, tile: u64, bits: *mut u32, begun: &mut Begun<T>, has_next: bool) {
        let lane = simt::lane();
        let first = tile * TILE_ITEMS + (simt::warp() * WARP_ITEMS) as u64;
        let from = self.arguments.keys.wrapping_add(first as usize);
        // A lane keeps at most one word: a word of row `own_row`. The row's number is the lane's place among the lanes that share a word.
        // For half of the lanes, this number is not less than the number of rows: these lanes keep no word.
        let own_row = lane % Self::WORD_LANES;
        let mut word = 0;
        let mut row = 0;
        let is_whole = begun.is_whole;
        let mut before = begun.before;
        // SAFETY: the whole warp shuffles, since all lanes have the same rows. With `is_whole` the work is forward, all items of the warp
        // exist, and vectors are aligned. The launch has the tile (this function's condition), so there is at least one key. Each word of
        // the warp is written by one lane.
        unsafe {
            if is_whole {
                while row < Self::ROWS {
                    let step = simt::opaque_one() as u32;
                    let rows = begun.rows;
                    let next_row = row + step * Self::ROWS_AT_ONCE;
                    let is_last = Self::ROWS == Self::ROWS_AT_ONCE || next_row >= Self::ROWS;
                    if !is_last {
                        begun.rows = Self::load_rows(from, next_row);
                    } else if has_next {
                        *begun = self.begin_part(tile + 1);
                    }
                    for_each_vector!(R in 0 1 2 3 => {
                        if (R as u32) < Self::ROWS_AT_ONCE {
                            let lasts: T = item_of(&rows[R], Self::VECTOR_ITEMS as usize - 1);
                            // Lane 0 gets the row's last item, which is the item before the next row.
                            let below = Self::shuffle_from(lasts, lane.wrapping_sub(1) % WARP_LANES);
                            if lane > 0 {
                                before = below;
                            }
                            let joined = Self::join(E::heads(&rows[R], before));
                            if own_row == row + R as u32 {
                                word = joined;
                            }
                            before = below;
                        }
                    });
                    row = next_row;
                }
            } else {
                while row < Self::ROWS {
                    let step = simt::opaque_one() as u32;
                    let vector = row * WARP_LANES + lane;
                    let joined = Self::join(self.row_bits(first, vector * Self::VECTOR_ITEMS));
                    if own_row == row {
                        word = joined;
                    }
                    row += step;
                }
                if has_next {
                    *begun = self.begin_part(tile + 1);
                }
            }
            if own_row < Self::ROWS {
                let row_words = WARP_WORDS / Self::ROWS;
                let place =
                    simt::warp() * WARP_WORDS + own_row * row_words + lane / Self::WORD_LANES;
                if first == 0 && place == 0 {
                    word |= 1;
                }
                bits.wrapping_add(place as usize).write(word);
            }
        }
    }

    /// The bits of one vector. Some of the vector's items may not exist. The warp's part of the tile begins at item `first`, and the vector
    /// at item `first + place`. The bit of item 0 may be wrong: the caller sets it.
    ///
    /// # Safety
    /// There is at least one key.
    #[inline(always)]
    unsafe fn row_bits(&self, first: u64, place: u32) -> u32 {
        let item = first + place as u64;
        // SAFETY: there is a key: this function's condition.
        let (vector, before) = unsafe { self.load_items(item) };
        let mut chosen = E::heads(&vector, before);
        if self.is_backward() {
            chosen = chosen.reverse_bits() >> (u32::BITS - Self::VECTOR_ITEMS);
        }
        let existing = self.arguments.key_count.saturating_sub(item);
        let existing = Ord::min(existing, Self::VECTOR_ITEMS as u64);
        chosen & ((1 << existing) - 1)
    }

    /// Keys that lie one after the other in memory: those of a vector, and the key before them. `item` is the vector's first item in the
    /// direction of the work. Where a key does not exist, another key is in its place.
    ///
    /// In a backward scan, an item is a head if its key is not equal to the next key in memory. So in a backward scan, the returned vector
    /// holds for each item the next key in memory. These keys are in the order of memory: first the key after the last item's key, and at
    /// the end the key after the first item's key.
    ///
    /// # Safety
    /// There is at least one key.
    #[inline(always)]
    unsafe fn load_items(&self, item: u64) -> (Vector, T) {
        let count = self.arguments.key_count;
        let last = Self::VECTOR_ITEMS as u64 - 1;
        let first = match self.is_backward() {
            true => count.wrapping_sub(item + last),
            false => item,
        };
        let load = |place: u64| {
            // An index below 0 wraps to a large number. Then the last key is read.
            let index = Ord::min(first.wrapping_add(place), count - 1);
            // SAFETY: the index is less than the number of keys, which are readable.
            unsafe { self.arguments.keys.wrapping_add(index as usize).read() }
        };
        let mut vector = [0; VECTOR_WORDS];
        for_each_item!(P of T => { put_item(&mut vector, P, load(P as u64)); });
        (vector, load(u64::MAX))
    }

    /// Joins the bits of the lanes that share a word, and returns the word. A lane's bits follow those of the lane below.
    ///
    /// # Safety
    /// Convergent: a whole warp.
    #[inline(always)]
    unsafe fn join(chosen: u32) -> u32 {
        // SAFETY: the whole warp is here: this function's condition.
        unsafe {
            if Self::VECTOR_ITEMS == 1 {
                return simt::ballot(chosen != 0);
            }
            let lane = simt::lane();
            let mut word = chosen << (Self::VECTOR_ITEMS * (lane % Self::WORD_LANES));
            for_each_vector!(S in 1 2 4 8 => {
                if (S as u32) < Self::WORD_LANES {
                    word |= simt::shuffle_from(word, lane ^ S as u32);
                }
            });
            word
        }
    }

    /// The `item` of lane `lane`.
    ///
    /// # Safety
    /// Convergent: a whole warp. `lane` is less than 32.
    #[inline(always)]
    unsafe fn shuffle_from(item: T, lane: u32) -> T {
        let mut words = [0; VECTOR_WORDS];
        put_item(&mut words, 0, item);
        for_each_vector!(W in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
            if 4 * W < size_of::<T>() {
                // SAFETY: the conditions are this function's.
                words[W] = unsafe { simt::shuffle_from(words[W], lane) };
            }
        });
        item_of(&words, 0)
    }

    /// Copies the bits of a tile from shared to global memory. Also finds the tile's last head and counts its heads, and writes both
    /// numbers to the tile's place among the turn's tiles, in shared memory. The number of the calling warp is the tile's number in the
    /// turn.
    ///
    /// # Safety
    /// Convergent: a whole warp. The launch has the tile, whose bits are in shared memory. No other warp uses the tile's bits in shared
    /// memory, or the tile's place among the turn's tiles.
    #[inline(always)]
    unsafe fn finish_tile(&self, tile: u64) {
        let lane = simt::lane();
        // SAFETY: the bits are in shared memory, and only this warp writes the tile's bits in global memory and the tile's place among the
        // turn's tiles. A lane's words begin at a multiple of 16 bytes. The whole warp votes and shuffles.
        unsafe {
            let words = simt::read_vector(self.bits(simt::warp()).wrapping_add(4 * lane as usize));
            let to = self.heads.word(tile * TILE_WORDS + 4 * lane as u64);
            simt::store_vector(to, words);
            let (mut end, mut count) = (0, 0);
            for_each_vector!(W in 0 1 2 3 => {
                count += words[W].count_ones();
                if words[W] != 0 {
                    end = (4 * lane + W as u32 + 1) * u32::BITS - words[W].leading_zeros();
                }
            });
            let found = simt::ballot(end > 0);
            // If the tile has no head, `end` is 0 on every lane.
            let last = simt::shuffle_from(end, 31_u32.wrapping_sub(found.leading_zeros()) % 32);
            for_each_vector!(S in 1 2 4 8 16 => {
                count += simt::shuffle_from(count, lane ^ S as u32);
            });
            if lane == 0 {
                let end = last;
                self.turn_tile(simt::warp())
                    .write(BeforeTile { end, count });
            }
        }
    }

    /// The heads before a turn, in the block's range. The turn begins with tile `turn` of the range.
    ///
    /// # Safety
    /// The caller is a lane of warp 0, and this warp has written the tiles of all turns before this turn.
    #[inline(always)]
    unsafe fn before_turn(&self, turn: u32) -> BeforeTile {
        if turn == 0 {
            return BeforeTile { end: 0, count: 0 };
        }
        // SAFETY: `write_tiles` has written the heads, and its barrier orders the write before the reads by the lanes of warp 0 (this
        // function's condition).
        unsafe { simt::read_shared(&raw const (*self.shared).before) }
    }

    /// Writes the heads before each of the `count` tiles of a turn, and keeps the heads before the next turn in shared memory. The range
    /// begins with tile `first`, and the turn with tile `turn` of the range.
    ///
    /// # Safety
    /// Convergent: the whole warp 0. The launch has the tiles, and the heads of the turn's tiles are in shared memory. The earlier turns'
    /// tiles are written.
    #[inline(always)]
    unsafe fn write_tiles(&self, first: u64, turn: u32, count: u32) {
        let lane = simt::lane();
        // SAFETY: the heads of the turn's tiles are in shared memory, and only this warp writes to the tiles' memory, and to the heads
        // before a turn. The whole warp shuffles. A barrier of the warp lies between two accesses to `before`: all lanes' reads for this
        // turn, and one lane's write for the next turn.
        unsafe {
            let before = self.before_turn(turn);
            let (mut upto, mut sum) = (before.end, 0);
            if lane < count {
                let tile = simt::read_shared(self.turn_tile(lane));
                if tile.end > 0 {
                    upto = (turn + lane) * TILE_ITEMS as u32 + tile.end;
                }
                sum = tile.count;
            }
            // On a lane whose number is less than `S`, the shuffle returns the lane's own value.
            for_each_vector!(S in 1 2 4 => {
                upto = Ord::max(upto, simt::shuffle_up(upto, S as u32));
                let below = simt::shuffle_up(sum, S as u32);
                if lane >= S as u32 {
                    sum += below;
                }
            });
            let (below, sum_below) = (simt::shuffle_up(upto, 1), simt::shuffle_up(sum, 1));
            if lane < count {
                let mut known = before;
                if lane > 0 {
                    known.end = below;
                    known.count += sum_below;
                }
                self.heads.tile(first + (turn + lane) as u64).write(known);
            }
            simt::warp_barrier();
            if lane == WARPS - 1 {
                let (end, count) = (upto, before.count + sum);
                (*self.shared).before = BeforeTile { end, count };
            }
            // Orders the write of the heads before all lanes' reads.
            simt::warp_barrier();
        }
    }

    /// The address of the bits of a turn's tile in shared memory.
    #[inline(always)]
    fn bits(&self, place: u32) -> *mut u32 {
        // SAFETY: takes the field's address, and makes no reference.
        let bits = unsafe { &raw mut (*self.shared).bits };
        bits.cast::<u32>()
            .wrapping_add((place * TILE_WORDS as u32) as usize)
    }

    /// The address of the heads of a turn's tile in shared memory.
    #[inline(always)]
    fn turn_tile(&self, place: u32) -> *mut BeforeTile {
        // SAFETY: takes the field's address, and makes no reference.
        let tiles = unsafe { &raw mut (*self.shared).tiles };
        tiles.cast::<BeforeTile>().wrapping_add(place as usize)
    }
}
