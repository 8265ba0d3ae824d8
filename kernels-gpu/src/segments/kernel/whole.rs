//! Rows of whole chunks: single warps combine the chunks. Items go from global memory straight to registers or, with left folds, through
//! rings in shared memory.
//!
//! Rows have whole chunks in two cases. In the first case, a row has at least 16 items and at most as many as a full chunk, and its number
//! of items is a power of two. In the second case, a row consists of 2 to 16 full chunks. So all chunks of a launch have equally many
//! vectors, and this number is a power of two. The items are a sequence of such chunks. Without rings, the sequence is cut into **units**.
//! If a chunk has at least [`STEP_VECTORS`] vectors, each unit is one chunk. Otherwise each unit has [`STEP_VECTORS`] vectors. Each block
//! has consecutive units, equally many for each warp. The last blocks of a launch may have fewer units, or none. A warp combines all
//! vectors of a unit: one binary tree for each chunk. For this, the warp needs no search, no shared memory and no barrier of the block.
//!
//! A unit has 1, 2 or 4 steps of [`STEP_VECTORS`] vectors. After three levels of a step's tree, each lane has one value. The next level
//! combines the values of lanes that are 8 apart, and the level after that combines the values of lanes that are 16 apart. With several
//! steps, the lanes share these two levels: each lane combines the values of only one step. With four steps, these two levels then take
//! three combinations. If each step were finished alone, they would take eight.
//!
//! If rows have several chunks, and there are no rings, each chunk has its own slot of the board, in which its value is published. The rows
//! that end in block `b` are combined by the block [`LATER`] tickets after `b` (see [`later`](super::later)) or, if there is no such block,
//! by `b` itself. Of all launches with whole chunks, only these launches take tickets, because only in these does a block wait for another
//! block.
//!
//! **Rings.** With left folds, items go through [rings](super::rings), and a unit is one chunk or, if a chunk has fewer items than a step
//! of a ring, the items of one step. A block takes whole rows. So no value is published, and there is no ticket.
//!
//! **No ticket.** In launches without tickets, a block's index decides its units. No block waits for another: each chunk is a row, or each
//! block has whole rows. No state word is read or written, so none needs clearing. The launch has no tag, and the word that counts the
//! tickets and holds the epoch does not change. The next launch that takes tickets gets the tag that this launch would have had. No state
//! word carries that tag yet.
//!
//! **Times.** 2^28 `f32` on an H200, in µs (2026-11-26). Each operator has a column for rows of 1,024, and one for rows of 65,536. With
//! windows, rows were streamed as in [`rows`](super::rows):
//!
//! | | `ArgMax` | | `Moments` | | `LogSumExp` | |
//! |---|---|---|---|---|---|---|
//! | with windows | 262 | 270 | 267 | 284 | 299 | 300 |
//! | whole chunks | 239 | 249 | 247 | 253 | 279 | 255 |

use crate::contract::{trailing_zeros, WARP_LANES};
use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::rings::{has_rings, has_whole_chunks, STEP_SHIFT};
use crate::segments::tuning::LATER;
use crate::segments::{chunk_items, streams_rows, vector_items, Task};
use crate::tickets::{self, LAST_TAG};
use crate::{simt, warp};

use super::control::depart;
use super::later::for_each_due;
use super::rows::{first_vector_of_lane, join_eights, join_streams};
use super::rows::{STEP_LEVELS, STEP_VECTORS};
use super::Launch;

/// How a launch's rows are cut.
#[derive(Clone, Copy)]
pub struct Cut {
    /// How many levels a binary tree over a chunk's vectors has.
    pub levels: u32,
    /// How many chunks a row has.
    pub row_chunks: u32,
    /// The number of units of each block. The last blocks may have fewer.
    block_units: u32,
    /// The number of units of the launch.
    units: u32,
}

impl Cut {
    /// How many steps of [`STEP_VECTORS`] vectors a unit has.
    #[inline(always)]
    fn steps(&self) -> u32 {
        1 << self.levels.saturating_sub(STEP_LEVELS)
    }

