//! Instructions that a set of lanes of a warp executes together: shuffles, votes, matches, warp reductions, elections, `bar.warp.sync`.
//!
//! A member mask names the set. A lane waits at the instruction for all named lanes that have not exited. They must reach this instruction,
//! or another instruction with the same opcode and mask (see `apart`). Lanes with different masks are handled separately. If lanes wait for
//! each other at instructions with different opcodes or masks, the launch is stopped with a fault.
//!
//! With the sync check on, it is a fault if a lane is not in its own mask, or if a shuffle reads from a lane that takes no part. With the
//! check off, such a shuffle reads that lane's register, or 0 if the participating lanes are at different instructions.

use super::apart::Party;
use super::block::Shared;
use super::machine::{Finding, Machine, Stop};
use super::warp::{Fragment, State, Warp};
use crate::checks::Observer;
use crate::config::Switch;
use crate::fault::FaultKind;
use crate::program::{
    ALL_LANES, Instruction, Op, Program, Reg, Registers, Row, Shuffle, ShuffleMode, VoteMode, lanes,
};

/// The result of gathering the lanes that a member mask names.
pub(super) enum Gathered {
    /// These lanes of the calling fragment have to wait.
    Waits(u32),
    /// All lanes that were waited for have reached this instruction. The mask contains them.
    Complete(u32),
    /// All lanes that were waited for have arrived, but at different instructions. The last party of the list is at this instruction.
    Apart(Vec<Party>),
}

pub(super) struct Gathering {
    pub gathered: Gathered,
    /// Lanes of the calling fragment whose member mask is different. They execute the instruction separately.
    pub left_out: Option<u32>,
}

fn members_of(op: &Op) -> Option<Reg> {
    match op {
        Op::Shuffle(shuffle) => Some(shuffle.members),
        Op::Vote { members, .. }
        | Op::Ballot { members, .. }
        | Op::MatchAny { members, .. }
        | Op::MatchAll { members, .. }
        | Op::Reduce { members, .. }
        | Op::Elect { members, .. }
        | Op::WarpBarrier { members } => Some(*members),
        _ => None,
    }
}

impl Warp {
    /// Gathers the lanes that are to execute the instruction together.
    pub(super) fn gather<O: Observer>(
        &mut self,
        machine: &Machine<'_, O>,
        instruction: &Instruction,
        pc: u32,
        active: u32,
    ) -> Result<Gathering, Finding> {
        let named = members_of(&instruction.op);
        if O::WATCHES {
            self.check_members(machine, named, active)?;
        }
        let masks = match named {
            Some(members) => *self.registers.row(members),
            None => [ALL_LANES.into(); 32],
        };
        let members = masks[active.trailing_zeros() as usize] as u32;
        let same = lanes(active)
            .filter(|&lane| masks[lane] as u32 == members)
            .fold(0, |mask, lane| mask | 1 << lane);
        let left_out = Some(active & !same).filter(|&rest| rest != 0);
        if machine.options.checks.sync == Switch::On && same & !members != 0 {
            let strangers = same & !members;
            return Err(Finding {
                kind: FaultKind::WarpSync {
                    members,
                    what: format!(
                        "carried out by {}, not in the mask",
                        Self::name_lanes(strangers)
                    ),
                },
                lane: strangers.trailing_zeros() as usize,
            });
        }
        let program = machine.task.program;
        let waits = |warp: &Self, f: &Fragment| {
            f.state == State::AtWarpSync
                && program.is_same_exchange(f.pc, pc)
                && warp.members_at(program, f) == members
        };
        let (mut here, mut elsewhere) = (same, Vec::new());
        for &Fragment { pc: at, lanes, .. } in self.fragments.iter().filter(|f| waits(self, f)) {
            match at == pc {
                true => here |= lanes,
                false => elsewhere.push(Party { pc: at, lanes }),
            }
        }
        let all = elsewhere.iter().fold(here, |all, party| all | party.lanes);
        let gathered = if members & self.live & !all != 0 {
            Gathered::Waits(same)
        } else {
            self.fragments.retain(|f| f.lanes & all == 0);
            match elsewhere.is_empty() {
                true => Gathered::Complete(here),
                false => {
                    elsewhere.push(Party { pc, lanes: here });
                    Gathered::Apart(elsewhere)
                }
            }
        };
        Ok(Gathering { gathered, left_out })
    }

