//! Vector clocks over all threads of a launch: the times up to which each thread knows the other threads.
//!
//! For each block that a clock knows in part, the clock holds a list with the known time of each thread of the block. Clocks share a list
//! until one of them changes it. After a barrier, all threads that waited for it share one clock.

use std::ops::Range;
use std::rc::Rc;

use crate::program::{self, LANES};

/// Bits of a [`Thread`] that hold its index in its block.
const INDEX_BITS: u32 = 16;

/// A thread of the launch: its block, and its index in the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Thread(u64);

impl Thread {
    pub(super) fn new(block: u64, index: u32) -> Self {
        Self(block << INDEX_BITS | u64::from(index))
    }

    pub(super) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(super) fn bits(self) -> u64 {
        self.0
    }

    pub(super) fn block(self) -> u64 {
        self.0 >> INDEX_BITS
    }

    /// The thread's index in its block.
    pub(super) fn index(self) -> usize {
        (self.0 & ((1 << INDEX_BITS) - 1)) as usize
    }

    pub(super) fn lane(self) -> u32 {
        (self.0 % LANES as u64) as u32
    }

    /// The first thread of this thread's warp.
    pub(super) fn of_lane_0(self) -> Self {
        Self(self.0 - self.0 % LANES as u64)
    }
}

/// Times of the threads of one block.
type Times = Rc<Vec<u32>>;

/// A clock: the times up to which threads are known.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// Sorted by block.
    blocks: Vec<(u64, Times)>,
    /// Ended blocks. Everything that their threads did is known.
    whole: Vec<Range<u64>>,
}

impl Known {
    /// The time up to which a thread is known. 0 if the thread is not known.
    #[inline]
    pub(super) fn time_of(&self, thread: Thread) -> u32 {
        if !self.whole.is_empty() && self.whole.iter().any(|w| w.contains(&thread.block())) {
            return u32::MAX;
        }
        let Ok(place) = self.find(thread.block()) else {
            return 0;
        };
        let time = self.blocks[place].1.get(thread.index());
        time.copied().unwrap_or(0)
    }

    /// Of the `lanes` of a warp, those that are known up to `time`. `first` is the warp's first thread.
    #[inline]
    fn lanes_known(&self, first: Thread, lanes: u32, time: u32) -> u32 {
        if !self.whole.is_empty() && self.whole.iter().any(|w| w.contains(&first.block())) {
            return lanes;
        }
        let Ok(place) = self.find(first.block()) else {
            return 0;
        };
        let times = self.blocks[place].1.get(first.index()..).unwrap_or(&[]);
        let is_known = |lane: &usize| times.get(*lane).is_some_and(|&known| known >= time);
        let known = program::lanes(lanes).filter(is_known);
        known.fold(0, |known, lane| known | 1 << lane)
    }

    #[inline]
    fn find(&self, block: u64) -> Result<usize, usize> {
        match &self.blocks[..] {
            [(only, _)] if *only == block => Ok(0),
            blocks => blocks.binary_search_by_key(&block, |(block, _)| *block),
        }
    }

    /// Raises the known time of a thread to `time`, if it was lower.
    pub(super) fn learn(&mut self, thread: Thread, time: u32) {
        let place = self.find(thread.block()).unwrap_or_else(|place| {
            self.blocks.insert(place, (thread.block(), Rc::default()));
            place
        });
        let times = Rc::make_mut(&mut self.blocks[place].1);
        let index = thread.index();
        if times.len() <= index {
            times.resize((index + 1).next_multiple_of(LANES), 0);
        }
        times[index] = times[index].max(time);
    }

    /// Records ended blocks, so that everything their threads did is known.
    pub(super) fn learn_all(&mut self, blocks: &Range<u64>) {
        let covers = |a: &Range<u64>, b: &Range<u64>| a.start <= b.start && b.end <= a.end;
        if !self.whole.iter().any(|known| covers(known, blocks)) {
            self.whole.retain(|known| !covers(blocks, known));
            self.whole.push(blocks.clone());
        }
    }

