//! Rows whose items go from global memory straight to registers: [streamed rows](Op::STREAMS_ROWS).
//!
//! Neighbouring lanes read neighbouring vectors. Each lane combines the items of each of its vectors. Then the lanes combine these values
//! pairwise, neighbours first. If an operator combines each sixteen values pairwise, the leaves, nodes and roots of a chunk are one binary
//! tree over its vectors. The lanes combine along that same tree. Operators that find indices of extremes give the same bits in every order
//! of combination. Items do not go through shared memory.
//!
//! While a chunk is combined, indices of extremes count from the first item of a work, or of a unit (see [`whole`](super::whole)). Such
//! indices fit in a word. When a chunk is finished, its indices are [moved](Op::moved): then they count from the first item of the row.
//!
//! In most launches of rows that have whole chunks, a single warp combines all items of a chunk (see [`whole`](super::whole)), with
//! functions of this file. The rest of this comment is about all other launches.
//!
//! A row is cut into **pieces**. The number of vectors of a piece is the greatest power of two that divides the number of vectors of a row,
//! but at most [`STEP_VECTORS`]. The items of a work are contiguous, so a work is a sequence of pieces, and all pieces have equally many
//! items. A warp takes [`STEP_VECTORS`] vectors in a **step**: lane `l` has the vectors `l`, `l + 32`, `l + 64`, and so on. If a chunk is
//! one piece, the warp that folds the piece finishes the chunk. Otherwise the values of the pieces go through shared memory.

use crate::contract::WARP_LANES;
use crate::element::{first_words, Element, Words};
use crate::op::Op;
use crate::segments::tuning::LONG_BLOCK_THREADS;
use crate::segments::{chunk_items, streams_rows, vector_items};
use crate::segments::{Task, Work, MOST_WINDOWS, VECTOR_BYTES};
use crate::simt;
use crate::thread::{for_each_vector, Access, Caching};
use crate::warp;

use super::items::Room;
use super::Launch;

/// How many vectors a lane reads in a step. A piece has at least that many vectors.
///
/// Reading the next step's vectors before the last combinations of a step was slower on an H200 (2026-11-26). `Moments` and `LogSumExp` of
/// 2^28 `f32` in rows of 1,024 then took 275 and 308 µs, instead of 268 and 299 µs.
const LANE_VECTORS: u32 = 8;

/// How many vectors a step has, and how many levels a binary tree over them has.
pub const STEP_VECTORS: u32 = WARP_LANES * LANE_VECTORS;
pub const STEP_LEVELS: u32 = STEP_VECTORS.trailing_zeros();

/// The most pieces of a streamed chunk. Rows whose chunks have more pieces are not streamed: to combine the pieces would take longer than
/// to fold leaves and nodes. `Moments` of 2^28 `f32` in rows of 1,056, which have 33 pieces, took 506 µs on an H200 (2026-11-26). In rows
/// of 1,024, which have one piece, they took 268 µs.
const CHUNK_PIECES: u32 = 8;

/// A lane's vectors.
type LaneVectors = [Words; LANE_VECTORS as usize];

/// The pieces of a chunk, as numbers among the pieces of its work.
#[derive(Clone, Copy)]
struct Pieces {
    first: u32,
    count: u32,
}

/// A lane's share of a work, where chunks are combined from pieces. Each chunk has consecutive lanes, at least as many as it has pieces.
/// The first of these lanes have one piece each.
#[derive(Clone, Copy)]
struct Share<A> {
    /// Whether the lane has a chunk.
    has_chunk: bool,
    /// The address of the value of the lane's piece; null if the lane has no piece.
    piece: *const A,
}

impl<A> Share<A> {
    const NONE: Self = Self {
        has_chunk: false,
        piece: core::ptr::null(),
    };
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The most pieces of a window. A window's chunks together have fewer items than two full chunks.
    const WINDOW_PIECES: u32 =
        2 * chunk_items::<T, O::Accumulator>() as u32 / (LANE_VECTORS * vector_items::<T>());

    /// Whether this is a reduction of rows, the input is aligned to a vector, and each piece has at least [`LANE_VECTORS`] vectors.
    #[inline(always)]
    pub fn have_vectors(&self) -> bool {
        let row = self.offsets.row_items;
        self.task == Task::Reduce
            && !self.offsets.are_read()
            && row > 0
            && row.is_multiple_of((LANE_VECTORS * vector_items::<T>()) as u64)
            && self.input.addr().is_multiple_of(VECTOR_BYTES)
    }

