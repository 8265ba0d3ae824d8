//! The asynchronous copies of one instruction.

use super::super::traffic;
use crate::program::{AddressSpace, CopyAsync, LANES, Row};

/// The copies that the lanes of a warp began with one instruction. They are kept until all of them have been waited for.
#[derive(Debug)]
pub(super) struct Copy {
    /// The operands of the instruction.
    pub(super) form: CopyAsync,
    pub(super) warp: u32,
    pub(super) pc: u32,
    /// Lanes whose copy has not landed.
    pub(super) in_flight: u32,
    /// Lanes whose copy has not been waited for.
    pub(super) unwaited: u32,
    pub(super) from: Row,
    pub(super) to: Row,
    /// `bytes` is the number of bytes to write. `read` is how many of them are read from the source. The rest are written as zeros.
    pub(super) bytes: Row,
    pub(super) read: Row,
    /// The mbarrier that the copy reports to.
    pub(super) mbarrier: Row,
    /// For each lane, the number of the group that its copy belongs to.
    pub(super) group: [u32; LANES],
    /// A range that contains all bytes of shared memory that belong to the copies.
    pub(super) span: (u64, u64),
}

impl Copy {
    /// The bytes of shared memory that belong to one lane's copy: their start and their length.
    pub(super) fn own(&self, lane: usize) -> (u64, u64) {
        match self.form.to.space {
            AddressSpace::Shared => (self.to[lane], self.bytes[lane]),
            _ => (self.from[lane], self.read[lane]),
        }
    }

    /// How many pairs of lines the copies of the lanes in `mask` join (see [`Counters`](crate::Counters)).
    pub(super) fn joined_lines(&self, mask: u32) -> u64 {
        let is_counted = self.form.to.space == AddressSpace::Shared;
        match is_counted && self.bytes.iter().all(|&bytes| bytes <= 16) {
            true => traffic::copied_lines(&self.from, &self.to, mask),
            false => 0,
        }
    }
}

/// The smallest range that contains all `ranges`, which are pairs of a start and a length.
pub(super) fn span(ranges: impl Iterator<Item = (u64, u64)>) -> (u64, u64) {
    ranges.fold((u64::MAX, 0), |(first, last), (start, length)| {
        (first.min(start), last.max(start.saturating_add(length)))
    })
}
