//! The interface of a launch's observer.

use std::ops::Range;
use std::sync::Arc;

use crate::config::Shape;
use crate::fault::{AccessKind, FaultKind, Space};
use crate::program::{Order, Program, Row, Scope, Strength, lanes};

/// The accesses of one instruction to one memory space, by some lanes of a warp.
#[derive(Debug)]
pub(crate) struct Accesses<'a> {
    pub space: Space,
    pub kind: AccessKind,
    /// Bytes that each lane accesses.
    pub bytes: u32,
    pub block: u64,
    pub warp: u32,
    pub lanes: u32,
    /// Addresses within the space, by lane.
    pub addresses: &'a Row,
    pub strength: Strength,
    pub scope: Scope,
}

impl Accesses<'_> {
    pub(crate) fn is_strong(&self) -> bool {
        !matches!(self.strength, Strength::Weak | Strength::ReadOnly)
    }

    /// The address of a weak read by several lanes, if all of them read the same bytes.
    #[inline]
    pub(crate) fn weak_read_of_one_address(&self) -> Option<u64> {
        if self.kind != AccessKind::Read || self.is_strong() || self.lanes.count_ones() < 2 {
            return None;
        }
        let first = self.addresses[self.lanes.trailing_zeros() as usize];
        let is_first = |lane: usize| self.addresses[lane] == first;
        lanes(self.lanes).all(is_first).then_some(first)
    }
}

/// One element of global memory that one thread accesses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element {
    pub block: u64,
    /// The thread's index in the block.
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
    /// The grid's number in the launch. The grid that the host launched has number 0.
    pub number: u32,
    /// The number of the grid's first block. Blocks are numbered over the whole launch.
    pub first_block: u64,
    pub shape: Shape,
    pub program: &'a Arc<Program>,
    /// Blocks that have ended, and that are ordered before this grid.
    pub after: &'a [Range<u64>],
}

/// Watches a launch.
pub(crate) trait Observer {
    /// Whether the interpreter reports accesses and tracks undefined bytes.
    const WATCHES: bool;

    /// A grid starts, launched by the host or by a kernel.
    fn grid_starts(&mut self, start: &GridStart<'_>);
    /// A thread of a block launched the grid with this number.
    fn launches(&mut self, block: u64, thread: u32, grid: u32);
    /// Later reports belong to this place in the PTX text.
    fn at(&mut self, place: u32);
    /// Accesses that were in bounds. An error names the lane at fault.
    fn accesses(&mut self, accesses: &Accesses<'_>) -> Result<(), (usize, FaultKind)>;
    /// Lanes carried out a fence.
    fn fence(&mut self, block: u64, warp: u32, lanes: u32, how: (Order, Scope));
    /// Lanes met at a `bar.warp.sync`.
    fn warp_sync(&mut self, block: u64, warp: u32, lanes: u32);
    /// Lanes arrived at a barrier of their block.
    fn arrive(&mut self, block: u64, number: u32, arrival: &Arrival);
    /// A barrier of a block completed. The lanes in `waiting` waited for it.
    fn barrier(&mut self, block: u64, number: u32, waiting: &[Arrival]);
    /// Lanes began asynchronous copies, or their copies are about to arrive at an mbarrier. The copies' accesses are reported with warp
    /// numbers above those of the block's warps.
    fn copies_begin(&mut self, block: u64, warp: u32, lanes: u32);
    /// Lanes waited for all or some of their own copies.
    fn copies_end(&mut self, block: u64, warp: u32, lanes: u32);
    /// A block has ended.
    fn block_ends(&mut self, block: u64);

    /// Whether the observer needs the old value of each element of global memory that is overwritten.
    fn remembers(&self) -> bool {
        false
    }
    /// Called before a write is reported. The second argument is the overwritten value, if that value is known.
    fn overwrites(&mut self, _: &Element, _before: Option<u64>) {}
    /// Called before a read is reported. If the read is to get an older value instead of the current value, returns the older value.
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