    /// Whether [streamed rows](Op::STREAMS_ROWS) can be folded by pieces: the launch [has vectors](Self::have_vectors), and each chunk has
    /// at most [`CHUNK_PIECES`] pieces.
    #[inline(always)]
    pub fn have_streams(&self) -> bool {
        self.have_vectors() && self.most_pieces(self.piece_levels()) <= CHUNK_PIECES
    }

    /// How many levels a binary tree over the vectors of a piece has.
    #[inline(always)]
    fn piece_levels(&self) -> u32 {
        let vectors = self.offsets.row_items / vector_items::<T>() as u64;
        // If the low 32 bits are all 0, they have 32 trailing zeros, and the result is `STEP_LEVELS`, as it should be.
        Ord::min((vectors as u32).trailing_zeros(), STEP_LEVELS)
    }

    /// Folds the chunks of all works of the block. This ends with a barrier, unless the launch [settles rows later](Self::settles_later).
    ///
    /// # Safety
    /// Convergent: the whole block. The header is written, and the launch has [streamed rows](Self::have_streams).
    #[inline(always)]
    pub unsafe fn stream_rows(&self, room: Room<T, O::Accumulator>) {
        const {
            let most = MOST_WINDOWS * Self::WINDOW_PIECES;
            assert!(!streams_rows::<O, T>() || most <= Room::<T, O::Accumulator>::PIECES);
        }
        // SAFETY: the whole block is here: this function's condition.
        let (levels, is_alone) = unsafe { self.shape() };
        let (mut number, mut steps) = (0, 0);
        // SAFETY: the whole block is here, the header is written, and the launch has streamed rows (this function's conditions). `number <
        // work_count`. All threads take the same branches around barriers, since the branches depend on the launch's arguments. Rows that
        // are settled later have chunks of several pieces, so `combine_pieces` publishes the chunks' values. In `combine_pieces`, the last
        // warp has no window, and the other warps publish without waiting for it.
        unsafe {
            while number < self.work_count() {
                steps += self.fold_pieces(number, steps, room, levels, is_alone);
                number = self.work_after(number);
            }
            if !is_alone {
                self.combine_pieces(room, levels);
            }
            if !self.settles_later() {
                // Orders the writes of tails' values before the reads by the threads that combine them.
                simt::barrier();
            } else if simt::warp() == self.threads() / WARP_LANES - 1 {
                self.settle_due();
            }
        }
    }

    /// How many levels a piece's tree has (see [`Self::piece_levels`]), and whether a chunk is one piece. Both values go through votes, so
    /// that `ptxas` keeps them in registers. Without votes, `ptxas` computed both again in each step, with 12 instructions.
    ///
    /// # Safety
    /// Convergent: the whole warp.
    #[inline(always)]
    unsafe fn shape(&self) -> (u32, bool) {
        let levels = self.piece_levels();
        let is_alone = self.most_pieces(levels) == 1;
        // SAFETY: the whole warp is here: this function's condition.
        unsafe {
            // Lane `l` votes for bit `l`.
            let levels = simt::ballot(levels >> simt::lane() & 1 != 0);
            (levels, simt::ballot(is_alone) != 0)
        }
    }

    /// Folds the pieces of the block's work `number`. Each piece has 2^`levels` vectors. Finishes the chunks if each is one piece
    /// (`is_alone`). Returns the work's number of steps. The warps take steps in turn, and the block's earlier works had `before` steps.
    ///
    /// # Safety
    /// Convergent: the whole block, which calls this once for each work. The header is written, and the launch has [streamed
    /// rows](Self::have_streams).
    #[inline(always)]
    unsafe fn fold_pieces(
        &self,
        number: u32,
        before: u32,
        room: Room<T, O::Accumulator>,
        levels: u32,
        is_alone: bool,
    ) -> u32 {
        // SAFETY: the header is written: this function's condition.
        let work = unsafe { self.work(number) };
        let first = work.base.wrapping_add(work.begin as u64);
        let vectors = (work.end - work.begin) / vector_items::<T>();
        // The number of a block's warps is a power of two.
        let warps = self.threads() / WARP_LANES;
        let mut begin = (simt::warp().wrapping_sub(before) & (warps - 1)) * STEP_VECTORS;
        while begin < vectors {
            let step = simt::opaque_one() as u32;
            // SAFETY: the whole warp is here, since all lanes have the same `begin`. The header is written (this function's condition). The
            // work has the vectors: `begin < vectors`. No other warp takes this step, and each piece's value is on one lane. So no other
            // thread writes the piece's value, or finishes its chunk. If each chunk is one piece, the work has a chunk for each of its
            // pieces.
            unsafe {
                let value = self.fold_step(first, begin, vectors, levels);
                let vector = begin + first_vector_of_lane();
                if vector.is_multiple_of(1 << levels) && vector < vectors {
                    if is_alone {
                        let chunk = vector >> levels;
                        self.finish(&work, chunk, self.in_row(&work, chunk, value));
                    } else {
                        self.piece(number, room, levels, vector >> levels)
                            .write(value);
                    }
                }
            }
            begin += step * STEP_VECTORS * warps;
        }
        vectors.div_ceil(STEP_VECTORS)
    }

