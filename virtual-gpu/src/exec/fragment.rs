//! Runs a fragment of a warp. The run ends when the fragment waits, splits or exits, when the warp's turn is over, or when another fragment
//! should go first.

use super::block::Shared;
use super::machine::{Machine, Stop};
use super::sync::Gathered;
use super::warp::{Fragment, Next, State, Warp};
use crate::checks::Observer;
use crate::fault::FaultKind;
use crate::program::{self, Barrier, Instruction, Op, Reg};

/// A fragment at an instruction.
#[derive(Clone, Copy)]
struct Here {
    pc: u32,
    lanes: u32,
    /// Lanes for which the instruction's guard is true.
    active: u32,
    /// The launch's instruction count at the start of the fragment's run.
    now: u64,
}

/// How a fragment continues after an instruction.
enum Flow {
    /// The fragment continues at the next instruction, with these lanes.
    Next(u32),
    /// The fragment continues at another instruction, with the same lanes.
    Jump(u32),
    /// The fragment's run is over: its lanes are parked, or have exited.
    Over,
}

impl Warp {
    /// Runs one fragment. Returns the number of instructions that it ran.
    pub(super) fn run_fragment<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        fragment: Fragment,
        quantum: u32,
    ) -> Result<u32, Stop> {
        let program = machine.task.program;
        let Fragment {
            mut pc, mut lanes, ..
        } = fragment;
        let now = machine.steps;
        let mut ran = 0;
        loop {
            if ran >= quantum {
                self.park(pc, lanes, State::Ready, now);
                return Ok(ran);
            }
            if !self.fragments.is_empty()
                && program.leaders[pc as usize]
                && let Next::Switch = self.meet(&program.ranks, pc, &mut lanes)
            {
                self.park(pc, lanes, State::Ready, now);
                return Ok(ran);
            }
            let instruction = &program.instructions[pc as usize];
            let active = lanes & self.registers.predicate(instruction.guard);
            let here = Here {
                pc,
                lanes,
                active,
                now,
            };
            ran += 1;
            if O::WATCHES {
                self.check_undefined(machine, instruction, here)?;
            }
            machine.counters.lane_instructions_by_class[instruction.class as usize] +=
                u64::from(active.count_ones());
            match self.step(machine, shared, instruction, here)? {
                Flow::Next(left) => (pc, lanes) = (pc + 1, left),
                Flow::Jump(target) => pc = target,
                Flow::Over => return Ok(ran),
            }
        }
    }

    /// Runs the part of the check for uninitialised bytes that comes before an instruction is executed.
    #[inline(always)]
    fn check_undefined<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        instruction: &Instruction,
        here: Here,
    ) -> Result<(), Stop> {
        machine.observer.at(instruction.place);
        machine.place = instruction.place;
        let decided = self.check_decision(machine, instruction, here.lanes);
        decided.map_err(|finding| self.stopped(finding, here.pc))?;
        if here.active != 0 {
            let spread = self.spread(machine, instruction, here.active);
            spread.map_err(|finding| self.stopped(finding, here.pc))?;
        }
        Ok(())
    }

    /// Executes one instruction.
    #[inline(always)]
    fn step<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        instruction: &Instruction,
        here: Here,
    ) -> Result<Flow, Stop> {
        let Here {
            pc, lanes, active, ..
        } = here;
        match &instruction.op {
            Op::Branch { target } => return Ok(self.branch(machine, *target, here)),
            Op::Switch { index, targets } => {
                self.switch(machine, *index, targets, here);
                return Ok(Flow::Over);
            }
            Op::Exit => {
                self.exit(shared, active);
                return Ok(match lanes & !active {
                    0 => Flow::Over,
                    left => Flow::Next(left),
                });
            }
            Op::Yield => {
                self.park(pc + 1, lanes, State::Ready, here.now);
                self.turn_left = 0;
                return Ok(Flow::Over);
            }
            _ if active == 0 => {}
            Op::Trap => return Err(self.stop(FaultKind::Trap, pc, active.trailing_zeros())),
            Op::CopyAsync(form) => {
                let begun = self.begin_copies(machine, shared, form, pc, active);
                begun.map_err(|finding| self.stopped(finding, pc))?;
            }
            Op::CopyWait { kind, but } => {
                self.await_copies(machine, shared, (*kind, *but), active)?;
            }
            Op::CopyReport(mbarrier) => {
                self.report_copies(machine, shared, mbarrier, (pc, active))?;
            }
            Op::Barrier(barrier) => {
                self.reach_barrier(machine, shared, barrier, here)?;
                return Ok(Flow::Over);
            }
            Op::Shuffle(_)
            | Op::Vote { .. }
            | Op::Ballot { .. }
            | Op::MatchAny { .. }
            | Op::MatchAll { .. }
            | Op::Reduce { .. }
            | Op::Elect { .. }
            | Op::WarpBarrier { .. } => {
                return self.execute_together(machine, shared, instruction, here);
            }
            _ => {
                let done = self.execute(machine, shared, instruction, active);
                done.map_err(|finding| self.stopped(finding, pc))?;
            }
        }
        Ok(Flow::Next(lanes))
    }

    /// A branch, which splits the fragment if its lanes disagree.
    #[inline(always)]
    fn branch<O>(&mut self, machine: &mut Machine<'_, O>, target: u32, here: Here) -> Flow {
        let Here {
            pc,
            lanes,
            active,
            now,
        } = here;
        if active == lanes {
            return Flow::Jump(target);
        }
        if active == 0 {
            return Flow::Next(lanes);
        }
        machine.counters.divergent_branches += 1;
        self.park(target, active, State::Ready, now);
        self.park(pc + 1, lanes & !active, State::Ready, now);
        Flow::Over
    }

    /// `brx.idx`: parks the lanes with a true guard at their targets, and the lanes with a false guard at the next instruction.
    fn switch<O>(&mut self, machine: &mut Machine<'_, O>, index: Reg, targets: &[u32], here: Here) {
        let Here {
            pc,
            lanes,
            active,
            now,
        } = here;
        let index = *self.registers.row(index);
        let mut waiting = active;
        let mut ways = u32::from(active != lanes);
        while waiting != 0 {
            let chosen = index[waiting.trailing_zeros() as usize];
            let same = program::lanes(waiting)
                .filter(|&lane| index[lane] == chosen)
                .fold(0, |mask, lane| mask | 1 << lane);
            // An index beyond the list selects the last target.
            let target = targets.get(chosen as usize).or(targets.last());
            self.park(target.copied().unwrap_or(pc + 1), same, State::Ready, now);
            waiting &= !same;
            ways += 1;
        }
        machine.counters.divergent_branches += u64::from(ways > 1);
        self.park(pc + 1, lanes & !active, State::Ready, now);
    }

    /// A barrier of the block: parks the arriving lanes. They wait at the barrier, unless the instruction only arrives.
    fn reach_barrier<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        barrier: &Barrier,
        here: Here,
    ) -> Result<(), Stop> {
        let Here {
            pc,
            lanes,
            active,
            now,
        } = here;
        self.park(pc + 1, lanes & !active, State::Ready, now);
        let found = self.arrive(machine, shared, barrier, pc, active);
        let waits = found.map_err(|finding| self.stopped(finding, pc))?;
        let (at, state) = match waits {
            Some(number) => (pc, State::AtBarrier(number)),
            None => (pc + 1, State::Ready),
        };
        self.park(at, active, state, now);
        Ok(())
    }

    /// An instruction that lanes execute together: gathers the lanes, and executes the instruction if all these lanes have arrived.
    fn execute_together<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        instruction: &Instruction,
        here: Here,
    ) -> Result<Flow, Stop> {
        let Here {
            pc,
            mut lanes,
            active,
            now,
        } = here;
        let found = self.gather(machine, instruction, pc, active);
        let found = found.map_err(|finding| self.stopped(finding, pc))?;
        if let Some(rest) = found.left_out {
            self.park(pc, rest, State::Ready, now);
            lanes &= !rest;
        }
        match found.gathered {
            Gathered::Waits(mask) => {
                self.park(pc + 1, lanes & !mask, State::Ready, now);
                self.park(pc, mask, State::AtWarpSync, now);
                Ok(Flow::Over)
            }
            Gathered::Complete(mask) => {
                let done = self.exchange(machine, shared, instruction, mask);
                done.map_err(|finding| self.stopped(finding, pc))?;
                Ok(Flow::Next(lanes | mask))
            }
            Gathered::Apart(parties) => {
                let done = self.exchange_apart(machine, shared, &parties);
                done.map_err(|finding| self.stopped(finding, pc))?;
                for party in parties {
                    match party.pc == pc {
                        true => lanes |= party.lanes,
                        false => self.park(party.pc + 1, party.lanes, State::Ready, now),
                    }
                }
                Ok(Flow::Next(lanes))
            }
        }
    }
}
