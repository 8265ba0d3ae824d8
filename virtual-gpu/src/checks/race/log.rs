//! The remembered writes of a cell of memory, or its remembered reads.
//!
//! The lanes of a warp often access a cell together. Then the same barriers order all these accesses. So accesses that differ in the lane
//! only are remembered as one *group*, with a mask of lanes.

use std::ops::Range;

use super::clocks::View;
use super::history::Record;

/// If more than this many groups are remembered, a new strong access is added without a search for replaced accesses.
const PRUNED: usize = 16;

/// Accesses by one warp. They differ in the lane only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    /// The access, as if the warp's first lane had made it.
    of_lane_0: Record,
    /// Not 0.
    lanes: u32,
}

impl Group {
    fn new(record: Record) -> Self {
        Self {
            of_lane_0: record.as_lane_0(),
            lanes: 1 << record.thread().lane(),
        }
    }

    fn key(&self) -> u64 {
        self.of_lane_0.key()
    }

    /// The access of the lowest lane.
    #[inline]
    fn lowest(&self) -> Record {
        self.of_lane(self.lanes.trailing_zeros())
    }

    fn of_lane(&self, lane: u32) -> Record {
        self.of_lane_0.by_lane(lane)
    }

    /// The lanes whose accesses are not ordered before `new`. `new` is an access of a thread that knows `known`.
    #[inline]
    fn not_before(&self, new: Record, known: View<'_>) -> u32 {
        let own = match self.of_lane_0.thread() == new.thread().of_lane_0() {
            true => 1 << new.thread().lane(),
            false => 0,
        };
        // Most cells are accessed by one thread only.
        match self.lanes & !own {
            0 => 0,
            others => known.unknown_lanes(self.of_lane_0.thread(), others, self.of_lane_0.time),
        }
    }

    /// An access of this group that races with `new`. If several accesses race, the access of the lowest lane. `new` is an access of a
    /// thread that knows `known`.
    #[inline]
    fn race_with(&self, new: Record, known: View<'_>) -> Option<Record> {
        if self.of_lane_0.may_meet(new) {
            return None;
        }
        match self.not_before(new, known) {
            0 => None,
            racing => Some(self.of_lane(racing.trailing_zeros())),
        }
    }

    /// Forgets the accesses that the later access `new` replaces: `new` is ordered after them, and they are morally strong with every
    /// access that `new` is morally strong with. Returns whether accesses remain.
    #[inline]
    fn forget(&mut self, new: Record, known: View<'_>) -> bool {
        if !new.is_strong() || self.of_lane_0.is_as_strong_as(new) {
            self.lanes = self.not_before(new, known);
        }
        self.lanes != 0
    }

    /// Adds an access to the group if it differs from the group's accesses in the lane only. Returns whether it was added.
    #[inline]
    fn takes(&mut self, record: Record) -> bool {
        let is_same = self.of_lane_0 == record.as_lane_0();
        if is_same {
            self.lanes |= 1 << record.thread().lane();
        }
        is_same
    }
}

/// The remembered writes of a cell, or its remembered reads.
#[derive(Debug, Clone, Default)]
pub(super) enum Log {
    #[default]
    Empty,
    One(Group),
    Many(Box<Crowd>),
}

/// Accesses of several warps, or different accesses of one warp.
#[derive(Debug, Clone)]
pub(super) struct Crowd {
    /// Sorted by the [`key`](Record::key) of the warp's first lane. A lane is in at most one of the groups with the same key.
    groups: Vec<Group>,
    /// The index of the group that took the last access, if no other group has its key.
    alone: Option<usize>,
    /// One of the added accesses, if all of these are strong, have device scope or wider, and have the same size.
    sample: Option<Record>,
}

impl Crowd {
    /// A crowd of one group. It has room for more: others follow at once.
    fn new(group: Group) -> Self {
        let mut groups = Vec::with_capacity(4);
        groups.push(group);
        Self {
            groups,
            alone: Some(0),
            sample: Some(group.lowest()).filter(|record| record.is_wide()),
        }
    }

