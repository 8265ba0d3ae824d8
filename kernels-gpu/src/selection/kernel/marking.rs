//! Launches by key: the heads of runs as bits, and what is written at the heads. [`crate::heads`] says where the bits lie.
//!
//! ```text
//! mark:    each block: for each tile of its range
//!              each warp: load its keys, compare neighbours, store the bits
//!              publish what is known before the tile
//!          the last block: the sums of the ranges                     no block waits for another
//! gather:  each block: for some tiles, write the key or the index of each head to its run's place
//! ```
//!
//! Cost: `mark` reads each key once from memory, and has a barrier for each tile. `gather` reads all bits, and the keys at heads.

use core::marker::PhantomData;

use crate::contract::{vector_bytes, vector_items, WARP_LANES};
use crate::element::{for_each_item, put_item, Element, Vector, VECTOR_WORDS};
use crate::heads::{Before, BeforeTile, Heads, Layout};
use crate::heads::{BLOCK_THREADS, MOST_RANGES, SHARED_BYTES, TILE_ITEMS, TILE_WORDS};
use crate::selection::{rows, BeforeRun, SelectionArguments, Share, GOES_BACKWARD};
use crate::simt;
use crate::thread::{for_each_vector, Access, Caching};
use crate::warp;

use super::choice::Choice;
use super::looking_back::{both, counted_from, over_lanes};
use super::writing::write_number;

/// Warps of a block.
const WARPS: u32 = BLOCK_THREADS / WARP_LANES;

/// Items of a tile that a warp has.
const WARP_ITEMS: u32 = TILE_ITEMS as u32 / WARPS;

/// Words of bits of a warp's items.
const WARP_WORDS: u32 = WARP_ITEMS / u32::BITS;

/// The most ranges that a thread of the last block adds up.
const THREAD_RANGES: u64 = MOST_RANGES / BLOCK_THREADS as u64;

/// The most heads of a tile whose words are taken by one lane each. With more heads, a whole warp takes a word.
const SPARSE_HEADS: u32 = TILE_ITEMS as u32 / 8;

/// The shared memory of a block that marks.
#[repr(C, align(16))]
struct Shared {
    /// What each warp's ranges add up to.
    sums: [Before; WARPS as usize],
    /// The bits of each warp's items.
    bits: [[u32; WARP_WORDS as usize]; WARPS as usize],
    /// Each warp's heads, for even and for odd tiles.
    shares: [[Share; WARPS as usize]; 2],
    /// Whether the block is the last to arrive: 0 or 1.
    is_last: u32,
}

/// A launch that marks or gathers. Its functions need the conditions of [`super::select`] for such launches.
pub struct Marking<C, T> {
    /// With the number of items that there are.
    arguments: SelectionArguments<T>,
    heads: Heads,
    shared: *mut Shared,
    choice: PhantomData<C>,
}

impl<C: Choice<T>, T: Element> Marking<C, T> {
    /// Items of a vector.
    const VECTOR_ITEMS: u32 = vector_items::<T>() as u32;

    /// Vectors of a thread in a tile.
    const ROWS: u32 = WARP_ITEMS / (WARP_LANES * Self::VECTOR_ITEMS);

    /// How many vectors a thread loads at once.
    const BATCH: u32 = {
        let rows = rows::<T>() as u32;
        if rows < Self::ROWS {
            rows
        } else {
            Self::ROWS
        }
    };

    /// Whether a lane reads several keys before it writes the first of them. Larger keys take too many registers.
    const READS_AHEAD: bool = size_of::<T>() <= 8;

    const ACCESS: Access = Access::new(vector_bytes::<T>(), vector_bytes::<T>());

    /// A launch with heads for up to `most_items` items. `arguments` has the number of items that there are.
    #[inline(always)]
    pub fn new(arguments: SelectionArguments<T>, most_items: u64) -> Self {
        Marking {
            heads: Heads::new(arguments.heads, most_items),
            arguments,
            shared: simt::shared_memory(),
            choice: PhantomData,
        }
    }

