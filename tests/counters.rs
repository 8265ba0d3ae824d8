//! Tests the cost of a launch. The virtual GPU counts, for example, bytes, sectors, barriers, shuffles and instructions.
//!
//! The counts follow from the algorithm. Therefore many of them are asserted as equalities. A scan's counts also depend on how long blocks
//! wait for each other. If only one block runs at a time, no block waits, so most scans run in this way here. Nothing here predicts time.

#[path = "counters/budget.rs"]
mod budget;
#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "common/engine.rs"]
mod engine;
#[path = "counters/reduce.rs"]
mod reduce;
#[path = "counters/scan.rs"]
mod scan;
#[path = "common/texts.rs"]
mod texts;

use virtual_gpu::{Checks, Policy, RunOptions};

/// Options for a launch whose costs are counted. Only the alignment and the bounds of its memory accesses are checked; other tests check
/// more.
fn unwatched(policy: Policy) -> RunOptions {
    RunOptions {
        policy,
        checks: Checks::none(),
        ..RunOptions::default()
    }
}

/// Asserts that a number lies within `percent` percent of what is expected.
#[track_caller]
fn assert_within(percent: f64, found: u64, expected: u64) {
    let off = 100.0 * (found as f64 / expected as f64 - 1.0);
    assert!(off.abs() <= percent, "{found}, not {expected}: {off:+.2} %");
}
