//! Runs a grid. At first, blocks start until the device is full. Whenever a block ends, another block starts. Under `Policy::OneBlock`,
//! only one block runs at a time. The warps get turns in the order of the schedule.

use super::barrier::describe_waiting;
use super::block::Block;
use super::family;
use super::machine::{Machine, Stop};
use super::special::thread_place;
use crate::checks::Observer;
use crate::fault::{Fault, FaultKind};
use crate::schedule::{Schedule, TurnOf};

/// Runs the machine's grid and its children until all of them have ended. Does not run the grid's tail launches. The launch has been
/// checked against the device's limits.
pub(super) fn run<O: Observer>(
    machine: &mut Machine<'_, O>,
    schedule: &mut Schedule,
) -> Result<(), Box<Fault>> {
    let mut grid = Grid {
        blocks: Vec::new(),
        started: 0,
        total: machine.task.block_count(),
        resident: schedule.resident_blocks(resident_blocks(machine)),
    };
    let mut turns = Vec::new();
    loop {
        grid.start_blocks(machine, schedule);
        let has_ended = grid.blocks.is_empty();
        if !has_ended {
            grid.round(machine, schedule, &mut turns)
                .map_err(|(block, stop)| describe(machine, block, stop))?;
        } else if machine.task.children.is_empty() {
            return Ok(());
        }
        if !machine.task.children.is_empty() && (has_ended || schedule.child_goes_first()) {
            family::run_child(machine, schedule)?;
        }
    }
}

fn resident_blocks<O: Observer>(machine: &Machine<'_, O>) -> usize {
    let device = machine.device;
    let threads = machine.threads_per_block();
    let each = device.blocks_per_multiprocessor(threads, machine.shared_bytes());
    each.max(1) as usize * device.multiprocessors.max(1) as usize
}

struct Grid {
    /// The running blocks.
    blocks: Vec<Block>,
    started: u64,
    total: u64,
    resident: usize,
}

/// A block's coordinates in the grid, and why one of its warps was stopped.
type Stopped = ([u32; 3], Stop);

impl Grid {
    /// Gives one turn to each warp that can run, unless its block is starved.
    fn round<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        schedule: &mut Schedule,
        turns: &mut Vec<TurnOf>,
    ) -> Result<(), Stopped> {
        let step_budget = machine.options.step_budget;
        turns.clear();
        for (index, block) in self.blocks.iter().enumerate() {
            let able = block
                .warps
                .iter()
                .enumerate()
                .filter(|(_, warp)| warp.can_run());
            turns.extend(able.map(|(warp, _)| (index, warp)));
        }
        if turns.is_empty() {
            return Err(self.deadlock(machine));
        }
        schedule.order(turns, |block| self.blocks[block].shared.index);
        for &(index, warp) in &*turns {
            let block = &mut self.blocks[index];
            let ran = block.run_warp(machine, warp, schedule.quantum());
            ran.map_err(|stop| (block.shared.place, stop))?;
            if machine.steps > step_budget {
                return Err(self.out_of_time(index, warp, step_budget));
            }
        }
        self.retire_blocks(machine);
        Ok(())
    }

    fn start_blocks<O: Observer>(&mut self, machine: &mut Machine<'_, O>, schedule: &Schedule) {
        while self.blocks.len() < self.resident && self.started < self.total {
            let number = schedule.next_block(self.started, self.total);
            let multiprocessors = u64::from(machine.device.multiprocessors.max(1));
            let multiprocessor = (self.started % multiprocessors) as u32;
            self.blocks
                .push(Block::new(machine, number, multiprocessor));
            self.started += 1;
        }
    }

    fn retire_blocks<O: Observer>(&mut self, machine: &mut Machine<'_, O>) {
        self.blocks.retain(|block| {
            let finished = block.is_finished();
            if finished {
                let most = &mut machine.counters.barriers_per_block;
                *most = (*most).max(block.shared.barriers_completed);
                machine.observer.block_ends(block.shared.index);
            }
            !finished
        });
    }

    fn out_of_time(&self, index: usize, warp: usize, steps: u64) -> Stopped {
        let block = &self.blocks[index];
        let warp = &block.warps[warp];
        let fragment = warp.fragments.first();
        let (pc, lanes) = fragment.map_or((0, 1), |f| (f.pc, f.lanes));
        let kind = FaultKind::StepBudget { steps };
        (
            block.shared.place,
            warp.stop(kind, pc, lanes.trailing_zeros()),
        )
    }

    /// The fault of a deadlock: nothing can run, because all threads of the running blocks wait.
    fn deadlock<O: Observer>(&self, machine: &Machine<'_, O>) -> Stopped {
        let block = self.blocks.iter().find(|block| !block.is_finished());
        let block = block.unwrap_or(&self.blocks[0]);
        let (waiting, at_warp_sync) = describe_waiting(machine.task.program, &block.warps);
        let stop = at_warp_sync.unwrap_or_else(|| {
            let stuck = block.warps.iter().find(|warp| !warp.fragments.is_empty());
            let warp = stuck.unwrap_or(&block.warps[0]);
            let (pc, lanes) = warp.fragments.first().map_or((0, 1), |f| (f.pc, f.lanes));
            warp.stop(FaultKind::Deadlock { waiting }, pc, lanes.trailing_zeros())
        });
        (block.shared.place, stop)
    }
}

fn describe<O: Observer>(machine: &Machine<'_, O>, block: [u32; 3], stop: Stop) -> Box<Fault> {
    let place = machine.task.program.place(stop.pc);
    Box::new(Fault {
        kind: stop.kind,
        kernel: machine.task.program.name.clone(),
        block,
        thread: thread_place(machine.task.shape.block, stop.warp * 32 + stop.lane),
        warp: stop.warp,
        lane: stop.lane,
        line: place.line,
        instruction: place.text.clone(),
    })
}
