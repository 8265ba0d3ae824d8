//! The resources of a launch: its shared memory, and the number of blocks that share a multiprocessor.
//!
//! Unlike the numbers in [`crate::contract`], these resources change no bit of a result.

use crate::contract::{thread_vectors, vector_items};
use crate::contract::{ScanShape, BLOCK_WARPS, SCAN_LONG, TILE_BYTES, WARP_LANES};
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::reduce;
use crate::scan::tuning::TURNS;

/// Whether a thread of a reduction keeps two folds, as in the first and the third of these cases:
///
/// - If the operator is exact: two folds.
/// - Otherwise, if a tile is combined pairwise: one fold.
/// - Otherwise, if the accumulator is wide: two folds.
/// - Otherwise: one fold for each item of a vector.
pub const fn reduce_has_two_folds<O: Op<T>, T: Element>() -> bool {
    O::EXACT || O::Accumulator::IS_WIDE && !O::IS_PAIRWISE
}

/// How many blocks of a reduction by this operator share a multiprocessor. The compiler limits the registers accordingly.
pub const fn reduce_blocks_per_multiprocessor<O: Op<T>, T: Element>() -> u32 {
    use reduce::tuning::*;

    let accumulators = if O::IS_PAIRWISE {
        5
    } else if reduce_has_two_folds::<O, T>() {
        3
    } else {
        vector_items::<T>() + thread_vectors::<T>()
    };
    let words = accumulators * O::Accumulator::WORDS;
    let is_folded_word = size_of::<T>() == 4 && reduce_has_two_folds::<O, T>();
    let is_paired_word = size_of::<T>() == 4 && O::IS_PAIRWISE;
    if is_paired_word && words <= MOST_PAIRED_WORDS {
        BLOCKS_PER_MULTIPROCESSOR
    } else if words >= MANY_WORDS {
        WIDE_BLOCKS_PER_MULTIPROCESSOR
    } else if is_folded_word && words >= SOME_WORDS {
        BUSY_BLOCKS_PER_MULTIPROCESSOR
    } else {
        BLOCKS_PER_MULTIPROCESSOR
    }
}

/// The version of the kernels' arguments, and of the bits of their results. `warpfold-build` does not use committed device code of another
/// version.
pub const INTERFACE: u32 = 24;

/// A bit of a scan's `end_tile`: the launch stores no results, and publishes the aggregates of its tiles and tile groups. It reads each
/// item of its tiles once. The launch also publishes prefixes, but their values are unspecified.
pub const SCAN_PUBLISHES_ONLY: u64 = 1 << 63;

/// A bit of a scan's `end_tile`: the scan begins with the value in the workspace's
/// [`Control::initial`](crate::workspace::Control::initial), instead of the identity.
pub const SCAN_HAS_INITIAL: u64 = 1 << 62;

/// Threads of a scan's block: the warps that share a tile, and one warp that looks back.
pub const fn scan_block_threads(shape: ScanShape) -> u32 {
    (shape.warps + 1) * WARP_LANES
}

/// The most threads of a scan's block.
pub const SCAN_MAX_BLOCK_THREADS: u32 = scan_block_threads(SCAN_LONG);

/// Room for the largest tile of a reduction.
#[repr(C, align(16))]
pub struct Tile([u8; TILE_BYTES]);

/// The shared memory of a reduction's block, with accumulators of type `A`.
#[repr(C)]
pub struct ReduceShared<A> {
    /// A copy of a tile that is not full or not aligned. Later, scratch for the fold of the partials.
    pub tile: Tile,
    /// Scratch of `block::reduce`.
    pub totals: [A; BLOCK_WARPS as usize],
    /// Whether this block took the last ticket.
    pub is_last: u32,
    /// The launch's tag.
    pub tag: u32,
}

/// The shared memory of a scan's block, with accumulators of type `A`. A *turn* is the block's work on one tile. Shared memory holds this
/// struct, then the scratch of a far look-back, and then the buffers of tiles. The buffers begin at a multiple of 128 bytes: with another
/// alignment, copies to shared memory take two cycles instead of one.
#[repr(C, align(128))]
pub struct ScanShared<A> {
    /// The warps' totals, in even and in odd turns: while some warps still read the totals of one turn, others may write the next turn's
    /// totals.
    pub totals: [[A; SCAN_LONG.warps as usize]; 2],
    /// Tickets taken in even and in odd turns.
    pub tickets: [u32; 2],
    /// The numbers of the tiles of the latest turns, for the warp that looks back.
    pub tiles: [u32; TURNS],
    /// The prefixes of these tiles, from the warp that looks back.
    pub prefixes: [A; TURNS],
    /// The launch's tag.
    pub tag: u32,
    /// The block's second ticket, in scans of large items or results.
    pub second: u32,
}

/// Bytes of dynamic shared memory that a block of a reduction with accumulators of type `A` needs.
pub const fn reduce_shared_bytes<A>() -> u32 {
    size_of::<ReduceShared<A>>() as u32
}

/// Bytes of dynamic shared memory that a block of a scan with accumulators of type `A` needs to hold `buffers` tiles. The bytes may exceed
/// 48 KiB, the limit of a kernel that has not opted in to more.
pub const fn scan_shared_bytes<A: Accumulator>(shape: ScanShape, buffers: u32) -> u32 {
    let fixed = size_of::<ScanShared<A>>() as u32 + scan_scratch_bytes::<A>(shape);
    fixed + buffers * shape.bytes() as u32
}

