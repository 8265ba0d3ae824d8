//! Reductions and scans of columns.

use crate::columns::tuning::BLOCKS_PER_MULTIPROCESSOR;
use crate::columns::BLOCK_THREADS;
use crate::kind::{Barrier, Definition, Shape, SkeletonsTell, Vectors};

pub const REDUCE: Definition = Definition {
    prefix: "columns_reduce_",
    skeleton: "columns_reduce",
    skeletons_tell: SkeletonsTell::Nothing,
    shape: Shape::Columns,
    threads: BLOCK_THREADS,
    blocks: BLOCKS_PER_MULTIPROCESSOR,
    // The ticket, the leaves; what other blocks have published, before and after its reads; the last tag.
    barriers: &[Barrier::block(5)],
    vectors: Vectors::Any,
};

pub const SCAN: Definition = Definition {
    prefix: "columns_scan_",
    skeleton: "columns_scan",
    // The same, and three more for the prefixes of the chunks, which the block is handed.
    barriers: &[Barrier::block(8)],
    ..REDUCE
};
