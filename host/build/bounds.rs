//! The launch bounds of the library's kernels: what the driver's compiler is told of an entry's launches.
//!
//! Without them it may give a scan's threads more registers than a block of 544 can have, and the kernel does not launch.

use warpfold_kernels::contract::BLOCK_THREADS;
use warpfold_kernels::launch::{self, reduce_blocks_per_multiprocessor as blocks};
use warpfold_kernels::op::*;
use warpfold_kernels::{bf16, columns, f16, selection, tuning};

use crate::finish::Contents;

/// What a text of the library holds: all entries, and nothing else.
pub const LIBRARY: Contents = Contents {
    has: |_| true,
    has_declarations: false,
    bounds: of,
};

/// What the name of a selection begins with.
pub const SELECTIONS: [&str; 3] = ["select_if_", "select_flagged_", "runs_"];

/// The bounds of a kernel: the most threads of a block, and how many blocks are to share a multiprocessor.
pub fn of(entry: &str) -> String {
    let (threads, blocks) = match reduction_blocks(entry) {
        Some(blocks) => (BLOCK_THREADS, blocks),
        None if entry.starts_with("segmented_") => (
            tuning::segments::SHORT_BLOCK_THREADS,
            tuning::segments::BLOCKS_PER_MULTIPROCESSOR,
        ),
        None if entry.starts_with("columns_") => (
            columns::BLOCK_THREADS,
            tuning::columns::BLOCKS_PER_MULTIPROCESSOR,
        ),
        None if SELECTIONS.iter().any(|begin| entry.starts_with(begin)) => (
            selection::BLOCK_THREADS,
            tuning::selection::BLOCKS_PER_MULTIPROCESSOR,
        ),
        None => (
            launch::SCAN_MAX_BLOCK_THREADS,
            tuning::scan::BLOCKS_PER_MULTIPROCESSOR,
        ),
    };
    format!(".maxntid {threads}, 1, 1\n.minnctapersm {blocks}\n")
}

/// How many blocks of a reduction are to share a multiprocessor; nothing for a scan.
fn reduction_blocks(entry: &str) -> Option<u32> {
    macro_rules! rows {
        ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
            match entry {
                $(stringify!($symbol) => rows!(@ $kind $op $t),)*
                _ => None,
            }
        };
        (@ reduce $op:ident $t:ident) => { Some(blocks::<$op, $t>()) };
        (@ reduce_pairs $op:ident $t:ident) => { Some(blocks::<$op, Pair<$t, $t>>()) };
        (@ $scan:ident $op:ident $t:ident) => { None };
    }
    warpfold_kernels::for_each_kernel!(rows)
        .or_else(|| warpfold_kernels::for_each_pair_kernel!(rows))
}
