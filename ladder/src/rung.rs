//! The rungs, and their descriptions.

use std::fmt;

use crate::Refusal;
use crate::catalogue::{self, About};

/// A step of the ladder. It comes from a document, or is warpfold's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rung {
    /// Document 1, `reduce0`.
    Halving,
    /// Document 1, `reduce1`.
    GridStride,
    /// Document 1, `reduce2`.
    SharedTree,
    /// Document 1, `reduce3`.
    AnySizeTree,
    /// Document 1, `reduce4`.
    WarpSyncTree,
    /// Document 2, kernel 1.
    DivergentNeighbours,
    /// Document 2, kernel 2.
    PackedNeighbours,
    /// Document 2, kernel 3.
    PackedInterleaved,
    /// Document 3, `getMax_global`.
    GlobalAtomics,
    /// Document 3, `getMax_local` and its variants.
    SharedAtomics,
    /// Document 3, `getMax_binary`.
    AtomicTree,
    /// Document 3, `getMax_binary2`.
    LastWarpUnrolled,
    /// Document 3, `getMax_binary3`.
    ConstantTree,
    /// Document 3, `getMax_binary4`.
    FirstAtLoad,
    /// Document 3, `getMax_binary5`.
    HalfGrid,
    /// Document 3, `getMax_binary6`.
    HalfThreads,
    /// Document 3, `getMax_binary7`.
    ExclusiveCases,
    /// Document 3, `getMax_binary8`.
    WithoutIndices,
    /// Document 4: one thread computes all results.
    SequentialScan,
    /// Document 4: every thread computes one result.
    QuadraticScan,
    /// Document 4: Kogge and Stone's scan, in place.
    KoggeStone,
    /// Document 4: Kogge and Stone's scan, with two buffers.
    DoubleBufferedKoggeStone,
    /// Document 4: Brent and Kung's scan.
    BrentKung,
    /// Document 5, `reduceNeighbored`.
    NeighbouredPair,
    /// Document 5, `reduceNeighboredLess`.
    NeighbouredPacked,
    /// Document 5, `reduceInterleaved`.
    InterleavedPair,
    /// Document 5, `reduceUnrolling2`.
    Unrolled2,
    /// Document 5, `reduceUnrolling4`.
    Unrolled4,
    /// Document 5, `reduceUnrolling8`.
    Unrolled8,
    /// Document 5, `reduceUnrollWarps8`.
    Unrolled8LastWarp,
    /// Document 5, `reduceCompleteUnrollWarps8`.
    Unrolled8Completely,
    /// Document 5, `reduceCompleteUnroll`.
    Unrolled8Constant,
    /// Document 5, `nestedHelloWorld`.
    NestedHello,
    /// Document 5, `gpuRecursiveReduce`.
    RecursiveWaiting,
    /// Document 5, `gpuRecursiveReduceNosync`.
    Recursive,
    /// Document 5, `gpuRecursiveReduce2`.
    RecursiveOneLauncher,
    /// warpfold's own scan, at the top of the ladder of scans.
    OurScan,
    /// warpfold's own reduction, at the top of each ladder of reductions.
    Ours,
}

/// The document that a rung comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Document {
    /// From halving in global memory to a tree that ends in a warp: `reduce0` to `reduce4`.
    First,
    /// From divergent neighbours to packed, interleaved threads.
    Second,
    /// The maximum: from atomics to unrolled trees.
    Third,
    /// Scans: from a sequential loop to Brent and Kung's scan.
    Fourth,
    /// Divergence, unrolling and launches from the device.
    Fifth,
    /// No document: the rungs are warpfold's own.
    Library,
}

/// A rung's task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Combines all items to one.
    Reduction,
    /// For each item, combines all items up to and including it, or all items before it.
    Scan,
    /// Prints.
    Greeting,
}

/// The block sizes that a rung supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockSizes {
    /// Any size from the first to the last.
    Any(u32, u32),
    /// The powers of two from the first to the last.
    PowersOfTwo(u32, u32),
}

impl Rung {
    /// All rungs, document by document, in the order in which they are taught. The last rungs are warpfold's own.
    pub const ALL: &[Self] = &[
        Self::Halving,
        Self::GridStride,
        Self::SharedTree,
        Self::AnySizeTree,
        Self::WarpSyncTree,
        Self::DivergentNeighbours,
        Self::PackedNeighbours,
        Self::PackedInterleaved,
        Self::GlobalAtomics,
        Self::SharedAtomics,
        Self::AtomicTree,
        Self::LastWarpUnrolled,
        Self::ConstantTree,
        Self::FirstAtLoad,
        Self::HalfGrid,
        Self::HalfThreads,
        Self::ExclusiveCases,
        Self::WithoutIndices,
        Self::SequentialScan,
        Self::QuadraticScan,
        Self::KoggeStone,
        Self::DoubleBufferedKoggeStone,
        Self::BrentKung,
        Self::NeighbouredPair,
        Self::NeighbouredPacked,
        Self::InterleavedPair,
        Self::Unrolled2,
        Self::Unrolled4,
        Self::Unrolled8,
        Self::Unrolled8LastWarp,
        Self::Unrolled8Completely,
        Self::Unrolled8Constant,
        Self::NestedHello,
        Self::RecursiveWaiting,
        Self::Recursive,
        Self::RecursiveOneLauncher,
        Self::OurScan,
        Self::Ours,
    ];

