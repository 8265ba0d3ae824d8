//! The scan of works whose chunks all have at most 16 items, and of ragged works (see `IS_RAGGED`). A thread takes 16 consecutive places,
//! no matter where leaves begin.
//!
//! A leaf has at most 16 items. So at each lane's places a leaf begins, unless the work ends there. Each lane scans its places. If chunks
//! go on from one lane's places to the next lane's, the last leaf that begins at a lane's places may go on too. So each lane first combines
//! this leaf's items at the lane's places, and hands the value to the next lane. If chunks go on in this way, a warp's first turn begins 16
//! places before the warp's own places. In that turn, lane 0 does not scan its places, but only hands the value of their last leaf to lane
//! 1.
//!
//! The barrier in a warp's first turn costs almost nothing. In one variant, each warp loaded the items of its first turn before the block
//! waited for the prefixes, and this barrier was left out. Scans of 2^24 `f32` by key took the same time on an H200 (2026-11-28). Scans of
//! 2^20 in runs of 1 took 5.6 µs instead of 5.4 µs.

use crate::contract::{THREAD_VECTORS, WARP_LANES};
use crate::element::{first_bytes, for_each_item, item_of, put_item};
use crate::element::{Accumulator, Element, VECTOR_WORDS};
use crate::op::Op;
use crate::segments::tuning::{KEYED_BLOCK_THREADS, LONG_BLOCK_THREADS, SHORT_BLOCK_THREADS};
use crate::segments::{goes_by_sixteens, vector_items, Work, FAN};
use crate::thread::{for_each_vector, Vectors};
use crate::{simt, warp};

use super::super::items::Room;
use super::super::Launch;
use super::runs::{Places, Run};

/// The bits of all 16 places.
const ALL: u32 = (1 << FAN) - 1;

/// A lane's 16 places in a work. In `live` and `starts`, bit `b` stands for place `first + b`.
#[derive(Clone, Copy)]
struct Sixteen {
    /// The first place.
    first: u32,
    /// The places that belong to the work.
    live: u32,
    /// The places at which leaves begin. At each head, the first leaf of a chunk begins. Before the first head, at most one leaf begins: a
    /// leaf of the chunk that goes on here from earlier places.
    starts: u32,
    /// Whether the first leaf that begins here belongs to the chunk that goes on here.
    is_within: bool,
    /// Where the chunk that goes on here begins. This number is not used if no chunk goes on here.
    chunk: u32,
}

impl Sixteen {
    /// The 16 places from `16 · block` on. If `exists` is false, none of them belongs to the work.
    ///
    /// # Safety
    /// The words are written. If `exists` is true, they cover these places.
    #[inline(always)]
    unsafe fn of<T: Element, A: Accumulator>(
        room: Room<T, A>,
        places: &Places,
        block: u32,
        exists: bool,
    ) -> Self {
        let (number, shift) = (block / 2, block % 2 * FAN);
        // SAFETY: the words are written, and cover the places if `exists` is true: this function's conditions. If `exists` is false, any
        // word may be read.
        let word = unsafe { room.word(number) };
        let first = block * FAN;
        let begin = places.begin.saturating_sub(first);
        let end = match exists {
            true => Ord::min(places.end - first, FAN),
            false => 0,
        };
        let live = ((1 << end) - 1) & (u32::MAX << begin);
        let lower = word.heads & ((1 << shift) - 1);
        let chunk = match lower {
            0 => word.before.wrapping_sub(1),
            _ => number * u32::BITS + highest(lower),
        };
        let heads = word.heads >> shift & live;
        // A leaf of the chunk begins at every 16th place from the chunk's start on. Among the 16 places here, this is the place of bit
        // `chunk % 16`. If the chunk ends before this place, `goes_on` does not have the bit, since a head or the work's end comes first.
        let next = 1 << (chunk % FAN);
        let goes_on = live & heads.wrapping_sub(1) & !heads;
        let within = next & goes_on;
        Sixteen {
            first,
            live,
            starts: heads | within,
            is_within: within != 0,
            chunk,
        }
    }

    /// The places of the last leaf that begins here; none if no leaf begins here.
    #[inline(always)]
    fn of_last_leaf(&self) -> u32 {
        match self.starts {
            0 => 0,
            starts => self.live & (u32::MAX << highest(starts)),
        }
    }
}

/// The highest bit that is set.
#[inline(always)]
fn highest(bits: u32) -> u32 {
    u32::BITS - 1 - bits.leading_zeros()
}

