//! A kernel ready to run: what `lower` makes and `exec` carries out.
//!
//! Every operand is resolved. A register is a row of 32 slots, one a lane; an immediate is a row
//! too, filled once and never written, so an instruction does not care which of the two it reads.
//! A predicate is a mask of lanes. What an arithmetic instruction computes is a function pointer
//! to a loop over a row; adding one means adding a line to a table in `lower`.
//!
//! Calls do not appear: `lower` writes the body of a called function in its place.

use crate::counters::Class;
use crate::exec::Registers;
use crate::module::Parameter;

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;
/// All lanes.
pub(crate) const ALL_LANES: u32 = u32::MAX;

/// One value a lane.
pub(crate) type Row = [u64; LANES];

/// A row: a register, or a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reg(pub(crate) u32);

/// Marks a [`Reg`] that is a constant.
pub(crate) const CONSTANT: u32 = 1 << 31;

/// A predicate, by number. Number 0 is always true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pred(pub(crate) u32);

/// A predicate as an operand: with `flip` of all ones it counts negated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PredSource {
    pub pred: Pred,
    pub flip: u32,
}

impl PredSource {
    /// Always true.
    pub(crate) const TRUE: Self = Self {
        pred: Pred(0),
        flip: 0,
    };
    /// Always false.
    pub(crate) const FALSE: Self = Self {
        pred: Pred(0),
        flip: u32::MAX,
    };
}

pub(crate) type Map1 = fn(&mut Registers, Reg, Reg, u32);
pub(crate) type Map2 = fn(&mut Registers, Reg, [Reg; 2], u32);
pub(crate) type Map3 = fn(&mut Registers, Reg, [Reg; 3], u32);
pub(crate) type Map4 = fn(&mut Registers, Reg, [Reg; 4], u32);
/// Two results: the second is the one that carries on to the next instruction of a chain.
pub(crate) type MapPair = fn(&mut Registers, [Reg; 2], [Reg; 4], u32);
/// Which lanes satisfy a relation.
pub(crate) type Relate = fn(&Registers, [Reg; 2]) -> u32;
/// Two predicates to one, lane by lane.
pub(crate) type Logic = fn(u32, u32) -> u32;
/// Old value and two operands to the new value of an atomic operation.
pub(crate) type Modify = fn(u64, u64, u64) -> u64;

/// A memory space as the instruction names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressSpace {
    Generic,
    Global,
    Shared,
    Local,
    /// Parameters of a call, kept with local memory.
    CallParam,
    /// Parameters of the kernel.
    KernelParam,
}

/// How strongly an access is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strength {
    Weak,
    Volatile,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
}

/// Among which threads an order holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Block,
    Device,
    System,
}

/// Where an access goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    pub space: AddressSpace,
    pub base: Option<Reg>,
    pub offset: i64,
    pub strength: Strength,
    pub scope: Scope,
}

/// How a loaded value fills its register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extend {
    Zero,
    /// With the sign of the value's width, cut to so many bits.
    SignTo(u32),
}

/// A load or a store of `count` elements of `width` bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transfer {
    pub address: Address,
    pub width: u32,
    pub count: u32,
    pub extend: Extend,
    pub data: [Reg; 4],
}

/// What a wait waits for: plain copies and bulk copies have groups of their own.
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
    /// What is told when the bytes have landed, instead of a group.
    pub mbarrier: Option<Address>,
    /// Registers to do it with: two addresses, two parts of the data, one byte.
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
    /// So many of the awaited bytes are there.
    Complete,
    /// Whether the phase of a state is complete.
    TestState,
    /// Whether the phase of a parity is complete.
    TestParity,
}

/// An operation on an mbarrier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mbarrier {
    pub kind: MbarrierKind,
    pub address: Address,
    /// A count, bytes, a state or a parity.
    pub operand: Reg,
    /// The state before the operation.
    pub d: Option<Reg>,
    /// The outcome of a test.
    pub p: Option<Pred>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Atomic {
    pub address: Address,
    pub width: u32,
    /// On global memory.
    pub modify: Modify,
    /// On the other spaces.
    pub modify_shared: Modify,
    /// Absent for `red`.
    pub d: Option<Reg>,
    pub b: Reg,
    pub c: Reg,
}

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

