//! The sixteen barriers of a block.
//!
//! A barrier counts threads. If the instruction gives no count, the barrier waits for every thread of the block that has not exited.
//! Otherwise it waits for the given number of threads. If all threads of a warp arrive together, they count as 32, even if the block's last
//! warp has fewer threads.
//!
//! With the sync check on, these mistakes are faults:
//!
//! - A barrier without a count completes after some threads have exited.
//! - Only some threads of a warp reach an aligned barrier.
//! - Threads of one warp reach an aligned barrier at different instructions.
//!
//! The hardware tolerates some of these mistakes; the programming model allows none.

use super::block::Shared;
use super::machine::{Finding, Machine, Stop};
use super::warp::{State, Warp};
use crate::checks::{Arrival, Observer};
use crate::config::Switch;
use crate::fault::FaultKind;
use crate::program::{ALL_LANES, Alignment, Barrier, BarrierKind, Op, Program, lanes};

/// The number of barriers of a block.
pub(super) const BARRIER_COUNT: usize = 16;

/// The arrivals at one barrier since it was last complete.
#[derive(Debug, Clone, Default)]
pub(super) struct Pending {
    arrivals: Vec<Arrival>,
    /// The number of arrived threads. If all threads of a warp arrive together, they count as 32.
    threads: u32,
    /// The thread count of the instruction, if given.
    expected: Option<u32>,
    /// The kind of the first arrival.
    kind: Option<BarrierKind>,
    /// `holds` is the number of arrived threads whose predicate is true, and `asked` is the exact number of arrived threads.
    holds: u32,
    asked: u32,
    /// Whether any arrived thread had waited for the preceding launches.
    waited: bool,
}

impl Pending {
    pub(super) fn is_complete(&self, threads_per_block: u32, exited: u32) -> bool {
        if self.arrivals.is_empty() {
            return false;
        }
        match self.expected {
            Some(expected) => self.threads >= expected,
            None => self.lanes() + exited >= threads_per_block,
        }
    }

    fn lanes(&self) -> u32 {
        self.arrivals.iter().map(|a| a.lanes.count_ones()).sum()
    }
}

/// Whether arrivals of two kinds may meet at one barrier. A reduction may meet only the same reduction.
fn mix(a: BarrierKind, b: BarrierKind) -> bool {
    let waits_only = |kind| matches!(kind, BarrierKind::Sync | BarrierKind::Arrive);
    waits_only(a) && waits_only(b) || std::mem::discriminant(&a) == std::mem::discriminant(&b)
}

impl Warp {
    /// Counts arriving lanes. Returns the number of the barrier if they have to wait.
    pub(super) fn arrive<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        barrier: &Barrier,
        pc: u32,
        active: u32,
    ) -> Result<Option<u32>, Finding> {
        let invalid = |what: String| Finding {
            kind: FaultKind::InvalidBarrier { what },
            lane: active.trailing_zeros() as usize,
        };
        let number = self.registers.first_of(barrier.number, active) as u32;
        if number as usize >= BARRIER_COUNT {
            let what = format!("number {number}; a block has {BARRIER_COUNT} barriers");
            return Err(invalid(what));
        }
        let expected = barrier
            .threads
            .map(|t| self.registers.first_of(t, active) as u32);
        if let Some(expected) = expected
            && (expected == 0 || expected % 32 != 0)
        {
            let what = format!("a count of {expected} threads; it must be a multiple of 32");
            return Err(invalid(what));
        }
        let pending = &mut shared.barriers[number as usize];
        if !pending.arrivals.is_empty() && pending.expected != expected {
            let count = |c: Option<u32>| c.map_or("all".to_owned(), |c| c.to_string());
            return Err(invalid(format!(
                "barrier {number} awaits {} threads, and this arrival {}",
                count(pending.expected),
                count(expected)
            )));
        }
        let first = *pending.kind.get_or_insert(barrier.kind);
        if !mix(first, barrier.kind) {
            return Err(invalid(format!(
                "barrier {number} does a reduction for some of its threads, and not for others or another"
            )));
        }
        let holds = self.registers.predicate(barrier.predicate) & active;
        pending.expected = expected;
        pending.threads += match active == self.existing {
            true => 32,
            false => active.count_ones(),
        };
        pending.holds += holds.count_ones();
        pending.asked += active.count_ones();
        pending.waited |= self.waited & active != 0;
        let arrival = Arrival {
            warp: self.id,
            lanes: active,
            pc,
        };
        machine.observer.arrive(shared.index, number, &arrival);
        pending.arrivals.push(arrival);
        shared.look_for_completion(machine.threads_per_block());
        Ok((barrier.kind != BarrierKind::Arrive).then_some(number))
    }

    /// Releases the lanes that wait at a barrier, and stores its result in their registers.
    pub(super) fn release(&mut self, program: &Program, number: u32, pending: &Pending) {
        for index in 0..self.fragments.len() {
            let fragment = self.fragments[index];
            if fragment.state != State::AtBarrier(number) {
                continue;
            }
            if pending.waited {
                self.waited |= fragment.lanes;
            }
            if let Op::Barrier(barrier) = &program.instructions[fragment.pc as usize].op {
                let truth = |yes: bool| if yes { ALL_LANES } else { 0 };
                let registers = &mut self.registers;
                match barrier.kind {
                    BarrierKind::Sync | BarrierKind::Arrive => {}
                    BarrierKind::Count(d) => {
                        registers.keep(d, &[pending.holds.into(); 32], fragment.lanes);
                    }
                    BarrierKind::All(d) => {
                        let all = truth(pending.holds == pending.asked);
                        registers.set_predicate(d, all, fragment.lanes);
                    }
                    BarrierKind::Any(d) => {
                        registers.set_predicate(d, truth(pending.holds != 0), fragment.lanes);
                    }
                }
            }
            self.fragments[index].state = State::Ready;
            self.fragments[index].pc += 1;
        }
        self.merge_ready();
    }
}

