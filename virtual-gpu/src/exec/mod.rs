//! Runs a lowered kernel: `family` runs the host's grid and those that kernels launch, `grid` feeds blocks to the multiprocessors and gives warps their turns,
//! `block` holds what the threads of a block share, `warp` runs fragments of warps, and the other
//! modules carry out what an instruction does.
//!
//! Threads are independent, as on Volta and later. The lanes of a warp that stand at the same
//! instruction form a *fragment* and run together; a branch may split a fragment, and fragments
//! that meet again become one. No order of warps, blocks or fragments is promised, and every
//! thread that can go on gets its turn in the end.

mod barrier;
mod block;
mod bounds;
mod buffers;
mod child;
mod copies;
mod dependence;
mod exchange;
mod family;
mod grid;
mod init;
mod lanewise;
mod machine;
mod mbarrier;
mod memory;
mod print;
mod registers;
mod special;
mod stale;
mod sync;
mod task;
mod traffic;
mod warp;

pub(crate) use child::kernel_address;
pub(crate) use family::run;
pub(crate) use mbarrier::pending_count;
pub(crate) use memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW};
pub(crate) use registers::Registers;
