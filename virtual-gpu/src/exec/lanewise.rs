//! Instructions that each lane executes independently of the other lanes: for example arithmetic, comparisons, moves and accesses to
//! memory.

use super::block::Shared;
use super::machine::{Finding, Machine};
use super::warp::Warp;
use crate::checks::Observer;
use crate::program::{Instruction, Logic, Op, Pred, PredSource, Reg, Registers, space_of};

impl Warp {
    /// Executes an instruction in the lanes of `active`, in each lane independently of the others.
    #[inline(always)]
    pub(super) fn execute<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        instruction: &Instruction,
        active: u32,
    ) -> Result<(), Finding> {
        let registers = &mut self.registers;
        match &instruction.op {
            Op::Map1 { f, d, a } => f(registers, *d, *a, active),
            Op::Map2 { f, d, s } => f(registers, *d, *s, active),
            Op::Map3 { f, d, s } => f(registers, *d, *s, active),
            Op::Map4 { f, d, s } => f(registers, *d, *s, active),
            Op::MapPair { f, d, s } => f(registers, *d, *s, active),
            Op::Compare {
                f,
                s,
                d,
                inverse,
                with,
            } => {
                let holds = f(registers, *s);
                compare(registers, holds, [*d, *inverse], *with, active);
            }
            Op::Logic { f, d, a, b } => {
                let value = f(registers.predicate(*a), registers.predicate(*b));
                registers.set_predicate(*d, value, active);
            }
            Op::Select { d, a, b, p } => select(registers, *d, [*a, *b], *p, active),
            Op::Pack {
                d,
                parts,
                count,
                part_bits,
            } => pack(registers, *d, &parts[..*count as usize], *part_bits, active),
            Op::Unpack { d, a, part_bits } => unpack(registers, d, *a, *part_bits, active),
            Op::Special { d, which } => {
                let row = self.special(machine, shared, *which);
                self.registers.keep(*d, &row, active);
            }
            Op::ActiveMask { d } => {
                registers.keep(*d, &[active.into(); 32], active);
            }
            Op::IsSpace { d, a, space } => {
                let a = registers.row(*a);
                let inside = (0..32).fold(0, |mask, lane| {
                    mask | u32::from(space_of(a[lane]) == *space) << lane
                });
                registers.set_predicate(*d, inside, active);
            }
            Op::Load(transfer) => self.load(machine, shared, transfer, active)?,
            Op::Store(transfer) => self.store(machine, shared, transfer, active)?,
            Op::Atomic(atomic) => self.atomic(machine, shared, atomic, active)?,
            Op::Exchange(exchange) => self.exchange_wide(machine, shared, exchange, active)?,
            Op::Print(print) => self.print(machine, shared, print, active)?,
            Op::ParameterBuffer(wish) => self.parameter_buffers(machine, wish, active),
            Op::LaunchGrid(launch) => self.launch_grids(machine, shared, launch, active)?,
            Op::AssertFails {
                message,
                file,
                line,
                function,
            } => {
                let texts = [*message, *file, *line, *function];
                return Err(self.assertion(machine, shared, texts, active));
            }
            Op::CopyCommit(kind) => shared.copies.commit(self.id, active, *kind),
            Op::Mbarrier(mbarrier) => self.mbarrier(machine, shared, mbarrier, active)?,
            Op::AwaitLaunches => self.waited |= active,
            Op::Fence { scope, order } => {
                let how = (*order, *scope);
                machine.observer.fence(shared.index, self.id, active, how);
            }
            // The other instructions have no effect, or are executed in `fragment`.
            _ => {}
        }
        Ok(())
    }
}

/// Stores the outcome of a comparison and its inverse. If `with` names another predicate, both are combined with
/// that predicate.
#[inline(always)]
fn compare(
    registers: &mut Registers,
    holds: u32,
    [d, inverse]: [Option<Pred>; 2],
    with: Option<(Logic, PredSource)>,
    active: u32,
) {
    let (direct, inverted) = match with {
        None => (holds, !holds),
        Some((logic, third)) => {
            let third = registers.predicate(third);
            (logic(holds, third), logic(!holds, third))
        }
    };
    if let Some(d) = d {
        registers.set_predicate(d, direct, active);
    }
    if let Some(d) = inverse {
        registers.set_predicate(d, inverted, active);
    }
}

/// Selects `a` in the lanes where the predicate holds, and `b` in the others.
#[inline(always)]
fn select(registers: &mut Registers, d: Reg, [a, b]: [Reg; 2], p: PredSource, active: u32) {
    let chosen = registers.predicate(p);
    let (a, b) = (registers.row(a), registers.row(b));
    let mut out = *b;
    for (lane, slot) in out.iter_mut().enumerate() {
        *slot = if chosen >> lane & 1 == 1 {
            a[lane]
        } else {
            *slot
        };
    }
    registers.keep(d, &out, active);
}

/// Joins parts into one wider value. The first part becomes the lowest bits.
#[inline(always)]
fn pack(registers: &mut Registers, d: Reg, parts: &[Reg], part_bits: u32, active: u32) {
    let mut out = [0; 32];
    for (index, part) in parts.iter().enumerate() {
        let part = registers.row(*part);
        for lane in 0..32 {
            out[lane] |= part[lane] << (index as u32 * part_bits);
        }
    }
    registers.keep(d, &out, active);
}

/// Splits a value into parts. The first part gets the lowest bits.
#[inline(always)]
fn unpack(registers: &mut Registers, parts: &[Option<Reg>], a: Reg, part_bits: u32, active: u32) {
    let whole = *registers.row(a);
    for (index, part) in parts.iter().enumerate() {
        if let Some(part) = part {
            let shift = index as u32 * part_bits;
            let out = whole.map(|slot| slot >> shift & ((1 << part_bits) - 1));
            registers.keep(*part, &out, active);
        }
    }
}
