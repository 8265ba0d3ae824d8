//! Document 4: scans.

use super::{About, BlockSizes, Document, Kind};

pub const SEQUENTIAL: About = About {
    title: "sequential",
    document: Document::Fourth,
    kind: Kind::Scan,
    idea: "One thread adds item after item to a total and writes it down: n − 1 additions.",
    improvement: None,
    block_sizes: BlockSizes::Any(1, 1),
    family: Some("sequential"),
};

pub const QUADRATIC: About = About {
    title: "every item anew",
    document: Document::Fourth,
    kind: Kind::Scan,
    idea: "Each thread adds up all that belongs to its item: n (n − 1) / 2 additions.",
    improvement: Some("All items at once, in one pass; but with n / 2 times the work."),
    block_sizes: BlockSizes::Any(1, 1024),
    family: Some("quadratic"),
};

pub const KOGGE_STONE: About = About {
    title: "Kogge-Stone",
    document: Document::Fourth,
    kind: Kind::Scan,
    idea: "In each pass every item takes in what stands a stride before it, and the stride doubles.",
    improvement: Some(
        "Partial sums are used again: n log n − (n − 1) additions in log n passes, each between two barriers.",
    ),
    block_sizes: BlockSizes::Any(2, 1024),
    family: Some("kogge_stone"),
};

pub const DOUBLE_BUFFERED_KOGGE_STONE: About = About {
    title: "Kogge-Stone, double-buffered",
    document: Document::Fourth,
    kind: Kind::Scan,
    idea: "Kogge-Stone from one buffer into another; the two change places after each pass.",
    improvement: Some("One barrier a pass, for twice the shared memory."),
    block_sizes: BlockSizes::Any(2, 1024),
    family: Some("double_buffered_kogge_stone"),
};

pub const BRENT_KUNG: About = About {
    title: "Brent-Kung",
    document: Document::Fourth,
    kind: Kind::Scan,
    idea: "A tree of partial sums up to the root, then down again to fill the places between them.",
    improvement: Some(
        "Half the threads, and 2 (n − 1) − log n additions in place of n log n − (n − 1); but nearly twice the passes, \
         with bank conflicts.",
    ),
    block_sizes: BlockSizes::Any(1, 1024),
    family: Some("brent_kung"),
};
