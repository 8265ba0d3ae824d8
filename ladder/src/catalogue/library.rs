//! The library's own kernels, at the tops of the ladders.

use super::{About, BlockSizes, Document, Kind};
use warpfold_kernels::contract::BLOCK_THREADS;

pub const OURS: About = About {
    title: "ours",
    document: Document::Library,
    kind: Kind::Reduction,
    idea: "One launch: 16-byte loads into registers, shuffles in a warp, and the last block combines the partials.",
    improvement: Some(
        "Nothing but the input goes through memory, nothing is launched twice, and the bits are the same everywhere.",
    ),
    block_sizes: BlockSizes::Any(BLOCK_THREADS, BLOCK_THREADS),
    family: None,
};

pub const OUR_SCAN: About = About {
    title: "our scan",
    document: Document::Library,
    kind: Kind::Scan,
    idea: "One launch: tiles are scanned in registers and by shuffles, and each looks back at what those before it \
           have published.",
    improvement: Some("Every item is read once and written once, and no launch waits for another."),
    block_sizes: BlockSizes::Any(BLOCK_THREADS, BLOCK_THREADS),
    family: None,
};
