//! In which order warps and blocks get their turns: random, fair, and the same for the same seed.

/// In which order warps and blocks get their turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Policy {
    /// Warps in random order, each for a random number of instructions. Blocks start in order.
    #[default]
    Seeded,
}
