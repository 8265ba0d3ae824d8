//! What a thread knows of the others: vector clocks over all threads of a grid.
//!
//! A clock holds, for every block that it knows anything of, the time up to which each of its
//! threads is known. Blocks' parts are shared until they differ: behind a barrier, all threads of
//! a block share one.

use std::collections::BTreeMap;
use std::rc::Rc;

/// A thread of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Thread {
    pub block: u64,
    /// Within the block.
    pub index: u32,
}

/// Times up to which threads are known.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    blocks: BTreeMap<u64, Rc<Vec<u32>>>,
}

impl Known {
    /// The time up to which a thread is known; 0 if it is not.
    pub(super) fn time_of(&self, thread: Thread) -> u32 {
        let times = self.blocks.get(&thread.block);
        times
            .and_then(|times| times.get(thread.index as usize))
            .copied()
            .unwrap_or(0)
    }

    /// Knows a thread up to a time, and what was known of it before.
    pub(super) fn learn(&mut self, thread: Thread, time: u32) {
        if self.time_of(thread) >= time {
            return;
        }
        let times = Rc::make_mut(self.blocks.entry(thread.block).or_default());
        let index = thread.index as usize;
        if times.len() <= index {
            times.resize(index + 1, 0);
        }
        times[index] = time;
    }

    /// Knows all that another knows.
    pub(super) fn join(&mut self, other: &Known) {
        for (&block, theirs) in &other.blocks {
            let Some(mine) = self.blocks.get_mut(&block) else {
                self.blocks.insert(block, Rc::clone(theirs));
                continue;
            };
            let behind = |(index, &time): (usize, &u32)| mine.get(index).is_none_or(|&m| m < time);
            if Rc::ptr_eq(mine, theirs) || !theirs.iter().enumerate().any(behind) {
                continue;
            }
            let mine = Rc::make_mut(mine);
            if mine.len() < theirs.len() {
                mine.resize(theirs.len(), 0);
            }
            for (mine, &theirs) in mine.iter_mut().zip(theirs.iter()) {
                *mine = (*mine).max(theirs);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_takes_the_later_of_each() {
        let thread = |block, index| Thread { block, index };
        let (mut a, mut b) = (Known::default(), Known::default());
        a.learn(thread(0, 3), 5);
        a.learn(thread(1, 0), 2);
        b.learn(thread(0, 3), 4);
        b.learn(thread(0, 7), 9);
        b.learn(thread(2, 1), 1);
        a.join(&b);
        let times = [(0, 3), (0, 7), (1, 0), (2, 1), (2, 0)].map(|(b, i)| a.time_of(thread(b, i)));
        assert_eq!(times, [5, 9, 2, 1, 0]);
        assert_eq!(b.time_of(thread(1, 0)), 0);
    }
}
