//! Rows that go from global memory straight to registers.
//!
//! Neighbouring lanes read neighbouring vectors. Each lane combines the items of each vector. Then the lanes combine these values pairwise,
//! neighbours first. If an operator combines each sixteen values pairwise, leaves, nodes and roots together are a binary tree over the
//! vectors of a row, so this is the same tree. Items do not go through shared memory. Only rows that several warps share need a barrier.
//!
//! A chunk has a **slot** for each of its vectors, and its number of slots is a power of two. If it has fewer vectors, its last slots are
//! empty, and count as the identity. A warp takes [`STEP_SLOTS`] slots in a **step**: lane `l` has the slots `l`, `l + 32`, `l + 64`, and so
//! on. A row has a multiple of [`LANE_VECTORS`] vectors. So every [`LANE_VECTORS`] slots are all empty or all full.

use crate::contract::WARP_LANES;
use crate::element::{first_words, Element, Words};
use crate::op::Op;
use crate::segments::{chunk_items, vector_items, Task, Work, VECTOR_BYTES};
use crate::simt;
use crate::thread::{for_each_vector, Access, Caching};
use crate::warp;

use super::items::Room;
use super::Launch;

/// How many vectors a lane reads in a step.
const LANE_VECTORS: u32 = 8;

/// How many slots a step has, and the levels of a binary tree over them.
const STEP_SLOTS: u32 = WARP_LANES * LANE_VECTORS;
const STEP_LEVELS: u32 = STEP_SLOTS.trailing_zeros();

/// The most chunks of a work if several steps share a chunk, rounded up to a power of two. Such a chunk has more than 1,024 items, and all
/// chunks of a work begin on 4,096 diagonals.
const SHARED_CHUNKS: u32 = 8;

/// A lane's vectors.
type LaneVectors = [Words; LANE_VECTORS as usize];

/// Consecutive vectors of the input.
#[derive(Clone, Copy)]
struct Stretch {
    /// The number of the first item.
    first: u64,
    /// How many vectors there are.
    vectors: u32,
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The levels of a binary tree over the vectors of a whole chunk.
    const CHUNK_LEVELS: u32 =
        (chunk_items::<T, O::Accumulator>() as u32 / vector_items::<T>()).trailing_zeros();

    /// Whether the segments are rows of a multiple of [`LANE_VECTORS`] vectors.
    #[inline(always)]
    pub fn have_streams(&self) -> bool {
        let row = self.offsets.row_items;
        self.task == Task::Reduce
            && !self.offsets.are_read()
            && row > 0
            && row.is_multiple_of((LANE_VECTORS * vector_items::<T>()) as u64)
            && self.input.addr().is_multiple_of(VECTOR_BYTES)
    }

    /// Folds the chunks of all works of the block, and ends with a barrier.
    ///
    /// # Safety
    /// Convergent: the whole block. The header is written, and the launch [has streams](Self::have_streams).
    #[inline(always)]
    pub unsafe fn stream_rows(&self, room: Room<T, O::Accumulator>) {
        let row = self.offsets.row_items;
        let levels = if row > chunk_items::<T, O::Accumulator>() {
            Self::CHUNK_LEVELS
        } else {
            let vectors = row as u32 / vector_items::<T>();
            u32::BITS - (vectors - 1).leading_zeros()
        };
        let mut number = 0;
        // SAFETY: the whole block is here, the header is written, and the launch has streams (this function's conditions). `number <
        // work_count`. The barrier orders the writes of the steps' values before their reads. All threads have the same `levels`.
        unsafe {
            while number < self.work_count() {
                let work = self.work(number);
                self.stream_work(&work, number, room, levels);
                number = self.work_after(number);
            }
            if levels > STEP_LEVELS {
                simt::barrier();
                self.combine_steps(room, levels);
            }
            // Orders the values of tails before the reads by the threads that combine them.
            simt::barrier();
        }
    }

