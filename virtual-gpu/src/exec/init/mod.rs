//! The check for uninitialised bytes: how undefinedness propagates, and where it is an error.
//!
//! Undefined bytes may be loaded, moved, computed with and stored. A result is undefined if it depends on an undefined operand. Undefined
//! bytes are a fault if they decide one of these: an address, a member mask, the target of a branch, or whether an instruction is executed.
//! Undefined operands of barriers, mbarriers, asynchronous copies, prints and launches are faults too. The values that a print reads from
//! memory are not checked.
//!
//! * `spread` propagates undefinedness from operands to results, and `exchange` between lanes;
//! * `sample` finds the bytes of a result that depend on undefined bytes of the operands;
//! * `memory` propagates undefinedness through loads, stores and atomic operations.
//!
//! The checks run before the instruction, and so do `spread`, `sample` and `exchange`. `memory` propagates undefinedness after the load,
//! the store or the atomic operation. Undefinedness is tracked by bytes, not by single bits. The outcome of a comparison with a partly
//! undefined operand is undefined, even if the defined bytes decide it.

mod exchange;
mod memory;
mod sample;
mod spread;
mod transpose;

use super::machine::{Finding, Machine};
use super::warp::Warp;
use crate::checks::Origin;
use crate::fault::FaultKind;
use crate::program::{Instruction, Op, Program, Reg};

impl Warp {
    /// Fails if undefined bytes decide the target of a branch, or which lanes execute an instruction.
    #[inline(always)]
    pub(super) fn check_decision<O>(
        &self,
        machine: &Machine<'_, O>,
        instruction: &Instruction,
        lanes: u32,
    ) -> Result<(), Finding> {
        let unsure = self.undefined.predicate(instruction.guard) & lanes;
        if unsure != 0 {
            let origin = self.undefined.predicate_origin(instruction.guard);
            let what = "the predicate";
            return Err(decided(machine.task.program, what, unsure, origin));
        }
        match &instruction.op {
            Op::Switch { index, .. } => {
                let active = lanes & self.registers.predicate(instruction.guard);
                self.check_register(machine, "the index of the label", *index, active)
            }
            _ => Ok(()),
        }
    }

    /// Fails if a register is undefined in at least one of `lanes`. `what` says what the register decides.
    #[inline(always)]
    fn check_register<O>(
        &self,
        machine: &Machine<'_, O>,
        what: &str,
        reg: Reg,
        lanes: u32,
    ) -> Result<(), Finding> {
        match self.undefined.lanes(reg) & lanes {
            0 => Ok(()),
            unsure => {
                let origin = self.undefined.origin(reg);
                Err(decided(machine.task.program, what, unsure, origin))
            }
        }
    }
}

/// The fault if undefined bytes decide `what` in the lanes `unsure`.
#[cold]
fn decided(program: &Program, what: &str, unsure: u32, origin: Origin) -> Finding {
    let from = match origin {
        Origin::Register => "from a register that nothing wrote".to_owned(),
        Origin::Read {
            place,
            space,
            address,
        } => {
            let place = &program.places[place as usize];
            format!(
                "from {space} address {address:#x}, which nothing wrote, read at line {}: {}",
                place.line, place.text
            )
        }
    };
    Finding {
        kind: FaultKind::Uninitialised {
            what: format!("{what} comes {from}"),
        },
        lane: unsure.trailing_zeros() as usize,
    }
}
