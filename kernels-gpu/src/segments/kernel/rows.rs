//! Rows that go from global memory straight to registers.
//!
//! Neighbouring lanes read neighbouring vectors. Each lane combines the items of each vector. Then the lanes combine these values pairwise,
//! neighbours first. If an operator combines each sixteen values pairwise, leaves, nodes and roots together are a binary tree over the
//! vectors of a row, so this is the same tree. Items do not go through shared memory. Only rows that several warps share need a barrier.
//!
//! A chunk has a **slot** for each of its vectors, and its number of slots is a power of two. If it has fewer vectors, its last slots are
//! empty, and count as the identity. A warp takes [`STEP_SLOTS`] slots in a **step**: lane `l` has the slots `l`, `l + 32`, `l + 64`, and so
//! on.

use crate::contract::WARP_LANES;
use crate::element::{first_words, Element, Words};
use crate::op::Op;
use crate::segments::{chunk_items, vector_items, Task, Work, FAN, VECTOR_BYTES};
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

/// A lane's vectors.
type LaneVectors = [Words; LANE_VECTORS as usize];

/// The items of a chunk.
#[derive(Clone, Copy)]
struct Stretch {
    /// The number of the first item.
    first: u64,
    /// How many items there are.
    count: u32,
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The levels of a binary tree over the vectors of a whole chunk.
    const CHUNK_LEVELS: u32 =
        (chunk_items::<T, O::Accumulator>() as u32 / vector_items::<T>()).trailing_zeros();

    /// Whether the segments are rows of whole vectors, and have more than one leaf each.
    #[inline(always)]
    pub fn have_streams(&self) -> bool {
        let row = self.offsets.row_items;
        self.task == Task::Reduce
            && !self.offsets.are_read()
            && row > FAN as u64
            && row.is_multiple_of(vector_items::<T>() as u64)
            && self.input.addr().is_multiple_of(VECTOR_BYTES)
    }

    /// Folds the chunks of all works of the block, and ends with a barrier.
    ///
    /// # Safety
    /// Convergent: the whole block. The header is written, and the launch [has streams](Self::have_streams).
    #[inline(always)]
    pub unsafe fn stream_rows(&self, mut room: Room<T, O::Accumulator>) {
        let row = self.offsets.row_items;
        let levels = if row > chunk_items::<T, O::Accumulator>() {
            Self::CHUNK_LEVELS
        } else {
            let vectors = row as u32 / vector_items::<T>();
            u32::BITS - (vectors - 1).leading_zeros()
        };
        let mut number = 0;
        // SAFETY: the whole block is here, the header is written, and the launch has streams (this function's conditions). `number <
        // work_count`. Each work uses another area for its steps' values than the work before.
        unsafe {
            while number < self.work_count() {
                let work = self.work(number);
                self.stream_work(&work, room, levels);
                number = self.work_after(number);
                room = room.next();
            }
            // Orders the values of tails before the reads by the threads that combine them.
            simt::barrier();
        }
    }

