//! Building blocks for kernels of your own: what the library's kernels are made of.
//!
//! | module | works on | what it has |
//! |---|---|---|
//! | [`thread`] | one thread | where it is in the grid; a fold over items |
//! | [`warp`] | 32 lanes | a barrier, shuffles, a reduction, scans; no shared memory |
//! | [`block`] | [`block::THREADS`] threads | a barrier, shared memory, a reduction, scans, a broadcast |
//! | [`atomic`] | a word that threads share | sums, maxima and minima |
//!
//! Folds, reductions and scans take any operator ([`Op`](crate::Op)) on any item, and combine values that [`Op::lift`](crate::Op::lift)
//! gave. Call [`Op::lower`](crate::Op::lower) before you write a result. The order in which they combine is fixed, so results repeat bit
//! for bit.
//!
//! # Convergence
//!
//! Functions of [`warp`] and [`block`] are **convergent**: all lanes of the warp, or all threads of the block, call them
//! together. None has left the kernel, and none takes a branch around the call. A branch is fine where all of them take it.
//!
//! # Compilers
//!
//! With stable rustc, kernels stand in [`kernels!`](crate::kernels!), which `warpfold-build` compiles. With rust-cuda, they are
//! functions with `#[cuda_std::kernel]` in a crate of yours that depends on this one with the feature `cuda_std`. With
//! nightly rustc, they are `extern "ptx-kernel"` functions in such a crate, which has a panic handler of its own. The blocks are
//! the same. The library's own kernels are compiled along with the feature `entries` alone.
//!
//! On the host they are there with the feature `cuda_std`, to be read and type-checked; a call panics.

pub use crate::simt::atomics as atomic;

pub mod block;
pub mod thread;
pub mod warp;

#[cfg(all(target_arch = "nvptx64", feature = "stable"))]
mod kernels;
#[cfg(all(target_arch = "nvptx64", feature = "stable"))]
#[doc(hidden)]
pub use kernels::Parameter;