    fn about(self) -> &'static About {
        use catalogue::*;
        match self {
            Self::Halving => &document1::HALVING,
            Self::GridStride => &document1::GRID_STRIDE,
            Self::SharedTree => &document1::SHARED_TREE,
            Self::AnySizeTree => &document1::ANY_SIZE_TREE,
            Self::WarpSyncTree => &document1::WARP_SYNC_TREE,
            Self::DivergentNeighbours => &document2::DIVERGENT_NEIGHBOURS,
            Self::PackedNeighbours => &document2::PACKED_NEIGHBOURS,
            Self::PackedInterleaved => &document2::PACKED_INTERLEAVED,
            Self::GlobalAtomics => &document3::GLOBAL_ATOMICS,
            Self::SharedAtomics => &document3::SHARED_ATOMICS,
            Self::AtomicTree => &document3::ATOMIC_TREE,
            Self::LastWarpUnrolled => &document3::LAST_WARP_UNROLLED,
            Self::ConstantTree => &document3::CONSTANT_TREE,
            Self::FirstAtLoad => &document3::FIRST_AT_LOAD,
            Self::HalfGrid => &document3::HALF_GRID,
            Self::HalfThreads => &document3::HALF_THREADS,
            Self::ExclusiveCases => &document3::EXCLUSIVE_CASES,
            Self::WithoutIndices => &document3::WITHOUT_INDICES,
            Self::SequentialScan => &document4::SEQUENTIAL,
            Self::QuadraticScan => &document4::QUADRATIC,
            Self::KoggeStone => &document4::KOGGE_STONE,
            Self::DoubleBufferedKoggeStone => &document4::DOUBLE_BUFFERED_KOGGE_STONE,
            Self::BrentKung => &document4::BRENT_KUNG,
            Self::NeighbouredPair => &document5::NEIGHBOURED_PAIR,
            Self::NeighbouredPacked => &document5::NEIGHBOURED_PACKED,
            Self::InterleavedPair => &document5::INTERLEAVED_PAIR,
            Self::Unrolled2 => &document5::UNROLLED_2,
            Self::Unrolled4 => &document5::UNROLLED_4,
            Self::Unrolled8 => &document5::UNROLLED_8,
            Self::Unrolled8LastWarp => &document5::UNROLLED_8_LAST_WARP,
            Self::Unrolled8Completely => &document5::UNROLLED_8_COMPLETELY,
            Self::Unrolled8Constant => &document5::UNROLLED_8_CONSTANT,
            Self::NestedHello => &document5::NESTED_HELLO,
            Self::RecursiveWaiting => &document5::RECURSIVE_WAITING,
            Self::Recursive => &document5::RECURSIVE,
            Self::RecursiveOneLauncher => &document5::RECURSIVE_ONE_LAUNCHER,
            Self::OurScan => &library::OUR_SCAN,
            Self::Ours => &library::OURS,
        }
    }

    /// The rung's title.
    pub fn title(self) -> &'static str {
        self.about().title
    }

    /// The document that the rung comes from.
    pub fn document(self) -> Document {
        self.about().document
    }

    /// The rung's idea, in a sentence.
    pub fn idea(self) -> &'static str {
        self.about().idea
    }

    /// The rung's improvement on earlier rungs. `None` for the first rung of a document, and for [`Self::NestedHello`].
    pub fn improvement(self) -> Option<&'static str> {
        self.about().improvement
    }

    /// The rung's task.
    pub fn kind(self) -> Kind {
        self.about().kind
    }

    /// The block sizes that the rung supports.
    pub fn block_sizes(self) -> BlockSizes {
        self.about().block_sizes
    }

    /// Checks that the rung has the `wanted` task and supports blocks of this size.
    pub(crate) fn check(self, wanted: Kind, block_size: u32) -> Result<(), Refusal> {
        let allowed = self.block_sizes();
        if self.kind() != wanted {
            Err(Refusal::Kind { rung: self, wanted })
        } else if !allowed.contains(block_size) {
            Err(Refusal::BlockSize {
                rung: self,
                offered: block_size,
                allowed,
            })
        } else {
            Ok(())
        }
    }

    /// The family of the rung's kernels in the tables of the ladder's kernels. warpfold's own rungs and [`Self::NestedHello`] have no
    /// family.
    pub(crate) fn family(self) -> Option<&'static str> {
        self.about().family
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reduction => "reduction",
            Self::Scan => "scan",
            Self::Greeting => "greeting",
        })
    }
}

impl BlockSizes {
    /// Whether the rung supports `block_size`.
    pub fn contains(self, block_size: u32) -> bool {
        match self {
            Self::Any(first, last) => (first..=last).contains(&block_size),
            Self::PowersOfTwo(first, last) => {
                block_size.is_power_of_two() && (first..=last).contains(&block_size)
            }
        }
    }

    /// The block sizes, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        let (Self::Any(first, last) | Self::PowersOfTwo(first, last)) = self;
        (first..=last).filter(move |&block_size| self.contains(block_size))
    }
}

impl fmt::Display for BlockSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any(first, last) if first == last => write!(f, "{first}"),
            Self::Any(first, last) => write!(f, "{first} to {last}"),
            Self::PowersOfTwo(first, last) => write!(f, "powers of two from {first} to {last}"),
        }
    }
}
