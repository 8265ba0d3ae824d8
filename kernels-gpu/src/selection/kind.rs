//! Selections.

use crate::contract::WARP_LANES;
use crate::kind::{Barrier, Definition, Shape, SkeletonsTell, Vectors};
use crate::selection::tuning::{BLOCKS_PER_MULTIPROCESSOR, WARPS};
use crate::selection::BLOCK_THREADS;

/// Threads of two warps: the last warp that shares the tiles, and the warp that looks back.
const TWO_WARPS: u32 = 2 * WARP_LANES;

/// The barriers. `sends` statements of the source code send to the warp that looks back: one sends the end number of the tiles, and the
/// others send a tile's number. If look-backs may begin later, three statements send a tile's number, otherwise one.
const fn barriers(sends: usize) -> [Barrier; 7] {
    [
        // The block's barrier after the first ticket; the sharing warps' barrier for their counts.
        Barrier::block(1),
        Barrier::sync(Some(1), WARPS * WARP_LANES, 1),
        Barrier::arrive(None, TWO_WARPS, sends),
        // The warp that looks back waits for the first tile before its loop, and for each other tile in the loop.
        Barrier::sync(Some(2), TWO_WARPS, 1),
        Barrier::sync(None, TWO_WARPS, 1),
        // One statement of the source code sends a prefix, and one statement waits for a prefix.
        Barrier::arrive(None, BLOCK_THREADS, 1),
        Barrier::sync(None, BLOCK_THREADS, 1),
    ]
}

pub const IF: Definition = Definition {
    prefix: "select_if_",
    skeleton: "selection_if",
    skeletons_tell: SkeletonsTell::Nothing,
    shape: Shape::Selection,
    threads: BLOCK_THREADS,
    blocks: BLOCKS_PER_MULTIPROCESSOR,
    other_barriers: &[],
    barriers: &barriers(4),
    vectors: Vectors::Any,
};

pub const FLAGGED: Definition = Definition {
    prefix: "select_flagged_",
    skeleton: "selection_flagged",
    ..IF
};

pub const RUNS: Definition = Definition {
    prefix: "runs_",
    skeleton: "selection_runs",
    // The look-backs of runs begin at once.
    barriers: &barriers(2),
    ..IF
};
