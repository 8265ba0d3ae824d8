//! Reductions and scans of segments.

use crate::kind::{Barrier, Definition, Shape, SkeletonsTell, Vectors};
use crate::segments::tuning::{BLOCKS_PER_MULTIPROCESSOR, SHORT_BLOCK_THREADS};

pub const REDUCE: Definition = Definition {
    prefix: "segmented_reduce_",
    skeleton: "segmented_reduce",
    skeletons_tell: SkeletonsTell::Nothing,
    shape: Shape::Segments,
    threads: SHORT_BLOCK_THREADS,
    blocks: BLOCKS_PER_MULTIPROCESSOR,
    // The ticket, the windows' borders, the works; a work's items, its slots, its leaves, its nodes; before the next work takes the
    // work's place, or other blocks hear of it; the last tag.
    barriers: &[Barrier::block(9)],
    vectors: Vectors::Any,
};

pub const SCAN: Definition = Definition {
    prefix: "segmented_scan_",
    skeleton: "segmented_scan",
    // The same; a chunk's total, the prefixes of the chunk, of nodes, of leaves; results.
    barriers: &[Barrier::block(14)],
    ..REDUCE
};
