//! A warp: its registers, and its lanes grouped into fragments.
//!
//! The run of a fragment ends when the fragment waits, splits or exits, when the warp's turn is over, or when another fragment of the warp
//! should go first. These rules decide which lanes run:
//!
//! 1. Every instruction has a rank (`lower/order.rs`). Of the fragments that can run, the fragment at the instruction with the lowest rank
//!    goes first. A loop usually has lower ranks than the code after it. So fragments that lag behind catch up, and fragments reconverge
//!    where their paths meet, as on the hardware.
//! 2. At the start of a basic block, fragments at the same instruction are merged.
//! 3. The running fragment may be spinning until another fragment makes progress. So after a while,
//!    the fragment that has waited longest runs for a short time.

use super::block::Shared;
use super::machine::{Finding, Machine, Stop};
use crate::checks::{Observer, Undefined};
use crate::fault::FaultKind;
use crate::memory::Lookup;
use crate::program::{Registers, lanes};

/// After fragments have been chosen by rank for this many instructions, the fragment that has waited longest gets a turn.
const PATIENCE: i64 = 4096;
/// The number of instructions in the turn of the fragment that has waited longest.
const STINT: i64 = 512;

/// Lanes at the same instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragment {
    pub pc: u32,
    pub lanes: u32,
    pub state: State,
    /// The launch's instruction count when the fragment last began to run.
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
    /// The fragment at the instruction with the lowest rank.
    ByRank,
    /// The fragment that contains this lane, whatever its rank.
    Favoured(u32),
}

pub(super) struct Warp {
    /// The warp's number in its block.
    pub id: u32,
    /// Lanes that have threads.
    pub existing: u32,
    /// Lanes whose threads have not exited.
    pub live: u32,
    /// Lanes whose threads have waited for the preceding launches (see `dependence`).
    pub waited: u32,
    pub registers: Registers,
    /// The undefined bytes of the registers and of local memory, if the launch tracks them.
    pub undefined: Undefined,
    /// The threads' local memory: that of lane 0, then that of lane 1, and so on.
    pub local: Vec<u8>,
    pub lookup: Lookup,
    pub fragments: Vec<Fragment>,
    /// How often the warp has read a clock.
    pub clock_reads: u64,
    turn: Turn,
    pub(super) turn_left: i64,
}

/// Whether the current fragment continues, or another fragment runs next.
pub(super) enum Next {
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
                program.row_count,
                program.predicate_count,
                machine.task.constants.clone(),
            ),
            undefined: match (O::WATCHES, machine.is_trusted()) {
                (true, true) => {
                    Undefined::nothing(program.row_count, program.predicate_count, local_bytes)
                }
                (true, false) => {
                    Undefined::everything(program.row_count, program.predicate_count, local_bytes)
                }
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

    /// Merges the ready fragments at `pc` into the current fragment, whose lanes are `mask`. Returns whether
    /// another fragment should go first.
    pub(super) fn meet(&mut self, ranks: &[u32], pc: u32, mask: &mut u32) -> Next {
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

    pub(super) fn park(&mut self, pc: u32, lanes: u32, state: State, turn: u64) {
        if lanes != 0 {
            self.fragments.push(Fragment {
                pc,
                lanes,
                state,
                turn,
            });
        }
    }

    pub(super) fn exit(&mut self, shared: &mut Shared, active: u32) {
        self.live &= !active;
        shared.thread_exits(active.count_ones());
        // Fragments that wait for other lanes become ready, so that they check again which lanes are missing.
        for fragment in &mut self.fragments {
            if fragment.state == State::AtWarpSync {
                fragment.state = State::Ready;
            }
        }
    }

    /// Called when nothing in the warp can run. Fails if all lanes of the warp wait for each other.
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

    pub(super) fn stopped(&self, finding: Finding, pc: u32) -> Stop {
        self.stop(finding.kind, pc, finding.lane as u32)
    }

    /// Merges ready fragments that are at the same instruction.
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

    /// The names of a mask's lanes, for a diagnostic.
    pub(super) fn name_lanes(mask: u32) -> String {
        let names: Vec<String> = lanes(mask).map(|lane| lane.to_string()).collect();
        match mask.count_ones() {
            32 => "all lanes".into(),
            1 => format!("lane {}", names[0]),
            _ => format!("lanes {}", names.join(", ")),
        }
    }
}
