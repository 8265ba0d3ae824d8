//! The schedule: the order in which blocks start, and the order and length of the warps' turns. The turns are random. The same policy and
//! seed always give the same schedule.
//!
//! Time is divided into rounds. In each round every warp that can run gets one turn. So no warp starves, except under
//! [`Policy::StarvedPredecessor`].

/// The order in which blocks start, and the order of the turns.
///
/// A correct kernel gives the same result under every policy, with two exceptions. A kernel that relies on blocks starting in order may
/// hang under [`Policy::ReversedBlocks`]. A kernel whose blocks wait for later blocks, such as a cooperative kernel, hangs under
/// [`Policy::OneBlock`].
///
/// ```
/// use virtual_gpu::{Policy, RunOptions};
///
/// let options = RunOptions { policy: Policy::StaleReads, ..RunOptions::default() };
/// assert_eq!(options.seed, 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Policy {
    /// Blocks start in the order of their numbers. In each round, the warps run in random order, each
    /// for a random number of instructions.
    #[default]
    Seeded,
    /// The same as [`Policy::Seeded`], except that blocks start in the reverse order of their numbers.
    ReversedBlocks,
    /// The same as [`Policy::Seeded`], except that only one block runs at a time. A grid that a kernel launches
    /// waits until the launching grid has ended.
    OneBlock,
    /// The same as [`Policy::Seeded`], except that in 15 of 16 rounds one of the running blocks gets no turn, unless nothing else can run.
    /// So blocks that wait for the starved block wait long. Half the time the first running block is starved, because other blocks are
    /// likely to wait for it.
    StarvedPredecessor,
    /// The same as [`Policy::Seeded`], except that a read of global memory may return the value before the last write, where the program's
    /// synchronisation allows it. This reveals missing fences that no interleaving reveals.
    StaleReads,
}

impl Policy {
    /// All policies.
    pub const ALL: [Policy; 5] = [
        Policy::Seeded,
        Policy::ReversedBlocks,
        Policy::OneBlock,
        Policy::StarvedPredecessor,
        Policy::StaleReads,
    ];

    /// The policy with this name: `seeded`, `reversed`, `one-block`, `starved` or `stale`.
    ///
    /// ```
    /// assert!(virtual_gpu::Policy::parse("stale").is_some());
    /// assert!(virtual_gpu::Policy::parse("fair").is_none());
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "seeded" => Some(Policy::Seeded),
            "reversed" => Some(Policy::ReversedBlocks),
            "one-block" => Some(Policy::OneBlock),
            "starved" => Some(Policy::StarvedPredecessor),
            "stale" => Some(Policy::StaleReads),
            _ => None,
        }
    }
}

/// The most instructions of a turn.
const LONGEST_TURN: u64 = 512;
/// Under [`Policy::StarvedPredecessor`], all blocks get a turn once in this number of rounds.
const STARVED_ROUNDS: u64 = 16;

/// A warp's turn: the index of the block among the running blocks, and the index of the warp in its block.
pub(crate) type TurnOf = (usize, usize);

/// Assigns the turns of one grid.
#[derive(Debug)]
pub(crate) struct Schedule {
    state: u64,
    policy: Policy,
    round: u64,
    /// A random number that selects the starved block. It changes after all blocks have had a turn.
    victim: u64,
}

impl Schedule {
    pub(crate) fn new(seed: u64, policy: Policy) -> Self {
        // The seed is scrambled, so that neighbouring seeds do not start alike. The state is never zero.
        let state = (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1;
        Self {
            state,
            policy,
            round: 0,
            victim: 0,
        }
    }

    /// How many blocks may run at once on a device that holds `held` blocks.
    pub(crate) fn resident_blocks(&self, held: usize) -> usize {
        match self.policy {
            Policy::OneBlock => held.min(1),
            _ => held,
        }
    }

    /// The number of the block that starts next, when `started` of `total` blocks have started.
    pub(crate) fn next_block(&self, started: u64, total: u64) -> u64 {
        match self.policy {
            Policy::ReversedBlocks => total - 1 - started,
            _ => started,
        }
    }

    /// Puts the turns of a round in order, and removes those of a starved block. In `turns`, the running blocks are numbered in the order
    /// in which they started.
    pub(crate) fn order(&mut self, turns: &mut Vec<TurnOf>) {
        self.round += 1;
        if self.policy == Policy::StarvedPredecessor {
            match self.round.is_multiple_of(STARVED_ROUNDS) {
                true => self.victim = self.below(1 << 32),
                false => self.starve(turns),
            }
        }
        for last in (1..turns.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            turns.swap(last, other);
        }
    }

    /// Removes the starved block's turns, if other blocks have turns.
    fn starve(&self, turns: &mut Vec<TurnOf>) {
        let chosen = match self.victim % 2 {
            0 => turns.iter().map(|turn| turn.0).min(),
            _ => turns
                .get(self.victim as usize / 2 % turns.len().max(1))
                .map(|turn| turn.0),
        };
        if turns.iter().any(|turn| Some(turn.0) != chosen) {
            turns.retain(|turn| Some(turn.0) != chosen);
        }
    }

    /// Decides whether a child of the running grid runs now.
    pub(crate) fn child_goes_first(&mut self) -> bool {
        self.policy != Policy::OneBlock && self.below(2) == 0
    }

    /// A random number below `count`.
    pub(crate) fn choose(&mut self, count: usize) -> usize {
        self.below(count as u64) as usize
    }

    /// The number of instructions in the next turn.
    pub(crate) fn quantum(&mut self) -> u32 {
        1 + self.below(LONGEST_TURN) as u32
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

    fn round(schedule: &mut Schedule) -> Vec<TurnOf> {
        let mut turns: Vec<TurnOf> = (0..20).map(|i| (i / 4, i % 4)).collect();
        schedule.order(&mut turns);
        turns
    }

    #[test]
    fn the_same_seed_gives_the_same_turns() {
        let deal = |seed| {
            let mut schedule = Schedule::new(seed, Policy::Seeded);
            (round(&mut schedule), schedule.quantum())
        };
        assert_eq!(deal(7), deal(7));
        assert_ne!(deal(7), deal(8));
        let mut all = deal(3).0;
        all.sort_unstable();
        assert!(all.into_iter().eq((0..20).map(|i| (i / 4, i % 4))));
    }

    #[test]
    fn a_starved_block_still_gets_a_few_turns() {
        let mut schedule = Schedule::new(1, Policy::StarvedPredecessor);
        let mut without = [0; 5];
        for _ in 0..1024 {
            let turns = round(&mut schedule);
            for (block, count) in without.iter_mut().enumerate() {
                *count += u32::from(turns.iter().all(|turn| turn.0 != block));
            }
        }
        assert_eq!(without.iter().sum::<u32>(), 1024 / 16 * 15);
        assert!(without.iter().all(|&count| count >= 15), "{without:?}");
        assert!(without[0] > 1024 / 3, "{without:?}");
        let mut alone = vec![(0, 0), (0, 1)];
        schedule.order(&mut alone);
        assert_eq!(alone.len(), 2);
    }

    #[test]
    fn reversed_blocks_and_one_resident_block() {
        let reversed = Schedule::new(0, Policy::ReversedBlocks);
        assert_eq!(
            [reversed.next_block(0, 5), reversed.next_block(4, 5)],
            [4, 0]
        );
        assert_eq!(Schedule::new(0, Policy::OneBlock).resident_blocks(64), 1);
    }
}
