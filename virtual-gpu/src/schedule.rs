//! The schedule: the order in which blocks start, and the order and length of the warps' turns. The turns are random. A launch that is
//! repeated with the same policy and seed has the same schedule.
//!
//! Time is divided into rounds. Under all policies except [`Policy::StarvedPredecessor`], every warp that can run gets one turn in each
//! round, so no warp starves.

/// In which order blocks start, how many run at a time, whether a block gets fewer turns, and whether reads may return old values.
///
/// A correct kernel gives a correct result under every policy, with two exceptions. A kernel that relies on blocks starting in order may
/// hang under [`Policy::ReversedBlocks`]. A kernel hangs under [`Policy::OneBlock`] if its blocks wait for later blocks, as in a
/// cooperative kernel, or if a block waits for a grid that it launched.
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
    /// Blocks start in the order of their numbers. In each round, the warps run in random order, each for a random number of instructions.
    #[default]
    Seeded,
    /// The same as [`Policy::Seeded`], except that blocks start in the reverse order of their numbers.
    ReversedBlocks,
    /// The same as [`Policy::Seeded`], except that only one block runs at a time. If a kernel launches a grid, this child grid starts only
    /// after all blocks of the launching grid have ended.
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

/// The largest number of instructions in a turn.
const LONGEST_TURN: u64 = 512;
/// Under [`Policy::StarvedPredecessor`], one of this many rounds starves no block.
const STARVED_ROUNDS: u64 = 16;

/// A warp's turn: the index of the block among the running blocks, and the index of the warp in its block.
pub(crate) type TurnOf = (usize, usize);

/// Assigns the turns of one grid.
#[derive(Debug)]
pub(crate) struct Schedule {
    state: u64,
    policy: Policy,
    round: u64,
    /// The starved block. It is chosen again once in [`STARVED_ROUNDS`] rounds.
    victim: Victim,
}

/// A starved block.
#[derive(Debug, Clone, Copy)]
enum Victim {
    /// The first running block.
    First,
    /// This random number selects a turn of the next round, and the block of that turn is starved.
    OfTurn(u64),
    /// The block with this number.
    Block(u64),
}

impl Victim {
    /// Half of the random numbers select the first running block, and the other half select the block of a turn.
    fn of(random: u64) -> Self {
        match random % 2 {
            0 => Victim::First,
            _ => Victim::OfTurn(random / 2),
        }
    }
}

impl Schedule {
    pub(crate) fn new(seed: u64, policy: Policy) -> Self {
        // The seed is scrambled, so that neighbouring seeds do not start alike. The state is never zero.
        let state = (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1;
        Self {
            state,
            policy,
            round: 0,
            victim: Victim::First,
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

    /// Shuffles the turns of a round, and removes those of a starved block. In `turns`, the running blocks are numbered in the order in
    /// which they started. `number_of` returns a block's number in the launch, which stays the same when other blocks end.
    pub(crate) fn order(&mut self, turns: &mut Vec<TurnOf>, number_of: impl Fn(usize) -> u64) {
        self.round += 1;
        if self.policy == Policy::StarvedPredecessor {
            match self.round.is_multiple_of(STARVED_ROUNDS) {
                true => self.victim = Victim::of(self.below(1 << 32)),
                false => self.starve(turns, number_of),
            }
        }
        for last in (1..turns.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            turns.swap(last, other);
        }
    }

    /// Removes the starved block's turns, if other blocks have turns.
    fn starve(&mut self, turns: &mut Vec<TurnOf>, number_of: impl Fn(usize) -> u64) {
        if let Victim::OfTurn(random) = self.victim
            && let Some(index) = random.checked_rem(turns.len() as u64)
        {
            self.victim = Victim::Block(number_of(turns[index as usize].0));
        }
        let first = turns.iter().map(|turn| turn.0).min();
        let may_run = |turn: &TurnOf| match self.victim {
            Victim::Block(number) => number_of(turn.0) != number,
            Victim::First | Victim::OfTurn(_) => Some(turn.0) != first,
        };
        if turns.iter().any(may_run) {
            turns.retain(may_run);
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
        schedule.order(&mut turns, |block| block as u64);
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
        schedule.order(&mut alone, |block| block as u64);
        assert_eq!(alone.len(), 2);
    }

    #[test]
    fn the_starved_block_stays_the_same_while_other_blocks_wait_and_end() {
        let mut schedule = Schedule::new(1, Policy::StarvedPredecessor);
        for _ in 0..64 {
            let mut running: Vec<u64> = (10..15).collect();
            let mut starved = running.clone();
            for round in 1..STARVED_ROUNDS {
                // One to four warps of each block can run.
                let able = |block: usize| 1 + (block + round as usize) % 4;
                let blocks = 0..running.len();
                let mut turns: Vec<TurnOf> = blocks
                    .flat_map(|block| (0..able(block)).map(move |warp| (block, warp)))
                    .collect();
                schedule.order(&mut turns, |block| running[block]);
                starved.retain(|number| turns.iter().all(|turn| running[turn.0] != *number));
                if round == STARVED_ROUNDS / 2 {
                    let ended = running.iter().position(|number| !starved.contains(number));
                    running.remove(ended.unwrap());
                }
            }
            assert_eq!(starved.len(), 1);
            let mut turns = vec![(0, 0), (1, 0), (2, 0), (3, 0)];
            schedule.order(&mut turns, |block| running[block]);
            assert_eq!(turns.len(), 4);
        }
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
