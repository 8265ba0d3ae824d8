//! Writing a tile's outputs: each warp writes the outputs of its own items, chunk by chunk.

use crate::contract::{vector_items, WARP_LANES};
use crate::element::{for_each_item, Element};
use crate::selection::tuning::WARPS;
use crate::selection::{chunk_items, chunk_rows, row_items, rows, tile_bytes, warp_items};
use crate::selection::{SelectionArguments, WRITES_END};
use crate::simt;
use crate::thread::{for_each_vector, TileItems};

use super::choice::{Choice, Prefix};
use super::choosing::Waiting;
use super::{exchange, Launch};

/// The most items or lengths that a lane holds before it writes the first of them.
const MOST_BATCH: usize = 4;

/// The number of chosen items of each row of a chunk, packed into a register.
#[derive(Clone, Copy)]
struct Counts(u32);

/// The items that are chosen before a chunk.
#[derive(Clone, Copy)]
struct Progress {
    /// How many items are chosen before the chunk.
    count: u64,
    /// One more than the index of the last item that is chosen before the chunk; 0 if there is none.
    last: u64,
}

/// A chunk whose items the warp has listed.
#[derive(Clone, Copy)]
struct Chunk {
    /// The index of the warp's first item of the tile.
    warp_index: u64,
    /// The index of the chunk's first item.
    index: u64,
    /// The address of the warp's first item in shared memory.
    items: *const u32,
    /// How many items are chosen. The chosen items come first in the list.
    chosen: u32,
    /// How many items are not chosen. If the list includes these items, they follow the chosen items.
    others: u32,
}

impl<C: Choice<T>, T: Element> Launch<C, T> {
    /// Chunks of a warp in a tile.
    const CHUNKS: u32 = (rows::<T>() / chunk_rows::<T>()) as u32;

    /// Items that a lane reads before it writes the first of them, if it writes in batches. Four items of more than 4 bytes would take too
    /// many registers.
    const BATCH: usize = match size_of::<T>() {
        0..=4 => MOST_BATCH,
        5..=8 => 2,
        _ => 1,
    };

    /// Waits for the prefix of the tile of a turn, and writes the wanted outputs of the calling warp's items.
    ///
    /// # Safety
    /// - Convergent: all warps that share the tile, once for each turn with a tile.
    /// - The conditions of [`super::select`]. The tile lies in the buffer, and `leaving` is the calling thread's data of the tile.
    #[inline(always)]
    pub unsafe fn write(&self, leaving: &Waiting, turn: u32, buffer: u32) {
        let TileItems { begin, count } = self.items(leaving.tile);
        let warp_begin = Self::warp_begin();
        // SAFETY: all sharing warps call it once for each turn with a tile, in the order of the turns. The warp that looks back sends a
        // prefix for every tile that it receives.
        let prefix = unsafe {
            let prefixes = &raw mut (*self.shared).prefixes;
            exchange::await_prefix(prefixes, turn)
        };
        let before = leaving.before;
        let mut progress = Progress {
            count: prefix.count() + before.count as u64,
            last: match before.last {
                0 => prefix.last(),
                last => begin + last as u64,
            },
        };
        let tile_share = tile_bytes::<T>() / WARPS as usize;
        let items = self
            .buffer(buffer)
            .wrapping_byte_add(simt::warp() as usize * tile_share);
        let mut chunk = 0;
        while chunk < Self::CHUNKS {
            let step = if Self::CHUNKS > 1 {
                simt::opaque_one() as u32
            } else {
                1
            };
            let bits = leaving
                .chosen
                .rows::<T>(chunk * chunk_rows::<T>() as u32, chunk_rows::<T>());
            let chunk_begin = chunk * chunk_items::<T>() as u32;
            let existing = count.saturating_sub(warp_begin + chunk_begin);
            let existing = Ord::min(existing, chunk_items::<T>() as u32);
            // SAFETY: the whole warp reaches this point, since `chunk` is the same for all its lanes. The barriers order the writes to the
            // list before the reads, and the reads before the next writes to the list and to the buffer. The outputs and the items are as
            // this function's conditions say.
            unsafe {
                let chosen = self.list_chunk(bits, chunk_begin);
                simt::warp_barrier();
                let listed = Chunk {
                    warp_index: begin + warp_begin as u64,
                    index: begin + (warp_begin + chunk_begin) as u64,
                    items,
                    chosen,
                    others: existing - chosen,
                };
                self.write_chunk(&listed, progress);
                progress.count += chosen as u64;
                if C::Prefix::HAS_LAST && chosen > 0 {
                    progress.last = listed.warp_index + self.listed(chosen - 1) as u64 + 1;
                }
                simt::warp_barrier();
            }
            chunk += step;
        }
        if leaving.tile == self.tiles.end - 1 && simt::warp() == WARPS - 1 && simt::lane() == 0 {
            // SAFETY: only one thread of the launch reaches this point: the first lane of the last sharing warp, at the last tile. The
            // outputs are writable (conditions of `select`).
            unsafe { write_end::<C, T>(&self.arguments, progress) };
        }
    }

