//! The remembered writes and reads of a cell of memory. Accesses that are not needed to find a race are forgotten where that is cheap.
//!
//! A later access *replaces* an earlier access if every access that races with the earlier one also races with the later one. If all
//! accesses are weak and the program orders them, at most one write and one read remain. If many threads read at once, several reads of
//! each thread may remain: one weak read and, for each size, one strong read of block scope and one strong read of wider scope. In the same
//! way, if many threads use atomic operations, which count as writes, several writes of each thread may remain.

use super::clocks::{Thread, View};
use super::log::Log;
use crate::fault::AccessKind;
use crate::program::{Scope, Strength};

/// One thread's access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// The thread in the low bits. Above it, the kind, strength, scope and size of the access.
    pub bits: u64,
    pub time: u32,
    pub place: u32,
}

const FLAGS: u32 = 48;
const IS_WRITE: u64 = 1 << FLAGS;
const IS_ATOMIC: u64 = 1 << (FLAGS + 1);
const IS_STRONG: u64 = 1 << (FLAGS + 2);
const IS_WIDE: u64 = 1 << (FLAGS + 3);
const SIZE: u32 = FLAGS + 4;

impl Record {
    pub(super) fn new(
        thread: Thread,
        (time, place): (u32, u32),
        kind: AccessKind,
        bytes: u32,
        (strength, scope): (Strength, Scope),
    ) -> Self {
        let mut bits = thread.bits() | u64::from(bytes.trailing_zeros()) << SIZE;
        bits |= match kind {
            AccessKind::Read => 0,
            AccessKind::Write => IS_WRITE,
            AccessKind::Atomic => IS_WRITE | IS_ATOMIC,
        };
        if !matches!(strength, Strength::Weak | Strength::ReadOnly) {
            bits |= IS_STRONG;
            if scope >= Scope::Device {
                bits |= IS_WIDE;
            }
        }
        Self { bits, time, place }
    }

    #[cfg(test)]
    pub(super) fn for_tests(thread: Thread, time: u32) -> Self {
        let strength = (Strength::Weak, Scope::Device);
        Self::new(thread, (time, 0), AccessKind::Write, 4, strength)
    }

    pub(super) fn thread(self) -> Thread {
        Thread::from_bits(self.bits & ((1 << FLAGS) - 1))
    }

    /// The same access, as if the warp's first lane had made it.
    pub(super) fn as_lane_0(self) -> Self {
        let bits = self.bits - u64::from(self.thread().lane());
        Self { bits, ..self }
    }

    /// The same access by another lane. This record is an access of the warp's first lane.
    pub(super) fn by_lane(self, lane: u32) -> Self {
        let bits = self.bits | u64::from(lane);
        Self { bits, ..self }
    }

    pub(super) fn kind(self) -> AccessKind {
        match (self.bits & IS_WRITE, self.bits & IS_ATOMIC) {
            (0, _) => AccessKind::Read,
            (_, 0) => AccessKind::Write,
            _ => AccessKind::Atomic,
        }
    }

    pub(super) fn bytes(self) -> u32 {
        1 << (self.bits >> SIZE)
    }

    /// The thread, whether the access is strong, and if so its size and scope. In a log, a thread's later access with the same key replaces
    /// the earlier one.
    pub(super) fn key(self) -> u64 {
        match self.is_strong() {
            true => self.bits & !(IS_WRITE | IS_ATOMIC),
            false => self.thread().bits(),
        }
    }

    pub(super) fn is_strong(self) -> bool {
        self.bits & IS_STRONG != 0
    }

    /// Whether the access is strong, and of device scope or wider.
    pub(super) fn is_wide(self) -> bool {
        self.bits & IS_WIDE != 0
    }

    /// Whether two accesses to one cell are morally strong: both are strong, they access the same bytes, and the scope of each includes the
    /// thread of the other. Accesses are aligned, so two accesses of the same size to one cell access the same bytes.
    pub(super) fn may_meet(self, other: Self) -> bool {
        self.bits & other.bits & IS_STRONG != 0
            && self.has_size_of(other)
            && (self.are_wide(other) || self.has_block_of(other))
    }

    fn has_size_of(self, other: Self) -> bool {
        self.bits >> SIZE == other.bits >> SIZE
    }

    fn has_block_of(self, other: Self) -> bool {
        self.thread().block() == other.thread().block()
    }

    /// Whether this access and another are both strong, and of device scope or wider.
    fn are_wide(self, other: Self) -> bool {
        self.bits & other.bits & IS_WIDE != 0
    }

    /// Whether this access and another are both strong, of device scope or wider, and of the same size. Of such accesses, each is morally
    /// strong with all others.
    pub(super) fn is_alike(self, other: Self) -> bool {
        self.are_wide(other) && self.has_size_of(other)
    }

