//! A warp: its registers, and its lanes grouped into fragments.
//!
//! A fragment runs until it is blocked, its turn is over, or another fragment of the warp should
//! go first:
//!
//! 1. Among fragments that can run, the one at the least rank goes first. Ranks are given so that
//!    a loop comes before what follows it, so the fragments that lag catch up, and all meet
//!    where their paths meet. This is where the hardware's compiler makes them reconverge.
//! 2. At the start of a basic block, fragments at the same instruction become one.
//! 3. A fragment that runs long while others could run (it may spin, waiting for one of them) is
//!    set aside for a while, and the one that has waited longest goes instead.

use super::block::Shared;
use super::machine::{Finding, Machine, Stop};
use super::sync::Gathered;
use crate::checks::{Observer, Undefined};
use crate::fault::FaultKind;
use crate::memory::Lookup;
use crate::program::{self, Op, Registers, lanes};

/// Instructions that the fragment at the least rank may run while others could.
const PATIENCE: i64 = 4096;
/// Instructions that a fragment gets that had to wait for so long.
const STINT: i64 = 512;

/// Lanes that stand at the same instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragment {
    pub pc: u32,
    pub lanes: u32,
    pub state: State,
    /// When it ran last.
    pub turn: u64,
}

/// Whether a fragment can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// Waits for other lanes of its warp.
    AtWarpSync,
    /// Waits at a barrier of the block.
    AtBarrier(u32),
}

/// Which fragment goes next.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// The one at the least rank.
    ByRank,
    /// The one with this lane, whatever its rank.
    Favoured(u32),
}

pub(super) struct Warp {
    /// The warp's number in its block.
    pub id: u32,
    /// Lanes that have threads.
    pub existing: u32,
    /// Lanes whose threads have not exited.
    pub live: u32,
    /// Lanes whose threads have waited for the launches before.
    pub waited: u32,
    pub registers: Registers,
    /// Which bytes of the registers and of local memory are undefined, if the launch tracks that.
    pub undefined: Undefined,
    /// The threads' own memory, one lane after the other.
    pub local: Vec<u8>,
    pub lookup: Lookup,
    pub fragments: Vec<Fragment>,
    /// How often it has looked at a clock.
    pub clock_reads: u64,
    turn: Turn,
    turn_left: i64,
}

/// What to do after an instruction.
enum Next {
    Go,
    Switch,
}

impl Warp {
    pub(super) fn new<O: Observer>(machine: &Machine<'_, O>, id: u32) -> Self {
        let program = machine.task.program;
        let local_bytes = program.local_bytes as usize * 32;
        let count = machine.threads_per_block() - id * 32;
        let existing = if count >= 32 {
            u32::MAX
        } else {
            (1 << count) - 1
        };
        Self {
            id,
            existing,
            live: existing,
            waited: machine.waited_at_start(),
            registers: Registers::new(
                program.register_count,
                program.predicate_count,
                machine.task.constants.clone(),
            ),
            undefined: match (O::WATCHES, machine.is_trusted()) {
                (true, true) => {
                    Undefined::nothing(program.register_count, program.predicate_count, local_bytes)
                }
                (true, false) => Undefined::everything(
                    program.register_count,
                    program.predicate_count,
                    local_bytes,
                ),
                (false, _) => Undefined::nothing(0, 0, 0),
            },
            local: vec![0; local_bytes],
            lookup: Lookup::default(),
            fragments: vec![Fragment {
                pc: 0,
                lanes: existing,
                state: State::Ready,
                turn: 0,
            }],
            clock_reads: 0,
            turn: Turn::ByRank,
            turn_left: PATIENCE,
        }
    }

    pub(super) fn can_run(&self) -> bool {
        self.fragments.iter().any(|f| f.state == State::Ready)
    }

