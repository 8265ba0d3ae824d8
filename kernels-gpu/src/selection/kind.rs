//! Selections.

use crate::contract::WARP_LANES;
use crate::kind::{Barrier, Definition, Shape, SkeletonsTell, Vectors};
use crate::selection::tuning::{BLOCKS_PER_MULTIPROCESSOR, WARPS};
use crate::selection::BLOCK_THREADS;

/// Threads of two warps: the last warp that shares the tiles, and the warp that looks back.
const TWO_WARPS: u32 = 2 * WARP_LANES;

/// The barriers. In its loop, the warp that looks back waits for a tile in `waits` statements of the source code: one after a look-back and,
/// if look-backs may begin one turn later, one before a look-back.
const fn barriers(waits: usize) -> [Barrier; 7] {
    [
        // The block's barrier after the first ticket; the sharing warps' barrier for their counts.
        Barrier::block(1),
        Barrier::sync(Some(1), WARPS * WARP_LANES, 1),
        // Two statements of the source code send to the warp that looks back: one sends the number of a tile, and the other sends the end
        // number of the tiles. The warp that looks back waits for the first tile before its loop.
        Barrier::arrive(None, TWO_WARPS, 2),
        Barrier::sync(Some(2), TWO_WARPS, 1),
        Barrier::sync(None, TWO_WARPS, waits),
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
    barriers: &barriers(2),
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
    barriers: &barriers(1),
    ..IF
};
