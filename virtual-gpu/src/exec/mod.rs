//! Runs a lowered kernel. `family` runs the host's grid and the grids that kernels launch. `grid` feeds blocks to the multiprocessors and
//! gives warps their turns. `block` holds the shared state of a block's threads. `warp` chooses which fragment of a warp runs, and
//! `fragment` runs it. `machine` holds the state of a launch, and `task` holds the state of a grid. Most other modules execute single
//! instructions, or check their accesses.
//!
//! Threads are independent, as on Volta and later. A *fragment* is a set of lanes of a warp that are at the same instruction and run
//! together. A branch may split a fragment. Fragments that meet at the start of a basic block are merged. No order of warps, blocks or
//! fragments is promised, but every thread that can run gets its turn eventually.

mod apart;
mod barrier;
mod block;
mod bounds;
mod buffers;
mod child;
mod copies;
mod dependence;
mod exchange;
mod family;
mod fragment;
mod grid;
mod init;
mod lanewise;
mod machine;
mod mbarrier;
mod memory;
mod print;
mod special;
mod stale;
mod sync;
mod task;
mod traffic;
mod warp;
mod workspaces;

pub(crate) use family::{Ended, Launch, run};
