//! Building blocks for your own kernels.
//!
//! | module | works on | contents |
//! |---|---|---|
//! | [`thread`] | one thread | its indices in warp, block and grid; a fold over items |
//! | [`warp`] | 32 lanes | a barrier, shuffles, a reduction, scans; no shared memory |
//! | [`block`] | [`block::THREADS`] threads | a barrier, shared memory, a reduction, scans, a broadcast |
//! | [`atomic`] | a word that threads share | sums, maxima and minima |
//!
//! Folds, reductions and scans take any operator ([`Op`](crate::Op)) on any item; the operator of [`block::reduce`] has to commute. Folds,
//! reductions and scans combine accumulators: call [`Op::lift`](crate::Op::lift) on an item first (a fold does so itself), and
//! [`Op::lower`](crate::Op::lower) before you write a result. The order of these combinations is fixed, so the results repeat bit for bit.
//! Sums of floats by [`atomic`] may differ from run to run.
//!
//! # Convergence
//!
//! The functions of [`warp`] and [`block`] that wait or exchange values are **convergent**: all lanes of the warp, or all threads of the
//! block, call them together. None of these lanes or threads has left the kernel, or takes a branch around the call. A branch that all
//! lanes or threads take is fine.
//!
//! # Compilers
//!
//! With stable rustc, write kernels in [`kernels!`](crate::kernels!), which `warpfold-build` compiles. With rust-cuda, write functions with
//! `#[cuda_std::kernel]`, in a crate of yours that depends on this crate with the feature `cuda_std`. With nightly rustc, write
//! `extern "ptx-kernel"` functions, in a crate of yours that has a panic handler. The building blocks are the same with all three. The
//! library's own kernels are compiled only with the feature `entries`.
//!
//! On the host, the building blocks exist only in the documentation and in builds with the feature `cuda_std`, which serve for type checks.
//! On the host, each call that needs the GPU panics.

pub use crate::simt::atomics as atomic;

pub mod block;
pub mod thread;
pub mod warp;

#[cfg(all(target_arch = "nvptx64", feature = "stable"))]
mod kernels;
#[cfg(all(target_arch = "nvptx64", feature = "stable"))]
#[doc(hidden)]
pub use kernels::Parameter;