    /// Whether items are numbered from the end.
    #[inline(always)]
    fn is_backward(&self) -> bool {
        self.arguments.options & GOES_BACKWARD != 0
    }

    /// Marks the heads of the block's range. The last block to arrive adds up the ranges.
    ///
    /// # Safety
    /// Convergent: the whole block, once. The launch has a block for each range.
    #[inline(always)]
    pub unsafe fn mark(&self) {
        let shift = self.heads.layout.range_shift;
        let range = simt::block_index() as u64;
        let first = range << shift;
        let tiles = Layout::tile_count(self.arguments.item_count);
        let end = Ord::min(first + (1 << shift), tiles);
        let mut before = Share { count: 0, last: 0 };
        let mut tile = first;
        // SAFETY: the whole block is here (this function's condition), and all its threads have the same tiles. A warp's share is read
        // after a barrier, and written again after the next one. Only this block writes its range and its tiles, which the layout has.
        // The write of the range is released by `arrive`; the last block's `arrive` acquires it, and the barrier orders it before the
        // reads of the block's other threads.
        unsafe {
            while tile < end {
                let step = simt::opaque_one() as u64;
                let share = self.mark_part(tile);
                let parity = (tile % 2) as usize;
                if simt::lane() == 0 {
                    self.share(parity, simt::warp()).write(share);
                }
                // Orders the writes of the shares before warp 0's reads.
                simt::barrier();
                if simt::warp() == 0 {
                    let mut share = Share { count: 0, last: 0 };
                    if simt::lane() < WARPS {
                        share = simt::read_shared(self.share(parity, simt::lane()));
                    }
                    let share = over_lanes::<BeforeRun>(share, WARPS / 2);
                    if simt::lane() == 0 {
                        self.heads.tile(tile).write(BeforeTile {
                            count: before.count,
                            last: before.last,
                        });
                        let place = (tile - first) * TILE_ITEMS;
                        before = both(before, counted_from(share, place as u32));
                    }
                }
                tile += step;
            }
            if simt::thread_index() == 0 {
                let origin = first * TILE_ITEMS;
                self.heads.range(range).write(Before {
                    count: before.count as u64,
                    last: match before.last {
                        0 => 0,
                        last => origin + last as u64,
                    },
                });
                let arrivals = simt::arrive(&raw mut (*self.heads.summary()).arrivals);
                (*self.shared).is_last = (arrivals == simt::block_count() - 1) as u32;
            }
            // Orders the write of `is_last` before all threads' reads.
            simt::barrier();
            if simt::read_shared(&raw const (*self.shared).is_last) != 0 {
                self.add_up_ranges();
            }
        }
    }

    /// Marks the heads among the calling warp's items of a tile. Returns the warp's heads, counted from the tile's beginning; valid on lane
    /// 0.
    ///
    /// # Safety
    /// Convergent: a whole warp. The launch has the tile. No thread uses the warp's bits in shared memory.
    #[inline(always)]
    unsafe fn mark_part(&self, tile: u64) -> Share {
        let lane = simt::lane();
        let first = tile * TILE_ITEMS + (simt::warp() * WARP_ITEMS) as u64;
        let existing = self.arguments.item_count.saturating_sub(first);
        let from = self.arguments.input.wrapping_add(first as usize);
        let is_aligned = from.addr().is_multiple_of(Self::ACCESS.unit());
        let is_whole = is_aligned && existing >= WARP_ITEMS as u64 && !self.is_backward();
        let bits = self.bits();
        let mut row = 0;
        // SAFETY: the whole warp shuffles, since all lanes have the same rows. With `is_whole` all items of the warp exist, in the order of
        // memory, and vectors are aligned. Each lane writes bits of its own, in the warp's bits. The barrier orders these writes before the
        // reads. The warp's words belong to the tile, and no other warp writes them.
        unsafe {
            while row < Self::ROWS {
                let step = simt::opaque_one() as u32;
                let place = (row * WARP_LANES + lane) * Self::VECTOR_ITEMS;
                if is_whole {
                    self.mark_batch(from, place, bits);
                    row += step * Self::BATCH;
                } else {
                    self.mark_row(first, place, bits);
                    row += step;
                }
            }
            if first == 0 && lane == 0 {
                bits.write(simt::read_shared(bits) | 1);
            }
            simt::warp_barrier();
            let mut share = Share { count: 0, last: 0 };
            if lane < WARP_WORDS {
                let word = simt::read_shared(bits.cast::<u32>().wrapping_add(lane as usize));
                let at = first / u32::BITS as u64 + lane as u64;
                self.heads.word(at).write(word);
                share.count = word.count_ones();
                if word != 0 {
                    let end = (lane + 1) * u32::BITS - word.leading_zeros();
                    share.last = simt::warp() * WARP_ITEMS + end;
                }
            }
            over_lanes::<BeforeRun>(share, WARP_WORDS / 2)
        }
    }