    /// Raises the known time of every thread to the time in `other`, if it was lower.
    pub(super) fn join(&mut self, other: &Known) {
        other.whole.iter().for_each(|blocks| self.learn_all(blocks));
        let mut place = 0;
        for (block, theirs) in &other.blocks {
            while self.blocks.get(place).is_some_and(|(mine, _)| mine < block) {
                place += 1;
            }
            match self.blocks.get_mut(place) {
                Some((mine, times)) if mine == block => join_times(times, theirs),
                _ => self.blocks.insert(place, (*block, Rc::clone(theirs))),
            }
        }
    }
}

/// What a thread knows: all times in its clock and, in addition, the thread `partner` up to `partner_time`. This time may be later than the
/// time of `partner` in the clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'k> {
    pub known: &'k Known,
    pub partner: Thread,
    pub partner_time: u32,
}

impl View<'_> {
    /// The time up to which a thread is known. 0 if the thread is not known.
    #[inline]
    pub(super) fn time_of(self, thread: Thread) -> u32 {
        let time = self.known.time_of(thread);
        match thread == self.partner {
            true => time.max(self.partner_time),
            false => time,
        }
    }

    /// Of the `lanes` of a warp, those that are not known up to `time`. `first` is the warp's first thread.
    #[inline]
    pub(super) fn unknown_lanes(self, first: Thread, lanes: u32, time: u32) -> u32 {
        let unknown = lanes & !self.known.lanes_known(first, lanes, time);
        let (partner, lane) = (self.partner.of_lane_0(), self.partner.lane());
        match partner == first && self.partner_time >= time {
            true => unknown & !(1 << lane),
            false => unknown,
        }
    }
}

/// The view of a thread that knows nothing of its partner beyond the clock.
impl<'k> From<&'k Known> for View<'k> {
    fn from(known: &'k Known) -> Self {
        let partner = Thread::new(0, 0);
        Self {
            known,
            partner,
            partner_time: 0,
        }
    }
}

fn join_times(mine: &mut Times, theirs: &Times) {
    let is_behind = |(index, &time): (usize, &u32)| mine.get(index).is_none_or(|&m| m < time);
    if Rc::ptr_eq(mine, theirs) || !theirs.iter().enumerate().any(is_behind) {
        return;
    }
    let mine = Rc::make_mut(mine);
    if mine.len() < theirs.len() {
        mine.resize(theirs.len(), 0);
    }
    for (mine, &theirs) in mine.iter_mut().zip(theirs.iter()) {
        *mine = (*mine).max(theirs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_ranges_of_whole_blocks_are_joined() {
        let (mut a, mut b) = (Known::default(), Known::default());
        a.learn_all(&(2..4));
        a.learn(Thread::new(3, 1), 7);
        b.learn_all(&(0..3));
        b.learn_all(&(1..2));
        b.join(&a);
        let times = [0, 1, 2, 3, 4].map(|block| b.time_of(Thread::new(block, 1)));
        assert_eq!(times, [u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0]);
        assert_eq!(b.whole, [0..3, 2..4]);
    }

    #[test]
    fn join_takes_each_threads_later_time() {
        let (mut a, mut b) = (Known::default(), Known::default());
        a.learn(Thread::new(5, 3), 5);
        a.learn(Thread::new(1, 0), 2);
        b.learn(Thread::new(5, 3), 4);
        b.learn(Thread::new(5, 7), 9);
        b.learn(Thread::new(2, 1), 1);
        a.join(&b);
        let times = [(5, 3), (5, 7), (1, 0), (2, 1), (2, 0)];
        let times = times.map(|(block, index)| a.time_of(Thread::new(block, index)));
        assert_eq!(times, [5, 9, 2, 1, 0]);
        assert_eq!(b.time_of(Thread::new(1, 0)), 0);
    }
}