    /// Folds the chunks of a work, which have 2^`levels` slots each.
    ///
    /// # Safety
    /// 1. Convergent: the whole block. The header is written, `work` is one of the block's works, and the launch has streams.
    /// 2. Since the last barrier, no thread has used the values of this room's steps.
    #[inline(always)]
    unsafe fn stream_work(&self, work: &Work, room: Room<T, O::Accumulator>, levels: u32) {
        let is_shared = levels > STEP_LEVELS;
        let slots = work.chunk_count << levels;
        let mut slot = simt::warp() * STEP_SLOTS;
        while slot < slots {
            let step = simt::opaque_one() as u32;
            // SAFETY: the whole warp is here, since all lanes have the same `slot`, which is less than `slots`. The header is written, the
            // work is the block's, and the launch has streams: condition 1. No other thread has this step or, without steps that share a
            // chunk, this chunk.
            unsafe {
                let value = self.fold_step(work, slot, levels);
                if is_shared {
                    if simt::lane() == 0 {
                        room.step(slot / STEP_SLOTS).write(value);
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
        if is_shared {
            // SAFETY: the whole block is here, because all threads have the same `levels`. The barrier orders the writes of the steps'
            // values before their reads. Each chunk has 2 or 4 steps, and one thread.
            unsafe {
                simt::barrier();
                let chunk = simt::thread_index();
                if chunk < work.chunk_count {
                    let steps = 1 << (levels - STEP_LEVELS);
                    let value = |step: u32| room.step(chunk * steps + step).read();
                    let mut folded = O::combine(value(0), value(1));
                    if steps > 2 {
                        folded = O::combine(folded, O::combine(value(2), value(3)));
                    }
                    self.finish(work, chunk, folded);
                }
            }
        }
    }

    /// Folds the step that begins at `slot`. Each lane gets the value of the slots from [`first_slot_of_lane`] on, if a chunk begins there:
    /// of the whole chunk, or of the step if the chunk has more slots.
    ///
    /// # Safety
    /// Convergent: the whole warp. The header is written, `work` is one of the block's works, and the launch has streams. The chunks have
    /// 2^`levels` slots each, more than 4, and `slot` is one of them.
    #[inline(always)]
    unsafe fn fold_step(&self, work: &Work, slot: u32, levels: u32) -> O::Accumulator {
        let first_chunk = slot >> levels;
        let stretch = self.stretch(work, first_chunk);
        let begin = slot - (first_chunk << levels);
        let row = self.offsets.row_items;
        // The slots of chunks without empty slots follow each other as the vectors do.
        let (is_full, last) = if levels > STEP_LEVELS {
            let vectors = stretch.count / vector_items::<T>();
            (begin + STEP_SLOTS <= vectors, vectors - 1)
        } else {
            let vectors = (work.chunk_count - first_chunk) << levels;
            (row == (vector_items::<T>() << levels) as u64, vectors - 1)
        };
        let mut vectors: LaneVectors = [[0; 4]; LANE_VECTORS as usize];
        // SAFETY: the whole warp is here, since all lanes have the same arguments. All vectors that are read exist: slots up to `last`
        // have vectors if the step is full, and otherwise each vector is checked.
        unsafe {
            if is_full {
                if begin + STEP_SLOTS <= last + 1 {
                    for_each_vector!(V in 0 1 2 3 4 5 6 7 => {
                        let more = V as u32 * WARP_LANES;
                        vectors[V] = self.load(stretch.first, begin + simt::lane(), more);
                    });
                } else {
                    for_each_vector!(V in 0 1 2 3 4 5 6 7 => {
                        let number = begin + V as u32 * WARP_LANES + simt::lane();
                        // Past the last chunk, a vector is read again, and its value is not used.
                        vectors[V] = self.load(stretch.first, Ord::min(number, last), 0);
                    });
                }
                // Keeps the compiler from waiting for some vectors before it asks for the others.
                simt::warp_barrier();
                return combine_step::<O, T, true>(|v| O::total_in_sixteen(vectors[v], 0), levels);
            }
            let mut exist = 0;
            for_each_vector!(V in 0 1 2 3 4 5 6 7 => {
                let slot = slot + V as u32 * WARP_LANES + simt::lane();
                let chunk = slot >> levels;
                let number = slot - (chunk << levels);
                if chunk < work.chunk_count {
                    let stretch = self.stretch(work, chunk);
                    if number * vector_items::<T>() < stretch.count {
                        vectors[V] = self.load(stretch.first, number, 0);
                        exist |= 1 << V;
                    }
                }
            });
            let total = |v: usize| {
                if exist >> v & 1 == 0 {
                    O::identity()
                } else {
                    O::total_in_sixteen(vectors[v], 0)
                }
            };
            combine_step::<O, T, false>(total, levels)
        }
    }

    /// The items of a chunk of the work.
    #[inline(always)]
    fn stretch(&self, work: &Work, chunk: u32) -> Stretch {
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
            count: count as u32,
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
        let address = self
            .input
            .wrapping_add(item as usize)
            .wrapping_add(more)
            .cast();
        // SAFETY: the vector is aligned and its items exist (this function's conditions). So they are readable, and nobody writes them: the
        // launch's condition 2.
        first_words(&unsafe { ACCESS.load(address, Caching::Streamed) })
    }
}

/// The first of the calling lane's slots whose value [`combine_step`] gives, as a number in the step.
#[inline(always)]
fn first_slot_of_lane() -> u32 {
    let lane = simt::lane();
    lane % LANE_VECTORS * WARP_LANES + lane / LANE_VECTORS * LANE_VECTORS
}

/// Combines the values of a step's slots pairwise, neighbours first, up to `levels` levels, at least 3. `value(v)` is the value of the
/// lane's slot `32·v + lane`. With `EQUAL`, all values have equally many items, and their number is a power of two. Each lane gets the value
/// of the slots from [`first_slot_of_lane`] on, if the number of this slot is a multiple of 2^`levels`.
///
/// In the first three levels two lanes split their values between them, so each lane is left with one value: that of eight slots.
///
/// # Safety
/// Convergent: the whole warp, with the same `levels`.
#[inline(always)]
unsafe fn combine_step<O: Op<T>, T: Element, const EQUAL: bool>(
    value: impl Fn(usize) -> O::Accumulator,
    levels: u32,
) -> O::Accumulator {
    // SAFETY: the whole warp is here, with the same `levels`: this function's condition. 1, 2, 4, 8 and 16 are less than 32.
    unsafe {
        let two = |v: usize| warp::share::<O, T, EQUAL>(value(v), value(v + 1), 1);
        let four = |v: usize| warp::share::<O, T, EQUAL>(two(v), two(v + 2), 2);
        let mut folded = warp::share::<O, T, EQUAL>(four(0), four(4), 4);
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