    /// Marks the heads of a batch of rows, which exist. The warp's items begin at `from`, and the lane's first vector at a place among them.
    /// The head of item 0 is not marked.
    ///
    /// # Safety
    /// Convergent: a whole warp. The items exist, in the order of memory, and vectors are aligned. `bits` are the warp's in shared memory,
    /// and no other thread uses those of the lane's items.
    #[inline(always)]
    unsafe fn mark_batch(&self, from: *const T, place: u32, bits: *mut u8) {
        const MOST: usize = 4;
        let row_items = WARP_LANES * Self::VECTOR_ITEMS;
        let mut vectors: [Vector; MOST] = [[0; VECTOR_WORDS]; MOST];
        let mut befores = [T::zeroed(); MOST];
        let from = from.wrapping_add(place as usize);
        // The item before item 0 does not exist, and item 0 is read in its place.
        let is_first = from == self.arguments.input;
        // SAFETY: the items exist, and vectors are aligned (this function's condition). The item before a vector exists too, except before
        // item 0. The whole warp shuffles.
        unsafe {
            for_each_vector!(B in 0 1 2 3 => {
                if (B as u32) < Self::BATCH {
                    let from = from.wrapping_add(B * row_items as usize);
                    vectors[B] = Self::ACCESS.load(from.cast(), Caching::Kept);
                    let before = if B == 0 { !is_first as usize } else { 1 };
                    befores[B] = from.wrapping_sub(before).read();
                }
            });
            for_each_vector!(B in 0 1 2 3 => {
                if (B as u32) < Self::BATCH {
                    let chosen = C::chosen(&vectors[B], befores[B], [0; 4]);
                    Self::put_bits(bits, place + B as u32 * row_items, chosen);
                }
            });
        }
    }

    /// Marks the heads of a row, some of which may not exist. The warp's items begin with item `first`, and the lane's vector at a place
    /// among them. The head of item 0 is not marked.
    ///
    /// # Safety
    /// Convergent: a whole warp. There is at least one item. `bits` are the warp's in shared memory, and no other thread uses those of the
    /// lane's items.
    #[inline(always)]
    unsafe fn mark_row(&self, first: u64, place: u32, bits: *mut u8) {
        let item = first + place as u64;
        // SAFETY: there is an item, and the whole warp shuffles: this function's conditions.
        unsafe {
            let (vector, before) = self.load_items(item);
            let mut chosen = C::chosen(&vector, before, [0; 4]);
            if self.is_backward() {
                chosen = chosen.reverse_bits() >> (u32::BITS - Self::VECTOR_ITEMS);
            }
            let existing = self.arguments.item_count.saturating_sub(item);
            let existing = Ord::min(existing, Self::VECTOR_ITEMS as u64);
            Self::put_bits(bits, place, chosen & ((1 << existing) - 1));
        }
    }

