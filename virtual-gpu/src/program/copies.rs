//! Operands of asynchronous copies, and of the mbarriers that they report to.

use super::{Address, Pred, Reg};

/// The kind of copies that a wait is for. Plain copies and bulk copies have separate groups.
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
    /// Bytes that are read, if not all; the rest are zeros.
    pub read: Option<Reg>,
    /// The mbarrier that the copy reports to when its bytes have landed. Such a copy has no group.
    pub mbarrier: Option<Address>,
    /// Scratch registers: two addresses, two parts of the data, one byte.
    pub scratch: [Reg; 5],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MbarrierKind {
    Init,
    Invalidate,
    Arrive,
    ArriveAndDrop,
    /// Awaits more bytes, and arrives once.
    ExpectAndArrive,
    Expect,
    /// This number of awaited bytes has arrived.
    Complete,
    /// Whether the phase of a state is complete.
    TestState,
    /// Whether the phase of a parity is complete.
    TestParity,
}

/// Whether an arrival may complete its phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    MayEnd,
    /// The arrival does not complete it: `.noComplete`.
    GoesOn,
}

/// An operation on an mbarrier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mbarrier {
    pub kind: MbarrierKind,
    pub phase: Phase,
    pub address: Address,
    /// A count, bytes, a state or a parity.
    pub operand: Reg,
    /// The state before the operation.
    pub d: Option<Reg>,
    /// The outcome of a test.
    pub p: Option<Pred>,
}
