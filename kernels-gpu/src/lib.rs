//! Reduction and scan kernels for NVIDIA GPUs.
//!
//! The device side of `warpfold`. Each kind of kernel is in one of the folders [`reduce`], [`scan`], [`segments`], [`columns`],
//! [`selection`] and [`heads`]. The kernels in these folders call the modules below. Each line of the table is a level. A module calls
//! modules of the levels below its own:
//!
//! | module | works on | what it holds |
//! |---|---|---|
//! | `tiles` | the blocks of a launch | the order in which scans and selections take tiles |
//! | `lookback` | the blocks of a scan | the prefix of a tile, combined in a fixed order |
//! | `board`, `tickets` | blocks that run together | `board`: the values that blocks publish; `tickets`: the order in which blocks start |
//! | `block` | the warps of a block | combinations of the warps' values, through shared memory; the scan of a tile |
//! | `warp` | 32 lanes | unrolled shuffle trees |
//! | `thread` | one thread | vectors of items, in registers |
//! | `simt` | the machine | the only module with `asm!` and intrinsics |
//!
//! With the feature `entries`, `emit` emits an entry point for each kernel row ([`entries`]). If the feature `skeletons` is on too, `emit`
//! does so only for a few rows. For the other rows, `skeleton` emits skeletons and bodies. `device` has the building blocks that users' own
//! kernels can call.
//!
//! The host also uses parts of the kinds' folders, and these modules:
//!
//! - the [`table`] of kinds, operators and item types, and the kernel rows that are made from it ([`entries`]);
//! - the definition of each kind ([`kind`], on the host alone);
//! - the operators ([`op`]), and the types of items and accumulators ([`element`]);
//! - elementary functions, for operators and kernels ([`elementary`]);
//! - the fixed combination trees ([`contract`]; for segments [`segments`], for columns [`columns`]);
//! - the resources of a launch ([`launch`]), and the layout of a workspace ([`workspace`]).
//!
//! Modules called `tuning`, in the kinds' folders, have numbers that affect only the speed, and no bit of a result.
//!
//! # Compilers
//!
//! rustc's own NVPTX back end builds the PTX that ships with `warpfold` (`cargo xtask ptx`). With the feature `stable` the crate needs no
//! nightly features. `warpfold-build` uses this feature to compile users' operators and kernels ([`operators!`], [`kernels!`]). With the
//! feature `cuda_std` the same kernels compile with rust-cuda's `rustc_codegen_nvvm`. With the feature `cuda_std_operators` users'
//! operators compile with `rustc_codegen_nvvm` too. Only three places differ between nightly rustc and rust-cuda's compiler: `simt`, the
//! macros that emit entries, and a function of [`contract`] that avoids a bug of rust-cuda's compiler.
// With these features, a user's build compiles this crate without the table's entries, so some code is dead. The user must see no warnings
// about this crate.
#![cfg_attr(
    any(feature = "stable", feature = "cuda_std_operators"),
    allow(warnings)
)]
#![no_std]
#![cfg_attr(
    all(
        target_arch = "nvptx64",
        not(any(feature = "cuda_std", feature = "stable"))
    ),
    feature(
        abi_ptx,
        asm_experimental_arch,
        core_intrinsics,
        gpu_intrinsics,
        gpu_launch_sized_workgroup_mem,
        link_llvm_intrinsics,
        stdarch_nvptx
    ),
    allow(internal_features)
)]
// Without entries, only the building blocks are used: part of the code and some compiler features are unused.
#![cfg_attr(
    not(any(
        feature = "entries",
        feature = "stable",
        feature = "cuda_std_operators"
    )),
    allow(dead_code, unused_macros, unused_imports, unused_features)
)]
// The published macro `cuda_std::kernel` expands to a `cfg` that names an architecture that rustc no longer knows.
#![cfg_attr(feature = "cuda_std", allow(unexpected_cfgs))]
#![cfg_attr(
    all(target_arch = "nvptx64", feature = "cuda_std"),
    feature(asm_experimental_arch)
)]

#[macro_use]
mod arguments;
mod arithmetic;
pub mod contract;
mod direction;
pub mod element;
pub mod elementary;
pub mod entries;
mod item;
#[cfg(not(target_arch = "nvptx64"))]
#[macro_use]
pub mod kind;
pub mod launch;
pub mod op;
mod pairwise;
pub mod table;
pub mod workspace;

#[cfg(all(
    feature = "entries",
    not(feature = "stable"),
    any(target_arch = "nvptx64", feature = "cuda_std")
))]
#[macro_use]
mod emit;
#[cfg(all(
    any(target_arch = "nvptx64", feature = "cuda_std"),
    feature = "skeletons"
))]
#[macro_use]
mod skeleton;

// The kinds of kernels.
pub mod columns;
pub mod heads;
pub mod reduce;
pub mod scan;
pub mod segments;
pub mod selection;

// The documentation is made on the host, and includes the building blocks.
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
mod block;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
mod board;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
pub mod device;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
mod indices;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
mod lookback;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
mod simt;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
mod sixteens;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
mod thread;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
mod tickets;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
mod tiles;
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
mod warp;

#[cfg(all(
    target_arch = "nvptx64",
    any(feature = "stable", feature = "cuda_std_operators")
))]
#[doc(hidden)]
pub mod operators;

/// Declares a program's own kernels. They are emitted when `warpfold-build` compiles the file for the device. On the host, this emits
/// nothing.
#[cfg(not(all(target_arch = "nvptx64", feature = "stable")))]
#[macro_export]
macro_rules! kernels {
    ($($kernels:tt)*) => {};
}

/// Declares the kernels of a program's own operators, predicates and equalities. A row has one of these forms:
///
/// - `NAME: OPERATOR, ITEM;` gives `reduce_NAME`, `segmented_reduce_NAME`, `segmented_scan_NAME`, `by_key_reduce_NAME`,
///   `by_key_scan_NAME`, `columns_reduce_NAME`, `columns_scan_NAME`, `inclusive_scan_NAME` and `exclusive_scan_NAME`;
/// - `NAME: OPERATOR, ITEM, scans only;`, for an operator that does not commute, gives all kernels of the first form except `reduce_NAME`;
/// - `NAME: OPERATOR, ITEM, reduction only;` gives `reduce_NAME`;
/// - `NAME: OPERATOR, pairs of A, B;` gives `reduce_pairs_NAME`, which takes two inputs;
/// - `NAME: PREDICATE, ITEM, predicate;` gives `select_if_NAME`;
/// - `NAME: EQUALITY, ITEM, equality;` gives `runs_NAME` and `heads_NAME`.
///
/// The kernels are emitted when `warpfold-build` compiles the file for the device. On the host, this emits nothing.
#[cfg(not(all(
    target_arch = "nvptx64",
    any(feature = "stable", feature = "cuda_std_operators")
)))]
#[macro_export]
macro_rules! operators {
    ($($rows:tt)*) => {};
}

#[doc(hidden)]
pub use bytemuck;
#[doc(hidden)]
pub use pastey;

// A file of operators uses these names as `warpfold::…` when it is compiled for the device.
pub use half::{bf16, f16};
pub use op::*;
pub use selection::{Equal, Equality, NonZero, NotNan, Predicate};