    /// Lists the chosen items of a chunk. The other items follow if they are wanted. An entry of the list is an item's place among the
    /// calling warp's items; the chunk begins at place `chunk_begin`. Returns the number of chosen items.
    ///
    /// # Safety
    /// - Convergent: a whole warp.
    /// - No lane reads the warp's list until the next barrier.
    #[inline(always)]
    unsafe fn list_chunk(&self, bits: u32, chunk_begin: u32) -> u32 {
        let own = Counts::of::<T>(bits);
        // SAFETY: the whole warp shuffles. No two listed items have the same entry. The number of each entry is less than the number of
        // items of a chunk, so the list has room for the entry.
        unsafe {
            let (upto, all) = own.over_lanes();
            let chosen = all.sum::<T>();
            let before = Counts(upto.0 - own.0);
            if self.arguments.others.is_null() {
                self.list_rows(bits, chunk_begin, before, all, |is_chosen, rank, _| {
                    (is_chosen, rank)
                });
            } else {
                self.list_rows(bits, chunk_begin, before, all, |is_chosen, rank, place| {
                    let at = if is_chosen {
                        rank
                    } else {
                        chosen + place - rank
                    };
                    (true, at)
                });
            }
            chosen
        }
    }

    /// Lists items of a chunk. `listing` decides whether an item is listed, and where. Its arguments are whether the item is chosen, how
    /// many chosen items are before it in the chunk, and its place in the chunk.
    ///
    /// # Safety
    /// - No lane reads the warp's list until the next barrier.
    /// - Each place in the list that `listing` returns is less than [`chunk_items`].
    #[inline(always)]
    unsafe fn list_rows(
        &self,
        bits: u32,
        chunk_begin: u32,
        before: Counts,
        all: Counts,
        listing: impl Fn(bool, u32, u32) -> (bool, u32),
    ) {
        let unit = Self::VECTOR_ITEMS as u32;
        let list = self.list_address();
        let mut rows_before = 0;
        let mut row = 0;
        while row < chunk_rows::<T>() as u32 {
            let step = if chunk_rows::<T>() > 1 {
                simt::late_one()
            } else {
                1
            };
            let first = row * row_items::<T>() as u32 + simt::lane() * unit;
            let bits = bits >> (row * unit);
            let mut rank = rows_before + before.row::<T>(row);
            rows_before += all.row::<T>(row);
            for_each_item!(P of T => {
                if P != 0 {
                    rank += bits >> P.saturating_sub(1) & 1;
                }
                let is_chosen = bits >> P & 1 == 1;
                let place = first + P as u32;
                let (is_listed, at) = listing(is_chosen, rank, place);
                if is_listed {
                    // SAFETY: `at` is an entry of the list, and no lane reads the list now (conditions of this function).
                    unsafe { list.wrapping_add(at as usize).write((chunk_begin + place) as u16) };
                }
            });
            row += step;
        }
    }

