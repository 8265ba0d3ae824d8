//! What watches a run, beside the checks of memory accesses, which are always on.
//!
//! The check of barriers and `*.sync` instructions sits where these are carried out, in
//! `exec/barrier.rs` and `exec/sync.rs`. Checks that keep books of their own are [`Observer`]s: a
//! launch is compiled once for each, so that a launch without one pays nothing.

mod clocks;
mod race;

use crate::fault::{AccessKind, FaultKind, Space};
use crate::program::{Scope, Strength};
pub(crate) use race::RaceDetector;

/// Which checks watch a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checks {
    /// Barriers and `*.sync` instructions: who must take part, and does. On by default.
    pub sync: Switch,
    /// Data races in global and shared memory. Off by default: it costs much time and memory.
    pub race: Switch,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// Watch, and stop the launch at the first finding.
    On,
    /// Do not watch: go on as a real device might.
    Off,
}

impl Default for Checks {
    fn default() -> Self {
        Self {
            sync: Switch::On,
            race: Switch::Off,
        }
    }
}

/// One lane's access to memory.
#[derive(Debug)]
pub(crate) struct Access {
    pub space: Space,
    pub kind: AccessKind,
    pub address: u64,
    pub bytes: u32,
    pub block: u64,
    pub warp: u32,
    pub lane: u32,
    pub strength: Strength,
    pub scope: Scope,
}

/// Lanes that arrived at a barrier together.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    pub warp: u32,
    pub lanes: u32,
    pub pc: u32,
}

/// Is told what happens in a launch, in the order in which it happens.
pub(crate) trait Observer {
    /// Whether accesses are reported at all.
    const WATCHES: bool;

    /// What is reported next belongs to this place in the text.
    fn at(&mut self, place: u32);
    /// After an access that was in bounds.
    fn access(&mut self, access: &Access) -> Result<(), FaultKind>;
    /// Lanes carried out a fence.
    fn fence(&mut self, block: u64, warp: u32, lanes: u32, scope: Scope);
    /// Lanes met at a `bar.warp.sync`.
    fn warp_sync(&mut self, block: u64, warp: u32, lanes: u32);
    /// Lanes arrived at a barrier of their block.
    fn arrive(&mut self, block: u64, number: u32, arrival: &Arrival);
    /// A barrier of a block completed; these lanes waited for it.
    fn barrier(&mut self, block: u64, number: u32, waiting: &[Arrival]);
    /// A block has ended.
    fn block_ends(&mut self, block: u64);
}

/// Watches nothing.
#[derive(Debug)]
pub(crate) struct Unwatched;

impl Observer for Unwatched {
    const WATCHES: bool = false;

    fn at(&mut self, _: u32) {}

    fn access(&mut self, _: &Access) -> Result<(), FaultKind> {
        Ok(())
    }

    fn fence(&mut self, _: u64, _: u32, _: u32, _: Scope) {}

    fn warp_sync(&mut self, _: u64, _: u32, _: u32) {}

    fn arrive(&mut self, _: u64, _: u32, _: &Arrival) {}

    fn barrier(&mut self, _: u64, _: u32, _: &[Arrival]) {}

    fn block_ends(&mut self, _: u64) {}
}
