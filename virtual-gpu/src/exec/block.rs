//! A block: its warps and their shared state.

use super::barrier::{self, BARRIER_COUNT, Pending};
use super::copies::Copies;
use super::machine::{Machine, Stop};
use super::warp::Warp;
use crate::checks::Observer;

/// The shared state of a block's threads.
pub(super) struct Shared {
    /// The block's number in the whole launch. For a block of the host's grid this is also its number in the grid.
    pub index: u64,
    /// The block's position in the grid: x, y and z.
    pub place: [u32; 3],
    /// The block's multiprocessor.
    pub multiprocessor: u32,
    pub memory: Vec<u8>,
    /// Whether each byte of shared memory is defined. Empty if the launch does not track this.
    pub written: Vec<bool>,
    pub barriers: [Pending; BARRIER_COUNT],
    pub copies: Copies,
    pub barriers_completed: u64,
    exited: u32,
    completed: Vec<u32>,
    exits_seen: u32,
}

impl Shared {
    /// Records exited threads, for which barriers without a count no longer wait.
    pub(super) fn thread_exits(&mut self, count: u32) {
        self.exited += count;
    }

    /// Records the barriers that are complete.
    pub(super) fn look_for_completion(&mut self, threads_per_block: u32) {
        for (number, pending) in (0..).zip(&self.barriers) {
            let complete = pending.is_complete(threads_per_block, self.exited);
            if complete && !self.completed.contains(&number) {
                self.completed.push(number);
            }
        }
    }
}

pub(super) struct Block {
    pub shared: Shared,
    pub warps: Vec<Warp>,
}

impl Block {
    pub(super) fn new<O: Observer>(
        machine: &mut Machine<'_, O>,
        number: u64,
        multiprocessor: u32,
    ) -> Self {
        let index = machine.task.first_block.wrapping_add(number);
        let [x, y, _] = machine.task.shape.grid.map(u64::from);
        let place = [number % x, number / x % y, number / x / y].map(|n| n as u32);
        machine.counters.blocks += 1;
        let warp_count = machine.threads_per_block().div_ceil(32);
        Self {
            shared: Shared {
                index,
                place,
                multiprocessor,
                memory: vec![0; machine.shared_bytes() as usize],
                written: match O::WATCHES {
                    true => vec![machine.is_trusted(); machine.shared_bytes() as usize],
                    false => Vec::new(),
                },
                barriers: Default::default(),
                copies: Copies::new(
                    machine.threads_per_block(),
                    machine.options.seed ^ index << 32,
                ),
                barriers_completed: 0,
                exited: 0,
                completed: Vec::new(),
                exits_seen: 0,
            },
            warps: (0..warp_count).map(|id| Warp::new(machine, id)).collect(),
        }
    }

    /// Gives one warp a turn, then releases the threads at complete barriers.
    pub(super) fn run_warp<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        warp: usize,
        quantum: u32,
    ) -> Result<(), Stop> {
        self.land_copies(machine)?;
        self.warps[warp].run(machine, &mut self.shared, quantum)?;
        if self.shared.exits_seen != self.shared.exited {
            self.shared.exits_seen = self.shared.exited;
            self.shared.look_for_completion(machine.threads_per_block());
        }
        while let Some(number) = self.shared.completed.pop() {
            barrier::complete(machine, &mut self.shared, &mut self.warps, number)?;
        }
        match self.is_finished() {
            true => self.land_copies(machine),
            false => Ok(()),
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.warps.iter().all(|warp| warp.fragments.is_empty())
    }
}
