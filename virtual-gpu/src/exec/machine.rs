//! What all blocks of a launch share.

use std::sync::Arc;

use crate::checks::Checks;
use crate::config::DeviceConfig;
use crate::counters::Counters;
use crate::fault::FaultKind;
use crate::launch::Shape;
use crate::memory::{Memory, Snapshot};
use crate::program::{Program, Row};

/// One launch on one device.
pub(super) struct Machine<'a, O> {
    pub program: &'a Program,
    pub constants: Arc<[Row]>,
    pub shape: Shape,
    pub params: &'a [u8],
    pub memory: &'a Memory,
    pub snapshot: Snapshot,
    pub device: &'a DeviceConfig,
    pub checks: Checks,
    /// Seed of what happens by chance.
    pub seed: u64,
    pub counters: Counters,
    /// Warp instructions so far; also the device's clock.
    pub steps: u64,
    pub observer: O,
    /// Place in the text of the instruction that is being carried out, if the launch is watched.
    pub place: u32,
}

impl<O> Machine<'_, O> {
    pub(super) fn threads_per_block(&self) -> u32 {
        self.shape.block.iter().product()
    }

    pub(super) fn shared_bytes(&self) -> u32 {
        self.program.static_shared_bytes + self.shape.dynamic_shared_bytes
    }
}

/// Why and where a warp was stopped.
#[derive(Debug)]
pub(super) struct Stop {
    pub kind: FaultKind,
    pub pc: u32,
    pub warp: u32,
    pub lane: u32,
}

/// A finding in one lane, before it is known which warp and instruction it is.
#[derive(Debug)]
pub(super) struct Finding {
    pub kind: FaultKind,
    pub lane: usize,
}
