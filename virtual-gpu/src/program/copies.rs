//! Operands of asynchronous copies, and of operations on mbarriers.

use super::{Address, Pred, Reg};

/// The kind of a copy. Plain and bulk copies belong to separate groups, so an instruction that commits a group or waits for groups also has
/// a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitFor {
    Plain,
    Bulk,
}

/// An asynchronous copy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CopyAsync {
    pub kind: WaitFor,
    pub to: Address,
    pub from: Address,
    pub bytes: Reg,
    /// The number of bytes that are read from the source, if not all. Zeros are written in place of the other bytes.
    pub read: Option<Reg>,
    /// The mbarrier that the copy reports to when its bytes have landed. A copy with an mbarrier has no group.
    pub mbarrier: Option<Address>,
    /// Scratch registers: for the source address, the target address, the low half of the data, the high half, and one byte.
    pub scratch: [Reg; 5],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MbarrierKind {
    Init,
    Invalidate,
    Arrive,
    ArriveAndDrop,
    /// Raises the number of awaited bytes, and arrives once.
    ExpectAndArrive,
    Expect,
    /// Lowers the number of awaited bytes.
    Complete,
    /// Tests whether a phase is complete: the phase to which the given state belongs.
    TestState,
    /// Tests whether the phase with the given parity is complete.
    TestParity,
}

/// Whether an arrival may complete its phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    MayEnd,
    /// `.noComplete`: the arrival must not complete the phase.
    GoesOn,
}

/// An operation on an mbarrier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mbarrier {
    pub kind: MbarrierKind,
    pub phase: Phase,
    pub address: Address,
    /// A count of arrivals, a number of bytes, a state or a parity: the kind of operation decides which.
    pub operand: Reg,
    /// The state before the operation.
    pub d: Option<Reg>,
    /// The outcome of a test.
    pub p: Option<Pred>,
}