    /// Whether this access is morally strong with every access that the strong access `new` is morally strong with. If the blocks differ,
    /// it is not: an access of block scope in the block of `new` is morally strong with `new`, but not with this access.
    pub(super) fn is_as_strong_as(self, new: Self) -> bool {
        self.is_strong()
            && self.has_size_of(new)
            && self.has_block_of(new)
            && (self.is_wide() || !new.is_wide())
    }
}

/// The remembered accesses of a cell.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    writes: Log,
    reads: Log,
}

impl History {
    /// Calls `pass` with each remembered write, or with one write that represents all of them.
    #[inline]
    pub(super) fn each_write(&self, pass: impl FnMut(Record)) {
        self.writes.each(pass);
    }

    /// Calls `pass` with each remembered read, or with one read that represents all of them.
    #[inline]
    pub(super) fn each_read(&self, pass: impl FnMut(Record)) {
        self.reads.each(pass);
    }

    /// A remembered access that races with the read `new`, if any does.
    #[inline]
    pub(super) fn race_with_read(&self, new: Record, known: View<'_>) -> Option<Record> {
        self.writes.race_with(new, known)
    }

    /// A remembered write by a block with the number `first_block` or above. If there are several such writes, the write of the lowest
    /// thread.
    pub(super) fn write_since(&self, first_block: u64) -> Option<Record> {
        self.writes.lowest_since(first_block)
    }

    /// A remembered access that races with the write or atomic operation `new`, if any does.
    #[inline]
    pub(super) fn race_with_write(&self, new: Record, known: View<'_>) -> Option<Record> {
        let write = self.writes.race_with(new, known);
        write.or_else(|| self.reads.race_with(new, known))
    }

    /// Remembers a read.
    #[inline]
    pub(super) fn read(&mut self, new: Record, known: View<'_>) {
        // If the log has several groups, a read does not search it for accesses to forget. Only a write does.
        if !matches!(self.reads, Log::Many(_)) {
            self.reads.forget(new, known);
        }
        self.reads.add(new);
    }

    /// Remembers the same weak read by each of `lanes`, which are at the same time and know the same. `of_lane_0` is the read as if the
    /// warp's first lane had made it.
    #[inline]
    pub(super) fn read_by_lanes(&mut self, of_lane_0: Record, lanes: u32, known: View<'_>) {
        let mut left = lanes;
        while left != 0 {
            self.read(of_lane_0.by_lane(left.trailing_zeros()), known);
            left &= left - 1;
            if self.reads.takes_reads(of_lane_0, lanes) {
                return;
            }
        }
    }

    /// Whether no write is remembered.
    #[inline]
    pub(super) fn is_unwritten(&self) -> bool {
        matches!(self.writes, Log::Empty)
    }

    /// Remembers a write or an atomic operation.
    #[inline]
    pub(super) fn write(&mut self, new: Record, known: View<'_>) {
        self.writes.forget(new, known);
        self.reads.forget(new, known);
        self.writes.add(new);
    }
}

#[cfg(test)]
mod tests {
    use super::super::clocks::Known;
    use super::*;

    fn access(index: u32, kind: AccessKind, strength: Strength) -> Record {
        let thread = Thread::new(0, index);
        Record::new(thread, (1, 0), kind, 4, (strength, Scope::Device))
    }

    #[test]
    fn a_writer_sees_all_readers_and_then_clears_them() {
        let mut cell = History::default();
        let unknown = Known::default();
        for index in [4, 2, 9] {
            cell.read(
                access(index, AccessKind::Read, Strength::Weak),
                (&unknown).into(),
            );
        }
        let write = access(1, AccessKind::Write, Strength::Weak);
        let first = cell.race_with_write(write, (&unknown).into()).unwrap();
        assert_eq!(first.thread(), Thread::new(0, 2));
        let mut known = Known::default();
        for index in [4, 2, 9] {
            known.learn(Thread::new(0, index), 1);
        }
        assert_eq!(cell.race_with_write(write, (&known).into()), None);
        cell.write(write, (&known).into());
        assert!(matches!(cell.reads, Log::Empty));
        let again = access(3, AccessKind::Write, Strength::Weak);
        assert_eq!(cell.race_with_write(again, (&unknown).into()), Some(write));
    }

    #[test]
    fn a_strong_access_does_not_hide_a_weak_one() {
        let mut cell = History::default();
        let unknown = Known::default();
        let weak = access(1, AccessKind::Read, Strength::Weak);
        cell.read(weak, (&unknown).into());
        cell.read(
            access(1, AccessKind::Read, Strength::Relaxed),
            (&unknown).into(),
        );
        let write = access(2, AccessKind::Write, Strength::Relaxed);
        assert_eq!(cell.race_with_write(write, (&unknown).into()), Some(weak));
        let sum = access(3, AccessKind::Atomic, Strength::Relaxed);
        assert_eq!(
            (weak.kind(), sum.kind(), sum.bytes()),
            (AccessKind::Read, AccessKind::Atomic, 4)
        );
    }