    /// The keys of a vector, and the key before it, in the order of memory. `item` is the vector's first item in the direction of the work.
    /// Where a key does not exist, another key is in its place. In a backward scan, an item is a head if the item after it in memory begins
    /// a run. So there the vector's keys lie one place further on, in the opposite order.
    ///
    /// # Safety
    /// There is at least one item.
    #[inline(always)]
    unsafe fn load_items(&self, item: u64) -> (Vector, T) {
        let count = self.arguments.item_count;
        let last = Self::VECTOR_ITEMS as u64 - 1;
        let first = match self.is_backward() {
            true => count.wrapping_sub(item + last),
            false => item,
        };
        let load = |place: u64| {
            // An index below 0 wraps, and a key is read in its place.
            let index = Ord::min(first.wrapping_add(place), count - 1);
            // SAFETY: the index is less than the number of items, which are readable.
            unsafe { self.arguments.input.wrapping_add(index as usize).read() }
        };
        let mut vector = [0; VECTOR_WORDS];
        for_each_item!(P of T => { put_item(&mut vector, P, load(P as u64)); });
        (vector, load(u64::MAX))
    }

    /// Writes the bits of a vector that begins at a place of the warp's items. Lanes with less than a byte join theirs.
    ///
    /// # Safety
    /// Convergent: a whole warp. `bits` are the warp's in shared memory, and no other thread uses those of the lane's items.
    #[inline(always)]
    unsafe fn put_bits(bits: *mut u8, place: u32, mut chosen: u32) {
        let unit = Self::VECTOR_ITEMS;
        // SAFETY: the whole warp shuffles. The places of the lanes that write are multiples of 8, less than the number of the warp's items,
        // so the bytes are in the warp's bits.
        unsafe {
            if unit <= 4 {
                chosen |= simt::shuffle_down(chosen, 1) << unit;
            }
            if unit <= 2 {
                chosen |= simt::shuffle_down(chosen, 2) << (2 * unit);
            }
            if unit == 1 {
                chosen |= simt::shuffle_down(chosen, 4) << 4;
            }
            let to = bits.wrapping_add(place as usize / 8);
            if unit == 16 {
                to.cast::<u16>().write(chosen as u16);
            } else if place.is_multiple_of(8) {
                to.write(chosen as u8);
            }
        }
    }

    /// Replaces what is known about each range by what is known before it, and writes the summary and the number of runs.
    ///
    /// # Safety
    /// Convergent: the whole block, which is the last to arrive.
    #[inline(always)]
    unsafe fn add_up_ranges(&self) {
        const NOTHING: Before = Before { count: 0, last: 0 };
        let ranges = self.heads.layout.range_count;
        let thread = simt::thread_index();
        let first = thread as u64 * THREAD_RANGES;
        let mut known = [NOTHING; THREAD_RANGES as usize];
        let mut own = NOTHING;
        // SAFETY: the ranges are in the layout, and all of them are written: every block has arrived. The whole block is here, so the whole
        // warp shuffles. Each warp writes a sum of its own, and a barrier precedes the reads. No other block accesses the summary any more.
        unsafe {
            for_each_vector!(R => {
                if first + (R as u64) < ranges {
                    known[R] = self.heads.range(first + R as u64).read();
                }
                own = after(own, known[R]);
            });
            let mut upto = own;
            let mut delta = 1;
            while delta < WARP_LANES {
                let below = Before {
                    count: warp::shuffle_up(upto.count, delta),
                    last: warp::shuffle_up(upto.last, delta),
                };
                if simt::lane() >= delta {
                    upto = after(below, upto);
                }
                delta *= 2;
            }
            let sums: *mut Before = (&raw mut (*self.shared).sums).cast();
            if simt::lane() == WARP_LANES - 1 {
                sums.add(simt::warp() as usize).write(upto);
            }
            // Orders the writes of the warps' sums before all threads' reads.
            simt::barrier();
            let mut before = NOTHING;
            let mut warp = 0;
            while warp < simt::warp() {
                let step = simt::opaque_one() as u32;
                before = after(before, simt::read_shared(sums.add(warp as usize)));
                warp += step;
            }
            before = Before {
                count: before.count + upto.count - own.count,
                last: Ord::max(before.last, self.last_below(upto.last)),
            };
            for_each_vector!(R => {
                if first + (R as u64) < ranges {
                    self.heads.range(first + R as u64).write(before);
                }
                before = after(before, known[R]);
            });
            if thread == BLOCK_THREADS - 1 {
                let summary = self.heads.summary();
                (*summary).run_count = before.count;
                (*summary).item_count = self.arguments.item_count;
                (*summary).arrivals = 0;
                if !self.arguments.count.is_null() {
                    self.arguments.count.write(before.count);
                }
            }
        }
    }

