//! Numbers that decide the speed of segmented reductions and scans, and no bit of the results. Where a number was measured, its comment
//! says when and on which device. All measurements are from compute capability 9.0. Other devices use the same numbers.

use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::segments::{shared_bytes, Task};

/// Threads of a block, if the device can work on all windows at once.
pub const SHORT_BLOCK_THREADS: u32 = 256;

/// Threads of a block, if the device cannot work on all windows at once. Then most time goes to steps that keep few threads busy: folding
/// nodes and roots, and waiting for other blocks. With fewer threads a block, a multiprocessor works on more windows at once.
///
/// 2^28 `f32` on an H200, in µs (2026-11-23, `warpfold-bench shapes --only "offsets, segments"`):
///
/// | threads | sums of 32 | 1,024 | 65,536 | scans of 32 | 1,024 | 65,536 |
/// |---|---|---|---|---|---|---|
/// | 128 | 379 | 337 | 314 | 758 | 762 | 816 |
/// | 256 | 388 | 391 | 363 | 906 | 885 | 971 |
///
/// (The row of 256 was measured with four blocks on a multiprocessor, and with five for scans. Each block copied a window while it worked
/// on another.)
pub const LONG_BLOCK_THREADS: u32 = 128;

/// How many blocks of [`SHORT_BLOCK_THREADS`] share a multiprocessor. Twice as many blocks of [`LONG_BLOCK_THREADS`] share it, and one more
/// if a thread has at most 56 registers. The compiler limits the registers accordingly. More blocks would not fit in shared memory. Scans
/// of segments of 32, measured as above, took 714 µs with registers for 4 blocks, and 789 µs with registers for 5.
///
/// A block with a warp or two that find windows and copy their items, while others work on the window before, was slower on an H200
/// (2026-11-25). In shared memory there is room for two windows of 5 such blocks. Sums of 2^28 `f32` in segments of 32; 1,024; 65,536 took
/// 390; 311; 322 µs with one such warp in 5 blocks of 160 threads, and 376; 354; 359 µs with two in 5 blocks of 192.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

/// The most items that the chunks of a dense work have on average. In a dense work a thread takes a whole chunk, if no chunk has more than
/// one leaf. Inclusive scans by key of 2^28 `f32` in runs of 1, on an H200 (2026-11-23): 2,717 µs, and 4,016 µs without dense works.
pub const DENSE_ITEMS: u32 = 16;

/// The most items of a leaf for which reading them one by one is faster than in vectors.
pub const SHORT_LEAF: u32 = 4;

/// How many vectors a thread moves before it checks again for the end of the work.
pub const VECTORS_AT_ONCE: u32 = 4;

/// How many blocks of [`SHORT_BLOCK_THREADS`] share a multiprocessor in a reduction by `O`. If accumulators have more than 8 words, as with
/// `Statistics`, half as many: with the full number, threads had so few registers that they spilled 1.7 to 3.9 KiB to local memory
/// (`ptxas` of CUDA 13.0, for 9.0; not timed). If no more than 3 of these blocks, or 6 long ones, have room in shared memory, it is 3. Then
/// threads have more registers: `Moments` of `f32` spills 32 bytes with 80 registers, and 108 with 64.
pub const fn reduce_blocks<O: Op<T>, T: Element>() -> u32 {
    let bytes = shared_bytes::<T, O::Accumulator>(Task::Reduce) + BLOCK_BYTES;
    if O::Accumulator::WORDS > 8 {
        BLOCKS_PER_MULTIPROCESSOR / 2
    } else if MULTIPROCESSOR_BYTES / bytes < 2 * BLOCKS_PER_MULTIPROCESSOR - 1 {
        BLOCKS_PER_MULTIPROCESSOR - 1
    } else {
        BLOCKS_PER_MULTIPROCESSOR
    }
}

/// The launch bounds, if more long blocks than [`BLOCKS_PER_MULTIPROCESSOR`] says have room in shared memory, one or two more: as many
/// threads for each of these blocks as all the long blocks have together. So the compiler leaves registers for the further blocks.
pub const fn bounds<T, A>(task: Task) -> Option<(u32, u32)> {
    let blocks = MULTIPROCESSOR_BYTES / (shared_bytes::<T, A>(task) + BLOCK_BYTES);
    let blocks = match blocks.checked_sub(2 * BLOCKS_PER_MULTIPROCESSOR) {
        None | Some(0) => return None,
        Some(1) => blocks,
        Some(_) => 2 * BLOCKS_PER_MULTIPROCESSOR + 2,
    };
    let threads = blocks * LONG_BLOCK_THREADS / BLOCKS_PER_MULTIPROCESSOR;
    Some((threads, BLOCKS_PER_MULTIPROCESSOR))
}

/// The shared memory of a multiprocessor, and what a block takes for itself, on devices of compute capability 9.0.
const MULTIPROCESSOR_BYTES: u32 = 228 << 10;
const BLOCK_BYTES: u32 = 1 << 10;
