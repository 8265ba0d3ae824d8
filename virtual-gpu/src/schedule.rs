//! In which order warps get their turns, and for how long: random, fair, and the same for the same
//! seed.
//!
//! Time goes in rounds. In each round every warp that can run gets one turn, so none starves.

/// How the turns are dealt out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Policy {
    /// The warps of a round in random order, each for a random number of instructions.
    #[default]
    Seeded,
}

/// Instructions of a turn, at most.
const LONGEST_TURN: u64 = 512;

/// Deals out the turns of one launch.
#[derive(Debug)]
pub(crate) struct Schedule {
    state: u64,
    policy: Policy,
}

impl Schedule {
    pub(crate) fn new(seed: u64, policy: Policy) -> Self {
        // Scrambled, so that neighbouring seeds do not start alike; never zero.
        let state = (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1;
        Self { state, policy }
    }

    /// Puts the turns of a round in order.
    pub(crate) fn order<T>(&mut self, turns: &mut [T]) {
        match self.policy {
            Policy::Seeded => {
                for last in (1..turns.len()).rev() {
                    let other = self.below(last as u64 + 1) as usize;
                    turns.swap(last, other);
                }
            }
        }
    }

    /// Instructions of the next turn.
    pub(crate) fn quantum(&mut self) -> u32 {
        match self.policy {
            Policy::Seeded => 1 + self.below(LONGEST_TURN) as u32,
        }
    }

    /// A random number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((u128::from(self.state) * u128::from(end)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_turns() {
        let deal = |seed| {
            let mut schedule = Schedule::new(seed, Policy::Seeded);
            let mut turns: Vec<u32> = (0..20).collect();
            schedule.order(&mut turns);
            (turns, schedule.quantum())
        };
        assert_eq!(deal(7), deal(7));
        assert_ne!(deal(7), deal(8));
        let mut all = deal(3).0;
        all.sort_unstable();
        assert!(all.into_iter().eq(0..20));
    }
}