/// How a warp reduction combines.
pub(crate) type Combine = fn(u64, u64) -> u64;

/// What happens when a barrier is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    /// Wait.
    Sync,
    /// Do not wait.
    Arrive,
    /// Wait, and learn how many predicates were true.
    Count(Reg),
    /// Wait, and learn whether all were.
    All(Pred),
    /// Wait, and learn whether any was.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    Lane,
    Warp,
    WarpCount,
    Multiprocessor,
    MultiprocessorCount,
    GridId,
    LanemaskEq,
    LanemaskLt,
    LanemaskLe,
    LanemaskGt,
    LanemaskGe,
    Clock,
    ClockHigh,
    Clock64,
    GlobalTimer,
    GlobalTimerLow,
    GlobalTimerHigh,
    DynamicSharedBytes,
    TotalSharedBytes,
    /// Special registers that have one value here.
    Fixed(u32),
}

/// A call of `vprintf`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Print {
    /// Generic addresses of the format and of the values.
    pub format: Reg,
    pub values: Reg,
    /// How many values were printed.
    pub d: Reg,
}

/// A call of `cudaGetParameterBufferV2`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParameterBuffer {
    /// The kernel's address.
    pub kernel: Reg,
    pub grid: [Reg; 3],
    pub block: [Reg; 3],
    pub shared_bytes: Reg,
    /// Where the parameters go.
    pub d: Reg,
}

/// A call of `cudaLaunchDeviceV2`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LaunchGrid {
    pub buffer: Reg,
    pub stream: Reg,
    /// The error code.
    pub d: Reg,
}

/// An atomic exchange of 16 bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exchange {
    pub address: Address,
    pub d: [Reg; 2],
    /// What is stored.
    pub new: [Reg; 2],
    /// What must be there, if that matters.
    pub expected: Option<[Reg; 2]>,
    pub scratch: [Reg; 2],
}

/// What an instruction does.
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
    /// `d = with(f(s), third)`, `inverse = with(!f(s), third)`.
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
    /// What was begun so far is a group.
    CopyCommit(WaitFor),
    /// Waits for all but the latest so many groups, or for all.
    CopyWait {
        kind: WaitFor,
        but: Option<u32>,
    },
    Mbarrier(Mbarrier),
    /// What the plain copies of a thread do when they have landed.
    CopyReport(Mbarrier),
    Fence {
        scope: Scope,
    },
    /// Something that has no effect here: a prefetch, a hint.
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
    /// A failed assertion; generic addresses of texts.
    AssertFails {
        message: Reg,
        file: Reg,
        line: Reg,
        function: Reg,
    },
    /// `nanosleep`: others go first.
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
}

#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    pub op: Op,
    pub guard: PredSource,
    pub class: Class,
    /// Index into [`Program::places`].
    pub place: u32,
}

/// Where an instruction stands in the text.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub line: u32,
    pub text: String,
}

/// A kernel ready to run.
#[derive(Debug)]
pub(crate) struct Program {
    pub name: String,
    pub instructions: Vec<Instruction>,
    /// For each instruction its place in an order in which a loop comes before what follows it.
    pub ranks: Vec<u32>,
    /// Whether an instruction starts a basic block.
    pub leaders: Vec<bool>,
    pub places: Vec<Place>,
    pub constants: Vec<Row>,
    pub register_count: u32,
    pub predicate_count: u32,
    pub parameters: Vec<Parameter>,
    pub static_shared_bytes: u32,
    /// Bytes of each thread's own memory, call parameters included.
    pub local_bytes: u32,
}

impl Program {
    /// Where an instruction stands in the text.
    pub(crate) fn place(&self, pc: u32) -> &Place {
        &self.places[self.instructions[pc as usize].place as usize]
    }
}