/// Completes a barrier: checks the participants, and releases the waiting lanes.
pub(super) fn complete<O: Observer>(
    machine: &mut Machine<'_, O>,
    shared: &mut Shared,
    warps: &mut [Warp],
    number: u32,
) -> Result<(), Stop> {
    let pending = std::mem::take(&mut shared.barriers[number as usize]);
    if machine.options.checks.sync == Switch::On {
        check_participants(machine.task.program, warps, number, &pending)?;
    }
    let waits = |a: &&Arrival| match &machine.task.program.instructions[a.pc as usize].op {
        Op::Barrier(barrier) => barrier.kind != BarrierKind::Arrive,
        _ => false,
    };
    let waiting: Vec<Arrival> = pending.arrivals.iter().filter(waits).cloned().collect();
    machine.observer.barrier(shared.index, number, &waiting);
    machine.counters.barriers += 1;
    shared.barriers_completed += 1;
    for warp in warps {
        warp.release(machine.task.program, number, &pending);
    }
    Ok(())
}

fn check_participants(
    program: &Program,
    warps: &[Warp],
    number: u32,
    pending: &Pending,
) -> Result<(), Stop> {
    let Some(first) = pending.arrivals.first() else {
        return Ok(());
    };
    let divergent = |warp: &Warp, pc: u32, lane: u32, missing: String| {
        let kind = FaultKind::BarrierDivergence {
            barrier: number,
            missing,
        };
        Err(warp.stop(kind, pc, lane))
    };
    for warp in warps {
        let mine = || pending.arrivals.iter().filter(|a| a.warp == warp.id);
        let came = mine().fold(0, |mask, a| mask | a.lanes);
        let (pc, is_aligned) = match mine().next() {
            Some(arrival) => (arrival.pc, is_aligned(program, arrival.pc)),
            None => (first.pc, is_aligned(program, first.pc)),
        };
        if let Some(other) = mine().find(|a| a.pc != pc)
            && is_aligned
        {
            let place = program.place(other.pc);
            let missing = format!(
                "{} of warp {} are at line {} instead: {}",
                Warp::name_lanes(other.lanes),
                warp.id,
                place.line,
                place.text
            );
            return divergent(warp, pc, came.trailing_zeros(), missing);
        }
        let absent = warp.existing & !came;
        let must_come = pending.expected.is_none() || is_aligned && came != 0;
        if absent != 0 && must_come {
            let exited = absent & !warp.live;
            let (who, how) = match exited {
                0 => (absent, "did not come"),
                _ => (exited, "exited before"),
            };
            let missing = format!("{} of warp {} {how}", Warp::name_lanes(who), warp.id);
            let (warp, lane) = match came {
                0 => (&warps[first.warp as usize], first.lanes.trailing_zeros()),
                _ => (warp, came.trailing_zeros()),
            };
            return divergent(warp, pc, lane, missing);
        }
    }
    Ok(())
}

fn is_aligned(program: &Program, pc: u32) -> bool {
    match &program.instructions[pc as usize].op {
        Op::Barrier(barrier) => barrier.alignment == Alignment::Aligned,
        _ => false,
    }
}

/// Describes which threads wait where, when nothing in the block can run.
pub(super) fn describe_waiting(program: &Program, warps: &[Warp]) -> (String, Option<Stop>) {
    const SHOWN: usize = 4;
    let mut waiting = Vec::new();
    let mut at_warp_sync = None;
    for warp in warps {
        for fragment in &warp.fragments {
            if fragment.state == State::AtWarpSync && at_warp_sync.is_none() {
                at_warp_sync = Some(warp.never_comes(program, fragment));
            }
            let place = program.place(fragment.pc);
            let names = Warp::name_lanes(fragment.lanes);
            let first = lanes(fragment.lanes).next().unwrap_or(0);
            waiting.push((
                warp.id,
                first,
                format!(
                    "{names} of warp {} at line {}: {}",
                    warp.id, place.line, place.text
                ),
            ));
        }
    }
    waiting.sort();
    let more = waiting.len().saturating_sub(SHOWN);
    let mut text: Vec<String> = waiting.into_iter().take(SHOWN).map(|w| w.2).collect();
    if more > 0 {
        text.push(format!("and {more} more"));
    }
    (text.join("; "), at_warp_sync)
}
