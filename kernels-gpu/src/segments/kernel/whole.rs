//! Rows of whole chunks, which go from global memory straight to registers, and are combined by single warps.
//!
//! If a row's length is a power of two, or a multiple of a chunk, then all chunks of a launch have equally many vectors, and this number is
//! a power of two. The items are a sequence of such chunks. It is cut into **units** of one chunk each, or of as many chunks as have
//! [`STEP_VECTORS`] vectors. Each block has consecutive units, and its warps take them in turn. A warp combines all vectors of its unit:
//! one binary tree for each chunk. It needs no search, no shared memory and no barrier.
//!
//! A unit has 1, 2 or 4 steps. After three levels of a step's tree, each lane has one value. The next two levels combine lanes that are 8
//! and 16 apart. With several steps, two lanes share this work: each combines the values of one step. This takes three combinations for
//! four steps, and would take eight if each step were finished alone.
//!
//! # Rows of several chunks
//!
//! The chunks of a long row belong to several blocks, which run at the same time. If the warp with the last chunk combined them, it would
//! first wait for the other blocks. So each chunk's value is published, and a block combines the rows that ended in an earlier block,
//! [`LATER`] tickets before. By then all their values have usually been published. For the last blocks of a launch there is no later block.
//! They also combine the rows that end in them. A block's last warp combines these rows, after its units.
//!
//! Only these launches take tickets, since only in these a block waits for another block. In all other launches, a block's index decides
//! its units.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::indices::write_result;
use crate::op::Op;
use crate::segments::tuning::LATER;
use crate::segments::{chunk_items, vector_items, FAN};
use crate::tickets;
use crate::{simt, warp};

use super::chunks::Long;
use super::rows::{first_vector_of_lane, STEP_LEVELS, STEP_VECTORS};
use super::Launch;

/// How a launch's rows are cut.
#[derive(Clone, Copy)]
struct Cut {
    /// The levels of a binary tree over a chunk's vectors.
    levels: u32,
    /// How many chunks a row has.
    row_chunks: u32,
    /// The number of units of each block.
    block_units: u32,
    /// The number of units of the launch.
    units: u32,
}

impl Cut {
    /// The steps of a unit.
    #[inline(always)]
    fn steps(&self) -> u32 {
        1 << self.levels.saturating_sub(STEP_LEVELS)
    }