/// Whether a look-back is *far*: all lanes of the warp read each published value together. It is far if accumulators of type `A` are large,
/// and if also items or results are large. Tiles of smaller items leave no room in shared memory for the scratch of a far look-back.
pub const fn looks_far_back<A: Accumulator>(shape: ScanShape) -> bool {
    A::IS_LARGE && shape.is_large()
}

/// Bytes of the scratch of a scan's look-back: a multiple of 128 if the look-back is far, otherwise 0. The scratch lies between
/// [`ScanShared`] and the tiles.
pub const fn scan_scratch_bytes<A: Accumulator>(shape: ScanShape) -> u32 {
    let tiles = WARP_LANES as usize * slot_words(A::WORDS);
    let groups = LOOKBACK_GROUP_SLOTS * group_slot_words(A::WORDS);
    match looks_far_back::<A>(shape) {
        true => (4 * (tiles + groups)).next_multiple_of(128) as u32,
        false => 0,
    }
}

/// How many slots of the scratch of a far look-back hold values of groups: as many as a group has tiles, and two more. These slots follow
/// the slots that hold values of tiles.
pub const LOOKBACK_GROUP_SLOTS: usize = WARP_LANES as usize + 2;

/// The distance in words from one value to the next in shared memory, if each lane reads a different value. An odd number avoids bank
/// conflicts.
pub const fn slot_words(words: usize) -> usize {
    words | 1
}

/// The distance in words from one group's value to the next in shared memory. Each value begins at a multiple of 16 bytes, so most of its
/// words are read four at a time.
pub const fn group_slot_words(words: usize) -> usize {
    words.next_multiple_of(4)
}

/// How many tiles a block of a scan should hold if it may use `available` bytes of shared memory: 4, 2 or 1.
pub const fn scan_buffers<A: Accumulator>(shape: ScanShape, copies: Copies, available: u32) -> u32 {
    let mut buffers = match copies {
        Copies::Synchronous => 1,
        Copies::Asynchronous => TURNS as u32,
    };
    while buffers > 1 && scan_shared_bytes::<A>(shape, buffers) > available {
        buffers /= 2;
    }
    buffers
}

/// Whether kernels copy from global to shared memory asynchronously.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copies {
    /// Kernels copy synchronously: compute capability below 8.0.
    Synchronous,
    /// Kernels copy asynchronously: PTX for compute capability 8.0 and above.
    Asynchronous,
}

impl Copies {
    /// How kernels copy, if they are compiled for a compute capability with this major number.
    pub const fn of_capability(major: u32) -> Self {
        if major >= 8 {
            Copies::Asynchronous
        } else {
            Copies::Synchronous
        }
    }
}

/// The time at which a launch starts if earlier work on the stream is unfinished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// After the earlier work is done.
    AfterOthers,
    /// Possibly before the earlier work is done: the kernel itself waits for it. This is a *programmatic dependent launch*, which needs PTX
    /// for compute capability 9.0 or above.
    Early,
}

impl Start {
    /// The earliest start of launches whose kernels are compiled for a compute capability with this major number.
    pub const fn of_capability(major: u32) -> Self {
        if major >= 9 {
            Start::Early
        } else {
            Start::AfterOthers
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{ArgMin, ArgMinMax, Max, Moments, Product, Statistics, Sum, WideSum};

    #[test]
    fn operators_with_many_words_have_more_registers() {
        assert_eq!(reduce_blocks_per_multiprocessor::<Moments, f32>(), 3);
        assert_eq!(reduce_blocks_per_multiprocessor::<Moments, f64>(), 2);
        assert_eq!(reduce_blocks_per_multiprocessor::<Moments, half::f16>(), 2);
        assert_eq!(reduce_blocks_per_multiprocessor::<Statistics, f32>(), 2);
        assert_eq!(reduce_blocks_per_multiprocessor::<Statistics, u8>(), 2);
        assert_eq!(reduce_blocks_per_multiprocessor::<ArgMinMax, f32>(), 4);
        assert_eq!(reduce_blocks_per_multiprocessor::<ArgMinMax, u32>(), 4);
        assert_eq!(reduce_blocks_per_multiprocessor::<ArgMinMax, f64>(), 2);
        assert_eq!(reduce_blocks_per_multiprocessor::<ArgMinMax, u8>(), 3);
        assert_eq!(reduce_blocks_per_multiprocessor::<ArgMin, f32>(), 3);
        assert_eq!(reduce_blocks_per_multiprocessor::<Sum, f32>(), 3);
        assert_eq!(reduce_blocks_per_multiprocessor::<Sum, u32>(), 3);
        assert_eq!(reduce_blocks_per_multiprocessor::<Max, i32>(), 3);
        assert_eq!(reduce_blocks_per_multiprocessor::<WideSum, f32>(), 2);
        assert_eq!(reduce_blocks_per_multiprocessor::<WideSum, u32>(), 3);
        assert_eq!(reduce_blocks_per_multiprocessor::<WideSum, half::f16>(), 3);
        assert_eq!(reduce_blocks_per_multiprocessor::<Sum, f64>(), 3);
        assert_eq!(reduce_blocks_per_multiprocessor::<Product, half::bf16>(), 3);
        assert_eq!(reduce_blocks_per_multiprocessor::<Sum, i8>(), 3);
        assert_eq!(reduce_blocks_per_multiprocessor::<Sum, u128>(), 3);
    }
}
