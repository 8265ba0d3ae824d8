//! Document 2: from divergent neighbours to packed, interleaved threads; the host combines the blocks' results.

use super::{About, BlockSizes, Document, Kind};

pub const DIVERGENT_NEIGHBOURS: About = About {
    title: "kernel 1: neighbours",
    document: Document::Second,
    kind: Kind::Reduction,
    idea: "Every thread has two items; at each level those whose index divides by the stride combine neighbours, in place.",
    improvement: None,
    block_sizes: BlockSizes::Any(1, 1024),
    family: Some("divergent_neighbours"),
};

pub const PACKED_NEIGHBOURS: About = About {
    title: "kernel 2: neighbours, packed threads",
    document: Document::Second,
    kind: Kind::Reduction,
    idea: "The same items are combined, by threads at the front of the block.",
    improvement: Some(
        "Whole warps work or do not: a warp diverges only when fewer threads than it has are left.",
    ),
    block_sizes: BlockSizes::Any(1, 1024),
    family: Some("packed_neighbours"),
};

pub const PACKED_INTERLEAVED: About = About {
    title: "kernel 3: interleaved, packed threads",
    document: Document::Second,
    kind: Kind::Reduction,
    idea: "Threads at the front combine the upper half of what is left with the lower.",
    improvement: Some("A warp's accesses are contiguous at every level."),
    block_sizes: BlockSizes::Any(1, 1024),
    family: Some("packed_interleaved"),
};
