//! The machine: thread indices, barriers, shuffles, shared memory, vector accesses and atomics.
//!
//! The rest of this crate has no `asm!` and no intrinsics. Memory accesses and arithmetic are almost the same for every compiler. Three
//! implementations exist of the following: barriers, shuffles, votes, the address of shared memory, the indices of threads and blocks, and
//! the counts of threads and blocks. One of the three implementations is chosen at compile time:
//!
//! - `rustc`: rustc's own NVPTX back end (nightly), which builds the PTX that ships;
//! - `stable`: the same back end on stable Rust, for users' operators (feature `stable`);
//! - `cuda_std`: rust-cuda's `rustc_codegen_nvvm` with the crate `cuda_std`.
//!
//! # Convergence
//!
//! A block's barrier needs every thread of the block. A barrier that counts to `n` warps needs every thread of `n` warps. A warp's barrier,
//! a shuffle or a vote needs every lane of the warp. All threads that are needed have to reach the call: none has left the kernel, and none
//! branches around the call. A function with this condition is called **convergent**.
//!
//! # Memory order
//!
//! State words, tickets and `Control::fault` are read and written with `relaxed` order at GPU scope. Each of these reads and writes is a
//! single access of 64 bits. A state word carries a value together with its tag, so no other order is needed. The one exception is
//! [`arrive`]: it releases its thread's earlier accesses, and acquires the accesses that earlier callers released. Launches that mark heads
//! call [`arrive`], and so do some launches with the last tag (`tickets::LAST_TAG`).

// On the host the kernels are only type-checked: each instruction panics.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unused, clippy::diverging_sub_expression)
)]

/// Inline PTX, with a name and the operands of `asm!`.
#[cfg(all(target_arch = "nvptx64", not(feature = "stable")))]
macro_rules! ptx {
    ($name:ident: $($assembly:tt)*) => { ::core::arch::asm!($($assembly)*) };
}

/// A panic in place of PTX, where the kernels are only type-checked.
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! ptx {
    ($($assembly:tt)*) => {
        panic!("kernels run on a GPU")
    };
}

#[cfg(all(target_arch = "nvptx64", feature = "stable"))]
#[macro_use]
mod hook;

pub mod arithmetic;

pub mod atomics;
#[cfg(feature = "skeletons")]
pub mod holes;
mod memory;
pub use self::memory::*;
mod words;
pub use self::words::*;

#[cfg(feature = "cuda_std")]
mod cuda_std;
#[cfg(feature = "cuda_std")]
pub use self::cuda_std::*;

#[cfg(all(
    any(feature = "stable", all(doc, not(target_arch = "nvptx64"))),
    not(feature = "cuda_std")
))]
mod stable;
#[cfg(all(
    any(feature = "stable", all(doc, not(target_arch = "nvptx64"))),
    not(feature = "cuda_std")
))]
pub use self::stable::*;

#[cfg(not(any(
    feature = "stable",
    feature = "cuda_std",
    all(doc, not(target_arch = "nvptx64"))
)))]
mod rustc;
#[cfg(not(any(
    feature = "stable",
    feature = "cuda_std",
    all(doc, not(target_arch = "nvptx64"))
)))]
pub use self::rustc::*;

use crate::contract::WARP_LANES;
use crate::launch::{Copies, Start};

/// Whether copies to shared memory are asynchronous.
pub const COPIES: Copies = Copies::of_capability(CAPABILITY_MAJOR);

/// Whether a launch may begin before the earlier work on its stream is done.
pub const START: Start = Start::of_capability(CAPABILITY_MAJOR);

/// This thread's lane in its warp. Blocks are one-dimensional.
#[inline(always)]
pub fn lane() -> u32 {
    thread_index() % WARP_LANES
}

/// This thread's warp in its block.
#[inline(always)]
pub fn warp() -> u32 {
    thread_index() / WARP_LANES
}

/// This thread's index among all threads of the grid.
#[inline(always)]
pub fn thread_in_grid() -> u64 {
    block_index() as u64 * block_threads() as u64 + thread_index() as u64
}

/// The number of threads in the grid.
#[inline(always)]
pub fn threads_in_grid() -> u64 {
    block_count() as u64 * block_threads() as u64
}

/// Returns `number`, for the condition of a branch in a loop with ballots or barriers. The number differs between threads: for example, it
/// is the number of a lane or of a warp. rust-cuda's compiler does not know that threads meet at ballots and barriers. Suppose the compiler
/// saw that a thread's branch goes the same way in every iteration. Then it would make two copies of the loop, one for each side of the
/// branch. So this function hides from that compiler that the number stays the same.
#[inline(always)]
pub fn in_loop(number: u32) -> u32 {
    if cfg!(feature = "cuda_std") {
        number * late_one()
    } else {
        number
    }
}
