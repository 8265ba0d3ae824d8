//! Reductions and scans on NVIDIA GPUs: kernels written in Rust, called from Rust, with the same bits
//! everywhere.
//!
//! ```
//! # fn main() -> warpfold::Result<()> {
//! let total: f32 = warpfold::gpu_sum(&[1.0, 2.0, 3.5])?;
//! assert_eq!(total, 6.5);
//! # Ok(())
//! # }
//! ```
//!
//! # Functions
//!
//! | on a slice of the host | on device memory, waiting | on device memory, on a stream |
//! |---|---|---|
//! | [`gpu_reduce`], [`gpu_sum`], [`gpu_wide_sum`], [`gpu_product`], [`gpu_min`], [`gpu_max`] | [`reduce()`] | [`reduce_into`] |
//! | | | [`reduce_counted_into`], [`select_if_counted_on`], [`unique_counted_on`] |
//! | [`gpu_segmented_reduce`], [`gpu_reduce_rows`] | [`segmented_reduce`], [`reduce_rows`] | [`segmented_reduce_into`], [`reduce_rows_into`] |
//! | [`gpu_reduce_columns`] | [`reduce_columns`] | [`reduce_columns_into`] |
//! | [`gpu_reduce_by_key`] | [`reduce_by_key`] | [`reduce_by_key_on`] |
//! | [`gpu_select_flagged`], [`gpu_select_if`], [`gpu_select_indices_if`] | [`select_flagged`], [`select_if`], [`select_indices_if`] | [`select_flagged_on`], [`select_if_on`], [`select_indices_if_on`] |
//! | [`gpu_partition_flagged`], [`gpu_partition_if`] | [`partition_flagged`], [`partition_if`] | [`partition_flagged_on`], [`partition_if_on`] |
//! | [`gpu_unique`], [`gpu_run_length_encode`] | [`unique`], [`run_length_encode`], [`run_starts`] | [`unique_on`], [`run_length_encode_on`], [`run_starts_on`] |
//! | [`gpu_arg_min`], [`gpu_arg_max`], [`gpu_min_max`], [`gpu_arg_min_max`], [`gpu_moments`], [`gpu_norm`] | [`reduce()`] | [`reduce_into`] |
//! | [`gpu_dot`], [`gpu_reduce_pairs`] | [`dot`], [`reduce_pairs`] | [`dot_into`], [`reduce_pairs_into`] |
//! | [`gpu_inclusive_scan`] | [`inclusive_scan`], [`inclusive_scan_in_place`] | [`inclusive_scan_on`], [`inclusive_scan_in_place_on`] |
//! | | [`segmented_inclusive_scan`], [`inclusive_scan_rows`] | [`segmented_inclusive_scan_on`], [`inclusive_scan_rows_on`] |
//! | | [`segmented_exclusive_scan`], [`exclusive_scan_rows`] | [`segmented_exclusive_scan_on`], [`exclusive_scan_rows_on`] |
//! | | [`inclusive_scan_columns`], [`exclusive_scan_columns`] | [`inclusive_scan_columns_on`], [`exclusive_scan_columns_on`] |
//! | [`gpu_exclusive_scan`] | [`exclusive_scan`], [`exclusive_scan_in_place`], [`exclusive_scan_and_total`] | [`exclusive_scan_on`], [`exclusive_scan_in_place_on`] |
//! | | [`inclusive_scan_with`], [`exclusive_scan_with`] | [`inclusive_scan_with_on`], [`exclusive_scan_with_on`] |
//! | | [`inclusive_scan_by_key`], [`exclusive_scan_by_key`] | [`inclusive_scan_by_key_on`], [`exclusive_scan_by_key_on`] |
//!
//! Each takes its operator as a type, as in `reduce::<Sum, _>(&gpu, &buffer)`: [`Sum`], [`Product`], [`Min`] or
//! [`Max`], on items of `f32`, `f64`, [`f16`](struct@f16), [`bf16`], or integers of 8, 16, 32 or 64 bits. Reductions also have
//! [`WideSum`], whose result has a wider type than the items, and what one reading tells: where the extremes are ([`ArgMin`],
//! [`ArgMax`], [`ArgMinMax`]), both extremes ([`MinMax`]), mean and variance ([`Moments`]), all of these ([`Statistics`]),
//! [`SumOfSquares`] and [`CountNonZero`]. [`one_reading!`] makes one operator of several. Narrow items are combined in 32 bits, and the
//! results cut off or rounded. A pair that has no kernel does not compile:
//!
//! ```compile_fail
//! warpfold::gpu_sum(&[1u128, 2, 3]);
//! ```
//!
//! Device memory is `cust`'s: a [`DeviceBuffer`](cust::memory::DeviceBuffer), or a
//! [`DeviceSlice`](cust::memory::DeviceSlice) of one, which may start at any item. A stream form is named after the
//! waiting one: `…_on`, or `reduce_into`, which has to be told where the result goes.
//!
//! A slice may be longer than the device's memory: it is copied piece by piece, through memory that is kept for the next
//! call, while what has arrived is worked on. A call on a slice that fails leaves nothing behind, and gives no results.
//!
//! # The same bits
//!
//! A result depends on the values, their number, the element type and the operator, and on nothing else. Floats
//! are combined along a fixed tree, [written down](warpfold_kernels::contract) and [computed on the
//! host](mod@reference) by plain code. A NaN comes out as Rust's `NAN`.
//!
//! # Without waiting
//!
//! The functions that take a stream only queue. On a warmed-up stream (one call of the same function, with as
//! many items) they neither allocate nor synchronise.
//!
//! They are safe to call, since nothing that they queue can reach the host's memory or give a value that is not
//! one of its type:
//!
//! - The kernels read and write the items of the slices that were given, and the stream's own scratch memory. Their
//!   addresses never depend on data.
//! - Every bit pattern is a valid item, so what is read too early, or while it is written, is some value.
//! - A buffer that is dropped while work on it is queued is freed with `cuMemFree`, which waits for the work.
//! - Whose memory an address is, the driver is asked by every call.
//!
//! What the caller has to see to, as with any queue, for the *values* to be right:
//!
//! - Read an output, or change an input, in the order of the stream: on the same stream, after
//!   `stream.synchronize()`, after an event; or by one of `cust`'s synchronous copies, which wait for `cust`'s
//!   streams. (The virtual GPU reports what is not in order.)
//! - Free with `drop_async` on the same stream only: on another, the memory may be handed out again while the
//!   kernel still writes there. [`DeviceSlice`](cust::memory::DeviceSlice) is `Copy` and borrows nothing; do not
//!   use one after its buffer is gone. (Freed memory is recognised, unless it is in use again.)
//!
//! A failure of queued work is reported by a later call. If it is sticky, the [`Gpu`] answers every call after
//! that with [`Error::Poisoned`]; the functions on slices get a new context if they can.
//!
//! # Captures
//!
//! A call on a stream that is captured becomes part of the graph, the first time too: kernels are compiled and scratch memory is
//! allocated beside the capture. A graph has scratch memory of its own, as long as there is the graph. So it may be launched on any
//! stream, and beside other work; but two executable graphs that were made of one graph share it and need an order. Drop the
//! [`Gpu`] after its graphs.
//!
//! No other call ends a capture, or becomes part of one, in whatever mode it was begun and by whichever thread:
//!
//! | call | beside a capture of one of `cust`'s streams | beside one of a non-blocking stream |
//! |---|---|---|
//! | the functions on slices | done | done |
//! | [`reduce_into`] and the functions `…_on`, on a stream that is not captured | done | done |
//! | [`Gpu::new`] and its kin, [`Gpu::make_current`], [`Gpu::trim`], dropping a [`Gpu`] | done | done |
//! | [`reduce()`], [`inclusive_scan`], [`exclusive_scan`], and `…_in_place` | [`Error::CaptureUnderWay`] | done |
//! | [`Gpu::synchronize`] | [`Error::CaptureUnderWay`] | done |
//!
//! The last two rows are ordered with the default stream, and to use that ends the capture of a stream that is ordered with it.
//! They ask the driver first, which does not harm the capture. One gap is left: a capture that another thread begins between the
//! question and the next driver call, a fraction of a microsecond, is ended, and the call then says so too. And `cust`'s own
//! synchronous copies end captures: mind these beside a capture.
//!
//! # Threads and tasks
//!
//! While a call waits, its thread sleeps: it runs no task of an executor's or a thread pool's. So calls may be made from rayon's
//! tasks, with locks held and values borrowed. In an asynchronous program, make those that wait where blocking is allowed. In a
//! process that was forked from one that had used the GPU, every call gives [`Error::Forked`].
//!
//! # Features
//!
//! - `cust` (default): device memory and streams of `cust`, which is linked with the CUDA driver; and the 16-bit floats of `half` 1.8
//!   (`warpfold::cust_half`), which `cust` can copy, beside those of `half` 2. Without it, and without `virtual-gpu`, the driver is opened
//!   at run time, and a program builds on a machine that has no CUDA.
//! - `cudarc`: device memory and streams of `cudarc`. The program chooses the version of CUDA by `cudarc`'s own features.
//! - `virtual-gpu`: link the virtual GPU, a CUDA driver in Rust. It hands calls on to NVIDIA's driver where there is a
//!   GPU, and interprets the kernels' PTX where there is none. Linking then needs no CUDA.
//! - `cuda_builder`: compile the kernels with rust-cuda's `cuda_builder`, in place of the PTX that ships with
//!   this crate.
//! - `nccl`: several GPUs work together, in one process or in many, in the module `group`. The library NCCL is opened at run time,
//!   where it is needed.

