//! Planted bugs: these tests show how well the virtual GPU's checks find bugs in the kernels that ship.
//!
//! Each bug has a test, which changes one thing in the text of a kernel, as a mistake in its source would. The test runs the changed text on
//! a new workspace, and again on the same workspace if the first run seems right. The checks that are listed with the bug must find it
//! under at least one policy. The unchanged kernel must run clean under every policy, with the right bits. The checks `sync`, `race` and
//! `init` each have runs of their own, so that they do not hide each other's findings.
//!
//! If `WARPFOLD_SEEDS` is set, the tests run all checks under all policies, and print how often each check finds the bug. For each check
//! that finds it, they print five numbers, one for each policy, in this order: seeded, reversed blocks, one block at a time, a starved
//! block, stale reads. This command takes 20 seeds of each policy:
//!
//! ```text
//! WARPFOLD_SEEDS=20 cargo test --release --test planted -- --nocapture
//! ```
//!
//! If an edit no longer fits the text, its test fails. Then find the right occurrence in the new text, and change the edit. The edits are
//! for the committed text, so the tests are left out if another compiler makes the text.
#![cfg(not(feature = "cuda_builder"))]

#[path = "planted/bug.rs"]
mod bug;
#[path = "planted/by_key.rs"]
mod by_key;
#[path = "planted/columns.rs"]
mod columns;
#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "planted/edit.rs"]
mod edit;
#[path = "common/engine.rs"]
mod engine;
#[path = "planted/reduce.rs"]
mod reduce;
#[path = "planted/scan.rs"]
mod scan;
#[path = "common/schedule.rs"]
mod schedule;
#[path = "planted/segments.rs"]
mod segments;
#[path = "planted/trial.rs"]
mod trial;
