//! Exchanges whose lanes are at different instructions.
//!
//! An exchange, such as a shuffle or a vote, waits for all lanes of its mask, except those that have exited. The lanes must execute it
//! "with the same qualifiers and same membermask value" (PTX ISA). They may be at different instructions, for example in two branches. The
//! CUDA C++ Programming Guide has an example with a `__shfl_xor_sync` in each branch, which is correct on Volta and later. An H200
//! (2026-11-25) behaved accordingly: if each of two branches had a `shfl.sync`, all lanes of the warp exchanged their values; if each had a
//! `vote.sync`, all lanes voted together.
//!
//! The instructions may name different registers. So the exchange has its own set of registers. The operands of all lanes are copied to
//! this set. The results are copied from this set to each instruction's registers.

use std::mem;
use std::sync::Arc;

use super::block::Shared;
use super::machine::{Finding, Machine};
use super::warp::Warp;
use crate::checks::{Observer, Undefined};
use crate::program::{Instruction, Op, Pred, PredSource, Program, Reg, Registers, Shuffle};

/// The lanes that execute an exchange at the same instruction.
pub(super) struct Party {
    pub pc: u32,
    pub lanes: u32,
}

/// The exchange's own registers: the operands, the members, the result.
const A: Reg = Reg(0);
const B: Reg = Reg(1);
const C: Reg = Reg(2);
const MEMBERS: Reg = Reg(3);
const RESULT: Reg = Reg(4);
const REGISTERS: u32 = 5;

/// The exchange's own predicates: the operand, the result. Their numbers begin at 1, because predicate 0 is always true.
const HOLDS: Pred = Pred(1);
const FOUND: Pred = Pred(2);
const PREDICATES: u32 = 3;

/// A predicate as an operand, not negated.
fn plain(pred: Pred) -> PredSource {
    PredSource { pred, flip: 0 }
}

/// The registers of an instruction. Each source is paired with the exchange's register that replaces it.
#[derive(Default)]
struct Roles {
    sources: Vec<(Reg, Reg)>,
    predicate: Option<PredSource>,
    result: Option<Reg>,
    found: Option<Pred>,
}

impl Roles {
    /// The registers of the instruction `op`. `None` if it is not an exchange.
    fn of(op: &Op) -> Option<Self> {
        Some(match *op {
            Op::Shuffle(Shuffle {
                d,
                in_range,
                a,
                b,
                c,
                members,
                ..
            }) => Self::reads(vec![(a, A), (b, B), (c, C), (members, MEMBERS)])
                .gives(Some(d), in_range),
            Op::Vote { d, p, .. } => Self::tests(p).gives(None, Some(d)),
            Op::Ballot { d, p, .. } => Self::tests(p).gives(Some(d), None),
            Op::MatchAny { d, a, .. } | Op::Reduce { d, a, .. } => {
                Self::reads(vec![(a, A)]).gives(Some(d), None)
            }
            Op::MatchAll { d, p, a, .. } => Self::reads(vec![(a, A)]).gives(Some(d), p),
            Op::Elect { d, p, .. } => Self::default().gives(d, Some(p)),
            Op::WarpBarrier { .. } => Self::default(),
            _ => return None,
        })
    }

    fn reads(sources: Vec<(Reg, Reg)>) -> Self {
        Self {
            sources,
            ..Self::default()
        }
    }

    fn tests(predicate: PredSource) -> Self {
        Self {
            predicate: Some(predicate),
            ..Self::default()
        }
    }

    fn gives(self, result: Option<Reg>, found: Option<Pred>) -> Self {
        Self {
            result,
            found,
            ..self
        }
    }
}

/// The same instruction on the exchange's own registers.
fn on_own_registers(op: &Op) -> Op {
    let mut own = op.clone();
    let all = match &mut own {
        Op::Shuffle(shuffle) => {
            (shuffle.d, shuffle.in_range) = (RESULT, Some(FOUND));
            (shuffle.a, shuffle.b, shuffle.c) = (A, B, C);
            &mut shuffle.members
        }
        Op::Vote { d, p, members, .. } => {
            (*d, *p) = (FOUND, plain(HOLDS));
            members
        }
        Op::Ballot { d, p, members } => {
            (*d, *p) = (RESULT, plain(HOLDS));
            members
        }
        Op::MatchAny { d, a, members } | Op::Reduce { d, a, members, .. } => {
            (*d, *a) = (RESULT, A);
            members
        }
        Op::MatchAll { d, p, a, members } => {
            (*d, *p, *a) = (RESULT, Some(FOUND), A);
            members
        }
        Op::Elect { d, p, members } => {
            (*d, *p) = (Some(RESULT), FOUND);
            members
        }
        Op::WarpBarrier { members } => members,
        _ => return own,
    };
    *all = MEMBERS;
    own
}

