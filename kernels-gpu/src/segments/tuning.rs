//! Numbers that decide the speed of segmented reductions and scans, and no bit of the results. Each number says where it was measured and
//! when. All are of compute capability 9.0; devices of others run with the same ones.

use crate::element::{Accumulator, Element};
use crate::op::Op;

/// Threads of a block where all windows are worked on at once.
pub const SHORT_BLOCK_THREADS: u32 = 256;

/// Threads of a block where there are more windows. Then the work of few threads takes longest, while the others wait: folding nodes and
/// roots, waiting for other blocks. So a multiprocessor has more windows, on fewer threads each.
///
/// 2^28 `f32` on an H200, in µs (2026-11-23, `warpfold-bench shapes --only "offsets, segments"`):
///
/// | threads | sums of 32 | 1,024 | 65,536 | scans of 32 | 1,024 | 65,536 |
/// |---|---|---|---|---|---|---|
/// | 128 | 379 | 337 | 314 | 758 | 762 | 816 |
/// | 256 | 388 | 391 | 363 | 906 | 885 | 971 |
///
/// (256 with four blocks, each of which copies a window while it works on another; five blocks for scans.)
pub const LONG_BLOCK_THREADS: u32 = 128;

/// Blocks of [`SHORT_BLOCK_THREADS`] that share a multiprocessor, or twice as many of [`LONG_BLOCK_THREADS`]. The compiler limits the
/// registers accordingly. More have no room for their items. Scans of segments of 32, as above: 714 µs with registers for 4, and 789 with
/// those for 5.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

/// The most items of a chunk, on average, where a thread has a chunk if none has more than a leaf. Inclusive scans by key on an H200,
/// 2^28 `f32` in runs of 1 (2026-11-23): 4,016 µs without, 2,717 with it.
pub const DENSE_ITEMS: u32 = 8;

/// The most items of a leaf that are better read one by one.
pub const SHORT_LEAF: u32 = 4;

/// Vectors that a thread moves one after the other, without a look at the end of the work.
pub const VECTORS_AT_ONCE: u32 = 4;

/// Blocks of [`SHORT_BLOCK_THREADS`] of a reduction by `O` that share a multiprocessor: half as many if accumulators have more than 8
/// words, as with `Statistics`. With all blocks, its threads had so few registers that they spilled 1.7 to 3.9 KiB into local memory
/// (`ptxas` of CUDA 13.0, for 9.0; not timed).
pub const fn reduce_blocks<O: Op<T>, T: Element>() -> u32 {
    match O::Accumulator::WORDS > 8 {
        true => BLOCKS_PER_MULTIPROCESSOR / 2,
        false => BLOCKS_PER_MULTIPROCESSOR,
    }
}
