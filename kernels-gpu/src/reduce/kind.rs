//! Reductions of whole arrays.

use crate::contract::BLOCK_THREADS;
use crate::kind::{Barrier, Definition, Shape, SkeletonsTell, Vectors};
use crate::reduce::tuning::BLOCKS_PER_MULTIPROCESSOR;

pub const REDUCE: Definition = Definition {
    prefix: "reduce_",
    skeleton: "reduce",
    skeletons_tell: SkeletonsTell::ExactnessAndIdentity,
    shape: Shape::Array,
    threads: BLOCK_THREADS,
    blocks: BLOCKS_PER_MULTIPROCESSOR,
    // A block passes the first barrier while it combines a chunk. The last block passes two more: one before the warps' totals are written
    // again, and one while it combines the partials.
    barriers: &[Barrier::block(3)],
    other_barriers: &[],
    vectors: Vectors::Tile,
};

pub const REDUCE_PAIRS: Definition = Definition {
    prefix: "reduce_pairs_",
    skeleton: "reduce_pairs",
    skeletons_tell: SkeletonsTell::Exactness,
    shape: Shape::Pairs,
    vectors: Vectors::TileOfPairs,
    ..REDUCE
};