/// What precedes an item in its segment: the earlier items of the segment combined, and their number.
#[derive(Clone, Copy)]
struct Prefix<A> {
    value: A,
    index: u64,
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether works whose chunks are all short, and ragged works, are scanned by sixteens of places. This needs narrow items, since the
    /// registers hold a lane's items.
    ///
    /// Scans by key of 2^28 `f32` in runs of 1 took 1,001 µs on an H200 (2026-11-26) with a lane for each chunk, and take 811 µs with
    /// sixteens. Runs by a power law took 1,356 µs with a thread for each leaf, and 1,157 µs with sixteens in ragged works. Sixteens in all
    /// works were slower: 977 µs instead of 834 µs in runs of 32. Another division of ragged works was slower too: 1,117 µs instead of
    /// 1,097 µs in runs by a power law. In that division, the sixteens of a warp's turn began where those of the previous warp's turn
    /// ended. A warp handed its last value to the next warp through shared memory.
    pub const BY_SIXTEENS: bool = goes_by_sixteens::<O, T>();

    /// Writes the results of a work to global memory. If `goes_on`, chunks may go on from 16 places to the next 16.
    ///
    /// # Safety
    /// Convergent: the whole block, with the same arguments. The header and the words are written, and `work` is one of the block's works.
    /// The work's items are written, and so are the prefixes of the tail and of the leaves of chunks with several leaves. Nobody else
    /// accesses the items.
    #[inline(always)]
    pub unsafe fn scan_by_sixteens(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        goes_on: bool,
    ) {
        let places = Places::of(work);
        let (block, count) = places.blocks(FAN);
        let lane = simt::lane();
        // In each turn, a warp takes 32 blocks of 16 places, one for each lane. If chunks go on, a warp's first turn begins with the last
        // block that the previous warp scans.
        let before = goes_on as u32;
        let most = (self.of_each_warp(count) + before).div_ceil(WARP_LANES);
        let each = most * WARP_LANES - before;
        let begin = simt::warp() * each;
        // The last warps may have fewer blocks, or none. All warps have a first turn, since it has a barrier.
        let own = Ord::min(count.saturating_sub(begin), each);
        let turns = Ord::max((own + before).div_ceil(WARP_LANES), 1);
        let mut first = begin.wrapping_sub(before);
        // The value that lane 31 hands to lane 0 for the warp's next turn.
        let mut carried = O::identity();
        let mut turn = 0;
        while turn < turns {
            let step = simt::opaque_one() as u32;
            let number = first.wrapping_add(lane);
            // SAFETY: the words are written (this function's condition), and cover the work's places. The whole warp shuffles, since its
            // lanes have the same number of turns. The whole block waits, since each warp has a first turn. The items are written, and so
            // are the prefixes. Each place is scanned by one lane. Before the barrier, no result is written, so lane 0 can read the items
            // of another warp's last places.
            unsafe {
                let mut here =
                    Sixteen::of(room, &places, block.wrapping_add(number), number < count);
                let mut items = self.load_sixteen(work, room, &here);
                let of_first = self.before_first(work, room, &places, &here);
                let mut value = O::identity();
                if goes_on {
                    let handed = self.fold_last_leaf(&here, &items, of_first);
                    value = warp::shuffle_up(handed, 1);
                    let last = warp::shuffle_from(handed, WARP_LANES - 1);
                    if turn == 0 {
                        // Lane 0 reads items that the previous warp scans. This barrier orders these reads before the previous warp's
                        // writes of results, which replace the items.
                        simt::barrier();
                    }
                    if lane == 0 {
                        value = carried;
                        if turn == 0 {
                            here.live = 0;
                        }
                    }
                    carried = last;
                }
                if here.live != 0 {
                    let index = match here.chunk == places.begin {
                        true => work.index,
                        false => 0,
                    };
                    let over = Prefix {
                        value,
                        index: index.wrapping_add(here.first.wrapping_sub(here.chunk) as u64),
                    };
                    self.scan_sixteen(&here, &mut items, over, of_first);
                    self.store_sixteen(work, room, &here, &items);
                }
            }
            first = first.wrapping_add(WARP_LANES * step);
            turn += step;
        }
        // SAFETY: the whole block is here, and all threads take the same way. The results at the warp's own places are written, and the
        // barriers order the writes before the reads. If sixteens do not begin where vectors begin, two warps may share a vector of
        // results. Then the whole block waits before any thread stores results.
        unsafe {
            let from = Ord::max((block + begin) * FAN, places.begin);
            let to = Ord::min((block + begin + each) * FAN, places.end);
            let range = [from, to].map(|place| place.wrapping_add(work.starts));
            if goes_on && self.has_aligned_sixteens(work) {
                // Orders the lanes' writes of results before their reads.
                simt::warp_barrier();
                let mut turn = 0;
                while turn < turns && from < to {
                    let step = simt::opaque_one() as u32;
                    let at = (block + begin + turn * WARP_LANES) * FAN;
                    self.take_out_sixteens(work, room, at.wrapping_add(work.starts), range);
                    turn += step;
                }
            } else if !goes_on && work.starts.is_multiple_of(vector_items::<T>()) {
                // Orders the lanes' writes of results before their reads.
                simt::warp_barrier();
                if from < to {
                    self.take_out_some(work, room, range, [lane, WARP_LANES]);
                }
            } else {
                // Orders the writes of the results before the reads by the threads that store them.
                simt::barrier();
                self.take_out(work, room);
            }
        }
    }

