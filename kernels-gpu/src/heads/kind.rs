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
    // After the writes of a turn's bits, of its tiles, of `is_last`, and of the warps' last heads.
    barriers: &[Barrier::block(4)],
    other_barriers: &[],
    vectors: Vectors::Any,
};

/// How many blocks are to share a multiprocessor.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 4;