    /// The member mask that a waiting fragment names.
    fn members_at(&self, program: &Program, fragment: &Fragment) -> u32 {
        let lane = fragment.lanes.trailing_zeros() as usize;
        match members_of(&program.instructions[fragment.pc as usize].op) {
            Some(members) => self.registers.row(members)[lane] as u32,
            None => ALL_LANES,
        }
    }

    /// Executes the instruction for the gathered lanes.
    pub(super) fn exchange<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &Shared,
        instruction: &Instruction,
        mask: u32,
    ) -> Result<(), Finding> {
        if O::WATCHES {
            self.spread_exchange(instruction, mask);
        }
        let registers = &mut self.registers;
        match &instruction.op {
            Op::Shuffle(shuffle) => {
                machine.counters.shuffles += 1;
                return self.shuffle(machine.options.checks.sync, shuffle, mask);
            }
            Op::WarpBarrier { .. } => {
                machine.observer.warp_sync(shared.index, self.id, mask);
                if self.waited & mask != 0 {
                    self.waited |= mask;
                }
            }
            Op::Vote { mode, d, p, .. } => {
                machine.counters.votes += 1;
                let holds = registers.predicate(*p) & mask;
                let outcome = match mode {
                    VoteMode::All => holds == mask,
                    VoteMode::Any => holds != 0,
                    VoteMode::Uniform => holds == mask || holds == 0,
                };
                registers.set_predicate(*d, if outcome { ALL_LANES } else { 0 }, mask);
            }
            Op::Ballot { d, p, .. } => {
                machine.counters.votes += 1;
                let holds = registers.predicate(*p) & mask;
                registers.keep(*d, &[holds.into(); 32], mask);
            }
            Op::MatchAny { d, a, .. } => {
                machine.counters.votes += 1;
                let a = *registers.row(*a);
                let equal = |value: u64| {
                    let same = lanes(mask).filter(|&lane| a[lane] == value);
                    same.fold(0_u64, |mask, lane| mask | 1 << lane)
                };
                registers.keep(*d, &a.map(equal), mask);
            }
            Op::MatchAll { d, p, a, .. } => {
                machine.counters.votes += 1;
                let a = *registers.row(*a);
                let first = a[mask.trailing_zeros() as usize];
                let all_equal = lanes(mask).all(|lane| a[lane] == first);
                let found = if all_equal { mask } else { 0 };
                registers.keep(*d, &[found.into(); 32], mask);
                if let Some(p) = p {
                    registers.set_predicate(*p, if all_equal { ALL_LANES } else { 0 }, mask);
                }
            }
            Op::Reduce { f, d, a, .. } => {
                machine.counters.votes += 1;
                let a = *registers.row(*a);
                let total = lanes(mask).map(|lane| a[lane]).reduce(f).unwrap_or(0);
                registers.keep(*d, &[total; 32], mask);
            }
            Op::Elect { d, p, .. } => {
                machine.counters.votes += 1;
                let elected = mask.trailing_zeros();
                registers.set_predicate(*p, 1 << elected, mask);
                if let Some(d) = d {
                    registers.keep(*d, &[elected.into(); 32], mask);
                }
            }
            // There is no other instruction that lanes execute together.
            _ => {}
        }
        Ok(())
    }

    fn shuffle(&mut self, check: Switch, shuffle: &Shuffle, mask: u32) -> Result<(), Finding> {
        let registers = &mut self.registers;
        let a = *registers.row(shuffle.a);
        let (b, c) = (registers.row(shuffle.b), registers.row(shuffle.c));
        let (mut out, mut in_range): (Row, u32) = (a, 0);
        let mut stranger = None;
        for lane in lanes(mask) {
            let (source, inside) = source_lane(shuffle.mode, lane as u32, b[lane], c[lane]);
            in_range |= u32::from(inside) << lane;
            if inside {
                out[lane] = a[source as usize];
                if mask >> source & 1 == 0 {
                    stranger = stranger.or(Some((lane, source)));
                }
            }
        }
        if let Some((lane, source)) = stranger
            && check == Switch::On
        {
            let members = registers.row(shuffle.members)[lane] as u32;
            return Err(self.reads_from_stranger(members, lane, source));
        }
        registers.keep(shuffle.d, &out, mask);
        if let Some(p) = shuffle.in_range {
            registers.set_predicate(p, in_range, mask);
        }
        Ok(())
    }

    fn reads_from_stranger(&self, members: u32, lane: usize, source: u32) -> Finding {
        let why = match source {
            _ if self.existing >> source & 1 == 0 => "has no thread",
            _ if self.live >> source & 1 == 0 => "has exited",
            _ => "takes no part",
        };
        Finding {
            kind: FaultKind::WarpSync {
                members,
                what: format!("lane {lane} reads from lane {source}, which {why}"),
            },
            lane,
        }
    }

    /// The fault of a fragment whose lanes wait for lanes that never arrive.
    pub(super) fn never_comes(&self, program: &Program, fragment: &Fragment) -> Stop {
        let lane = fragment.lanes.trailing_zeros();
        let members = self.members_at(program, fragment);
        let missing = members & self.live & !fragment.lanes;
        let elsewhere = self.fragments.iter().filter(|f| f.lanes & missing != 0);
        let elsewhere: Vec<String> = elsewhere
            .map(|f| {
                let place = program.place(f.pc);
                let names = Self::name_lanes(f.lanes & missing);
                format!("{names} at line {}: {}", place.line, place.text)
            })
            .collect();
        let waiting = Self::name_lanes(fragment.lanes);
        let what = format!("{waiting} wait for {}", elsewhere.join("; "));
        self.stop(FaultKind::WarpSync { members, what }, fragment.pc, lane)
    }
}