    /// Reads an entry of the list: a place among the calling warp's items.
    ///
    /// # Safety
    /// The entry is written, and a barrier of the warp has followed.
    #[inline(always)]
    unsafe fn listed(&self, at: u32) -> u32 {
        // SAFETY: the entry is written (condition of this function), so it is in the warp's list.
        unsafe { simt::read_shared(self.list_address().add(at as usize)) as u32 }
    }

    /// Writes the wanted outputs of a listed chunk.
    ///
    /// # Safety
    /// - Convergent: a whole warp. The warp's list is written, the warp's items lie in the buffer, and a barrier of the warp has followed.
    /// - The outputs are writable, as for [`super::select`], and no other warp writes the outputs of these items.
    #[inline(always)]
    unsafe fn write_chunk(&self, chunk: &Chunk, progress: Progress) {
        let arguments = &self.arguments;
        let chosen = room(arguments.capacity, progress.count, chunk.chosen);
        // SAFETY: the chunk is listed, and `room` limits each count to the output's capacity. So each place that is written is in the
        // output.
        unsafe {
            if !arguments.items.is_null() {
                let to = arguments.items.wrapping_add(progress.count as usize);
                self.write_items(chunk, 0, chosen, to);
            }
            if !arguments.others.is_null() {
                let before = chunk.index - progress.count;
                let others = room(arguments.other_capacity, before, chunk.others);
                let to = arguments.others.wrapping_add(before as usize);
                self.write_items(chunk, chunk.chosen, others, to);
            }
            if !arguments.indices.is_null() {
                let chosen = room(arguments.index_capacity, progress.count, chunk.chosen);
                let mut at = simt::lane();
                while at < chosen {
                    let index = chunk.warp_index + self.listed(at) as u64;
                    let (to, bytes) = (arguments.indices, arguments.index_bytes);
                    write_number(to, bytes, progress.count + at as u64, index);
                    at += WARP_LANES;
                }
            }
            if C::Prefix::HAS_LAST && !arguments.lengths.is_null() {
                self.write_lengths(chunk, progress);
            }
        }
    }

    /// Writes the items of `count` entries of the list to `to`. The first of these entries is `first`.
    ///
    /// # Safety
    /// - The conditions of [`Self::write_chunk`].
    /// - `first + count` entries are listed, and `to` is writable for `count` items.
    #[inline(always)]
    unsafe fn write_items(&self, chunk: &Chunk, first: u32, count: u32, to: *mut T) {
        if C::WRITES_IN_BATCHES {
            // SAFETY: the conditions are this function's.
            return unsafe { self.write_items_in_batches(chunk, first, count, to) };
        }
        let mut at = simt::lane();
        while at < count {
            // SAFETY: `at` is less than `count`, so the entry is listed, its item lies in the buffer, and `to` has the place.
            unsafe {
                let place = self.listed(first + at) as usize;
                let from = chunk.items.wrapping_byte_add(place * size_of::<T>());
                to.wrapping_add(at as usize)
                    .write(simt::read_shared(from.cast::<T>()));
            }
            at += WARP_LANES;
        }
    }

