//! Works whose chunks are all short, of at most 16 items: a thread takes 16 consecutive places, whatever chunks begin there.
//!
//! Each warp takes consecutive places, 16 for each lane. The last chunk that begins at a lane's places may go on at those of the next lane.
//! So a lane first combines the items of that chunk at its own places, and hands the value to the next lane. Then it scans all its places.
//! The lane with the last of a warp's places scans the rest of the last chunk by itself.

use crate::contract::{THREAD_VECTORS, WARP_LANES};
use crate::element::{first_bytes, for_each_item, item_of, put_item};
use crate::element::{Accumulator, Element, VECTOR_WORDS};
use crate::op::Op;
use crate::segments::{vector_items, Work, FAN};
use crate::thread::{for_each_vector, Vectors};
use crate::{simt, warp};

use super::super::items::Room;
use super::super::Launch;
use super::runs::Places;

/// The bits of all 16 places.
const ALL: u32 = (1 << FAN) - 1;

/// A lane's 16 places in a work of short chunks. Bits count from the first place.
#[derive(Clone, Copy)]
struct Sixteen {
    /// The first place.
    first: u32,
    /// The places that belong to the work.
    live: u32,
    /// The places at which chunks of the work begin.
    heads: u32,
    /// Where the last chunk that begins here ends. It is not used if none begins here.
    end: u32,
    /// Where the chunk that goes on here begins. It is not used if no chunk goes on here.
    start: u32,
}

impl Sixteen {
    /// The 16 places from `16 · block` on. If `exists` is false, none of them belongs to the work.
    ///
    /// # Safety
    /// The words are written, and have these places.
    #[inline(always)]
    unsafe fn of<T: Element, A: Accumulator>(
        room: Room<T, A>,
        places: &Places,
        block: u32,
        exists: bool,
    ) -> Self {
        let (number, shift) = (block / 2, block % 2 * FAN);
        // SAFETY: the words are written, and have the block: this function's conditions.
        let word = unsafe { room.word(number) };
        let first = block * FAN;
        let begin = places.begin.saturating_sub(first);
        let end = match exists {
            true => Ord::min(places.end - first, FAN),
            false => 0,
        };
        let live = ((1 << end) - 1) & (u32::MAX << begin);
        let lower = word.heads & ((1 << shift) - 1);
        let start = match lower {
            0 => word.before.wrapping_sub(1),
            _ => number * u32::BITS + highest(lower),
        };
        let after = word.heads >> shift >> FAN;
        let end = match after {
            0 => word.after,
            _ => first + FAN + after.trailing_zeros(),
        };
        Sixteen {
            first,
            live,
            heads: word.heads >> shift & live,
            // The work's last chunk ends where the work ends.
            end: Ord::min(end, places.end),
            start,
        }
    }

    /// The places before the first head. They belong to a chunk that began in the 16 places before.
    #[inline(always)]
    fn continued(&self) -> u32 {
        let first_head = (self.heads | 1 << FAN).trailing_zeros();
        self.live & ((1 << first_head) - 1)
    }

    /// The places from the last head on.
    #[inline(always)]
    fn of_last_chunk(&self) -> u32 {
        match self.heads {
            0 => 0,
            heads => self.live & (u32::MAX << highest(heads)),
        }
    }
}

/// The highest bit that is set.
#[inline(always)]
fn highest(bits: u32) -> u32 {
    u32::BITS - 1 - bits.leading_zeros()
}

/// What precedes an item in its segment: the combination of the items before it, and how many they are.
#[derive(Clone, Copy)]
struct Prefix<A> {
    value: A,
    index: u64,
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether works of short chunks are scanned by sixteens of places. The registers hold a lane's items, so these are narrow.
    ///
    /// Scans by key of 2^28 `f32` in runs of 1 took 1,001 µs on an H200 (2026-11-26) with a lane for each chunk, and take 811 µs with
    /// sixteens. Sixteens in all works, also for leaves of longer chunks, were slower: 977 µs instead of 834 µs in runs of 32.
    pub const BY_SIXTEENS: bool = Self::HAS_VECTORS && size_of::<T>() <= 4;

    /// Writes the results of a work of short chunks in place of its items.
    ///
    /// # Safety
    /// Convergent: the whole block. The header and the words are written, `work` is one of the block's works, and each of its chunks has at
    /// most 16 items. The work's items are written, and so is the prefix of the tail. Nobody else accesses the items.
    #[inline(always)]
    pub unsafe fn place_sixteens(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let places = Places::of(work);
        let (block, count) = places.blocks(FAN);
        // The number of threads is a power of two.
        let threads = self.threads();
        let each = ((count + threads - 1) >> threads.trailing_zeros()) * WARP_LANES;
        let begin = Ord::min(simt::warp() * each, count);
        let end = Ord::min(begin + each, count);
        // What lane 31 hands to lane 0 of the warp's next sixteens.
        let mut carried = O::identity();
        let mut next = begin;
        while next < end {
            let step = simt::opaque_one() as u32;
            let number = next + simt::lane();
            // SAFETY: the words are written (this function's condition), and have the work's sixteens. The whole warp votes and shuffles,
            // since all lanes have the same `next`. The items and the tail's prefix are written. Each place belongs to one lane: that of
            // its sixteen, or, if the last chunk of the warp before goes on there, the lane with that warp's last sixteen.
            unsafe {
                let block = block + Ord::min(number, end - 1);
                let mut here = Sixteen::of(room, &places, block, number < end);
                if number == begin {
                    // The warp before scans these places.
                    here.live &= !here.continued();
                }
                let mut items = self.load_sixteen(work, room, &here);
                // Only the work's first chunk may be the tail.
                let mut first = Prefix {
                    value: O::identity(),
                    index: 0,
                };
                if number == 0 {
                    first.value = self.before_chunk(work, 0);
                    first.index = work.index;
                }
                let is_last = number == end - 1 && end < count;
                let mut value = O::identity();
                if simt::ballot(here.continued() != 0 || is_last) != 0 {
                    value = self.fold_last_chunk(&here, &items, first);
                    let below = warp::shuffle_up(value, 1);
                    let handed = match simt::lane() {
                        0 => carried,
                        _ => below,
                    };
                    carried = warp::shuffle_from(value, WARP_LANES - 1);
                    if is_last && here.heads != 0 {
                        self.place_rest(work, room, &here, value);
                    }
                    value = handed;
                }
                if here.live != 0 {
                    let before = match here.start == places.begin {
                        true => work.index,
                        false => 0,
                    };
                    let over = Prefix {
                        value,
                        index: before.wrapping_add(here.first.wrapping_sub(here.start) as u64),
                    };
                    self.scan_sixteen(&here, &mut items, over, first);
                    self.store_sixteen(work, room, &here, &items);
                }
            }
            next += step * WARP_LANES;
        }
    }

