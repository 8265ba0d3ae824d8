//! The ladder: the kernels of the tutorials that warpfold grew from, from the naive one up, as they are taught.
//!
//! They are here to be read, run and measured beside the library's own, and are written as a user's kernels are: with operators,
//! items and building blocks of `warpfold-kernels`, and with nothing else. Each is true to its
//! document, and mended only where the document's kernel is wrong for some number of items; its file says what was
//! mended and why.
//!
//! | module | document |
//! |---|---|
//! | `reduce::halving`, `reduce::grid_stride`, `reduce::shared_tree` | 1: `reduce0` to `reduce4` |
//! | `reduce::neighbours` | 2: three kernels on neighbours |
//! | `reduce::atomics`, `reduce::atomic_tree`, `reduce::first_at_load` | 3: the maximum, from atomics on |
//! | `scan::naive`, `scan::kogge_stone`, `scan::brent_kung`, `scan::sections` | 4: scans |
//! | `reduce::paired`, `reduce::unrolled` | 5: divergence and unrolling |
//! | `nested` | 5: kernels that launch kernels, by `runtime` |
//!
//! On the host there are the table ([`entries`]) and what is in which text ([`texts`]). `emit` makes an entry of each of its rows.
//!
//! What must hold of a launch is said once, here:
//!
//! # Contract of a launch
//!
//! - Blocks and grid are one-dimensional. The number of threads in a block is one that the kernel is for.
//! - Pointers are to global memory, aligned, and reach as far as the kernel's header says; none overlap.
//! - Kernels that use shared memory have an item of dynamic shared memory for each thread of a block.
//!
//! Not promised, other than by the library's own kernels: that a float result has the same bits for every block
//! size and every grid.
//!
//! # Compilers
//!
//! rustc's own NVPTX back end builds the texts in `ladder/ptx` (`cargo xtask ptx`), and with the feature `cuda_std`
//! rust-cuda's compiler can. On the host, that feature has the kernels type-checked.
#![no_std]
#![cfg_attr(
    all(target_arch = "nvptx64", not(feature = "cuda_std")),
    feature(abi_ptx)
)]
// The published `cuda_std::kernel` asks for an architecture that rustc no longer knows.
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

/// What the ladder's kernels ask of an operator: that it combines items as they lie in memory.
pub trait Plain<T: Element>: Op<T, Accumulator = T, Output = T> {}

impl<T: Element, O: Op<T, Accumulator = T, Output = T>> Plain<T> for O {}

/// What reductions ask of it beside that: that it combines them in any order.
pub trait PlainCommutative<T: Element>: Plain<T> + Commutative {}

impl<T: Element, O: Plain<T> + Commutative> PlainCommutative<T> for O {}
