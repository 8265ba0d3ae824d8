//! Numbers of items. Most numbers are near the size of a vector, warp, block, tile or piece, or near a multiple of it. The others are
//! arbitrary.

use proptest::num::usize::BinarySearch;
use proptest::prelude::RngExt;
use proptest::strategy::{NewTree, Strategy};
use proptest::test_runner::TestRunner;

/// A strategy for numbers of items. A failing number is made smaller by bisection.
#[derive(Debug, Clone, Copy)]
pub enum Lengths {
    /// Numbers that fill at most a few tiles, for any item type.
    Short,
    /// More items. Some numbers fill several tile groups, or several pieces of a slice.
    Long,
}

impl Strategy for Lengths {
    type Tree = BinarySearch;
    type Value = usize;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let rng = runner.rng();
        // The sizes of vectors, warps, blocks, pieces and most tiles are powers of two.
        let (least, most) = match self {
            Self::Short => (0, 40_000),
            Self::Long => (1 << 15, 700_000),
        };
        let count = match rng.random_range(0..8) {
            0 => rng.random_range(least..=most),
            1 => rng.random_range(least..=least + most / 100),
            _ => {
                let unit: usize = match self {
                    Self::Short => 1 << rng.random_range(0..=15),
                    Self::Long => 1 << rng.random_range(15..=19),
                };
                let units = [1, 1, 1, 2, 3, 5][rng.random_range(0..6)];
                (unit * units + rng.random_range(0..3)).saturating_sub(1)
            }
        };
        Ok(BinarySearch::new(count.min(most)))
    }
}