    /// The combination of the last chunk's items at these places, after its prefix. It is the identity if no chunk begins here. `first`
    /// precedes the first chunk that begins here.
    #[inline(always)]
    fn fold_last_chunk(
        &self,
        here: &Sixteen,
        items: &Vectors,
        first: Prefix<O::Accumulator>,
    ) -> O::Accumulator {
        let mut value = O::identity();
        let mut index = 0;
        if here.heads & here.heads.wrapping_sub(1) == 0 {
            (value, index) = (first.value, first.index);
        }
        let mask = here.of_last_chunk();
        index = index.wrapping_sub(highest(here.heads) as u64);
        for_each_vector!(V => {
            if V < size_of::<T>() {
                for_each_item!(P of T => {
                    let place = V * vector_items::<T>() as usize + P;
                    // The operator only gets items of the chunk.
                    if mask & 1 << place != 0 {
                        let index = index.wrapping_add(place as u64);
                        value = O::combine(value, O::lift_at(item_of(&items[V], P), index));
                    }
                });
            }
        });
        value
    }

    /// Replaces the items at these places by their results. `over` precedes the first place, and `first` precedes the first chunk that
    /// begins here.
    #[inline(always)]
    fn scan_sixteen(
        &self,
        here: &Sixteen,
        items: &mut Vectors,
        over: Prefix<O::Accumulator>,
        first: Prefix<O::Accumulator>,
    ) {
        let (mut before, mut of_head) = (over, first);
        for_each_vector!(V => {
            if V < size_of::<T>() {
                let mut results = [0; VECTOR_WORDS];
                for_each_item!(P of T => {
                    if here.heads & 1 << (V * vector_items::<T>() as usize + P) != 0 {
                        before = of_head;
                        of_head = Prefix {
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
        // What follows these places is not used.
        let _ = (before, of_head);
    }

    /// Writes the results of the last chunk's items after these places, in place of the items. `value` precedes the first of them.
    ///
    /// # Safety
    /// A chunk begins here. The items of the work are written, and no other thread uses those of the chunk that lie after these places.
    #[inline(always)]
    unsafe fn place_rest(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        here: &Sixteen,
        mut value: O::Accumulator,
    ) {
        let head = here.first + highest(here.heads);
        let mut place = here.first + FAN;
        let mut index = (place - head) as u64;
        if head == Places::of(work).begin {
            index = index.wrapping_add(work.index);
        }
        while place < here.end {
            let step = simt::opaque_one() as u32;
            let of_work = place.wrapping_add(work.starts);
            // SAFETY: the item is written, and no other thread uses it (this function's conditions). The result has the item's size, and
            // replaces it.
            unsafe {
                let item = item_of(&room.item(of_work), 0);
                let (after, result) = self.result_of(value, item, index);
                let mut single = [0; VECTOR_WORDS];
                put_item::<T>(&mut single, 0, first_bytes(result));
                room.put(of_work, single);
                value = after;
            }
            index += step as u64;
            place += step;
        }
    }

    /// Whether whole vectors are loaded and stored: all places belong to the work, and a vector begins at the first.
    #[inline(always)]
    fn has_whole_vectors(work: &Work, here: &Sixteen) -> bool {
        here.live == ALL
            && here
                .first
                .wrapping_add(work.starts)
                .is_multiple_of(vector_items::<T>())
    }

    /// The items of the work at 16 places. Where a place does not belong to the work, another item of the work is in its place. If no place
    /// belongs to the work, all are zero.
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
        if Self::has_whole_vectors(work, here) {
            for_each_vector!(V => {
                if V < size_of::<T>() {
                    let place = first.wrapping_add(V as u32 * vector_items::<T>());
                    // SAFETY: a vector of items of the work begins at the place, and they are written: this function's condition.
                    items[V] = unsafe { room.vector(place) };
                }
            });
        } else if here.live != 0 {
            let some = here.live.trailing_zeros();
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
        }
        items
    }

    /// Replaces the items of the work at 16 places by `items`, their results.
    ///
    /// # Safety
    /// The items' memory has the work, and no other thread uses these items.
    #[inline(always)]
    unsafe fn store_sixteen(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        here: &Sixteen,
        items: &Vectors,
    ) {
        let first = here.first.wrapping_add(work.starts);
        if Self::has_whole_vectors(work, here) {
            for_each_vector!(V => {
                if V < size_of::<T>() {
                    let place = first.wrapping_add(V as u32 * vector_items::<T>());
                    // SAFETY: the vector there has items of the work alone, and no other thread uses them: this function's conditions.
                    unsafe { room.put_vector(place, items[V]) };
                }
            });
            return;
        }
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
