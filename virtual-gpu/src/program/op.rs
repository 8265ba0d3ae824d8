//! The operation of an instruction.

use super::{
    AddressSpace, Atomic, Barrier, Combine, CopyAsync, Exchange, LaunchGrid, Logic, Map1, Map2,
    Map3, Map4, MapPair, Mbarrier, Order, ParameterBuffer, Pred, PredSource, Print, Reg, Relate,
    Scope, Shuffle, Special, Transfer, VoteMode, WaitFor,
};

/// The operation of an instruction.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Map1 {
        f: Map1,
        d: Reg,
        a: Reg,
    },
    Map2 {
        f: Map2,
        d: Reg,
        s: [Reg; 2],
    },
    Map3 {
        f: Map3,
        d: Reg,
        s: [Reg; 3],
    },
    Map4 {
        f: Map4,
        d: Reg,
        s: [Reg; 4],
    },
    MapPair {
        f: MapPair,
        d: [Reg; 2],
        s: [Reg; 4],
    },
    /// If `with` is `None`: `d = f(s)` and `inverse = !f(s)`. If `with` is a function `g` and a predicate `p`: `d = g(f(s), p)` and
    /// `inverse = g(!f(s), p)`.
    Compare {
        f: Relate,
        s: [Reg; 2],
        d: Option<Pred>,
        inverse: Option<Pred>,
        with: Option<(Logic, PredSource)>,
    },
    Logic {
        f: Logic,
        d: Pred,
        a: PredSource,
        b: PredSource,
    },
    Select {
        d: Reg,
        a: Reg,
        b: Reg,
        p: PredSource,
    },
    Pack {
        d: Reg,
        parts: [Reg; 4],
        count: u32,
        part_bits: u32,
    },
    Unpack {
        d: [Option<Reg>; 4],
        a: Reg,
        part_bits: u32,
    },
    Special {
        d: Reg,
        which: Special,
    },
    Load(Transfer),
    Store(Transfer),
    Atomic(Atomic),
    Exchange(Exchange),
    CopyAsync(CopyAsync),
    /// Makes one group of the copies of this kind that a thread has begun since its last group.
    CopyCommit(WaitFor),
    /// Waits for all groups of this kind except the latest `but` groups. If `but` is `None`, waits for all copies of this kind that report
    /// to no mbarrier.
    CopyWait {
        kind: WaitFor,
        but: Option<u32>,
    },
    Mbarrier(Mbarrier),
    /// Reports to an mbarrier when the thread's earlier plain copies have landed.
    CopyReport(Mbarrier),
    Fence {
        scope: Scope,
        order: Order,
    },
    /// An instruction without effect on the virtual device, such as a prefetch or a hint.
    Nothing,
    /// Whether a generic address lies in a space.
    IsSpace {
        d: Pred,
        a: Reg,
        space: AddressSpace,
    },
    Branch {
        target: u32,
    },
    Switch {
        index: Reg,
        targets: Box<[u32]>,
    },
    Exit,
    Trap,
    Print(Print),
    ParameterBuffer(ParameterBuffer),
    LaunchGrid(LaunchGrid),
    /// A failed assertion, with the generic addresses of its texts.
    AssertFails {
        message: Reg,
        file: Reg,
        line: Reg,
        function: Reg,
    },
    /// `nanosleep`: the lanes that execute it pause, so that other lanes of the warp can run first.
    Yield,
    ActiveMask {
        d: Reg,
    },
    Shuffle(Shuffle),
    Vote {
        mode: VoteMode,
        d: Pred,
        p: PredSource,
        members: Reg,
    },
    Ballot {
        d: Reg,
        p: PredSource,
        members: Reg,
    },
    MatchAny {
        d: Reg,
        a: Reg,
        members: Reg,
    },
    MatchAll {
        d: Reg,
        p: Option<Pred>,
        a: Reg,
        members: Reg,
    },
    Reduce {
        f: Combine,
        d: Reg,
        a: Reg,
        members: Reg,
    },
    Elect {
        d: Option<Reg>,
        p: Pred,
        members: Reg,
    },
    WarpBarrier {
        members: Reg,
    },
    Barrier(Barrier),
    /// `griddepcontrol.wait`: waits for the preceding launches.
    AwaitLaunches,
}
