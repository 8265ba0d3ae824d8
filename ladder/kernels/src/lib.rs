//! The ladder: the kernels of the five tutorials that warpfold grew from. The tutorials are called documents 1 to 5. Each document's first
//! kernel is naive.
//!
//! The kernels are here to be read, run and compared with the library's own. Like a user's kernels, they use the operators, items and
//! building blocks of `warpfold-kernels`. Each kernel follows its document, and is corrected where the document's kernel is wrong or can no
//! longer run. The kernel's file lists the corrections, and the reasons.
//!
//! | module | document |
//! |---|---|
//! | `reduce::halving`, `reduce::grid_stride`, `reduce::shared_tree` | 1: `reduce0` to `reduce4` |
//! | `reduce::neighbours` | 2: from neighbours to interleaved pairs |
//! | `reduce::atomics`, `reduce::atomic_tree`, `reduce::first_at_load` | 3: the maximum, from atomics to unrolled trees |
//! | `scan::naive`, `scan::kogge_stone`, `scan::brent_kung`, `scan::sections` | 4: scans |
//! | `reduce::paired`, `reduce::unrolled` | 5: divergence and unrolling |
//! | `nested` | 5: kernels that launch kernels; `runtime` has the functions for this |
//!
//! [`entries`] has the tables of the kernels. `emit` makes the kernels' entries from the tables. [`texts`], which only a build for the
//! host has, divides the kernels into texts.
//!
//! # Contract of a launch
//!
//! Every launch has to meet these conditions:
//!
//! - Blocks and grid are one-dimensional. The kernel supports the number of threads in a block.
//! - Pointers are to global memory, and aligned. Each points to as many items as the kernel's documentation states. No two arrays overlap,
//!   except that an inclusive scan of sections may be in place.
//! - Kernels that use shared memory have at least an item of dynamic shared memory for each thread of a block.
//!
//! Unlike the library's own kernels, the ladder's kernels do not promise that a float result has the same bits for every block size and
//! every grid.
//!
//! # Compilers
//!
//! rustc's own NVPTX back end builds the texts in `ladder/ptx` (`cargo xtask ptx`). With the feature `cuda_std`, rust-cuda's compiler can
//! build the kernels, and a build for the host checks their types.
#![no_std]
#![cfg_attr(
    all(target_arch = "nvptx64", not(feature = "cuda_std")),
    feature(abi_ptx)
)]
// The published macro `cuda_std::kernel` expands to a `cfg` that names an architecture that rustc no longer knows.
#![cfg_attr(feature = "cuda_std", allow(unexpected_cfgs))]

pub mod entries;
#[cfg(not(target_arch = "nvptx64"))]
pub mod texts;

#[cfg(any(target_arch = "nvptx64", feature = "cuda_std"))]
mod emit;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std"))]
mod nested;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std"))]
mod reduce;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std"))]
mod runtime;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std"))]
mod scan;

use warpfold_kernels::element::Element;
use warpfold_kernels::op::{Commutative, Op};

/// An operator of the ladder's kernels: its accumulators and results have the type of the items.
pub trait Plain<T: Element>: Op<T, Accumulator = T, Output = T> {}

impl<T: Element, O: Op<T, Accumulator = T, Output = T>> Plain<T> for O {}

/// An operator of the ladder's reductions: it also commutes.
pub trait PlainCommutative<T: Element>: Plain<T> + Commutative {}

impl<T: Element, O: Plain<T> + Commutative> PlainCommutative<T> for O {}
