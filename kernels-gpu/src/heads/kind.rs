//! Launches that mark heads.

use crate::heads::BLOCK_THREADS;
use crate::kind::{Barrier, Definition, Shape, SkeletonsTell, Vectors};

pub const HEADS: Definition = Definition {
    prefix: "heads_",
    skeleton: "heads",
    skeletons_tell: SkeletonsTell::Nothing,
    shape: Shape::Keys,
    threads: BLOCK_THREADS,
    blocks: BLOCKS_PER_MULTIPROCESSOR,
    // The barriers come after the writes of a turn's bits, of the turn's tiles, of `is_last`, and of the heads of each warp's ranges.
    barriers: &[Barrier::block(4)],
    other_barriers: &[],
    vectors: Vectors::Any,
};

/// How many blocks are to share a multiprocessor. With 4, a thread has registers for a part of the next tile.
///
/// On an H200 (2026-11-26, `ncu`), marking the heads of 2^28 `u32` took 272 µs. With 6 blocks, and with parts that were loaded only when
/// they were compared, 2^26 `u32` took 84 µs: 1.2 times as long for each key.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 4;