    /// How many of `count` blocks of 16 places each warp of the block takes if all warps take equally many, rounded up.
    #[inline(always)]
    fn of_each_warp(&self, count: u32) -> u32 {
        // Divisions by constants take few instructions.
        match self.threads() {
            LONG_BLOCK_THREADS => count.div_ceil(LONG_BLOCK_THREADS / WARP_LANES),
            SHORT_BLOCK_THREADS => count.div_ceil(SHORT_BLOCK_THREADS / WARP_LANES),
            _ => count.div_ceil(KEYED_BLOCK_THREADS / WARP_LANES),
        }
    }

    /// What precedes the first leaf that begins at these places.
    ///
    /// # Safety
    /// The prefixes of the tail and of the leaves of chunks with several leaves are written.
    #[inline(always)]
    unsafe fn before_first(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        places: &Places,
        here: &Sixteen,
    ) -> Prefix<O::Accumulator> {
        let (mut value, mut index) = (O::identity(), 0);
        // SAFETY: the prefixes are written: this function's condition. If `is_within` is true, the leaf's chunk has several leaves, so the
        // leaf's prefix is among them.
        unsafe {
            if here.is_within {
                let chunk = places.chunk(
                    work,
                    Run {
                        start: here.chunk,
                        end: here.chunk,
                    },
                );
                // The leaf is the chunk's first one that begins at `first` or later.
                let number = (here.first.wrapping_sub(here.chunk)).div_ceil(FAN);
                value = room.leaf(chunk.start, number).read();
                index = (number * FAN) as u64;
                if chunk.number == 0 {
                    index = index.wrapping_add(work.index);
                }
            } else if here.first <= places.begin {
                // Only the work's first chunk may be the tail.
                value = self.before_chunk(work, 0);
                index = work.index;
            }
        }
        Prefix { value, index }
    }

    /// The last leaf's prefix, combined with the leaf's items at these places. If no leaf begins here, the result is not used. `first` is
    /// what precedes the first leaf that begins here.
    #[inline(always)]
    fn fold_last_leaf(
        &self,
        here: &Sixteen,
        items: &Vectors,
        first: Prefix<O::Accumulator>,
    ) -> O::Accumulator {
        let mut value = O::identity();
        let mut index = 0;
        if here.starts & here.starts.wrapping_sub(1) == 0 {
            (value, index) = (first.value, first.index);
        }
        let mask = here.of_last_leaf();
        index = index.wrapping_sub(highest(here.starts) as u64);
        for_each_vector!(V => {
            if V < size_of::<T>() {
                for_each_item!(P of T => {
                    let place = V * vector_items::<T>() as usize + P;
                    // The operator only gets items of the leaf.
                    if mask & 1 << place != 0 {
                        let index = index.wrapping_add(place as u64);
                        value = O::combine(value, O::lift_at(item_of(&items[V], P), index));
                    }
                });
            }
        });
        value
    }

    /// Replaces the items at these places by their results. `over` is what precedes the first item, and `first` is what precedes the first
    /// leaf that begins here.
    #[inline(always)]
    fn scan_sixteen(
        &self,
        here: &Sixteen,
        items: &mut Vectors,
        over: Prefix<O::Accumulator>,
        first: Prefix<O::Accumulator>,
    ) {
        let (mut before, mut of_start) = (over, first);
        for_each_vector!(V => {
            if V < size_of::<T>() {
                let mut results = [0; VECTOR_WORDS];
                for_each_item!(P of T => {
                    if here.starts & 1 << (V * vector_items::<T>() as usize + P) != 0 {
                        before = of_start;
                        of_start = Prefix {
                            value: O::identity(),
                            index: 0,
                        };
                    }
                    let item = item_of(&items[V], P);
                    let (after, result) = self.result_of(before.value, item, before.index);
                    put_item::<T>(&mut results, P, first_bytes(result));
                    before = Prefix {
                        value: after,
                        index: before.index.wrapping_add(1),
                    };
                });
                items[V] = results;
            }
        });
        // The prefixes after the last of these places are not used.
        let _ = (before, of_start);
    }