    /// Combines the pieces of each chunk of the block's works, neighbours first. Each window has a warp, and each piece has a lane.
    ///
    /// # Safety
    /// Convergent: the whole block, whose warps have written the values of all pieces. The header is written, and the launch has [streamed
    /// rows](Self::have_streams).
    #[inline(always)]
    unsafe fn combine_pieces(&self, room: Room<T, O::Accumulator>, levels: u32) {
        const {
            assert!(MOST_WINDOWS < LONG_BLOCK_THREADS / WARP_LANES);
        }
        let lanes = self.most_pieces(levels).next_power_of_two();
        let shift = lanes.trailing_zeros();
        let mut number = 2 * simt::warp();
        let end = match simt::warp() < self.windows_per_block {
            true => number + 2,
            false => number,
        };
        // SAFETY: the whole block is here, and the header is written (this function's conditions). The barrier orders the writes of the
        // pieces' values before their reads. `number < work_count` while `number < end`. A whole warp is in the loop, since all its lanes
        // have the same `number` and `first`. `delta` is a power of two, at most 4. Each chunk has `lanes` lanes, and only the first of
        // them finishes it.
        unsafe {
            let mut first = 0;
            let mut share = Share::NONE;
            if number < end {
                // Finds the addresses before the barrier, while other warps still read items.
                share = self.share(number, first, lanes, room, levels);
            }
            simt::barrier();
            while number < end {
                let step = simt::opaque_one() as u32;
                let work = self.work(number);
                let mut folded = O::identity();
                if !share.piece.is_null() {
                    folded = share.piece.read();
                }
                // If each lane of each chunk has a piece, all values that go into a result have equally many items. Otherwise, some values
                // are the identity. On each lane whose value goes into a result, the first argument of `combine` has earlier items than the
                // second.
                let are_full = simt::ballot(share.has_chunk && share.piece.is_null()) == 0;
                let mut delta = 1;
                while delta < lanes {
                    folded = match are_full {
                        true => warp::join(folded, delta, O::EQUAL_WORDS, O::combine_equal),
                        false => warp::join(folded, delta, 0, O::combine),
                    };
                    delta *= 2 * step;
                }
                if share.has_chunk && simt::lane().is_multiple_of(lanes) {
                    let chunk = first + (simt::lane() >> shift);
                    let value = self.in_row(&work, chunk, folded);
                    self.finish_or_publish(&work, chunk, value, self.settles_later());
                }
                first += step * (WARP_LANES >> shift);
                if first >= work.chunk_count {
                    number = self.work_after(number);
                    first = 0;
                }
                if number < end {
                    share = self.share(number, first, lanes, room, levels);
                }
            }
        }
    }

    /// The lane's share when its warp combines the chunks of the block's work `number` from chunk `first` on. Each chunk has `lanes` lanes.
    ///
    /// # Safety
    /// The header is written, and `number < work_count`. The launch has [streamed rows](Self::have_streams). `lanes` is a power of two.
    #[inline(always)]
    unsafe fn share(
        &self,
        number: u32,
        first: u32,
        lanes: u32,
        room: Room<T, O::Accumulator>,
        levels: u32,
    ) -> Share<O::Accumulator> {
        // SAFETY: the header is written: this function's condition. The work has the pieces of its chunks.
        unsafe {
            let work = self.work(number);
            let chunk = first + (simt::lane() >> lanes.trailing_zeros());
            let mut share = Share::NONE;
            if chunk < work.chunk_count {
                share.has_chunk = true;
                let lane = simt::lane() & (lanes - 1);
                let pieces = self.pieces(&work, chunk, levels);
                if lane < pieces.count {
                    share.piece = self.piece(number, room, levels, pieces.first + lane);
                }
            }
            share
        }
    }