    /// The units of a block, from the first to the end.
    #[inline(always)]
    fn units_of(&self, block: u32) -> (u32, u32) {
        let begin = Ord::min(block * self.block_units, self.units);
        (begin, Ord::min(begin + self.block_units, self.units))
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether this is a reduction of rows that a warp may combine chunk by chunk. The input is aligned to a vector. The length of a row is
    /// a power of two, at least 8 vectors, or a multiple of a chunk, at most [`FAN`] chunks. If there is one window for each block, all
    /// warps of a block share it, so units of several steps are left to other ways.
    #[inline(always)]
    pub fn have_whole_chunks(&self) -> bool {
        let row = self.offsets.row_items;
        let chunk = chunk_items::<T, O::Accumulator>();
        let are_whole = match row < chunk {
            true => row.is_power_of_two(),
            false => row.is_multiple_of(chunk) && row <= FAN as u64 * chunk,
        };
        are_whole
            && self.have_vectors()
            && (row <= (STEP_VECTORS * vector_items::<T>()) as u64 || self.windows_per_block > 1)
    }

    /// Reduces all rows. Returns whether the block has taken a ticket.
    ///
    /// # Safety
    /// Convergent: the whole block, which calls this first, and once. The launch [has whole chunks](Self::have_whole_chunks).
    #[inline(always)]
    pub unsafe fn reduce_whole_chunks(&self) -> bool {
        // SAFETY: the whole block is here: this function's condition. The branch depends on the launch's arguments. `control` belongs to
        // the workspace (the launch's condition 6). All lanes of a warp have the same `unit`. A unit has one warp. Every block has its own
        // index, or its own ticket, so no two blocks have a unit in common. `settle_due` is called by one warp; all other warps publish
        // without waiting.
        unsafe {
            let cut = self.cut();
            let mut block = simt::block_index();
            if cut.row_chunks > 1 {
                let is_first = simt::thread_index() == 0;
                let taken = tickets::take_if(self.control, is_first);
                if is_first {
                    self.write_ticket(taken.ticket());
                }
                // Orders the writes of the ticket before all threads' reads.
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
            if cut.row_chunks > 1 && simt::warp() == warps - 1 {
                self.settle_due(&cut, block);
            }
            cut.row_chunks > 1
        }
    }

    /// How the rows are cut. The numbers go through votes, so that `ptxas` keeps them in registers. Otherwise it computes them anew for
    /// each unit.
    ///
    /// # Safety
    /// Convergent: the whole warp. The launch has whole chunks.
    #[inline(always)]
    unsafe fn cut(&self) -> Cut {
        let (row, chunk) = (self.offsets.row_items, chunk_items::<T, O::Accumulator>());
        let levels = Ord::min(row, chunk).trailing_zeros() - vector_items::<T>().trailing_zeros();
        let items = self.offsets.segment_count * row;
        let unit_levels = Ord::max(levels, STEP_LEVELS) + vector_items::<T>().trailing_zeros();
        let units = (items + (1 << unit_levels) - 1) >> unit_levels;
        // SAFETY: the whole warp is here: this function's condition. Lane `l` votes for bit `l`.
        let kept = |number: u32| unsafe { simt::ballot(number >> simt::lane() & 1 != 0) };
        let units = units as u32;
        // There is a block at least. rust-cuda's compiler does not see this, and would call a panic.
        let blocks = Ord::max(simt::block_count(), 1);
        Cut {
            levels: kept(levels),
            row_chunks: kept(Ord::max(row / chunk, 1) as u32),
            block_units: kept(units.div_ceil(blocks)),
            units: kept(units),
        }
    }

    /// Reduces the chunks of a unit. Writes the results of rows of one chunk, and publishes the value of any other chunk.
    ///
    /// # Safety
    /// Convergent: the whole warp. The launch has whole chunks, cut as `cut` says, and the unit. No other warp reduces it. If rows have
    /// several chunks, the tag is written.
    #[inline(always)]
    unsafe fn reduce_unit(&self, cut: &Cut, unit: u32) {
        let levels = cut.levels;
        let unit_levels = Ord::max(levels, STEP_LEVELS);
        let first = (unit as u64) << unit_levels;
        let all = self.offsets.segment_count * self.offsets.row_items / vector_items::<T>() as u64;
        let vectors = Ord::min(all - first, 1 << unit_levels) as u32;
        // SAFETY: the whole warp is here, and no other warp has the unit: this function's conditions. Its vectors exist, and are aligned.
        // One lane has the value of each chunk. The chunk's row belongs to the launch, and has a result (the launch's condition 5). The
        // tag is written if rows have several chunks, and the board has a slot for each window (condition 6). Only full chunks of rows of
        // several full chunks are published. No two of them begin in one window.
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
                let row = unit.checked_div(cut.row_chunks).unwrap_or(0);
                let chunk = (unit - row * cut.row_chunks) as u64;
                let value = O::moved(value, chunk * chunk_items::<T, O::Accumulator>());
                let window = self.long_row(row).window::<T, O::Accumulator>(chunk);
                self.board().publish(window, value);
            }
        }
    }

