//! Document 5: divergence, unrolling, and launches from the device.

use super::{About, BlockSizes, Document, Kind};

pub const NEIGHBOURED_PAIR: About = About {
    title: "neighboured pair",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "Every thread has an item; at each level those whose index divides by twice the stride combine neighbours, in place.",
    improvement: None,
    block_sizes: BlockSizes::PowersOfTwo(1, 1024),
    family: Some("neighboured_pair"),
};

pub const NEIGHBOURED_PACKED: About = About {
    title: "neighboured pair, less divergence",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "The same items are combined, by threads at the front of the block.",
    improvement: Some("A warp diverges in the last five levels only."),
    block_sizes: BlockSizes::PowersOfTwo(1, 1024),
    family: Some("neighboured_packed"),
};

pub const INTERLEAVED_PAIR: About = About {
    title: "interleaved pair",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "The upper half of the block's items is combined with the lower.",
    improvement: Some("A warp's accesses are contiguous at every level."),
    block_sizes: BlockSizes::PowersOfTwo(1, 1024),
    family: Some("interleaved_pair"),
};

pub const UNROLLED_2: About = About {
    title: "two blocks unrolled",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "A thread combines the items of two blocks before the block halves them.",
    improvement: Some(
        "Half as many blocks, no thread idle at the first level, and two loads on their way at once.",
    ),
    block_sizes: BlockSizes::PowersOfTwo(1, 1024),
    family: Some("unrolled_2"),
};

pub const UNROLLED_4: About = About {
    title: "four blocks unrolled",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "The same with four.",
    improvement: Some("Four loads on their way at once."),
    block_sizes: BlockSizes::PowersOfTwo(1, 1024),
    family: Some("unrolled_4"),
};

pub const UNROLLED_8: About = About {
    title: "eight blocks unrolled",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "The same with eight.",
    improvement: Some("Eight loads on their way at once."),
    block_sizes: BlockSizes::PowersOfTwo(1, 1024),
    family: Some("unrolled_8"),
};

pub const UNROLLED_8_LAST_WARP: About = About {
    title: "eight blocks, last warp unrolled",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "The last 64 items of a block are combined by one warp, without barriers of the block.",
    improvement: Some("Six barriers fewer, and no loop where least is left to do."),
    block_sizes: BlockSizes::PowersOfTwo(64, 1024),
    family: Some("unrolled_8_last_warp"),
};

pub const UNROLLED_8_COMPLETELY: About = About {
    title: "eight blocks, completely unrolled",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "A block has at most 1024 threads, so the levels can be written out, each tested for.",
    improvement: Some("No loop, though each level asks for the block size."),
    block_sizes: BlockSizes::PowersOfTwo(64, 1024),
    family: Some("unrolled_8_completely"),
};

pub const UNROLLED_8_CONSTANT: About = About {
    title: "eight blocks, unrolled by a constant",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "The block size is a constant of the kernel.",
    improvement: Some("No level is asked for: what does not apply is not in the code."),
    block_sizes: BlockSizes::PowersOfTwo(64, 1024),
    family: Some("unrolled_8_constant"),
};

pub const NESTED_HELLO: About = About {
    title: "nested hello",
    document: Document::Fifth,
    kind: Kind::Greeting,
    idea: "Each thread prints a line, and the first of each block launches half as many threads, down to one.",
    improvement: None,
    block_sizes: BlockSizes::Any(1, 1024),
    family: None,
};

pub const RECURSIVE_WAITING: About = About {
    title: "recursion that waits",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "Each block halves its items once, and launches the rest as a block of half the threads, when the grid has ended.",
    improvement: Some(
        "Nothing: it shows recursion, at the price of a launch for each level of each block.",
    ),
    block_sizes: BlockSizes::PowersOfTwo(2, 1024),
    family: Some("recursive_waiting"),
};

pub const RECURSIVE: About = About {
    title: "recursion without waiting",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "The same, and what is launched begins when it can.",
    improvement: Some("No level waits for the same level of other blocks."),
    block_sizes: BlockSizes::PowersOfTwo(2, 1024),
    family: Some("recursive"),
};

pub const RECURSIVE_ONE_LAUNCHER: About = About {
    title: "recursion by one launcher",
    document: Document::Fifth,
    kind: Kind::Reduction,
    idea: "One thread of the grid launches the next level for all blocks.",
    improvement: Some(
        "As many launches as levels, instead of as many for each block; and no thread is idle.",
    ),
    block_sizes: BlockSizes::PowersOfTwo(2, 1024),
    family: Some("recursive_one_launcher"),
};
