//! The schedule under which the virtual GPU runs a case.

use proptest::prelude::any;
use proptest::sample::select;
use proptest::strategy::Strategy;
use virtual_gpu::driver::run_with;
use virtual_gpu::{Checks, Policy, RunOptions};

/// Warp instructions after which a launch counts as hung: many times the instructions of the longest case.
const STEP_BUDGET: u64 = 500_000_000;

/// The order of blocks and warps, and the checks.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    policy: Policy,
    seed: u64,
    /// Whether the default checks are on. The alignment and the bounds of memory accesses are checked in any case. With all default checks,
    /// a case takes several times as long, so only some cases have them.
    all_checks: bool,
}

impl Schedule {
    pub fn strategy() -> impl Strategy<Value = Self> {
        let all_checks = proptest::bool::weighted(0.25);
        (select(&Policy::ALL[..]), any::<u64>(), all_checks).prop_map(
            |(policy, seed, all_checks)| Self {
                policy,
                seed,
                all_checks,
            },
        )
    }

    /// Does the work. While the work is done, this thread's launches run under this schedule.
    pub fn run<R>(self, work: impl FnOnce() -> R) -> R {
        let options = RunOptions {
            seed: self.seed,
            policy: self.policy,
            checks: match self.all_checks {
                true => Checks::default(),
                false => Checks::none(),
            },
            step_budget: STEP_BUDGET,
            ..RunOptions::default()
        };
        run_with(options, work)
    }
}