    /// The value of a chunk, with indices that count from the row's first item. In `value` they count from the work's first item.
    #[inline(always)]
    fn in_row(&self, work: &Work, chunk: u32, value: O::Accumulator) -> O::Accumulator {
        let begin = work.base.wrapping_add(work.begin as u64);
        // Each chunk of the work, except the first, is the first chunk of its row.
        let row_begin = (work.segment + chunk as u64) * self.offsets.row_items;
        let before = match chunk {
            0 => work.index,
            _ => begin.wrapping_sub(row_begin),
        };
        O::moved(value, before)
    }

    /// The most pieces of a chunk.
    #[inline(always)]
    fn most_pieces(&self, levels: u32) -> u32 {
        let items = Ord::min(self.offsets.row_items, chunk_items::<T, O::Accumulator>());
        (items as u32 / vector_items::<T>()) >> levels
    }

    /// The pieces of a chunk of the work.
    #[inline(always)]
    fn pieces(&self, work: &Work, chunk: u32, levels: u32) -> Pieces {
        let row = self.offsets.row_items;
        let begin = work.base.wrapping_add(work.begin as u64);
        let row_begin = (work.segment + chunk as u64) * row;
        let first = if chunk == 0 { begin } else { row_begin };
        let count = Ord::min(row_begin + row - first, chunk_items::<T, O::Accumulator>());
        let of_items = |items: u64| (items as u32 / vector_items::<T>()) >> levels;
        Pieces {
            first: of_items(first - begin),
            count: of_items(count),
        }
    }

    /// The address of the value of piece `piece` of the block's work `number`.
    ///
    /// # Safety
    /// The header is written, and the work has the piece.
    #[inline(always)]
    unsafe fn piece(
        &self,
        number: u32,
        room: Room<T, O::Accumulator>,
        levels: u32,
        piece: u32,
    ) -> *mut O::Accumulator {
        let mut before = number / 2 * Self::WINDOW_PIECES;
        if !number.is_multiple_of(2) {
            // SAFETY: the header is written (this function's condition), and the window has another work before this one.
            let other = unsafe { self.work(number - 1) };
            before += ((other.end - other.begin) / vector_items::<T>()) >> levels;
        }
        room.piece(before + piece)
    }

    /// Folds the pieces of a step. The step begins at vector `begin` of a work, which has `vectors` vectors. A piece's tree has `levels`
    /// levels. If a piece begins at the lane's [first vector](first_vector_of_lane), the lane gets the piece's value.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments. The work begins with item `first`, and `begin < vectors`. The launch has
    /// [streamed rows](Self::have_streams), and pieces have 2^`levels` vectors each.
    #[inline(always)]
    unsafe fn fold_step(
        &self,
        first: u64,
        begin: u32,
        vectors: u32,
        levels: u32,
    ) -> O::Accumulator {
        // SAFETY: the whole warp is here, with the same `levels`, and the work has the vectors: this function's conditions. The vectors are
        // aligned, since the launch has streamed rows. The distances of lanes, 8 and 16, are powers of two below 32.
        unsafe {
            let mut folded = self.fold_eights(first, begin, vectors);
            if levels > 3 {
                folded = join_streams::<O, T>(folded, 8);
            }
            if levels > 4 {
                folded = join_streams::<O, T>(folded, 16);
            }
            O::end_stream(join_eights::<O, T>(folded, levels))
        }
    }

    /// Folds each eight consecutive vectors of a step. The step begins at vector `begin` of a work or unit, which has `vectors` vectors. A
    /// lane gets the value of the eight vectors from its [first vector](first_vector_of_lane) on. This value has the form that
    /// [`Op::stream`] returns. The values of vectors past the end have no meaning. Vector 0 begins with item `first`, and indices count
    /// from this item.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments. The vectors from item `first` on exist and are aligned, and `begin < vectors`.
    #[inline(always)]
    pub unsafe fn fold_eights(&self, first: u64, begin: u32, vectors: u32) -> O::Accumulator {
        let mut read: LaneVectors = [[0; 4]; LANE_VECTORS as usize];
        let number = begin + simt::lane();
        // SAFETY: the whole warp is here, and the vectors exist and are aligned: this function's conditions.
        unsafe {
            if begin + STEP_VECTORS <= vectors {
                for_each_vector!(V in 0 1 2 3 4 5 6 7 => {
                    read[V] = self.load(first, number, V as u32 * WARP_LANES);
                });
            } else {
                for_each_vector!(V in 0 1 2 3 4 5 6 7 => {
                    // Past the end, the last vector is read again.
                    let number = Ord::min(number + V as u32 * WARP_LANES, vectors - 1);
                    read[V] = self.load(first, number, 0);
                });
            }
            // Keeps the compiler from putting a wait for some vectors before the loads of others.
            simt::warp_barrier();
            combine_eights::<O, T>(|v| {
                let vector = number + v as u32 * WARP_LANES;
                O::stream(read[v], vector * vector_items::<T>())
            })
        }
    }

