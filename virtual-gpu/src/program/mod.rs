//! A kernel ready to run, made by `lower` and executed by `exec`.
//!
//! Every operand is resolved. A register is a row of 32 slots, one for each lane. An immediate is also a row, and is filled once. So
//! instructions read registers and immediates in the same way. A predicate is a mask of lanes. An arithmetic instruction has a function
//! pointer to a loop over a row. So a new arithmetic instruction needs no change in `exec`.
//!
//! A program calls no function of its text: `lower` writes the body of the function in place of the call.

mod addresses;
mod calls;
mod copies;
mod memory;
mod op;
mod operands;
mod registers;
mod special;
mod together;

use crate::counters::Class;
pub(crate) use addresses::{
    LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, kernel_address, kernel_index, space_of,
    within_window,
};
pub(crate) use calls::{LaunchGrid, ParameterBuffer, Print};
pub(crate) use copies::{CopyAsync, Mbarrier, MbarrierKind, Phase, WaitFor};
pub(crate) use memory::{
    Address, AddressSpace, Atomic, Exchange, Extend, Order, Scope, Strength, Transfer,
};
pub(crate) use op::Op;
pub(crate) use operands::Role;
pub(crate) use registers::{Registers, lanes};
pub(crate) use special::Special;
pub(crate) use together::{
    Alignment, Barrier, BarrierKind, Combine, Shuffle, ShuffleMode, VoteMode,
};

/// The number of lanes of a warp.
pub(crate) const LANES: usize = 32;
/// All lanes.
pub(crate) const ALL_LANES: u32 = u32::MAX;

/// One value for each lane.
pub(crate) type Row = [u64; LANES];

/// Names a row: a register, or a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reg(pub(crate) u32);

/// Marks a [`Reg`] that is a constant.
pub(crate) const CONSTANT: u32 = 1 << 31;

/// A predicate, by number. Number 0 is always true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pred(pub(crate) u32);

/// A predicate as an operand, negated if `flip` is all ones.
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
/// Computes two results, such as a sum and its carry.
pub(crate) type MapPair = fn(&mut Registers, [Reg; 2], [Reg; 4], u32);
/// Computes which lanes satisfy a relation.
pub(crate) type Relate = fn(&Registers, [Reg; 2]) -> u32;
/// Combines two predicates into one, lane by lane.
pub(crate) type Logic = fn(u32, u32) -> u32;
/// Computes the new value of an atomic operation from the old value and two operands.
pub(crate) type Modify = fn(u64, u64, u64) -> u64;

#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    pub op: Op,
    pub guard: PredSource,
    pub class: Class,
    /// Index into [`Program::places`].
    pub place: u32,
}

/// The place of an instruction in the text.
#[derive(Debug, Clone)]
pub(crate) struct SourceLine {
    pub line: u32,
    pub text: String,
}

impl SourceLine {
    /// The instruction's name with its qualifiers.
    pub(crate) fn opcode(&self) -> &str {
        let mut words = self.text.split_whitespace();
        words.find(|word| !word.starts_with('@')).unwrap_or("")
    }
}

/// One parameter of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Offset in the kernel's parameters.
    pub offset: u32,
    /// Size in bytes.
    pub bytes: u32,
    /// Alignment in bytes.
    pub align: u32,
}

/// A kernel ready to run.
#[derive(Debug)]
pub(crate) struct Program {
    pub name: String,
    pub instructions: Vec<Instruction>,
    /// The rank of each instruction. When a warp has diverged, the lanes whose next instruction has the lowest rank usually run first. A
    /// loop usually has lower ranks than the code after it.
    pub ranks: Vec<u32>,
    /// For each instruction, whether it starts a basic block.
    pub leaders: Vec<bool>,
    pub places: Vec<SourceLine>,
    pub constants: Vec<Row>,
    /// The number of registers that the text names.
    pub register_count: u32,
    /// The number of rows. Registers share rows.
    pub row_count: u32,
    pub predicate_count: u32,
    pub parameters: Vec<Parameter>,
    pub static_shared_bytes: u32,
    /// Bytes of each thread's local memory, including call parameters.
    pub local_bytes: u32,
}

impl Program {
    /// The place of an instruction in the text.
    pub(crate) fn place(&self, pc: u32) -> &SourceLine {
        &self.places[self.instructions[pc as usize].place as usize]
    }
}
