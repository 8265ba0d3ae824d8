//! Operands of instructions that threads execute together: shuffles, votes, warp reductions, and barriers of a block.

use super::{Pred, PredSource, Reg};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Shuffle {
    pub mode: ShuffleMode,
    pub d: Reg,
    pub in_range: Option<Pred>,
    pub a: Reg,
    pub b: Reg,
    pub c: Reg,
    pub members: Reg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VoteMode {
    All,
    Any,
    Uniform,
}

/// How a warp reduction combines two values.
pub(crate) type Combine = fn(u64, u64) -> u64;

/// What a thread does at a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    /// Wait.
    Sync,
    /// Do not wait.
    Arrive,
    /// Wait, and get the number of true predicates.
    Count(Reg),
    /// Wait, and get whether all predicates were true.
    All(Pred),
    /// Wait, and get whether any predicate was true.
    Any(Pred),
}

/// Whether all threads of a warp must carry out a barrier together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alignment {
    Aligned,
    Independent,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Barrier {
    pub kind: BarrierKind,
    pub alignment: Alignment,
    pub number: Reg,
    pub threads: Option<Reg>,
    pub predicate: PredSource,
}