    /// [`Self::write_items`] in batches: a lane reads all its items of a batch before it writes the first of them.
    ///
    /// # Safety
    /// The conditions of [`Self::write_items`].
    #[inline(always)]
    unsafe fn write_items_in_batches(&self, chunk: &Chunk, first: u32, count: u32, to: *mut T) {
        let mut begin = 0;
        while begin < count {
            let step = simt::opaque_one() as u32;
            let mut places = [0; MOST_BATCH];
            let mut items = [T::zeroed(); MOST_BATCH];
            // SAFETY: the number of each entry that is read is at most `first + count - 1`. So the entry is listed, and its item lies in
            // the buffer. Each place that is written is less than `count`, so `to` has the place.
            unsafe {
                for_each_vector!(B in 0 1 2 3 => {
                    if B < Self::BATCH {
                        places[B] = self.listed(first + Ord::min(batched::<B>(begin), count - 1));
                    }
                });
                for_each_vector!(B in 0 1 2 3 => {
                    if B < Self::BATCH {
                        let from = chunk.items.wrapping_byte_add(places[B] as usize * size_of::<T>());
                        items[B] = simt::read_shared(from.cast::<T>());
                    }
                });
                for_each_vector!(B in 0 1 2 3 => {
                    let at = batched::<B>(begin);
                    if B < Self::BATCH && at < count {
                        to.wrapping_add(at as usize).write(items[B]);
                    }
                });
            }
            begin += step * Self::BATCH as u32 * WARP_LANES;
        }
    }

    /// For each listed head but the input's first, writes the length of the run that ends just before it. All lengths but the first are
    /// written in batches.
    ///
    /// # Safety
    /// The conditions of [`Self::write_chunk`].
    #[inline(always)]
    unsafe fn write_lengths(&self, chunk: &Chunk, progress: Progress) {
        let &SelectionArguments {
            capacity,
            lengths,
            length_bytes: bytes,
            ..
        } = &self.arguments;
        // The run that ends before the first head of the list began before the chunk. If that head is the first head of the input, no run
        // ends before it. Then `progress.count` is 0, and the wrapped difference exceeds any capacity.
        if simt::lane() == 0 && chunk.chosen > 0 && progress.count.wrapping_sub(1) < capacity {
            // SAFETY: the first entry is listed, and the output has a place for the run's length.
            unsafe {
                let head = chunk.warp_index + self.listed(0) as u64;
                write_number(
                    lengths,
                    bytes,
                    progress.count - 1,
                    head - (progress.last - 1),
                );
            }
        }
        // Each of the other runs begins at a head of the list, and ends before the next head of the list.
        let count = room(capacity, progress.count, chunk.chosen.saturating_sub(1));
        let to = lengths.wrapping_byte_add((progress.count * bytes) as usize);
        let mut begin = 0;
        while begin < count {
            let step = simt::opaque_one() as u32;
            let mut found = [0; MOST_BATCH];
            // SAFETY: the number of each entry that is read is at most `count`, so the entry is listed. Each place that is written is less
            // than `count`, so the output has the place.
            unsafe {
                for_each_vector!(B in 0 1 2 3 => {
                    let at = Ord::min(batched::<B>(begin), count - 1);
                    found[B] = self.listed(at + 1) - self.listed(at);
                });
                for_each_vector!(B in 0 1 2 3 => {
                    let at = batched::<B>(begin);
                    if at < count {
                        write_number(to, bytes, at as u64, found[B] as u64);
                    }
                });
            }
            begin += step * MOST_BATCH as u32 * WARP_LANES;
        }
    }
}

/// The number of the entry that the calling lane takes in a round of a batch. The batch begins at entry `begin`.
#[inline(always)]
fn batched<const ROUND: usize>(begin: u32) -> u32 {
    begin + ROUND as u32 * WARP_LANES + simt::lane()
}

/// Writes the results of an empty input.
///
/// # Safety
/// The same as for [`write_end`].
#[inline(always)]
pub unsafe fn write_nothing<C: Choice<T>, T: Element>(arguments: &SelectionArguments<T>) {
    // SAFETY: the conditions of `write_end` are this function's.
    unsafe { write_end::<C, T>(arguments, Progress { count: 0, last: 0 }) }
}

