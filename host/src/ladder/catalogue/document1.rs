//! Document 1: `reduce0` to `reduce4`.

use super::{About, BlockSizes, Document, Kind};

pub const HALVING: About = About {
    title: "halving in global memory",
    document: Document::First,
    kind: Kind::Reduction,
    idea: "Each launch combines the upper half of the items with the lower, in place, until one is left.",
    improvement: None,
    block_sizes: BlockSizes::Any(1, 1024),
    family: Some("halving"),
};