    /// Folds the steps of the block's work `number`, whose chunks have 2^`levels` slots each. If a chunk is not more than a step, it is
    /// finished.
    ///
    /// # Safety
    /// Convergent: the whole block, which calls this once for each work. The header is written, and the launch has streams.
    #[inline(always)]
    unsafe fn stream_work(
        &self,
        work: &Work,
        number: u32,
        room: Room<T, O::Accumulator>,
        levels: u32,
    ) {
        let slots = work.chunk_count << levels;
        let mut slot = simt::warp() * STEP_SLOTS;
        while slot < slots {
            let step = simt::opaque_one() as u32;
            // SAFETY: the whole warp is here, since all lanes have the same `slot`, which is less than `slots`. The header is written, the
            // work is the block's, and the launch has streams: this function's conditions. No other thread has this step. If the chunks of
            // the step have no other steps, no other thread finishes them.
            unsafe {
                let value = self.fold_step(work, slot, levels);
                if levels > STEP_LEVELS {
                    if simt::lane() == 0 {
                        Self::step(room, number, slot / STEP_SLOTS).write(value);
                    }
                } else {
                    let first = slot + first_slot_of_lane();
                    if first.is_multiple_of(1 << levels) && first < slots {
                        self.finish(work, first >> levels, value);
                    }
                }
            }
            slot += step * STEP_SLOTS * (self.threads() / WARP_LANES);
        }
    }

    /// Combines the steps of each chunk of the block's works. A chunk has 2 or 4 steps.
    ///
    /// # Safety
    /// Convergent: the whole block. The header and the steps' values are written.
    #[inline(always)]
    unsafe fn combine_steps(&self, room: Room<T, O::Accumulator>, levels: u32) {
        let number = simt::thread_index() / SHARED_CHUNKS;
        let chunk = simt::thread_index() % SHARED_CHUNKS;
        if number >= self.work_count() {
            return;
        }
        // SAFETY: the header and the steps' values are written (this function's condition), and `number < work_count`. Each chunk has one
        // thread, so nobody else finishes it.
        unsafe {
            let work = self.work(number);
            if chunk < work.chunk_count {
                let steps = 1 << (levels - STEP_LEVELS);
                let value = |step: u32| Self::step(room, number, chunk * steps + step).read();
                let mut folded = O::combine(value(0), value(1));
                if steps > 2 {
                    folded = O::combine(folded, O::combine(value(2), value(3)));
                }
                self.finish(&work, chunk, folded);
            }
        }
    }

    /// The address of the value of a step of the block's work `number`. It lies where the leaves' values lie otherwise.
    #[inline(always)]
    fn step(room: Room<T, O::Accumulator>, number: u32, step: u32) -> *mut O::Accumulator {
        room.leaf(0, number * 4 * SHARED_CHUNKS + step)
    }

    /// Folds the step that begins at `slot`. Each lane gets the value of the slots from [`first_slot_of_lane`] on, if a chunk begins there:
    /// of the whole chunk, or of the step if the chunk has more slots.
    ///
    /// # Safety
    /// Convergent: the whole warp. The header is written, `work` is one of the block's works, and the launch has streams. The chunks have
    /// 2^`levels` slots each, at least 8, and `slot` is one of them.
    #[inline(always)]
    unsafe fn fold_step(&self, work: &Work, slot: u32, levels: u32) -> O::Accumulator {
        let first_chunk = slot >> levels;
        let chunk = self.chunk_stretch(work, first_chunk);
        let begin = slot - (first_chunk << levels);
        if begin >= chunk.vectors {
            return O::identity();
        }
        // The chunks that begin in the step follow each other in memory.
        let last = if levels > STEP_LEVELS {
            chunk.vectors - 1
        } else {
            (work.chunk_count - first_chunk) * chunk.vectors - 1
        };
        let is_dense = chunk.vectors == 1 << levels || levels > STEP_LEVELS;
        let mut vectors: LaneVectors = [[0; 4]; LANE_VECTORS as usize];
        // SAFETY: the whole warp is here, since all lanes have the same arguments. Vectors up to `last` exist.
        unsafe {
            if is_dense && begin + STEP_SLOTS <= last + 1 {
                let first = begin + simt::lane();
                for_each_vector!(V in 0 1 2 3 4 5 6 7 => {
                    vectors[V] = self.load(chunk.first, first, V as u32 * WARP_LANES);
                });
            } else {
                for_each_vector!(V in 0 1 2 3 4 5 6 7 => {
                    let slot = begin + V as u32 * WARP_LANES + simt::lane();
                    let empty = (slot >> levels) * ((1 << levels) - chunk.vectors);
                    // In place of an empty slot's vector, another one is read, and its value is not used.
                    let number = Ord::min(slot - empty, last);
                    vectors[V] = self.load(chunk.first, number, 0);
                });
            }
            // Keeps the compiler from waiting for some vectors before it asks for the others.
            simt::warp_barrier();
            let total = |v: usize| O::total_in_sixteen(vectors[v], 0);
            let folded = combine_slots_of_lane::<O, T>(total);
            if chunk.vectors >= Ord::min(begin + STEP_SLOTS, 1 << levels) {
                return combine_step::<O, T, true>(folded, levels);
            }
            let first = (begin + first_slot_of_lane()) % (1 << levels);
            let is_empty = first >= chunk.vectors;
            let folded = if is_empty { O::identity() } else { folded };
            combine_step::<O, T, false>(folded, levels)
        }
    }