    /// The units of a block: the first, and one past the last.
    #[inline(always)]
    fn units_of(&self, block: u32) -> (u32, u32) {
        let begin = Ord::min(block * self.block_units, self.units);
        (begin, Ord::min(begin + self.block_units, self.units))
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether this is a reduction of rows that single warps may combine chunk by chunk. The rows must [have whole
    /// chunks](has_whole_chunks). With rings, a block takes whole rows. So if rows have several chunks, a block must have at least as many
    /// windows as a row has chunks. Without rings, rows must be [streamed](streams_rows), and the launch must [have
    /// vectors](Self::have_vectors). Also, if a row has more than [`STEP_VECTORS`] vectors, a block must have several windows. If it has
    /// only one window, such rows are left to [`Self::stream_rows`], in which several warps share a chunk.
    #[inline(always)]
    pub fn have_whole_chunks(&self) -> bool {
        let row = self.offsets.row_items;
        if !has_whole_chunks(row, chunk_items::<T, O::Accumulator>()) {
            return false;
        }
        if has_rings::<O, T>() {
            let are_rows = self.task == Task::Reduce && !self.offsets.are_read();
            let row_chunks = row / chunk_items::<T, O::Accumulator>();
            return are_rows && (row_chunks < 2 || self.windows_per_block as u64 >= row_chunks);
        }
        streams_rows::<O, T>()
            && self.have_vectors()
            && (row <= (STEP_VECTORS * vector_items::<T>()) as u64 || self.windows_per_block > 1)
    }

    /// Reduces all rows. In the launch with the last tag, the block then departs ([`depart`]).
    ///
    /// # Safety
    /// Convergent: the whole block, which calls this first, and once. The launch [has whole chunks](Self::have_whole_chunks). `state_words`
    /// is the launch's argument.
    #[inline(always)]
    pub unsafe fn reduce_whole_chunks(&self, state_words: u64) {
        // SAFETY: the whole block is here, and the launch has whole chunks: this function's conditions. The branches around barriers and
        // returns depend on the launch's arguments and on the tag, so they go the same way on all threads. `control` belongs to the
        // workspace (the launch's condition 6). All lanes of a warp have the same `unit`. Each unit is reduced by one warp. Every block has
        // its own index, or its own ticket, so no two blocks have a unit in common. If rows have several chunks, a barrier follows the
        // write of the tag. `settle_units` is called by one warp; all other warps publish without waiting.
        unsafe {
            let cut = self.cut();
            if has_rings::<O, T>() {
                let (begin, end) = cut.units_of(simt::block_index());
                self.reduce_in_rings(&cut, begin, end);
                if cut.row_chunks > 1 {
                    // Orders the writes of the chunks' values before their reads.
                    simt::barrier();
                    if simt::warp() == 0 {
                        self.finish_rows(&cut, begin, end);
                    }
                }
                return;
            }
            let mut block = simt::block_index();
            if cut.row_chunks > 1 {
                let is_first = simt::thread_index() == 0;
                let taken = tickets::take_if(self.control, is_first);
                if is_first {
                    let ticket = taken.ticket();
                    tickets::restart_after_last(self.control, ticket);
                    (*self.header).ticket = ticket.index;
                    (*self.header).tag = ticket.tag;
                }
                // Orders the writes of the ticket and the tag before all threads' reads.
                simt::barrier();
                block = simt::read_shared(&raw const (*self.header).ticket);
            }
            let (begin, end) = cut.units_of(block);
            let warps = self.threads() / WARP_LANES;
            let mut unit = begin + simt::warp();
            while unit < end {
                let step = simt::opaque_one() as u32;
                self.reduce_unit(&cut, unit);
                unit += step * warps;
            }
            if cut.row_chunks == 1 {
                return;
            }
            if simt::warp() == warps - 1 {
                self.settle_units(&cut, block);
            }
            if simt::read_shared(&raw const (*self.header).tag) == LAST_TAG {
                // Orders the publications by the block's threads before the block's departure.
                simt::barrier();
                if simt::warp() == 0 {
                    depart(self.control, self.board(), state_words);
                }
            }
        }
    }

    /// How the rows are cut. The numbers go through votes, so that `ptxas` keeps them in registers. Without the votes, `ptxas` would
    /// compute them again for each unit.
    ///
    /// # Safety
    /// Convergent: the whole warp. The launch has whole chunks.
    #[inline(always)]
    unsafe fn cut(&self) -> Cut {
        let (row, chunk) = (self.offsets.row_items, chunk_items::<T, O::Accumulator>());
        let levels = trailing_zeros(Ord::min(row, chunk)) - vector_items::<T>().trailing_zeros();
        let items = self.offsets.segment_count * row;
        let least = const {
            match has_rings::<O, T>() {
                true => STEP_SHIFT,
                false => STEP_LEVELS + vector_items::<T>().trailing_zeros(),
            }
        };
        let unit_levels = Ord::max(levels + vector_items::<T>().trailing_zeros(), least);
        let units = (items + (1 << unit_levels) - 1) >> unit_levels;
        // SAFETY: the whole warp is here: this function's condition. The vote of lane `l` is bit `l` of the number.
        let kept = |number: u32| unsafe { simt::ballot(number >> simt::lane() & 1 != 0) };
        let units = units as u32;
        // There is at least one block. rust-cuda's compiler does not see this, and would call a panic.
        let blocks = Ord::max(simt::block_count(), 1);
        // The number of a block's warps is a power of two.
        let warps = self.threads() / WARP_LANES;
        let row_chunks = Ord::max(row / chunk, 1) as u32;
        let block_units = if !has_rings::<O, T>() {
            (units.div_ceil(blocks) + warps - 1) & !(warps - 1)
        } else if row_chunks > 1 {
            (self.offsets.segment_count as u32).div_ceil(blocks) * row_chunks
        } else {
            units.div_ceil(blocks)
        };
        Cut {
            levels: kept(levels),
            row_chunks: kept(row_chunks),
            block_units: kept(block_units),
            units: kept(units),
        }
    }

    /// Reduces the chunks of a unit. If rows have one chunk, writes their results. Otherwise publishes the value of each chunk.
    ///
    /// # Safety
    /// Convergent: the whole warp. The launch has whole chunks, and `cut` says how its rows are cut. The unit is one of the launch's, and
    /// no other warp reduces it. If rows have several chunks, the tag is written.
    #[inline(always)]
    unsafe fn reduce_unit(&self, cut: &Cut, unit: u32) {
        let levels = cut.levels;
        let unit_levels = Ord::max(levels, STEP_LEVELS);
        let first = (unit as u64) << unit_levels;
        let all = self.offsets.segment_count * self.offsets.row_items / vector_items::<T>() as u64;
        let vectors = Ord::min(all - first, 1 << unit_levels) as u32;
        // SAFETY: the whole warp is here, and no other warp takes the unit: this function's conditions. The unit's vectors exist, and are
        // aligned. Each chunk's value is on one lane. The chunk's row belongs to the launch, and has a result (the launch's condition 5).
        // The tag is written if rows have several chunks. The board has a slot for each window (condition 6), and a launch has at least as
        // many windows as it has full chunks. A block that waits for the value of chunk `unit` reads slot `unit` (condition 9).
        unsafe {
            let value = self.fold_unit(cut, first * vector_items::<T>() as u64, vectors);
            let vector = first_vector_of_lane();
            if !vector.is_multiple_of(1 << levels) || vector >= vectors {
                return;
            }
            if cut.row_chunks == 1 {
                let row = (first + vector as u64) >> levels;
                let begin = (vector * vector_items::<T>()) as u64;
                let value = O::moved(value, 0_u64.wrapping_sub(begin));
                write_result!(O, T, self.output, row as usize, value);
            } else {
                // The divisor is not 0. rust-cuda's compiler does not see this, and would call a panic.
                let chunk = unit.checked_rem(cut.row_chunks).unwrap_or(0);
                let before = chunk as u64 * chunk_items::<T, O::Accumulator>();
                self.board().publish(unit, O::moved(value, before));
            }
        }
    }

    /// Folds the `vectors` vectors of a unit that begins with item `first`. If a chunk begins at the lane's [first
    /// vector](first_vector_of_lane), the lane gets the chunk's value. Indices in this value are counted from the unit's first item.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments. The items exist, and the first vector is aligned to 16 bytes.
    #[inline(always)]
    unsafe fn fold_unit(&self, cut: &Cut, first: u64, vectors: u32) -> O::Accumulator {
        let (levels, steps) = (cut.levels, cut.steps());
        let same = O::EQUAL_WORDS;
        let (mut one, mut two) = (O::identity(), O::identity());
        let mut number = 0;
        // SAFETY: the whole warp is here, with the same `levels` and `number`, and the vectors exist and are aligned: this function's
        // conditions. If the unit has several steps, it has all vectors of these steps. Lanes that exchange values are 1, 2, 4, 8 or 16
        // apart, less than the 32 lanes of a warp.
        unsafe {
            let mut value = loop {
                let step = simt::opaque_one() as u32;
                let mut value = self.fold_eights(first, number * STEP_VECTORS, vectors);
                if steps == 1 {
                    break value;
                }
                number += step;
                if number % 2 == 1 {
                    one = value;
                    continue;
                }
                value = warp::share(one, value, 8, same, O::combine_streams);
                if number == 4 {
                    break warp::share(two, value, 16, same, O::combine_streams);
                }
                if number == steps {
                    break value;
                }
                two = value;
            };
            if levels > 3 && steps < 2 {
                value = join_streams::<O, T>(value, 8);
            }
            if levels > 4 && steps < 4 {
                value = join_streams::<O, T>(value, 16);
            }
            value = join_eights::<O, T>(value, levels);
            // With several steps, lanes that are 8 apart have the values of different steps. With four steps, lanes that are 16 apart also
            // have the values of different steps.
            if levels > 8 {
                value = join_streams::<O, T>(value, 8);
            }
            if levels > 9 {
                value = join_streams::<O, T>(value, 16);
            }
            O::end_stream(value)
        }
    }

    /// Combines the rows that end in the block [`LATER`] tickets before `block`, if there is such a block. Then, if no block comes
    /// [`LATER`] tickets after `block`, combines the rows that end in `block`.
    ///
    /// # Safety
    /// - Convergent: a whole warp, the only one of the block that calls this. `block` is the block's ticket.
    /// - The tag is written, and the launch has whole chunks, several for each row. `cut` says how its rows are cut.
    /// - The block's other warps publish the values of their chunks without waiting for this warp. This warp has published the values of
    ///   its own chunks.
    #[inline(always)]
    unsafe fn settle_units(&self, cut: &Cut, block: u32) {
        let has_later = block + LATER < simt::block_count();
        for_each_due(block as u64, LATER as u64, has_later, |other| {
            let (begin, end) = cut.units_of(other as u32);
            // The divisor is not 0. rust-cuda's compiler does not see this, and would call a panic.
            let row_of = |unit: u32| unit.checked_div(cut.row_chunks).unwrap_or(0) as u64;
            let end = row_of(end);
            // SAFETY: the tag is written, the whole warp is here, and rows have several whole chunks: this function's conditions. Blocks
            // with earlier tickets have started. All of them publish their values without waiting for this warp, and so do this block's
            // other warps. The rows of a block are combined once: by the block `LATER` tickets after it, or by itself if there is no such
            // block.
            unsafe { self.settle_rows(row_of(begin), self.offsets.row_items, |row| row < end) }
        });
    }
}