    /// Whether a vector begins at the first of the 16 places.
    #[inline(always)]
    fn has_whole_vectors(work: &Work, here: &Sixteen) -> bool {
        here.first
            .wrapping_add(work.starts)
            .is_multiple_of(vector_items::<T>())
    }

    /// The items of the work at 16 places. For a place that does not belong to the work, this returns another item of the work. If no place
    /// belongs to the work, all vectors are zero.
    ///
    /// # Safety
    /// The items of the work are written.
    #[inline(always)]
    unsafe fn load_sixteen(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        here: &Sixteen,
    ) -> Vectors {
        let first = here.first.wrapping_add(work.starts);
        let mut items: Vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
        if here.live == 0 {
            return items;
        }
        let has_whole_vectors = Self::has_whole_vectors(work, here);
        if has_whole_vectors && here.live == ALL {
            // SAFETY: all 16 places have items of the work, which are written: this function's condition. Place 0 begins a vector, so the
            // window's first item has place 0 too.
            return unsafe { room.vectors_of_sixteen(here.first) };
        }
        let some = here.live.trailing_zeros();
        if has_whole_vectors {
            for_each_vector!(V => {
                if V < size_of::<T>() {
                    // If no item of the vector belongs to the work, another vector is read.
                    let number = Ord::max(V as u32 * vector_items::<T>(), some);
                    let place = first.wrapping_add(Ord::min(number, highest(here.live)));
                    // SAFETY: the place has an item of the work, which is written: this function's condition.
                    items[V] = unsafe { room.vector(place) };
                }
            });
            // SAFETY: the place has an item of the work, which is written: this function's condition.
            let other = unsafe { room.item(first.wrapping_add(some)) };
            for_each_vector!(V => {
                if V < size_of::<T>() {
                    let mut vector = [0; VECTOR_WORDS];
                    for_each_item!(P of T => {
                        let number = V as u32 * vector_items::<T>() + P as u32;
                        let item = match here.live & 1 << number {
                            0 => item_of(&other, 0),
                            _ => item_of(&items[V], P),
                        };
                        put_item::<T>(&mut vector, P, item);
                    });
                    items[V] = vector;
                }
            });
            return items;
        }
        for_each_vector!(V => {
            if V < size_of::<T>() {
                for_each_item!(P of T => {
                    let number = V as u32 * vector_items::<T>() + P as u32;
                    let number = match here.live & 1 << number {
                        0 => some,
                        _ => number,
                    };
                    // SAFETY: the place has an item of the work, which is written: this function's condition.
                    let item = unsafe { room.item(first.wrapping_add(number)) };
                    put_item::<T>(&mut items[V], P, item_of(&item, 0));
                });
            }
        });
        items
    }

    /// Writes the results in `items` to shared memory, in place of the work's items at 16 places. At least one of the places belongs to the
    /// work. If vectors begin at these places, this also writes to the places that do not belong to the work.
    ///
    /// # Safety
    /// The items' memory has the work's places, and no other thread uses these 16 places. No thread uses places that do not belong to the
    /// work.
    #[inline(always)]
    unsafe fn store_sixteen(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        here: &Sixteen,
        items: &Vectors,
    ) {
        if Self::has_whole_vectors(work, here) {
            // SAFETY: the items' memory has all 16 places, since one of them belongs to the work, and the memory is a multiple of 16 places
            // long. No other thread uses these places: this function's conditions. The window's first item has place 0, as in
            // `load_sixteen`.
            unsafe { room.put_sixteen(here.first, items) };
            return;
        }
        let first = here.first.wrapping_add(work.starts);
        for_each_vector!(V => {
            if V < size_of::<T>() {
                for_each_item!(P of T => {
                    let number = V as u32 * vector_items::<T>() + P as u32;
                    if here.live & 1 << number != 0 {
                        let mut single = [0; VECTOR_WORDS];
                        put_item::<T>(&mut single, 0, item_of(&items[V], P));
                        // SAFETY: the place has an item of the work, and no other thread uses it: this function's conditions.
                        unsafe { room.put(first.wrapping_add(number), single) };
                    }
                });
            }
        });
    }
}