    /// The vectors of a chunk of the work.
    #[inline(always)]
    fn chunk_stretch(&self, work: &Work, chunk: u32) -> Stretch {
        let row = self.offsets.row_items;
        let begin = (work.segment + chunk as u64) * row;
        let first = if chunk == 0 {
            work.base.wrapping_add(work.begin as u64)
        } else {
            begin
        };
        let count = Ord::min(begin + row - first, chunk_items::<T, O::Accumulator>());
        Stretch {
            first,
            vectors: count as u32 / vector_items::<T>(),
        }
    }

    /// Reads the vector that is `more` vectors after vector `number` of the items from item `first` on.
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

/// The first of the eight slots whose value a lane has after [`combine_slots_of_lane`], as a number in the step.
#[inline(always)]
fn first_slot_of_lane() -> u32 {
    let lane = simt::lane();
    lane % LANE_VECTORS * WARP_LANES + lane / LANE_VECTORS * LANE_VECTORS
}

/// Combines the values of every eight slots of a step, neighbours first. `value(v)` is the value of the lane's slot `32·v + lane`. Each lane
/// gets the value of the slots from [`first_slot_of_lane`] on: in each of the three levels, two lanes split their values between them.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
unsafe fn combine_slots_of_lane<O: Op<T>, T: Element>(
    value: impl Fn(usize) -> O::Accumulator,
) -> O::Accumulator {
    // SAFETY: the whole warp is here: this function's condition. 1, 2 and 4 are less than 32.
    unsafe {
        let two = |v: usize| warp::share::<O, T, true>(value(v), value(v + 1), 1);
        let four = |v: usize| warp::share::<O, T, true>(two(v), two(v + 2), 2);
        warp::share::<O, T, true>(four(0), four(4), 4)
    }
}

/// Combines the values of eight slots on each lane, neighbours first, up to `levels` levels above a slot. With `EQUAL`, all values have
/// equally many items, and their number is a power of two. Each lane gets the value of the slots from [`first_slot_of_lane`] on, if the
/// number of this slot is a multiple of 2^`levels`.
///
/// # Safety
/// Convergent: the whole warp, with the same `levels`.
#[inline(always)]
unsafe fn combine_step<O: Op<T>, T: Element, const EQUAL: bool>(
    mut folded: O::Accumulator,
    levels: u32,
) -> O::Accumulator {
    // SAFETY: the whole warp is here, with the same `levels`: this function's condition. 1, 2, 4, 8 and 16 are less than 32.
    unsafe {
        if levels > 3 {
            folded = warp::join::<O, T, EQUAL>(folded, 8);
        }
        if levels > 4 {
            folded = warp::join::<O, T, EQUAL>(folded, 16);
        }
        // From here on, the slots on both sides are 32, 64 and 128 apart, so they belong to neighbouring lanes.
        if levels > 5 {
            folded = warp::join::<O, T, EQUAL>(folded, 1);
        }
        if levels > 6 {
            folded = warp::join::<O, T, EQUAL>(folded, 2);
        }
        if levels > 7 {
            folded = warp::join::<O, T, EQUAL>(folded, 4);
        }
        folded
    }
}
