//! The shape of a launch, and how it is to be run.

use super::checks::Checks;
use crate::schedule::Policy;

/// The shape of a launch.
///
/// ```
/// use virtual_gpu::Shape;
///
/// // 10 blocks of 256 threads, each with 1 KiB of dynamic shared memory.
/// let shape = Shape { grid: [10, 1, 1], block: [256, 1, 1], dynamic_shared_bytes: 1024 };
/// assert_eq!(shape.grid[0] * shape.block[0], 2560);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Blocks of the grid in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of shared memory in addition to the kernel's static variables.
    pub dynamic_shared_bytes: u32,
}

/// How a launch depends on the work before it on its stream.
///
/// ```
/// use virtual_gpu::{Dependence, RunOptions};
///
/// let options = RunOptions { dependence: Dependence::Programmatic, ..RunOptions::default() };
/// assert_ne!(options.dependence, Dependence::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dependence {
    /// The launch begins when the earlier work has ended.
    #[default]
    Full,
    /// The launch may begin earlier. Before a thread accesses global memory, it must execute `griddepcontrol.wait`, or pass a barrier
    /// together with a thread that has waited. Otherwise the access is a fault.
    Programmatic,
}

/// How one launch is to be run.
///
/// ```
/// use virtual_gpu::{Checks, RunOptions};
///
/// let options = RunOptions { seed: 7, checks: Checks::all(), ..RunOptions::default() };
/// assert_eq!(options.step_budget, 2_000_000_000);
/// ```
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Seed of a run's random choices. A repeated run with the same seed and policy makes the same choices.
    pub seed: u64,
    /// Warp instructions after which a launch counts as hung.
    pub step_budget: u64,
    /// The order in which blocks start and warps take turns, and whether reads may be stale.
    pub policy: Policy,
    /// Which checks watch the run. The alignment and the bounds of memory accesses are always checked.
    pub checks: Checks,
    /// How the launch depends on the work before it. Launches through the driver ignore this field: the driver call decides.
    pub dependence: Dependence,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            step_budget: 2_000_000_000,
            policy: Policy::default(),
            checks: Checks::default(),
            dependence: Dependence::default(),
        }
    }
}