#[cfg(feature = "virtual-gpu")]
extern crate virtual_gpu as _;

mod binding;
mod by_key;
mod call;
mod check;
mod driver;
mod error;
mod gpu;
#[cfg(feature = "nccl")]
pub mod group;
mod kernel;
mod launch;
mod operators;
mod own_kernel;
mod ptx;
mod reference;
pub mod request;
mod segments;
mod selection;
mod slice;
mod staged;

pub use binding::{
    DeviceItems, DeviceItemsMut, DeviceStream, Lent, RawItems, RawItemsMut, RawStream, User,
};
pub use bytemuck;
pub use check::{Bytes, OperatorFlaw, check_operator, check_reduce_operator, check_scan_operator};
#[cfg(feature = "cust")]
pub use cust;
/// The version of `half` whose floats `cust` can copy to a device. They are items as good as those of `half` 2, which are
/// [`f16`](struct@f16) and [`bf16`] here.
#[cfg(feature = "cust")]
pub use cust_half;
pub use error::{Argument, DriverCode, Error, Result};
pub use gpu::Gpu;
pub use half::{bf16, f16};
pub use kernel::{Item, Kernel, kind};
pub use own_kernel::OwnKernel;
#[doc(hidden)]
pub use ptx::shipped_text;
pub use request::{
    Cpu, Flagged, Queuer, Reduce, Runner, Runs, Scan, Select, reduce, runs, scan, select,
};
pub use segments::Offset;
pub use selection::{RunsKernel, SelectKernel};
pub use slice::{
    HasNorm, gpu_arg_max, gpu_arg_min, gpu_arg_min_max, gpu_dot, gpu_max, gpu_min, gpu_min_max,
    gpu_moments, gpu_norm, gpu_product, gpu_sum, gpu_wide_sum,
};
pub use warpfold_kernels::element::Element;
pub use warpfold_kernels::op::*;
pub use warpfold_kernels::selection::{Equal, Equality, NonZero, NotNan, Predicate};
pub use warpfold_kernels::{mapped, one_reading};

/// The crate of the kernels, for [`item!`].
#[doc(hidden)]
pub use warpfold_kernels as kernels;

/// What [`operators!`] writes.
#[doc(hidden)]
pub mod texts {
    pub use crate::kernel::{Entry, Row};
    pub use crate::ptx::{Packed, Texts, Variant};
}
