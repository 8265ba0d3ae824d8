//! The state that all blocks of a launch share, including the blocks of grids launched by kernels.

use super::buffers::Buffers;
use super::task::Task;
use super::workspaces::Workspaces;
use crate::config::{DeviceConfig, RunOptions, Switch};
use crate::counters::Counters;
use crate::fault::FaultKind;
use crate::memory::{Memory, Snapshot};
use crate::module::Kernel;

/// One launch on one device.
pub(super) struct Machine<'a, O> {
    /// The grid that runs now.
    pub task: Task<'a>,
    /// The kernel that the host launched. Through this value, the other kernels of its module are found.
    pub kernel: &'a Kernel,
    pub memory: &'a Memory,
    pub snapshot: Snapshot,
    pub device: &'a DeviceConfig,
    pub options: &'a RunOptions,
    pub counters: Counters,
    /// The number of warp instructions so far.
    pub steps: u64,
    /// How far the device's clock is ahead of `steps`.
    pub clock_ahead: u64,
    pub observer: O,
    /// If the launch is watched: the index of the current instruction's place in the program's list `places`.
    pub place: u32,
    /// Added to a warp's number when accesses are reported to the observer. While an asynchronous copy lands or arrives at an mbarrier, the
    /// value is the number of warps of a block, so that copies count as separate warps. At other times the value is 0.
    pub copier: u32,
    pub buffers: Buffers<'a>,
    pub workspaces: Workspaces<'a>,
    /// The number of grids that were launched and have not started.
    pub waiting: u32,
    /// The number of the next grid's first block.
    pub next_block: u64,
}

impl<O> Machine<'_, O> {
    pub(super) fn threads_per_block(&self) -> u32 {
        self.task.shape.block.iter().product()
    }

    pub(super) fn shared_bytes(&self) -> u32 {
        self.task.program.static_shared_bytes + self.task.shape.dynamic_shared_bytes
    }

    /// The address of the running grid's workspace.
    pub(super) fn workspace(&mut self) -> u64 {
        let grid = self.task.number;
        self.workspaces.address(&mut self.snapshot, grid)
    }

    /// Whether all memory counts as written.
    pub(super) fn is_trusted(&self) -> bool {
        self.options.checks.init == Switch::Off
    }
}

/// Why a launch stops, and where: the cause, the instruction, the warp and the lane.
#[derive(Debug)]
pub(super) struct Stop {
    pub kind: FaultKind,
    pub pc: u32,
    pub warp: u32,
    pub lane: u32,
}

/// A fault in one lane, before its warp and instruction are added.
#[derive(Debug)]
pub(super) struct Finding {
    pub kind: FaultKind,
    pub lane: usize,
}