impl Program {
    /// Whether the instructions at `pc` and `other` form one exchange, if their lanes give the same mask. They do if their opcodes are the
    /// same, qualifiers included.
    pub(super) fn is_same_exchange(&self, pc: u32, other: u32) -> bool {
        pc == other || self.place(pc).opcode() == self.place(other).opcode()
    }
}

/// The exchange's own registers, and their undefined bytes.
struct Own {
    registers: Registers,
    undefined: Undefined,
}

impl Own {
    fn new<O: Observer>() -> Self {
        let (registers, predicates) = match O::WATCHES {
            true => (REGISTERS, PREDICATES),
            false => (0, 0),
        };
        Own {
            registers: Registers::new(REGISTERS, PREDICATES, Arc::default()),
            undefined: Undefined::nothing(registers, predicates, 0),
        }
    }

    /// Copies the operands of these lanes from the warp.
    fn take<O: Observer>(&mut self, warp: &Warp, roles: &Roles, lanes: u32) {
        for &(from, to) in &roles.sources {
            self.registers.keep(to, warp.registers.row(from), lanes);
            if O::WATCHES {
                let (row, origin) = (warp.undefined.row(from), warp.undefined.origin(from));
                self.undefined.set(to, row, lanes, origin);
            }
        }
        if let Some(from) = roles.predicate {
            let holds = warp.registers.predicate(from);
            self.registers.set_predicate(HOLDS, holds, lanes);
            if O::WATCHES {
                let unsure = warp.undefined.predicate(from);
                let origin = warp.undefined.predicate_origin(from);
                self.undefined.set_predicate(HOLDS, unsure, lanes, origin);
            }
        }
    }

    /// Copies the results of these lanes to the warp.
    fn give<O: Observer>(&self, warp: &mut Warp, roles: &Roles, lanes: u32) {
        if let Some(to) = roles.result {
            warp.registers.keep(to, self.registers.row(RESULT), lanes);
            if O::WATCHES {
                let (row, origin) = (self.undefined.row(RESULT), self.undefined.origin(RESULT));
                warp.undefined.set(to, row, lanes, origin);
            }
        }
        if let Some(to) = roles.found {
            let found = self.registers.predicate(plain(FOUND));
            warp.registers.set_predicate(to, found, lanes);
            if O::WATCHES {
                let unsure = self.undefined.predicate(plain(FOUND));
                let origin = self.undefined.predicate_origin(plain(FOUND));
                warp.undefined.set_predicate(to, unsure, lanes, origin);
            }
        }
    }

    fn swap_with(&mut self, warp: &mut Warp) {
        mem::swap(&mut self.registers, &mut warp.registers);
        mem::swap(&mut self.undefined, &mut warp.undefined);
    }
}

impl Warp {
    /// Executes one exchange for several parties. Each party is at a different instruction.
    pub(super) fn exchange_apart<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &Shared,
        parties: &[Party],
    ) -> Result<(), Finding> {
        let program = machine.task.program;
        let mut own = Own::new::<O>();
        let mut instruction = None;
        let mut roles_and_lanes = Vec::with_capacity(parties.len());
        for party in parties {
            let its = &program.instructions[party.pc as usize];
            let Some(roles) = Roles::of(&its.op) else {
                continue;
            };
            own.take::<O>(self, &roles, party.lanes);
            instruction = Some(Instruction {
                op: on_own_registers(&its.op),
                ..its.clone()
            });
            roles_and_lanes.push((roles, party.lanes));
        }
        let Some(instruction) = instruction else {
            return Ok(());
        };
        let all = parties.iter().fold(0, |all, party| all | party.lanes);
        own.swap_with(self);
        let done = self.exchange(machine, shared, &instruction, all);
        own.swap_with(self);
        for (roles, lanes) in &roles_and_lanes {
            own.give::<O>(self, roles, *lanes);
        }
        done
    }
}
