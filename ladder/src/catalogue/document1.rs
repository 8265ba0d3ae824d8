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

pub const GRID_STRIDE: About = About {
    title: "grid-stride folds",
    document: Document::First,
    kind: Kind::Reduction,
    idea: "Each thread folds the items a grid apart; a block does the same with the threads' results, and a thread with the block's.",
    improvement: Some("Three launches for any number of items, and every item is read once."),
    block_sizes: BlockSizes::Any(1, 1024),
    family: Some("grid_stride"),
};

pub const SHARED_TREE: About = About {
    title: "tree in shared memory",
    document: Document::First,
    kind: Kind::Reduction,
    idea: "Threads fold items a grid apart; each block combines its folds by halving in shared memory, and a second launch the blocks.",
    improvement: Some(
        "What a block combines stays on its multiprocessor, and no thread is left to loop alone.",
    ),
    block_sizes: BlockSizes::PowersOfTwo(1, 1024),
    family: Some("power_of_two_tree"),
};

pub const ANY_SIZE_TREE: About = About {
    title: "tree for any block size",
    document: Document::First,
    kind: Kind::Reduction,
    idea: "The same, with strides from the next power of two, and partners that do not exist left out.",
    improvement: Some(
        "Blocks may have any size, so the grid may fit the multiprocessors; hardly faster.",
    ),
    block_sizes: BlockSizes::Any(1, 1024),
    family: Some("any_size_tree"),
};

pub const WARP_SYNC_TREE: About = About {
    title: "tree that ends in a warp",
    document: Document::First,
    kind: Kind::Reduction,
    idea: "The levels are written out, and the last five need one warp and its cheaper barriers.",
    improvement: Some("Fewer barriers of the whole block, and no loop."),
    block_sizes: BlockSizes::Any(256, 512),
    family: Some("warp_sync_tree"),
};
