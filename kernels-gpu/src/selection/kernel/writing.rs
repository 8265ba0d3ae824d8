//! Writing what is chosen of a tile: each warp that of its own items, chunk by chunk.

use crate::contract::WARP_LANES;
use crate::element::{for_each_item, item_of, Element, Vector, VECTOR_WORDS};
use crate::selection::tuning::WARPS;
use crate::selection::SelectionArguments;
use crate::selection::{chunk_items, chunk_rows, row_items, rows, tile_bytes, WRITES_END};
use crate::simt;
use crate::thread::{for_each_vector, Part, Slots, TileItems};

use super::choice::{Choice, Prefix};
use super::choosing::{Waiting, MOST_ROWS};
use super::ranks::Ranks;
use super::{telling, Launch};

/// A warp's part of what is written, as far as it has come.
#[derive(Clone, Copy)]
struct Progress {
    /// How many items were chosen before.
    count: u64,
    /// One more than the index of the last of them; 0 for none.
    last: u64,
}

/// A warp's chunk.
#[derive(Clone, Copy)]
struct Chunk<T> {
    /// The index of the warp's first item of the tile.
    warp_index: u64,
    /// The chunk's first item, counted from there.
    begin: u32,
    /// The address of the warp's first item in shared memory.
    warp_items: *mut T,
    /// How many items are chosen.
    chosen: u32,
    /// How many are not.
    others: u32,
}

impl<C: Choice<T>, T: Element> Launch<C, T> {
    /// Chunks of a warp in a tile.
    const CHUNKS: u32 = (rows::<T>() / chunk_rows::<T>()) as u32;

