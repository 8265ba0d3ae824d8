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
    // Two barriers in `begin`: after the ticket and after the borders. One in `write_windows`: after the windows. Six for each work: after
    // its items and starts, its short chunks, its slots, its leaves and its nodes, and at its end. One in the launch with the last tag:
    // before a block departs.
    barriers: &[Barrier::block(10)],
    // If the operator streams rows, four more than in `barriers`. Two in `stream_rows`: after the values of pieces, and at the function's
    // end. Two if single warps combine whole chunks: after the ticket, and before a block departs. If warps have rings, five more than
    // in `barriers`: after the values of the chunks of whole rows, two in `reduce_long_chunks`, and two in `reduce_dense_span`.
    other_barriers: &[&[Barrier::block(14)], &[Barrier::block(15)]],
    vectors: Vectors::Any,
};

pub const SCAN: Definition = Definition {
    prefix: "segmented_scan_",
    skeleton: "segmented_scan",
    // Six barriers more than `REDUCE` has. Five in `place`: one each after the tail's value, the tail's prefix, the nodes' prefixes, the
    // leaves' prefixes and the results. One in `place_short`: after the results of a tail.
    barriers: &[Barrier::block(16)],
    other_barriers: &[],
    ..REDUCE
};

pub const BY_KEY_REDUCE: Definition = Definition {
    prefix: "by_key_reduce_",
    skeleton: "by_key_reduce",
    // Two barriers in `begin_at_heads`: after the ticket, and after the header, the words and the items. Two in `see_keys`: after the bits,
    // and after the look back. One in `reduce_at_heads`: after the leaves. One in the launch with the last tag: before a block departs.
    barriers: &[Barrier::block(6)],
    other_barriers: &[],
    ..REDUCE
};

pub const BY_KEY_SCAN: Definition = Definition {
    prefix: "by_key_scan_",
    skeleton: "by_key_scan",
    // Two barriers in `begin_at_heads`: after the ticket, and after the header, the words and the items. Two in `see_keys`: after the bits,
    // and after the look back. Four in `scan_runs`: one each after the leaves, the nodes' prefixes, the leaves' prefixes and the results. One
    // in the launch with the last tag: before a block departs.
    barriers: &[Barrier::block(9)],
    // If the scan may go by sixteens, five others take the place of the four in `scan_runs`. Two in `scan_narrow_runs`: after the leaves, and
    // after the prefixes. One for the works that are scanned by leaves: after the results. Two for the works that are scanned by sixteens:
    // in the first turn, and after the results.
    other_barriers: &[&[Barrier::block(10)]],
    ..SCAN
};
