//! Scans of whole arrays.

use crate::contract::{ScanShape, SCAN_LONG, SCAN_SHORT, WARP_LANES};
use crate::kind::{Barrier, Definition, Shape, SkeletonsTell, Vectors};
use crate::launch::{scan_block_threads, SCAN_MAX_BLOCK_THREADS};
use crate::scan::tuning::BLOCKS_PER_MULTIPROCESSOR;

/// Threads of the warps that share a tile.
const fn sharing(shape: ScanShape) -> u32 {
    shape.warps * WARP_LANES
}

/// Threads of two warps: the last warp that scans, and the warp that looks back.
const TWO_WARPS: u32 = 2 * WARP_LANES;

/// The barriers of a kernel whose long scans have tiles of this shape. The list has the barriers of the kernel's code for short scans and
/// of its code for long scans.
const fn barriers(long: ScanShape) -> [Barrier; 11] {
    [
        // First the barrier of the whole block, after the first ticket. Then the barrier of the warps that scan, after they have written
        // their totals.
        Barrier::block(2),
        Barrier::sync(Some(1), sharing(SCAN_SHORT), 1),
        Barrier::sync(Some(1), sharing(long), 1),
        // The barriers by which tiles are sent to the warp that looks back. After the last tile, `tiles.end` is sent in the same way. The
        // warp that looks back waits for a tile once before its loop. In the loop, the wait for the next tile comes after the look-back or,
        // for some tiles of long scans, before the look-back.
        Barrier::arrive(Some(2), TWO_WARPS, 2),
        Barrier::arrive(None, TWO_WARPS, 4),
        Barrier::sync(Some(2), TWO_WARPS, 2),
        Barrier::sync(None, TWO_WARPS, 3),
        // The barriers by which prefixes are sent to the warps that scan.
        Barrier::arrive(None, scan_block_threads(SCAN_SHORT), 1),
        Barrier::sync(None, scan_block_threads(SCAN_SHORT), 1),
        Barrier::arrive(None, scan_block_threads(long), 1),
        Barrier::sync(None, scan_block_threads(long), 1),
    ]
}

pub const INCLUSIVE: Definition = Definition {
    prefix: "inclusive_scan_",
    skeleton: "scan",
    skeletons_tell: SkeletonsTell::Exactness,
    shape: Shape::Array,
    threads: SCAN_MAX_BLOCK_THREADS,
    blocks: BLOCKS_PER_MULTIPROCESSOR,
    barriers: &barriers(SCAN_LONG),
    other_barriers: &[&barriers(SCAN_SHORT)],
    vectors: Vectors::ShortAndLongTile,
};

pub const EXCLUSIVE: Definition = Definition {
    prefix: "exclusive_scan_",
    ..INCLUSIVE
};