    /// Waits for the prefix of a tile that arrived in a turn, and writes what is chosen of the calling warp's items.
    ///
    /// # Safety
    /// Convergent: all warps that share the tile, which lies in the buffer.
    #[inline(always)]
    pub unsafe fn write(&self, leaving: &Waiting, turn: u32, buffer: u32) {
        let TileItems { begin, count } = self.items(leaving.tile);
        let warp_begin = Self::warp_begin();
        // SAFETY: the caller's; each tile's prefix is told.
        let prefix = unsafe {
            let prefixes = &raw mut (*self.shared).prefixes;
            telling::await_prefix(prefixes, turn)
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
        let warp_items = self
            .buffer(buffer)
            .wrapping_byte_add(simt::warp() as usize * tile_share)
            .cast::<T>();
        let mut chunk = 0;
        while chunk < Self::CHUNKS {
            let step = if Self::CHUNKS > 1 {
                simt::opaque_one() as u32
            } else {
                1
            };
            let first_row = chunk * chunk_rows::<T>() as u32;
            let bits = leaving.chosen.rows::<T>(first_row, chunk_rows::<T>());
            let chunk_begin = chunk * chunk_items::<T>() as u32;
            let existing = count.saturating_sub(warp_begin + chunk_begin);
            let existing = Ord::min(existing, chunk_items::<T>() as u32);
            // SAFETY: the caller's. The barriers order what is written to the list and to the buffer before the reads, and these before
            // the next writes.
            unsafe {
                let ranks = Ranks::of::<T>(bits);
                let chosen = ranks.chosen::<T>();
                let chunk = Chunk {
                    warp_index: begin + warp_begin as u64,
                    begin: chunk_begin,
                    warp_items,
                    chosen,
                    others: existing - chosen,
                };
                if chosen > 0 || !self.arguments.others.is_null() {
                    if self.has_list() {
                        self.list(&chunk, ranks);
                    }
                    if self.gathers() {
                        let slots = self.slots(buffer).from(first_row as usize);
                        self.gather(&chunk, ranks, slots);
                    }
                    simt::warp_barrier();
                    self.write_chunk(&chunk, progress);
                    progress.count += chosen as u64;
                    if C::Prefix::HAS_LAST && self.has_list() && chosen > 0 {
                        progress.last = chunk.warp_index + self.listed(chosen - 1) as u64 + 1;
                    }
                    simt::warp_barrier();
                }
            }
            chunk += step;
        }
        if leaving.tile == self.tiles.end - 1 && simt::warp() == WARPS - 1 && simt::lane() == 0 {
            // SAFETY: the caller's; one thread of the launch.
            unsafe { write_end::<C, T>(&self.arguments, progress) };
        }
    }

    /// Whether items are moved together if only they are asked for. Of a vector of narrow items, to take them out takes longer than to
    /// list their places.
    const MOVES: bool = chunk_rows::<T>() > 1;

    /// Whether the places of chosen items are listed, which then are found by the list: where places are asked for, or nothing is moved.
    #[inline(always)]
    fn has_list(&self) -> bool {
        let has_lengths = C::Prefix::HAS_LAST && !self.arguments.lengths.is_null();
        !Self::MOVES || has_lengths || !self.arguments.indices.is_null()
    }

    /// Whether items are moved together.
    #[inline(always)]
    fn gathers(&self) -> bool {
        let has_items = !self.arguments.items.is_null();
        let has_others = !self.arguments.others.is_null();
        Self::MOVES && (has_items && !self.has_list() || has_others)
    }

    /// Moves the items of a chunk together, in place: the chosen ones first and, if the others are asked for, these after them. The
    /// thread's vectors of the chunk are in these slots.
    ///
    /// # Safety
    /// Convergent: a whole warp, whose chunk it is; nobody else reads or writes it.
    #[inline(always)]
    unsafe fn gather(&self, chunk: &Chunk<T>, ranks: Ranks, slots: Slots) {
        let mut vectors = [[0; VECTOR_WORDS]; MOST_ROWS];
        // SAFETY: the caller's; the vectors have arrived. The barrier orders the lanes' reads before each other's writes.
        unsafe {
            for_each_vector!(ROW in 0 1 2 3 => {
                if ROW < chunk_rows::<T>() {
                    vectors[ROW] = slots.read_constant(ROW, Part::<T, T, WARP_LANES>::ACCESS);
                }
            });
            simt::warp_barrier();
        }
        let (items, has_others) = (chunk.items(), !self.arguments.others.is_null());
        Self::arrange(chunk, ranks, &vectors, has_others, |to, _, item| {
            // SAFETY: the caller's; each item of the chunk has another place there.
            unsafe { items.wrapping_add(to as usize).write(item) };
        });
    }

    /// Lists the places, in the calling warp's items, of the chosen items of a chunk, and after them those of the others, if these are
    /// asked for and not moved.
    ///
    /// # Safety
    /// A whole warp, whose list nobody reads; it has a place for each item of a chunk.
    #[inline(always)]
    unsafe fn list(&self, chunk: &Chunk<T>, ranks: Ranks) {
        let list = self.list_address();
        let has_others = !Self::MOVES && !self.arguments.others.is_null();
        Self::arrange(
            chunk,
            ranks,
            &[[0; VECTOR_WORDS]; MOST_ROWS],
            has_others,
            |to, place, _| {
                // SAFETY: the caller's; each item of the chunk has another place there.
                unsafe {
                    list.wrapping_add(to as usize)
                        .write((chunk.begin + place) as u16)
                };
            },
        );
    }

    /// Hands each chosen item of the thread's vectors of a chunk to `put`: how many are chosen before it in the chunk, its place there,
    /// and the item. With others, hands it the others too, as if they followed the chosen ones.
    #[inline(always)]
    fn arrange(
        chunk: &Chunk<T>,
        ranks: Ranks,
        vectors: &[Vector; MOST_ROWS],
        has_others: bool,
        put: impl Fn(u32, u32, T),
    ) {
        if has_others {
            Self::walk(ranks, vectors, |is_chosen, rank, place, item| {
                let other = chunk.chosen + place - rank;
                put(if is_chosen { rank } else { other }, place, item);
            });
        } else {
            Self::walk(ranks, vectors, |is_chosen, rank, place, item| {
                if is_chosen {
                    put(rank, place, item);
                }
            });
        }
    }

    /// Hands each item of the thread's vectors of a chunk to `visit`: whether it is chosen, how many are chosen before it in the chunk,
    /// its place there, and the item.
    #[inline(always)]
    fn walk(ranks: Ranks, vectors: &[Vector; MOST_ROWS], visit: impl Fn(bool, u32, u32, T)) {
        for_each_vector!(ROW in 0 1 2 3 => {
            if ROW < chunk_rows::<T>() {
                let first = ROW as u32 * row_items::<T>() as u32 + Self::lane_begin();
                // Worked out here, row by row: all ranks at once would fill the registers.
                let bits = simt::late(ranks.bits >> (ROW * Self::VECTOR_ITEMS));
                let mut rank = simt::late(ranks.before_row::<T>(ROW));
                for_each_item!(P of T => {
                    if P != 0 {
                        rank += bits >> P.saturating_sub(1) & 1;
                    }
                    visit(bits >> P & 1 == 1, rank, first + P as u32, item_of(&vectors[ROW], P));
                });
            }
        });
    }

    /// The place, in a row, of the calling lane's first item.
    #[inline(always)]
    fn lane_begin() -> u32 {
        simt::lane() * Self::VECTOR_ITEMS as u32
    }

    /// The place, in the calling warp's items, that is listed.
    ///
    /// # Safety
    /// It is listed, and a barrier lies between.
    #[inline(always)]
    unsafe fn listed(&self, at: u32) -> u32 {
        // SAFETY: the caller's.
        unsafe { simt::read_shared(self.list_address().add(at as usize)) as u32 }
    }

    /// Writes what is asked for of a chunk that is gathered or listed, or both, as it is asked for.
    ///
    /// # Safety
    /// A whole warp. Where it goes is writable.
    #[inline(always)]
    unsafe fn write_chunk(&self, chunk: &Chunk<T>, progress: Progress) {
        let arguments = &self.arguments;
        let chosen = room(arguments.capacity, progress.count, chunk.chosen);
        // SAFETY: the caller's; what has no room is left out.
        unsafe {
            if !arguments.items.is_null() {
                let to = arguments.items.wrapping_add(progress.count as usize);
                if self.gathers() {
                    Self::write_items(chosen, to, |at| chunk.items().wrapping_add(at as usize));
                } else {
                    let items = chunk.warp_items;
                    Self::write_items(chosen, to, |at| {
                        items.wrapping_add(self.listed(at) as usize)
                    });
                }
            }
            if !arguments.others.is_null() {
                let before = chunk.warp_index + chunk.begin as u64 - progress.count;
                let others = room(arguments.other_capacity, before, chunk.others);
                let to = arguments.others.wrapping_add(before as usize);
                if Self::MOVES {
                    let from = chunk.items().wrapping_add(chunk.chosen as usize);
                    Self::write_items(others, to, |at| from.wrapping_add(at as usize));
                } else {
                    let items = chunk.warp_items;
                    Self::write_items(others, to, |at| {
                        items.wrapping_add(self.listed(chunk.chosen + at) as usize)
                    });
                }
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

    /// Writes `count` items, each of which is in shared memory where `from` says.
    ///
    /// # Safety
    /// The same as for [`Self::write_chunk`].
    #[inline(always)]
    unsafe fn write_items(count: u32, to: *mut T, from: impl Fn(u32) -> *mut T) {
        let mut at = simt::lane();
        while at < count {
            // SAFETY: the caller's.
            unsafe {
                to.wrapping_add(at as usize)
                    .write(simt::read_shared(from(at).cast_const()))
            };
            at += WARP_LANES;
        }
    }

    /// Writes the lengths of the runs that end before the heads that are listed.
    ///
    /// # Safety
    /// The same as for [`Self::write_chunk`].
    #[inline(always)]
    unsafe fn write_lengths(&self, chunk: &Chunk<T>, progress: Progress) {
        let arguments = &self.arguments;
        let mut at = simt::lane();
        while at < chunk.chosen {
            // SAFETY: the caller's.
            unsafe {
                let head = chunk.warp_index + self.listed(at) as u64;
                let before = match at {
                    0 => progress.last.wrapping_sub(1),
                    _ => chunk.warp_index + self.listed(at - 1) as u64,
                };
                // The first head ends no run. Its number wraps around here, beyond the capacity, so nothing is written.
                let run = (progress.count + at as u64).wrapping_sub(1);
                if run < arguments.capacity {
                    let (to, bytes) = (arguments.lengths, arguments.length_bytes);
                    write_number(to, bytes, run, head - before);
                }
            }
            at += WARP_LANES;
        }
    }
}

/// Writes what is known of no items.
///
/// # Safety
/// The same as for [`write_end`].
#[inline(always)]
pub unsafe fn write_nothing<C: Choice<T>, T: Element>(arguments: &SelectionArguments<T>) {
    // SAFETY: the caller's.
    unsafe { write_end::<C, T>(arguments, Progress { count: 0, last: 0 }) }
}

/// Writes what is known at the end of the input: how many items are chosen, and where the last run ends.
///
/// # Safety
/// One thread of a launch. Where it goes is writable.
#[inline(always)]
unsafe fn write_end<C: Choice<T>, T: Element>(
    arguments: &SelectionArguments<T>,
    Progress { count, last }: Progress,
) {
    // SAFETY: the caller's; what has no room is left out.
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

/// How many of `count` values that go to a place there is room for.
#[inline(always)]
fn room(capacity: u64, place: u64, count: u32) -> u32 {
    Ord::min(capacity.saturating_sub(place), count as u64) as u32
}

/// Writes a number of 4 bytes or of 8 to a place of an array of such numbers.
///
/// # Safety
/// It is writable.
#[inline(always)]
unsafe fn write_number(to: *mut u32, bytes: u64, place: u64, number: u64) {
    // SAFETY: the caller's.
    unsafe {
        if bytes == 4 {
            to.wrapping_add(place as usize).write(number as u32);
        } else {
            to.cast::<u64>().wrapping_add(place as usize).write(number);
        }
    }
}

impl<T> Chunk<T> {
    /// The address of its first item in shared memory.
    #[inline(always)]
    fn items(&self) -> *mut T {
        self.warp_items.wrapping_add(self.begin as usize)
    }
}