    fn add(&mut self, record: Record) {
        self.sample = self.sample.filter(|sample| sample.is_alike(record));
        if let Some(last) = self.alone
            && self.groups[last].takes(record)
        {
            return;
        }
        let key = record.as_lane_0().key();
        let first = self.groups.partition_point(|group| group.key() < key);
        // Few groups have the same key, so this is faster than a binary search.
        let from_first = self.groups[first..].iter();
        let with_key = from_first.take_while(|group| group.key() == key).count();
        self.alone = None;
        match with_key {
            0 => self.groups.insert(first, Group::new(record)),
            1 if self.groups[first].takes(record) => {}
            _ => return self.replace(first..first + with_key, record),
        }
        self.alone = Some(first);
    }

    /// Adds an access, and forgets the access of the same lane in the groups with the same key.
    fn replace(&mut self, mut range: Range<usize>, record: Record) {
        let lane = 1 << record.thread().lane();
        for index in range.clone().rev() {
            self.groups[index].lanes &= !lane;
            if self.groups[index].lanes == 0 {
                self.groups.remove(index);
                range.end -= 1;
            }
        }
        let groups = &mut self.groups[range.clone()];
        if !groups.iter_mut().any(|group| group.takes(record)) {
            self.groups.insert(range.end, Group::new(record));
        }
    }
}

impl Log {
    /// A remembered access that races with the access `new`. If several accesses race, the access of the lowest thread.
    #[inline]
    pub(super) fn race_with(&self, new: Record, known: View<'_>) -> Option<Record> {
        match self {
            Log::Empty => None,
            Log::One(group) => group.race_with(new, known),
            Log::Many(crowd) if crowd.sample.is_some_and(|old| old.is_alike(new)) => None,
            Log::Many(crowd) => {
                let groups = crowd.groups.iter();
                let racing = groups.filter_map(|old| old.race_with(new, known));
                racing.min_by_key(|old| (old.thread(), old.bits))
            }
        }
    }

    /// The remembered access of the lowest thread in blocks with the number `first_block` or above.
    pub(super) fn lowest_since(&self, first_block: u64) -> Option<Record> {
        let is_since = |old: &Record| old.thread().block() >= first_block;
        match self {
            Log::Empty => None,
            Log::One(group) => Some(group.lowest()).filter(is_since),
            Log::Many(crowd) => {
                let since = crowd.groups.iter().map(Group::lowest).filter(is_since);
                since.min_by_key(|old| (old.thread(), old.bits))
            }
        }
    }

    /// Calls `pass` with the access of the lowest lane of each group. If `sample` represents all accesses of the log, calls `pass` with
    /// that access only.
    #[inline]
    pub(super) fn each(&self, mut pass: impl FnMut(Record)) {
        match self {
            Log::Empty => {}
            Log::One(group) => pass(group.lowest()),
            Log::Many(crowd) => match crowd.sample {
                Some(record) => pass(record),
                None => crowd.groups.iter().map(Group::lowest).for_each(pass),
            },
        }
    }

    /// Forgets the accesses that the access `new` replaces. If `new` is strong and there are more than [`PRUNED`] groups, forgets none.
    #[inline]
    pub(super) fn forget(&mut self, new: Record, known: View<'_>) {
        match self {
            Log::Empty => {}
            Log::One(group) => {
                if !group.forget(new, known) {
                    *self = Log::Empty;
                }
            }
            Log::Many(crowd) => {
                if new.is_strong() && crowd.groups.len() > PRUNED {
                    return;
                }
                crowd.groups.retain_mut(|group| group.forget(new, known));
                crowd.alone = None;
                if crowd.groups.is_empty() {
                    *self = Log::Empty;
                }
            }
        }
    }

