//! The interface of whatever watches a launch.

use std::ops::Range;
use std::sync::Arc;

use crate::config::Shape;
use crate::fault::{AccessKind, FaultKind, Space};
use crate::program::{Order, Program, Row, Scope, Strength};

/// The accesses of some lanes of a warp that one instruction makes to one space.
#[derive(Debug)]
pub(crate) struct Accesses<'a> {
    pub space: Space,
    pub kind: AccessKind,
    /// Bytes that each lane accesses.
    pub bytes: u32,
    pub block: u64,
    pub warp: u32,
    pub lanes: u32,
    /// Within the space.
    pub addresses: &'a Row,
    pub strength: Strength,
    pub scope: Scope,
}

impl Accesses<'_> {
    pub(crate) fn is_strong(&self) -> bool {
        !matches!(self.strength, Strength::Weak | Strength::ReadOnly)
    }
}

/// One element of global memory that one thread accesses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element {
    pub block: u64,
    /// Within the block.
    pub thread: u32,
    pub address: u64,
    pub width: u32,
}

/// Lanes that arrived at a barrier together.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    pub warp: u32,
    pub lanes: u32,
    pub pc: u32,
}

/// A grid that starts.
#[derive(Debug)]
pub(crate) struct GridStart<'a> {
    /// Which grid of the launch it is: the host's is 0.
    pub number: u32,
    /// The number of its first block in the launch.
    pub first_block: u64,
    pub shape: Shape,
    pub program: &'a Arc<Program>,
    /// Blocks that it comes after as a whole.
    pub after: &'a [Range<u64>],
}

/// Watches a launch: each method is called when the event happens, in order.
pub(crate) trait Observer {
    /// Whether accesses are reported at all, and the launch tracks which bytes are undefined.
    const WATCHES: bool;

    /// A grid starts, the host's or one that was launched.
    fn grid_starts(&mut self, start: &GridStart<'_>);
    /// A thread of a block launched the grid of a number.
    fn launches(&mut self, block: u64, thread: u32, grid: u32);
    /// What is reported next belongs to this place in the text.
    fn at(&mut self, place: u32);
    /// After accesses that were in bounds. An error names the lane that is at fault.
    fn accesses(&mut self, accesses: &Accesses<'_>) -> Result<(), (usize, FaultKind)>;
    /// Lanes carried out a fence.
    fn fence(&mut self, block: u64, warp: u32, lanes: u32, how: (Order, Scope));
    /// Lanes met at a `bar.warp.sync`.
    fn warp_sync(&mut self, block: u64, warp: u32, lanes: u32);
    /// Lanes arrived at a barrier of their block.
    fn arrive(&mut self, block: u64, number: u32, arrival: &Arrival);
    /// A barrier of a block completed; these lanes waited for it.
    fn barrier(&mut self, block: u64, number: u32, waiting: &[Arrival]);
    /// Lanes began asynchronous copies, which are reported as accesses of warps beyond the block's.
    fn copies_begin(&mut self, block: u64, warp: u32, lanes: u32);
    /// Lanes waited for copies of theirs.
    fn copies_end(&mut self, block: u64, warp: u32, lanes: u32);
    /// A block has ended.
    fn block_ends(&mut self, block: u64);

    /// Whether what was in global memory before the last write matters.
    fn remembers(&self) -> bool {
        false
    }
    /// Before an access is reported: it writes over this, if that is known.
    fn overwrites(&mut self, _: &Element, _before: Option<u64>) {}
    /// Before an access is reported: the older value that it shall read, if any.
    fn reads_older(&mut self, _: &Element) -> Option<u64> {
        None
    }
}

/// Watches nothing.
#[derive(Debug)]
pub(crate) struct Unwatched;

impl Observer for Unwatched {
    const WATCHES: bool = false;

    fn grid_starts(&mut self, _: &GridStart<'_>) {}

    fn launches(&mut self, _: u64, _: u32, _: u32) {}

    fn at(&mut self, _: u32) {}

    fn accesses(&mut self, _: &Accesses<'_>) -> Result<(), (usize, FaultKind)> {
        Ok(())
    }

    fn fence(&mut self, _: u64, _: u32, _: u32, _: (Order, Scope)) {}

    fn warp_sync(&mut self, _: u64, _: u32, _: u32) {}

    fn arrive(&mut self, _: u64, _: u32, _: &Arrival) {}

    fn barrier(&mut self, _: u64, _: u32, _: &[Arrival]) {}

    fn copies_begin(&mut self, _: u64, _: u32, _: u32) {}

    fn copies_end(&mut self, _: u64, _: u32, _: u32) {}

    fn block_ends(&mut self, _: u64) {}
}
