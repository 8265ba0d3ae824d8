//! Document 3: the maximum, from atomic operations to unrolled trees.

use super::{About, BlockSizes, Document, Kind};

pub const GLOBAL_ATOMICS: About = About {
    title: "atomics on one word",
    document: Document::Third,
    kind: Kind::Reduction,
    idea: "Every thread applies its item to one word of global memory, atomically.",
    improvement: None,
    block_sizes: BlockSizes::Any(1, 1024),
    family: Some("global_atomics"),
};

pub const SHARED_ATOMICS: About = About {
    title: "atomics on a word for each block",
    document: Document::Third,
    kind: Kind::Reduction,
    idea: "Every thread applies its item to a word of its block's shared memory, and one thread that to the result.",
    improvement: Some(
        "The word that all blocks wait for is touched once a block instead of once an item.",
    ),
    block_sizes: BlockSizes::Any(1, 1024),
    family: Some("shared_atomics"),
};

pub const ATOMIC_TREE: About = About {
    title: "tree, then an atomic",
    document: Document::Third,
    kind: Kind::Reduction,
    idea: "Each block halves its items in shared memory, and applies its result atomically.",
    improvement: Some("Threads work side by side instead of one after the other on a word."),
    block_sizes: BlockSizes::PowersOfTwo(1, 1024),
    family: Some("atomic_tree"),
};

pub const LAST_WARP_UNROLLED: About = About {
    title: "last warp unrolled",
    document: Document::Third,
    kind: Kind::Reduction,
    idea: "The last 64 items of a block are combined by one warp, without barriers of the block.",
    improvement: Some("Six barriers fewer, and no loop where least is left to do."),
    block_sizes: BlockSizes::PowersOfTwo(64, 1024),
    family: Some("last_warp_unrolled"),
};

pub const CONSTANT_TREE: About = About {
    title: "unrolled by a constant",
    document: Document::Third,
    kind: Kind::Reduction,
    idea: "The block size is a constant of the kernel, so all levels are written out and none is tested for.",
    improvement: Some("No loop at all."),
    block_sizes: BlockSizes::PowersOfTwo(64, 1024),
    family: Some("constant_tree"),
};

pub const FIRST_AT_LOAD: About = About {
    title: "first operation at the load",
    document: Document::Third,
    kind: Kind::Reduction,
    idea: "A thread combines two items a block apart while it loads them.",
    improvement: Some(
        "No thread is idle from the first level on, and there are half as many blocks.",
    ),
    block_sizes: BlockSizes::PowersOfTwo(64, 1024),
    family: Some("first_at_load"),
};

pub const HALF_GRID: About = About {
    title: "half the grid",
    document: Document::Third,
    kind: Kind::Reduction,
    idea: "A thread combines two items half the array apart; there are half as many blocks.",
    improvement: Some(
        "The same work with other addresses: the pair may as well come from far away.",
    ),
    block_sizes: BlockSizes::PowersOfTwo(64, 1024),
    family: Some("distant_pairs"),
};

pub const HALF_THREADS: About = About {
    title: "half the threads",
    document: Document::Third,
    kind: Kind::Reduction,
    idea: "The same kernel with blocks of half the size.",
    improvement: Some("As many blocks as items need, each with one level less."),
    block_sizes: BlockSizes::PowersOfTwo(128, 1024),
    family: Some("distant_pairs"),
};

pub const EXCLUSIVE_CASES: About = About {
    title: "exclusive cases",
    document: Document::Third,
    kind: Kind::Reduction,
    idea: "Of the cases by block size one applies, and has all of its levels in it.",
    improvement: Some(
        "Nothing: the block size is a constant, and the compiler has left the others out before.",
    ),
    block_sizes: BlockSizes::PowersOfTwo(128, 1024),
    family: Some("exclusive_cases"),
};

pub const WITHOUT_INDICES: About = About {
    title: "without index variables",
    document: Document::Third,
    kind: Kind::Reduction,
    idea: "No index is kept in a variable.",
    improvement: Some("Nothing: the compiler computes it once, whatever the source says."),
    block_sizes: BlockSizes::PowersOfTwo(128, 1024),
    family: Some("without_indices"),
};
