//! Where the rings of a block's warps lie in shared memory (see `kernel/rings.rs`).

use crate::contract::WARP_LANES;
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::segments::tuning::LONG_BLOCK_THREADS;
use crate::segments::{chunk_items, has_vectors, shared_bytes};
use crate::segments::{Header, Task, FAN, NARROW_CHUNK_ITEMS, ROW_BYTES};

/// How many leaves a step has: one for each lane.
pub const STEP_LEAVES: u32 = WARP_LANES;

/// How many items a step has.
pub const STEP_ITEMS: u32 = STEP_LEAVES * FAN;
/// The binary logarithm of [`STEP_ITEMS`].
pub const STEP_SHIFT: u32 = STEP_ITEMS.trailing_zeros();

/// How many slots a ring has.
pub const SLOTS: u32 = 2;

/// How many warps of a block have a ring.
pub const RING_WARPS: u32 = LONG_BLOCK_THREADS / WARP_LANES;

/// How many leaves a chunk has.
pub const CHUNK_LEAVES: u32 = NARROW_CHUNK_ITEMS as u32 / FAN;

/// Where value `number` of a chunk's leaves lies among the values. A gap of one value follows each sixteen values.
pub const fn value_place(number: u32) -> u32 {
    number + number / FAN
}

/// The size of a slot in bytes: a step's items, and a row of shared memory in which one more vector lies.
pub const fn slot_bytes<T>() -> usize {
    STEP_ITEMS as usize * size_of::<T>() + ROW_BYTES
}

/// Where the rings begin in a block's shared memory: after the header.
pub const fn first_ring<A>() -> usize {
    size_of::<Header<A>>().next_multiple_of(ROW_BYTES)
}

/// Where the values of leaves begin in a block's shared memory: after the rings.
pub const fn ring_leaves<T, A>() -> usize {
    first_ring::<A>() + (RING_WARPS * SLOTS) as usize * slot_bytes::<T>()
}

/// Whether warps may copy whole chunks through rings in a reduction by `O`: the operator folds from the left, and the block's shared memory
/// has room for the rings. With narrower items, a step would have few vectors.
pub const fn has_rings<O: Op<T>, T: Element>() -> bool {
    let leaves = (RING_WARPS * value_place(CHUNK_LEAVES)) as usize * size_of::<O::Accumulator>();
    let end = ring_leaves::<T, O::Accumulator>() + leaves;
    !O::PAIRS_SIXTEENS
        && !O::Accumulator::IS_WIDE
        && has_vectors::<T>()
        && matches!(size_of::<T>(), 4 | 8)
        && chunk_items::<T, O::Accumulator>() == NARROW_CHUNK_ITEMS
        && end <= shared_bytes::<T, O::Accumulator>(Task::Reduce) as usize
}