    /// A strong access to a cell by a thread of the given block.
    fn strong((block, index): (u64, u32), bytes: u32, scope: Scope) -> Record {
        let ordering = (Strength::Relaxed, scope);
        let thread = Thread::new(block, index);
        Record::new(thread, (1, 0), AccessKind::Write, bytes, ordering)
    }

    /// Two ordered writes, and a third write that is ordered after neither. The first write races with the third write, and the second
    /// write does not.
    #[test]
    fn only_an_access_that_races_with_as_much_replaces_another() {
        let third = |block, scope| strong((block, 9), 4, scope);
        let (narrow, wide) = (Scope::Block, Scope::Device);
        for (first, second, third) in [
            (
                strong((0, 0), 8, wide),
                strong((0, 1), 4, wide),
                third(1, wide),
            ),
            (
                strong((0, 0), 4, narrow),
                strong((0, 1), 4, wide),
                third(1, wide),
            ),
            (
                strong((0, 0), 4, wide),
                strong((1, 0), 4, wide),
                third(1, narrow),
            ),
            (
                strong((0, 0), 4, narrow),
                strong((1, 0), 4, narrow),
                third(1, wide),
            ),
            (
                strong((0, 0), 8, wide),
                strong((0, 0), 4, wide),
                third(1, wide),
            ),
            (
                strong((0, 0), 4, narrow),
                strong((0, 0), 4, wide),
                third(1, wide),
            ),
        ] {
            let mut ordered = Known::default();
            ordered.learn(first.thread(), first.time);
            for others in [0, 3] {
                let mut cell = History::default();
                // Other writes of the second thread's block, so that there are many records.
                for index in 0..others {
                    let other = strong((second.thread().block(), 20 + index), 4, wide);
                    cell.write(other, (&Known::default()).into());
                }
                cell.write(first, (&Known::default()).into());
                cell.write(second, (&ordered).into());
                let race = cell.race_with_write(third, (&Known::default()).into());
                assert_eq!(race, Some(first), "{second:?} {third:?} {others}");
            }
        }
    }

    #[test]
    fn an_access_of_the_same_block_and_width_replaces_a_strong_one() {
        let unknown = Known::default();
        let (narrow, wide) = (Scope::Block, Scope::Device);
        for (first, second) in [(narrow, narrow), (wide, narrow), (wide, wide)] {
            let first = strong((0, 0), 4, first);
            let mut ordered = Known::default();
            ordered.learn(first.thread(), first.time);
            let mut cell = History::default();
            cell.write(first, (&unknown).into());
            cell.write(strong((0, 1), 4, second), (&ordered).into());
            assert!(matches!(cell.writes, Log::One(_)));
        }
    }

    /// Reads by several lanes at once leave the same history as the same reads one by one. The threads are eight lanes of two warps.
    #[test]
    fn lanes_that_read_together_are_as_lanes_that_read_one_by_one() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut together = 0;
        for _ in 0..2000 {
            let (mut at_once, mut one_by_one) = (History::default(), History::default());
            let (mut times, mut known) = ([[1; 4]; 2], Known::default());
            for place in 0..20 {
                let warp = random.usize(..2);
                let lanes = random.u32(1..16);
                let ordering = (Strength::Weak, Scope::Device);
                let read = |lane: u32| {
                    let thread = Thread::new(0, warp as u32 * 32 + lane);
                    let when = (times[warp][lane as usize], place / 3);
                    Record::new(thread, when, AccessKind::Read, 4, ordering)
                };
                let held = || (0..4).filter(|lane| lanes >> lane & 1 == 1);
                held().for_each(|lane| one_by_one.read(read(lane), (&known).into()));
                let first = read(lanes.trailing_zeros());
                match held().all(|lane| read(lane).time == first.time) {
                    true => {
                        together += 1;
                        at_once.read_by_lanes(first.as_lane_0(), lanes, (&known).into());
                    }
                    false => held().for_each(|lane| at_once.read(read(lane), (&known).into())),
                }
                assert_eq!(format!("{at_once:?}"), format!("{one_by_one:?}"));
                for lane in (0..4).filter(|_| random.u32(..4) == 0) {
                    let thread = Thread::new(0, warp as u32 * 32 + lane);
                    known.learn(thread, times[warp][lane as usize]);
                    times[warp][lane as usize] += 1;
                }
            }
        }
        assert!(together > 10_000, "{together}");
    }
}