    /// The last head that is known on the lane before; 0 on lane 0.
    ///
    /// # Safety
    /// Convergent: a whole warp.
    #[inline(always)]
    unsafe fn last_below(&self, last: u64) -> u64 {
        // SAFETY: the whole warp is here: this function's condition.
        let below = unsafe { warp::shuffle_up(last, 1) };
        if simt::lane() == 0 {
            0
        } else {
            below
        }
    }

    /// Writes the key and the index of each head, where they are wanted, to the place of its run.
    ///
    /// # Safety
    /// Convergent: the whole block. The heads are marked.
    #[inline(always)]
    pub unsafe fn gather(&self) {
        let lane = simt::lane();
        let tiles = Layout::tile_count(self.arguments.item_count);
        let mut tile = simt::block_index() as u64;
        // SAFETY: the heads are marked (this function's condition), so the bits of each tile are written, and what is known before it. The
        // whole warp shuffles, since all lanes have the same tiles. One thread writes the end.
        unsafe {
            let runs = (*self.heads.summary()).run_count;
            while tile < tiles {
                let step = simt::opaque_one() as u64;
                let first_word = tile * TILE_WORDS;
                let [a, b, c, d] = simt::load_vector(self.heads.word(first_word + 4 * lane as u64));
                let own = a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones();
                let upto = warp::sums_up_to(own);
                let all = simt::shuffle_from(upto, WARP_LANES - 1);
                let before = simt::shuffle_from(upto - own, simt::warp() * (WARP_WORDS / 4));
                let range = tile >> self.heads.layout.range_shift;
                let before = (*self.heads.range(range)).count
                    + (*self.heads.tile(tile)).count as u64
                    + before as u64;
                let word = first_word + (simt::warp() * WARP_WORDS + lane % WARP_WORDS) as u64;
                let mut bits = 0;
                if lane < WARP_WORDS {
                    bits = self.heads.word(word).read();
                }
                let count = bits.count_ones();
                let rank = warp::sums_up_to(count) - count;
                let first = (word - (lane % WARP_WORDS) as u64) * u32::BITS as u64;
                if all > SPARSE_HEADS {
                    self.gather_words(bits, rank, first, before, runs);
                } else {
                    let first = first + (lane * u32::BITS) as u64;
                    self.gather_word(bits, first, before + rank as u64, runs);
                }
                tile += step * simt::block_count() as u64;
            }
            if simt::block_index() == 0 && simt::thread_index() == 0 {
                let (place, number) = match self.is_backward() {
                    true => (0, 0),
                    false => (runs, self.arguments.item_count),
                };
                self.write_number(place, number);
            }
        }
    }

    /// Writes what is at the heads of one word, which begins at item `first`. `run` is the run of its first head.
    ///
    /// # Safety
    /// The word is one of the launch's.
    #[inline(always)]
    unsafe fn gather_word(&self, mut bits: u32, first: u64, mut run: u64, runs: u64) {
        while bits != 0 {
            let step = simt::opaque_one() as u64;
            let item = first + bits.trailing_zeros() as u64;
            // SAFETY: the bit is that of an item, which is readable, and of a run of its own.
            unsafe {
                if self.wants_key(run) {
                    let key = self.arguments.input.add(item as usize).read();
                    self.arguments.items.add(run as usize).write(key);
                }
                self.write_border(item, run, runs);
            }
            bits &= bits - 1;
            run += step;
        }
    }

