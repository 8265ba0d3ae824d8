//! Planted bugs: tests how well the virtual GPU's checks find bugs in the kernels that ship.
//!
//! Each test changes one thing in the text of a kernel, as a slip in its source would, and runs it twice on one
//! workspace under every schedule. The checks that are listed with the bug must find it. The unchanged kernel must run
//! clean, with the right bits. Each check gets runs of its own, for its own count.
//!
//! The numbers of findings of each check are printed, for a number of seeds of every policy, the policies in their
//! order (seeded, reversed blocks, one block at a time, a starved block, stale reads):
//!
//! ```text
//! WARPFOLD_SEEDS=20 cargo test --release --test planted -- --nocapture
//! ```
//!
//! A change that no longer fits the text fails its test: look the place up in the new text. The changes are for the text that
//! the repository holds, so there are no tests here where another compiler makes it.
#![cfg(not(feature = "cuda_builder"))]

#[path = "planted/bug.rs"]
mod bug;
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