    /// Runs for `quantum` instructions, or until nothing in the warp can run.
    pub(super) fn run<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        quantum: u32,
    ) -> Result<(), Stop> {
        let mut left = quantum;
        while left > 0 {
            let Some(index) = self.choose(&machine.task.program.ranks) else {
                return self.check_stuck(machine);
            };
            let fragment = self.fragments.swap_remove(index);
            let ran = self.run_fragment(machine, shared, fragment, left)?;
            machine.steps += u64::from(ran);
            machine.counters.warp_instructions += u64::from(ran);
            self.turn_left -= i64::from(ran);
            left = left.saturating_sub(ran.max(1));
        }
        Ok(())
    }

    fn choose(&mut self, ranks: &[u32]) -> Option<usize> {
        let ready = || {
            let all = self.fragments.iter().enumerate();
            all.filter(|(_, f)| f.state == State::Ready)
        };
        let (first, _) = ready().next()?;
        if ready().nth(1).is_none() {
            self.turn = Turn::ByRank;
            self.turn_left = PATIENCE;
            return Some(first);
        }
        if self.turn_left <= 0 {
            (self.turn, self.turn_left) = match self.turn {
                Turn::Favoured(_) => (Turn::ByRank, PATIENCE),
                Turn::ByRank => {
                    let (_, oldest) = ready().min_by_key(|(_, f)| f.turn)?;
                    (
                        Turn::Favoured(oldest.lanes & oldest.lanes.wrapping_neg()),
                        STINT,
                    )
                }
            };
        }
        if let Turn::Favoured(lane) = self.turn {
            if let Some((index, _)) = ready().find(|(_, f)| f.lanes & lane != 0) {
                return Some(index);
            }
            (self.turn, self.turn_left) = (Turn::ByRank, PATIENCE);
        }
        let ready = self.fragments.iter().enumerate();
        ready
            .filter(|(_, f)| f.state == State::Ready)
            .min_by_key(|(_, f)| ranks[f.pc as usize])
            .map(|(index, _)| index)
    }

    /// Takes in the fragments that stand at `pc` and could run, and tells whether another one
    /// should go first.
    fn meet(&mut self, ranks: &[u32], pc: u32, mask: &mut u32) -> Next {
        self.fragments.retain(|f| {
            let joins = f.pc == pc && f.state == State::Ready;
            *mask |= if joins { f.lanes } else { 0 };
            !joins
        });
        let rank = ranks[pc as usize];
        let behind = |f: &Fragment| f.state == State::Ready && ranks[f.pc as usize] < rank;
        match self.turn {
            Turn::ByRank if self.fragments.iter().any(behind) => Next::Switch,
            _ => Next::Go,
        }
    }

    fn park(&mut self, pc: u32, lanes: u32, state: State, turn: u64) {
        if lanes != 0 {
            self.fragments.push(Fragment {
                pc,
                lanes,
                state,
                turn,
            });
        }
    }

    /// Runs one fragment; gives the number of instructions it ran.
    fn run_fragment<O: Observer>(
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
            ran += 1;
            if O::WATCHES {
                machine.observer.at(instruction.place);
                machine.place = instruction.place;
                let decided = self.check_decision(machine, instruction, lanes);
                decided.map_err(|finding| self.stopped(finding, pc))?;
                if active != 0 {
                    let spread = self.spread(machine, instruction, active);
                    spread.map_err(|finding| self.stopped(finding, pc))?;
                }
            }
            machine.counters.lane_instructions_by_class[instruction.class as usize] +=
                u64::from(active.count_ones());
            match &instruction.op {
                Op::Branch { target } => {
                    if active == lanes {
                        pc = *target;
                    } else {
                        pc += 1;
                        if active != 0 {
                            machine.counters.divergent_branches += 1;
                            self.park(*target, active, State::Ready, now);
                            lanes &= !active;
                            self.park(pc, lanes, State::Ready, now);
                            return Ok(ran);
                        }
                    }
                    continue;
                }
                Op::Switch { index, targets } => {
                    let index = *self.registers.row(*index);
                    let mut waiting = active;
                    let mut ways = u32::from(active != lanes);
                    while waiting != 0 {
                        let chosen = index[waiting.trailing_zeros() as usize];
                        let same = program::lanes(waiting)
                            .filter(|&lane| index[lane] == chosen)
                            .fold(0, |mask, lane| mask | 1 << lane);
                        // An index beyond the list goes to its last target.
                        let target = targets.get(chosen as usize).or(targets.last());
                        self.park(target.copied().unwrap_or(pc + 1), same, State::Ready, now);
                        waiting &= !same;
                        ways += 1;
                    }
                    machine.counters.divergent_branches += u64::from(ways > 1);
                    self.park(pc + 1, lanes & !active, State::Ready, now);
                    return Ok(ran);
                }
                Op::Exit => {
                    self.exit(shared, active);
                    lanes &= !active;
                    if lanes == 0 {
                        return Ok(ran);
                    }
                }
                Op::Trap => {
                    if active != 0 {
                        let lane = active.trailing_zeros();
                        return Err(self.stop(FaultKind::Trap, pc, lane));
                    }
                }
                Op::Yield => {
                    self.park(pc + 1, lanes, State::Ready, now);
                    self.turn_left = 0;
                    return Ok(ran);
                }
                Op::CopyAsync(form) => {
                    if active != 0 {
                        let begun = self.begin_copies(machine, shared, form, pc, active);
                        begun.map_err(|finding| self.stopped(finding, pc))?;
                    }
                }
                Op::CopyWait { kind, but } => {
                    if active != 0 {
                        self.await_copies(machine, shared, (*kind, *but), active)?;
                    }
                }
                Op::CopyReport(mbarrier) => {
                    if active != 0 {
                        self.report_copies(machine, shared, mbarrier, (pc, active))?;
                    }
                }
                Op::Barrier(barrier) if active != 0 => {
                    self.park(pc + 1, lanes & !active, State::Ready, now);
                    let found = self.arrive(machine, shared, barrier, pc, active);
                    let waits = found.map_err(|finding| self.stopped(finding, pc))?;
                    let (at, state) = match waits {
                        Some(number) => (pc, State::AtBarrier(number)),
                        None => (pc + 1, State::Ready),
                    };
                    self.park(at, active, state, now);
                    return Ok(ran);
                }
                Op::Shuffle(_)
                | Op::Vote { .. }
                | Op::Ballot { .. }
                | Op::MatchAny { .. }
                | Op::MatchAll { .. }
                | Op::Reduce { .. }
                | Op::Elect { .. }
                | Op::WarpBarrier { .. } => {
                    if active != 0 {
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
                                return Ok(ran);
                            }
                            Gathered::Complete(mask) => {
                                let done = self.exchange(machine, shared, instruction, mask);
                                done.map_err(|finding| self.stopped(finding, pc))?;
                                lanes |= mask;
                            }
                        }
                    }
                }
                _ => {
                    if active != 0 {
                        let done = self.execute(machine, shared, instruction, active);
                        done.map_err(|finding| self.stopped(finding, pc))?;
                    }
                }
            }
            pc += 1;
        }
    }

    fn exit(&mut self, shared: &mut Shared, active: u32) {
        self.live &= !active;
        shared.thread_exits(active.count_ones());
        // Who waited for these lanes waits for fewer now.
        for fragment in &mut self.fragments {
            if fragment.state == State::AtWarpSync {
                fragment.state = State::Ready;
            }
        }
    }

    /// Nothing in the warp can run: finds lanes that wait for each other for ever.
    fn check_stuck<O: Observer>(&self, machine: &Machine<'_, O>) -> Result<(), Stop> {
        let stuck = |f: &&Fragment| f.state == State::AtWarpSync;
        match self.fragments.iter().find(stuck) {
            Some(fragment) if self.fragments.iter().all(|f| f.state == State::AtWarpSync) => {
                Err(self.never_comes(machine.task.program, fragment))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn stop(&self, kind: FaultKind, pc: u32, lane: u32) -> Stop {
        Stop {
            kind,
            pc,
            warp: self.id,
            lane,
        }
    }

    fn stopped(&self, finding: Finding, pc: u32) -> Stop {
        self.stop(finding.kind, pc, finding.lane as u32)
    }

    /// Makes one fragment of those at the same instruction that can run.
    pub(super) fn merge_ready(&mut self) {
        let mut merged: Vec<Fragment> = Vec::with_capacity(self.fragments.len());
        for fragment in self.fragments.drain(..) {
            let same = |f: &&mut Fragment| {
                f.pc == fragment.pc && f.state == State::Ready && fragment.state == State::Ready
            };
            match merged.iter_mut().find(same) {
                Some(other) => other.lanes |= fragment.lanes,
                None => merged.push(fragment),
            }
        }
        self.fragments = merged;
    }

    /// The lanes of a mask, for a diagnostic.
    pub(super) fn name_lanes(mask: u32) -> String {
        let names: Vec<String> = lanes(mask).map(|lane| lane.to_string()).collect();
        match mask.count_ones() {
            32 => "all lanes".into(),
            1 => format!("lane {}", names[0]),
            _ => format!("lanes {}", names.join(", ")),
        }
    }
}