    /// Writes what is at the heads of the warp's words. Lane `l` has word `l`, and the number of the warp's heads before it. The words
    /// begin at item `first`, and `before` is the run of their first head.
    ///
    /// # Safety
    /// Convergent: a whole warp. The words are the launch's.
    #[inline(always)]
    unsafe fn gather_words(&self, bits: u32, rank: u32, first: u64, before: u64, runs: u64) {
        const ROUND: usize = 4;
        let lane = simt::lane();
        let mut word = 0;
        while word < WARP_WORDS {
            let step = simt::opaque_one() as u32;
            let mut keys = [T::zeroed(); ROUND];
            let mut found = [false; ROUND];
            let mut at = [0; ROUND];
            // SAFETY: the whole warp shuffles, since all lanes have the same words. A bit is that of an item, which is readable, and of a
            // run of its own.
            unsafe {
                for_each_vector!(W in 0 1 2 3 => {
                    let other = simt::shuffle_from(bits, word + W as u32);
                    let rank = simt::shuffle_from(rank, word + W as u32);
                    found[W] = other >> lane & 1 != 0;
                    at[W] = before + (rank + (other & ((1 << lane) - 1)).count_ones()) as u64;
                    if Self::READS_AHEAD && found[W] && self.wants_key(at[W]) {
                        let item = first + ((word + W as u32) * WARP_LANES + lane) as u64;
                        keys[W] = self.arguments.input.add(item as usize).read();
                    }
                });
                for_each_vector!(W in 0 1 2 3 => {
                    if found[W] {
                        let item = first + ((word + W as u32) * WARP_LANES + lane) as u64;
                        if self.wants_key(at[W]) {
                            if !Self::READS_AHEAD {
                                keys[W] = self.arguments.input.add(item as usize).read();
                            }
                            self.arguments.items.add(at[W] as usize).write(keys[W]);
                        }
                        self.write_border(item, at[W], runs);
                    }
                });
            }
            word += step * ROUND as u32;
        }
    }

    /// Whether the key of a run is wanted, and has a place.
    #[inline(always)]
    fn wants_key(&self, run: u64) -> bool {
        !self.arguments.items.is_null() && run < self.arguments.capacity
    }

    /// Writes the border at the head of a run: its index, or in a backward scan the end of the run, which is the start of the next run in
    /// memory.
    ///
    /// # Safety
    /// The launch has the item, and no other thread has the run.
    #[inline(always)]
    unsafe fn write_border(&self, item: u64, run: u64, runs: u64) {
        let (place, number) = match self.is_backward() {
            true => (runs - run, self.arguments.item_count - item),
            false => (run, item),
        };
        // SAFETY: no other thread has the run: this function's condition.
        unsafe { self.write_number(place, number) };
    }

    /// Writes an index, if indices are wanted and it has a place.
    ///
    /// # Safety
    /// No other thread writes the place.
    #[inline(always)]
    unsafe fn write_number(&self, place: u64, number: u64) {
        let (to, bytes) = (self.arguments.indices, self.arguments.index_bytes);
        // There is no place if indices are not wanted.
        if place < self.arguments.index_capacity {
            // SAFETY: the output has the place, and no other thread writes it: this function's condition.
            unsafe { write_number(to, bytes, place, number) };
        }
    }

    /// The calling warp's bits in shared memory.
    #[inline(always)]
    fn bits(&self) -> *mut u8 {
        // SAFETY: takes the field's address, and makes no reference.
        let bits = unsafe { &raw mut (*self.shared).bits };
        bits.cast::<u8>()
            .wrapping_add((simt::warp() * WARP_WORDS) as usize * size_of::<u32>())
    }

    /// The address of a warp's share of a tile.
    #[inline(always)]
    fn share(&self, parity: usize, warp: u32) -> *mut Share {
        // SAFETY: takes the field's address, and makes no reference.
        let shares = unsafe { &raw mut (*self.shared).shares };
        shares
            .cast::<Share>()
            .wrapping_add(parity * WARPS as usize + warp as usize)
    }
}

/// What is known after items of which `left` is known, and then items of which `right` is known.
#[inline(always)]
fn after(left: Before, right: Before) -> Before {
    Before {
        count: left.count + right.count,
        last: Ord::max(left.last, right.last),
    }
}

const _: () = {
    assert!(size_of::<Shared>() <= SHARED_BYTES as usize);
    assert!(THREAD_RANGES == 8);
    // A word's lanes are the lanes of a warp.
    assert!(WARP_LANES == u32::BITS && WARP_WORDS < WARP_LANES);
};