    /// Folds the `vectors` vectors of a unit that begins with item `first`. If a chunk begins at the lane's
    /// [first vector](first_vector_of_lane), the lane gets the chunk's value. Its indices count from the unit's first item.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments. The items exist, and the first vector is aligned to 16 bytes.
    #[inline(always)]
    unsafe fn fold_unit(&self, cut: &Cut, first: u64, vectors: u32) -> O::Accumulator {
        let (levels, steps) = (cut.levels, cut.steps());
        let same = O::EQUAL_WORDS;
        let (mut one, mut two) = (O::identity(), O::identity());
        let mut number = 0;
        // SAFETY: the whole warp is here, with the same `levels` and `number`, and the vectors exist: this function's conditions. With
        // several steps, the unit has all their vectors. 1, 2, 4, 8 and 16 are less than 32.
        unsafe {
            let mut value = loop {
                let step = simt::opaque_one() as u32;
                let mut value = self.fold_eights(first, number * STEP_VECTORS, vectors);
                number += step;
                if number == steps && steps == 1 {
                    break value;
                }
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
            let mut join = |is_level: bool, delta: u32| {
                if is_level {
                    value = warp::join(value, delta, same, O::combine_streams);
                }
            };
            join(levels > 3 && steps < 2, 8);
            join(levels > 4 && steps < 4, 16);
            // From here on, the vectors on both sides are 32, 64 and 128 apart, so they belong to lanes that are 1, 2 and 4 apart.
            join(levels > 5, 1);
            join(levels > 6, 2);
            join(levels > 7, 4);
            // Lanes that are 8 and 16 apart have the values of different steps.
            join(levels > 8, 8);
            join(levels > 9, 16);
            O::end_stream(value)
        }
    }

    /// Row `row`, which has several chunks.
    #[inline(always)]
    fn long_row(&self, row: u32) -> Long {
        Long {
            diagonal: row as u64 * (self.offsets.row_items + 1),
        }
    }

    /// Combines the rows that end in the block [`LATER`] tickets before `block`, if there is such a block. Then it combines the rows that
    /// end in `block`, if there is no block [`LATER`] tickets after it.
    ///
    /// # Safety
    /// - Convergent: a whole warp, the only one of the block that calls this. `block` is the block's ticket.
    /// - The tag is written, and the launch has whole chunks, cut as `cut` says: several for each row.
    /// - The block's other warps publish the values of its chunks without waiting for this warp. So has this warp.
    #[inline(always)]
    unsafe fn settle_due(&self, cut: &Cut, block: u32) {
        // SAFETY: the tag is written, and the whole warp is here: this function's conditions. Blocks with earlier tickets have started. All
        // of them publish their values without waiting for this warp, and so do this block's other warps. The rows of a block are combined
        // once: by the block `LATER` tickets after it, or by itself if there is no such block.
        unsafe {
            let (mut other, mut is_due) = (block.wrapping_sub(LATER), block >= LATER);
            loop {
                if is_due {
                    self.settle_rows(cut, other);
                }
                if other == block {
                    return;
                }
                other = block;
                is_due = block + LATER >= simt::block_count();
            }
        }
    }

    /// Combines the rows whose last chunks are units of block `block`.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same argument. The tag is written. The block has started, and publishes its values without
    /// waiting for this warp; so do all earlier blocks. Nobody else combines these rows. Rows have several chunks.
    #[inline(always)]
    unsafe fn settle_rows(&self, cut: &Cut, block: u32) {
        let (begin, end) = cut.units_of(block);
        let chunks = cut.row_chunks;
        // The divisor is not 0. rust-cuda's compiler does not see this, and would call a panic.
        let mut row = begin.checked_div(chunks).unwrap_or(0);
        let end = end.checked_div(chunks).unwrap_or(0);
        while row < end {
            let step = simt::opaque_one() as u32;
            // SAFETY: the whole warp is here, since all lanes have the same `row`. The tag is written, and the row has the chunks. Blocks
            // with earlier chunks started before the block with the last chunk. The row belongs to the launch, and has a result (the
            // launch's condition 5), which only lane 0 writes. `delta` is a power of two, at most 8.
            unsafe {
                let other = Ord::min(simt::lane(), chunks - 1) as u64;
                let Some(mut value) = self.await_value(self.long_row(row), other) else {
                    return;
                };
                if simt::lane() >= chunks {
                    value = O::identity();
                }
                // All chunks are full. If their number is a power of two, all values that go into the result have equally many items.
                // Otherwise, some are the identity. On each lane whose value goes into the result, the items of the left value come first.
                let are_full = chunks.is_power_of_two();
                let mut delta = 1;
                while delta < chunks {
                    value = match are_full {
                        true => warp::join(value, delta, O::EQUAL_WORDS, O::combine_equal),
                        false => warp::join(value, delta, 0, O::combine),
                    };
                    delta *= 2 * simt::opaque_one() as u32;
                }
                if simt::lane() == 0 {
                    write_result!(O, T, self.output, row as usize, value);
                }
            }
            row += step;
        }
    }
}
