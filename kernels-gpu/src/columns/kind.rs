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
    // One barrier after the ticket, and one after the leaves' totals. Two in `settle`: one before values are read from the board, and one
    // after. One before the departure, with the last tag.
    barriers: &[Barrier::block(5)],
    other_barriers: &[],
    vectors: Vectors::Any,
};

pub const SCAN: Definition = Definition {
    prefix: "columns_scan_",
    skeleton: "columns_scan",
    // Three barriers more than `REDUCE`. Two are in `find_before`: one before values are read from the board, and one after. The third
    // follows warp 0's writes of the prefixes.
    barriers: &[Barrier::block(8)],
    ..REDUCE
};
