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
    // In `begin`: after the ticket, after the borders, after the windows. For each work: after its items and starts, after its slots,
    // after its leaves, after its nodes, and at its end. At the last tag: before the departure.
    barriers: &[Barrier::block(9)],
    vectors: Vectors::Any,
};

pub const SCAN: Definition = Definition {
    prefix: "segmented_scan_",
    skeleton: "segmented_scan",
    // The same, and in `place`: after the tail's total, after the tail's prefix, after the nodes', after the leaves', after the results.
    barriers: &[Barrier::block(14)],
    ..REDUCE
};