/// Writes the results that are known at the end of the input: the number of chosen items, and the length of the last run. With
/// [`WRITES_END`], also writes the number of the input's items to the output for indices, in the place after the last index.
///
/// # Safety
/// - Only one thread of the launch calls this.
/// - The outputs are writable, as for [`super::select`].
#[inline(always)]
unsafe fn write_end<C: Choice<T>, T: Element>(
    arguments: &SelectionArguments<T>,
    Progress { count, last }: Progress,
) {
    // SAFETY: `count` is writable. Each place that is written is less than the output's capacity, as the conditions below check.
    unsafe {
        arguments.count.write(count);
        if arguments.options & WRITES_END != 0 && count < arguments.index_capacity {
            let (to, bytes) = (arguments.indices, arguments.index_bytes);
            write_number(to, bytes, count, arguments.item_count);
        }
        let has_length = C::Prefix::HAS_LAST && !arguments.lengths.is_null();
        if has_length && count > 0 && count <= arguments.capacity {
            let (to, bytes) = (arguments.lengths, arguments.length_bytes);
            write_number(to, bytes, count - 1, arguments.item_count - (last - 1));
        }
    }
}

/// How many of `count` values fit into an output of `capacity` places, if the first value is at place `place`.
#[inline(always)]
fn room(capacity: u64, place: u64, count: u32) -> u32 {
    Ord::min(capacity.saturating_sub(place), count as u64) as u32
}

/// Writes a number to a place of an array. Each number of the array has `bytes` bytes, 4 or 8.
///
/// # Safety
/// The array has the place, is aligned, and is writable.
#[inline(always)]
unsafe fn write_number(to: *mut u32, bytes: u64, place: u64, number: u64) {
    // SAFETY: the array has the place (condition of this function), and its numbers have `bytes` bytes.
    unsafe {
        if bytes == 4 {
            to.wrapping_add(place as usize).write(number as u32);
        } else {
            to.cast::<u64>().wrapping_add(place as usize).write(number);
        }
    }
}

impl Counts {
    /// Bits of a row's count: 8 if a chunk has several rows, of at most 128 items each; 32 if it has one row.
    const fn width<T>() -> u32 {
        if chunk_rows::<T>() == 1 {
            32
        } else {
            8
        }
    }

    /// Counts a thread's chosen items in each row of a chunk. `bits` has a bit for each of the thread's items in the chunk.
    #[inline(always)]
    fn of<T: Element>(bits: u32) -> Self {
        let unit = vector_items::<T>();
        let mut counts = 0;
        for_each_vector!(ROW in 0 1 2 3 => {
            if ROW < chunk_rows::<T>() {
                let row = bits >> (ROW * unit) & (u32::MAX >> (32 - unit));
                counts |= row.count_ones() << (ROW as u32 * Self::width::<T>());
            }
        });
        Counts(counts)
    }

    /// A row's count.
    #[inline(always)]
    fn row<T>(self, row: u32) -> u32 {
        match Self::width::<T>() {
            32 => self.0,
            width => self.0 >> (row * width) & 0xff,
        }
    }

    /// The sum of all rows' counts.
    #[inline(always)]
    fn sum<T>(self) -> u32 {
        let mut sum = 0;
        for_each_vector!(ROW in 0 1 2 3 => {
            if ROW < chunk_rows::<T>() {
                sum += self.row::<T>(ROW as u32);
            }
        });
        sum
    }

    /// Adds up each row's counts over two ranges: the lanes up to and including the calling lane (a Kogge-Stone scan), and all lanes.
    ///
    /// # Safety
    /// Convergent: a whole warp.
    #[inline(always)]
    unsafe fn over_lanes(self) -> (Self, Self) {
        let lane = simt::lane();
        let mut upto = self.0;
        let mut delta = 1;
        while delta < WARP_LANES {
            // SAFETY: the whole warp calls it (condition of this function).
            let below = unsafe { simt::shuffle_up(upto, delta) };
            upto += if lane >= delta { below } else { 0 };
            delta *= 2;
        }
        // SAFETY: as above.
        let all = unsafe { simt::shuffle_from(upto, WARP_LANES - 1) };
        (Counts(upto), Counts(all))
    }
}

const _: () = {
    assert!(chunk_rows::<u32>() * 8 <= 32 && row_items::<u32>() < 256);
    assert!(warp_items::<u8>() == 4 * chunk_items::<u8>());
};
