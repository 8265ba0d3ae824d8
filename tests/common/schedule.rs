//! The schedules under which the tests run a kernel.

use std::env;

use virtual_gpu::{Policy, RunOptions};

/// The environment variable that gives the number of seeds.
pub const SEEDS_VARIABLE: &str = "WARPFOLD_SEEDS";

/// Every policy with `usual_seeds` seeds. If the environment variable `WARPFOLD_SEEDS` is set, it gives the number of seeds instead.
pub fn schedules(usual_seeds: u64) -> impl Iterator<Item = RunOptions> {
    let seeds = match env::var(SEEDS_VARIABLE) {
        Ok(seeds) => seeds.parse().expect("WARPFOLD_SEEDS is a number"),
        Err(_) => usual_seeds,
    };
    Policy::ALL.into_iter().flat_map(move |policy| {
        (0..seeds).map(move |seed| RunOptions {
            seed,
            policy,
            ..RunOptions::default()
        })
    })
}