    /// Reads vector `number + more`, where vector 0 begins with item `first`.
    ///
    /// # Safety
    /// The items of the vector exist, and it is aligned to 16 bytes.
    #[inline(always)]
    unsafe fn load(&self, first: u64, number: u32, more: u32) -> Words {
        const ACCESS: Access = Access::new(VECTOR_BYTES, VECTOR_BYTES);
        let item = first + (number * vector_items::<T>()) as u64;
        let more = (more * vector_items::<T>()) as usize;
        let address = self.input.wrapping_add(item as usize).wrapping_add(more);
        // SAFETY: the vector is aligned and its items exist (this function's conditions). So they are readable, and nobody writes them: the
        // launch's condition 2.
        first_words(&unsafe { ACCESS.load(address.cast(), Caching::Streamed) })
    }
}

/// The lane gets the value of eight consecutive vectors from [`combine_eights`]. This is the number that the first of them has in the step.
#[inline(always)]
pub fn first_vector_of_lane() -> u32 {
    let lane = simt::lane();
    lane % LANE_VECTORS * WARP_LANES + lane / LANE_VECTORS * LANE_VECTORS
}

/// Combines the values of each eight consecutive vectors of a step pairwise, neighbours first. The vectors are those of [streamed
/// rows](Op::STREAMS_ROWS), and the values have the form that [`Op::stream`] returns. `value(v)` is the value of the lane's vector `32·v +
/// lane`. All vectors have equally many items, a power of two. A lane gets the value of the eight vectors from its [first
/// vector](first_vector_of_lane) on.
///
/// Each lane begins with eight values. In each of three levels, a lane gives half of its values to another lane, and combines the others
/// with values from that lane.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
unsafe fn combine_eights<O: Op<T>, T: Element>(
    value: impl Fn(usize) -> O::Accumulator,
) -> O::Accumulator {
    let same = O::EQUAL_WORDS;
    // SAFETY: the whole warp is here: this function's condition. The distances of lanes, 1, 2 and 4, are powers of two below 32.
    unsafe {
        let two = |v: usize| warp::share(value(v), value(v + 1), 1, same, O::combine_streams);
        let four = |v: usize| warp::share(two(v), two(v + 2), 2, same, O::combine_streams);
        warp::share(four(0), four(4), 4, same, O::combine_streams)
    }
}

/// Does the combinations of the last three of a step's eight levels. In these three levels, two values that are combined begin at vectors
/// that are 32, 64 or 128 apart. So the two values are on lanes that are 1, 2 or 4 apart. If `levels` is less than 8, only the first
/// `levels` of the eight levels are combined.
///
/// # Safety
/// Convergent: the whole warp, with the same `levels`.
#[inline(always)]
pub unsafe fn join_eights<O: Op<T>, T: Element>(
    mut value: O::Accumulator,
    levels: u32,
) -> O::Accumulator {
    // SAFETY: the whole warp is here, with the same `levels`: this function's condition. The distances of lanes, 1, 2 and 4, are powers of
    // two below 32.
    unsafe {
        if levels > 5 {
            value = join_streams::<O, T>(value, 1);
        }
        if levels > 6 {
            value = join_streams::<O, T>(value, 2);
        }
        if levels > 7 {
            value = join_streams::<O, T>(value, 4);
        }
    }
    value
}

/// Pairs of lanes that are `delta` apart combine their values of [streamed rows](Op::STREAMS_ROWS), as [`Op::combine_streams`] does. Both
/// lanes get the result.
///
/// # Safety
/// Convergent: the whole warp. `delta` is a power of two, less than 32.
#[inline(always)]
pub unsafe fn join_streams<O: Op<T>, T: Element>(
    value: O::Accumulator,
    delta: u32,
) -> O::Accumulator {
    // SAFETY: the conditions are this function's.
    unsafe { warp::join(value, delta, O::EQUAL_WORDS, O::combine_streams) }
}