    /// Adds the same read by several lanes, if these lanes only join a group. `of_lane_0` is the read as if lane 0 had made it. It is weak,
    /// and no access is forgotten because of it: no thread knows another thread's accesses of the present time.
    #[inline]
    pub(super) fn takes_reads(&mut self, of_lane_0: Record, lanes: u32) -> bool {
        let group = match self {
            Log::Empty => None,
            // Other lanes may have gone on since then. If so, the new reads may be ordered after theirs.
            Log::One(group) => Some(group).filter(|group| group.lanes & !lanes == 0),
            Log::Many(crowd) => crowd.alone.map(|last| &mut crowd.groups[last]),
        };
        match group.filter(|group| group.of_lane_0 == of_lane_0) {
            Some(group) => {
                group.lanes |= lanes;
                true
            }
            None => false,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, new: Record) {
        match self {
            Log::Empty => *self = Log::One(Group::new(new)),
            Log::Many(crowd) => crowd.add(new),
            Log::One(group) => {
                if !group.takes(new) {
                    let mut crowd = Crowd::new(*group);
                    crowd.add(new);
                    *self = Log::Many(Box::new(crowd));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::clocks::{Known, Thread};
    use super::*;
    use crate::fault::AccessKind;
    use crate::program::{Scope, Strength};

    /// The threads of the test: two blocks, in each block two warps, in each warp two lanes.
    fn thread(number: usize) -> Thread {
        Thread::new(number as u64 / 4, [0, 1, 32, 33][number % 4])
    }

    fn access(random: &mut fastrand::Rng, thread: Thread, time: u32) -> Record {
        let kinds = [AccessKind::Read, AccessKind::Write, AccessKind::Atomic];
        let kind = kinds[random.usize(..3)];
        let strength = [Strength::Weak, Strength::Relaxed][random.usize(..2)];
        let scope = [Scope::Block, Scope::Device][random.usize(..2)];
        let bytes = 4 << random.u32(..2);
        Record::new(thread, (time, 0), kind, bytes, (strength, scope))
    }

    fn lowest<'r>(records: impl Iterator<Item = &'r Record>) -> Option<Record> {
        records.min_by_key(|old| (old.thread(), old.bits)).copied()
    }

    /// The sequences of accesses are so short that no log has more than [`PRUNED`] groups.
    #[test]
    fn a_log_agrees_with_a_plain_list() {
        let mut random = fastrand::Rng::with_seed(50);
        let (mut races, mut forgotten) = (0, 0);
        for _ in 0..4000 {
            let (mut log, mut list) = (Log::default(), Vec::<Record>::new());
            let mut times = [1; 8];
            for _ in 0..PRUNED {
                let number = random.usize(..times.len());
                times[number] += random.u32(..2);
                let new = access(&mut random, thread(number), times[number]);
                let mut known = Known::default();
                for (other, &time) in times.iter().enumerate() {
                    known.learn(thread(other), random.u32(..=time));
                }
                let is_before = |old: &Record| {
                    old.thread() == new.thread() || known.time_of(old.thread()) >= old.time
                };

                let racing = list.iter();
                let racing = lowest(racing.filter(|old| !old.may_meet(new) && !is_before(old)));
                assert_eq!(log.race_with(new, (&known).into()), racing);
                races += u32::from(racing.is_some());

                // A history does not always forget: see `History::read`.
                if random.bool() {
                    log.forget(new, (&known).into());
                    let count = list.len();
                    list.retain(|old| {
                        let may_go = !new.is_strong() || old.is_as_strong_as(new);
                        !(may_go && is_before(old))
                    });
                    forgotten += count - list.len();
                }

                log.add(new);
                list.retain(|old| old.key() != new.key());
                list.push(new);
                for block in 0..3 {
                    let since = list.iter().filter(|old| old.thread().block() >= block);
                    assert_eq!(log.lowest_since(block), lowest(since));
                }
            }
        }
        assert!(races > 1000 && forgotten > 1000, "{races} {forgotten}");
    }
}