/// The source lane of a shuffle, and whether it is inside the segment, as in the PTX ISA.
pub(super) fn source_lane(mode: ShuffleMode, lane: u32, b: u64, c: u64) -> (u32, bool) {
    let (b, clamp, segment) = (b as u32 & 0x1f, c as u32 & 0x1f, (c >> 8) as u32 & 0x1f);
    let last = lane & segment | clamp & !segment;
    let first = lane & segment;
    match mode {
        ShuffleMode::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= last as i32),
        ShuffleMode::Down => (lane + b, lane + b <= last),
        ShuffleMode::Butterfly => (lane ^ b, lane ^ b <= last),
        ShuffleMode::Index => {
            let source = first | b & !segment;
            (source, source <= last)
        }
    }
}

impl Registers {
    /// The register's value in the first lane of a mask.
    pub(super) fn first_of(&self, reg: Reg, mask: u32) -> u64 {
        self.row(reg)[mask.trailing_zeros() as usize & 31]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_of_whole_warps_and_segments() {
        let at = |mode, lane, b, c| source_lane(mode, lane, b, c);
        assert_eq!(at(ShuffleMode::Down, 3, 4, 31), (7, true));
        assert!(!at(ShuffleMode::Down, 30, 4, 31).1);
        assert_eq!(at(ShuffleMode::Up, 5, 2, 0), (3, true));
        assert!(!at(ShuffleMode::Up, 1, 2, 0).1);
        assert_eq!(at(ShuffleMode::Butterfly, 5, 16, 31), (21, true));
        assert_eq!(at(ShuffleMode::Index, 5, 9, 31), (9, true));
        // Segments of eight lanes: mask 0b11000.
        let c = 0b11000 << 8 | 31;
        assert_eq!(at(ShuffleMode::Index, 13, 2, c), (10, true));
        assert!(!at(ShuffleMode::Down, 14, 2, c).1);
        assert_eq!(at(ShuffleMode::Down, 12, 2, c), (14, true));
        let c = 0b11000 << 8;
        assert_eq!(at(ShuffleMode::Up, 9, 1, c), (8, true));
        assert!(!at(ShuffleMode::Up, 8, 1, c).1);
    }
}
