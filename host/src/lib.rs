//! Reductions and scans on NVIDIA GPUs: kernels written in Rust, called from Rust, with the same bits
//! everywhere.
//!
//! # A slice
//!
//! ```
//! # fn main() -> warpfold::Result<()> {
//! let total: f32 = warpfold::gpu_sum(&[1.0, 2.0, 3.5])?;
//! assert_eq!(total, 6.5);
//! # Ok(())
//! # }
//! ```
//!
//! # Device memory
//!
//! ```
//! # #[cfg(feature = "cust")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use warpfold::cust::memory::DeviceBuffer;
//! use warpfold::{Gpu, Sum, reduce, scan};
//!
//! let gpu = Gpu::new()?;
//! gpu.make_current()?; // for `cust`
//! let lengths = DeviceBuffer::from_slice(&[3u32, 1, 4, 1, 5])?;
//! assert_eq!(reduce::<Sum, _>(&lengths).wait(&gpu)?, 14);
//!
//! let mut offsets = DeviceBuffer::zeroed(5)?;
//! scan::<Sum, _>(&lengths).exclusive().to(&mut offsets).wait(&gpu)?;
//! assert_eq!(offsets.as_host_vec()?, [0, 3, 4, 8, 9]);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "cust"))]
//! # fn main() {}
//! ```
//!
//! # A stream
//!
//! ```
//! # #[cfg(feature = "cust")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use warpfold::cust::memory::DeviceBuffer;
//! use warpfold::cust::stream::{Stream, StreamFlags};
//! use warpfold::{Gpu, Max, NonZero, reduce, select};
//!
//! let gpu = Gpu::new()?;
//! gpu.make_current()?;
//! let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
//! let items = DeviceBuffer::from_slice(&[0.0f32, 2.5, 0.0, 4.5, 1.0])?;
//! let (mut kept, mut count) = (DeviceBuffer::zeroed(5)?, DeviceBuffer::zeroed(1)?);
//! let mut greatest = DeviceBuffer::zeroed(1)?;
//! // Both are queued. Only the device knows how many items are kept.
//! select::<NonZero, _>(&items).to(&mut kept).count_to(&mut count).queue(&gpu, &stream)?;
//! reduce::<Max, _>(&kept).count(&count).to(&mut greatest).queue(&gpu, &stream)?;
//! stream.synchronize()?;
//! assert_eq!(greatest.as_host_vec()?, [4.5]);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "cust"))]
//! # fn main() {}
//! ```
//!
//! # Your own operator
//!
//! An operator is ordinary Rust on a stable compiler, plus one line in `build.rs`: see [`operators!`].
//!
//! ```text
//! impl Op<u32> for Gcd { /* identity, lift, combine, lower */ }
//! warpfold::operators! { gcd: Gcd, u32; }
//!
//! let divisors = reduce::<Gcd, _>(&numbers).rows(8).wait(&gpu)?;
//! ```
//!
//! # The rule
//!
//! A call is a *request*. Each part of a request has one spelling, whatever the other parts are:
//!
//! | part of a request | spelling |
//! |---|---|
//! | the work | a verb and an operator: [`reduce::<Sum, _>`](reduce()), [`scan::<Sum, _>`](scan()), [`select::<NonZero, _>`](select()), [`runs::<Equal, _>`](runs()) |
//! | the items | `&` a slice of the host, or device memory of any [`binding`] |
//! | the shape | nothing for the whole array; `.in_order()` to reduce the whole array with an operator that need not commute; `.segments(&offsets)`, `.rows(items)`, `.columns(count)`, `.axis(outer, length, inner)`, `.by_key::<Equal, _>(&keys)` |
//! | options | `.exclusive()`, `.reversed()`, `.initial(value)`, `.total(&mut total)`, `.and_total()`, `.count(&count)`, `.pitch(items)`; for slices `.indices()`, `.partition()`, `.lengths()`, `.starts()` |
//! | where results go | nothing if the result is returned; `.to(&mut output)`, `.in_place()`; for some verbs and shapes also `.rest_to`, `.indices_to`, `.lengths_to`, `.starts_to`, `.keys_to`, `.runs_to`, `.count_to` |
//! | where it runs | `.wait(&gpu)`, `.wait(Cpu)`, `.queue(&gpu, &stream)`; with the feature `nccl` `.wait(&gpus)` and `.wait(&mut member)` |
//!
//! Two inputs are a tuple: `reduce::<Dot, _>((&x, &y))`, `select::<Flagged, _>((&items, &flags))`. A dozen shortcuts on slices, such
//! as [`gpu_sum`], run on [`Gpu::global`].
//!
//! A combination that cannot run does not compile, and the compiler's message explains why.
//!
//! # What there is
//!
//! | request | slice, `wait` | device memory, `wait` | device memory, `queue` | groups of GPUs |
//! |---|---|---|---|---|
//! | [`reduce()`] of the whole, of pairs | the result | the result, or `.to` | `.to` | the result (not of pairs) |
//! | [`reduce()`] of the whole, [`in_order`](Reduce::in_order) | the result | the result, or `.to` | `.to` | – |
//! | [`reduce()`] of segments, rows, columns, an axis | a `Vec` | `.to` | `.to` | – |
//! | [`reduce()`] by key | two `Vec`s, or `.to`, `.keys_to` | `.to`, `.keys_to`; returns the number of runs | the same, with `.count_to` or `.runs_to` | – |
//! | [`scan()`] of the whole | a `Vec`, `.to`, `.in_place` | `.to`, `.in_place` | the same | a `Vec`; `.to`, `.in_place` |
//! | … with `.initial`, `.total`, `.and_total` | yes | yes | yes, without `.and_total` | – |
//! | [`scan()`] of segments, rows, columns, an axis | a `Vec`, `.to` | `.to` | `.to` | – |
//! | [`scan()`] by key | a `Vec`, `.to` | `.to` | the same | – |
//! | [`select()`] | a `Vec` of items or of indices, or two `Vec`s; `.to`, `.rest_to` | `.to`, `.rest_to`, `.indices_to`; returns the number of chosen items | the same, with `.count_to` | – |
//! | [`runs()`] | a `Vec` of items, of lengths or of starts; `.to` | `.to`, `.lengths_to`, `.starts_to`; returns the number of runs | the same, with `.count_to` | – |
//! | `.count(&count)` | – (a slice knows its length) | all but pairs | the same | – |
//!
//! All requests on slices also run on the [`Cpu`], with the same bits. A [table of combinations](request#all-cells) gives a reason for each
//! combination that does not compile.
//!
//! Operators are types: [`Sum`], [`WideSum`], [`Product`], [`Min`], [`Max`], [`MinNum`], [`MaxNum`], [`And`], [`Or`], [`Xor`], [`All`],
//! [`Any`], [`ArgMin`], [`ArgMax`], [`ArgMinMax`], [`MinMax`], [`Moments`], [`Statistics`], [`SumOfSquares`], [`WideSumOfSquares`],
//! [`CountNonZero`], [`Dot`], [`LogSumExp`], [`Recurrence`]. In this list, the operators from [`All`] to [`CountNonZero`] reduce in all
//! shapes, but only two of them scan: [`ArgMin`] and [`ArgMax`]. [`Dot`] reduces whole arrays only. [`Recurrence`] does not commute.
//! [`one_reading!`] makes one operator out of several.
//!
//! On a GPU, each operator has kernels for some of these item types: `f32`, `f64`, [`f16`](struct@f16), [`bf16`], and integers of 8, 16, 32
//! or 64 bits; the items of [`Recurrence`] are [`Affine`]. [`Kernel`] has a table of the operators and their item types. Items of 8 and 16
//! bits are combined in at least 32 bits. Results of 8 and 16 bits are truncated or rounded to their size once, at the end. Results of
//! [`WideSum`] have a wider type than the items, in reductions and in scans. If an operator has no kernel for an item type, a request on a
//! GPU does not compile:
//!
//! ```compile_fail
//! warpfold::gpu_sum(&[1u128, 2, 3]);
//! ```
//!
//! A slice may be longer than the device's memory if the request reduces or scans the whole slice, without a shape and without options
//! other than `.exclusive()`. Such a slice is uploaded piece by piece, while earlier pieces are reduced or scanned. In other requests the
//! whole slice is uploaded first. A failed call on a slice leaks no memory, and returns no results.
//!
//! # The same bits
//!
//! A result depends on the work, the items, the shape and the options of its request, and on nothing else. Floats are combined along a
//! fixed tree, which is [written down](warpfold_kernels::contract) and [computed on the CPU](Cpu) by plain code. A NaN that an operator of
//! the library returns is Rust's `NAN`; for 16-bit floats it is `0x7fff`.
//!
//! # Without waiting
//!
//! `queue` enqueues the work on the stream and returns. A request may allocate and synchronise if it is the first to use its kernel, its
//! stream or its capture, or if it needs more scratch memory than earlier requests. It may also allocate and synchronise after a failed
//! call, after graphs were destroyed, and after scratch memory was freed. [`Gpu::trim`] frees scratch memory. The library also frees it if
//! memory is short, or if more than 256 streams are used. Other requests neither allocate nor synchronise.
//!
//! `queue` is safe to call. Queued work can neither reach the host's memory nor produce a value that is invalid for its type:
//!
//! - Whatever the data are, the kernels access only the memory that the request names and the library's own scratch memory.
//! - Every bit pattern is a valid item. An item that is read too early, or while it is written, has an arbitrary value.
//! - If a buffer is dropped while work on it is queued, its memory is freed after the work: `cuMemFree` waits for all work, and `cudarc`
//!   frees the memory on a stream that waits for this work.
//! - Before a call uses the memory at an address, it asks the driver to which context or device this memory belongs.
//!
//! For the *values* to be right, the caller keeps these rules, as with any queue:
//!
//! - Read an output, or change an input, only after the queued work that uses it: later on the same stream, after `stream.synchronize()`,
//!   after an event, or by one of `cust`'s synchronous copies. (These copies wait for `cust`'s streams.) (The virtual GPU reports data
//!   races between streams.)
//! - Use `drop_async` only on the stream of the queued work. On another stream, the memory may be allocated again while the kernel still
//!   writes there. `cust`'s `DeviceSlice` is `Copy` and borrows nothing: do not use a `DeviceSlice` after its buffer was freed. (A call
//!   refuses freed memory, unless it has been allocated again.)
//!
//! A failure of queued work is reported by a later call. If the failure is sticky, the [`Gpu`] answers every call after the report with
//! [`Error::Poisoned`]. The shortcuts on slices, such as [`gpu_sum`], then ask the driver for a new context instead, and return
//! [`Error::ContextLost`] if there is none.
//!
//! # Captures
//!
//! A request that is queued on a captured stream becomes part of the graph. This holds for the first request too: its kernels are compiled
//! and its scratch memory is allocated outside of the capture. A graph has scratch memory of its own for as long as it exists, so it may be
//! launched on any stream, concurrently with other work. Two executable graphs that were instantiated from one graph share its scratch
//! memory, so their launches have to be ordered. Drop the [`Gpu`] after its graphs.
//!
//! No other call ends a capture or becomes part of a capture. The mode of the capture and the thread that began it make no difference:
//!
//! | call | during a capture of a blocking stream (all streams of `cust` are blocking) | during a capture of a non-blocking stream |
//! |---|---|---|
//! | requests of every shape on slices, on one GPU or on `Gpus` | runs | runs |
//! | requests of every shape that are queued on a stream that is not captured | runs | runs |
//! | [`Gpu::new`], [`Gpu::with_device`], [`Gpu::global`], [`Gpu::make_current`], [`Gpu::load_ptx`], [`Gpu::trim`], dropping a [`Gpu`] | runs | runs |
//! | requests of every shape on device memory, with `.wait`; a rank's request | [`Error::CaptureUnderWay`]; the rank then leaves its group | runs |
//! | [`Gpu::synchronize`] | [`Error::CaptureUnderWay`] | runs |
//!
//! The calls of the last two rows use the default stream. A use of the default stream ends the capture of any stream that is ordered with
//! it. So these calls first ask the driver whether there is such a capture. The query itself ends no capture. A gap of a fraction of a
//! microsecond is left: if another thread begins such a capture between the query and the next driver call, the capture ends, and the
//! call returns [`Error::CaptureUnderWay`]. `cust`'s own synchronous copies also end captures.
//!
//! # Threads and tasks
//!
//! While a call waits, its thread runs no task of an executor or a thread pool. So calls may be made from rayon's tasks, with locks held
//! and values borrowed. In an asynchronous program, make waiting calls where blocking is allowed. In a process that was forked after the
//! first [`Gpu`] was made, every call on a GPU returns [`Error::Forked`].
//!
//! # Features
//!
//! - `cust` (default): device memory and streams of `cust`, which is linked with the CUDA driver. The 16-bit floats of `half` 1.8
//!   (`warpfold::cust_half`) are then items too: `cust` can copy these floats, but not the floats of `half` 2. Without `cust` and without
//!   `virtual-gpu`, the driver is opened at run time, and a program builds on a machine that has no CUDA.
//! - `cudarc`: device memory and streams of `cudarc`. The program chooses the version of CUDA by `cudarc`'s own features.
//! - `virtual-gpu`: link the virtual GPU, a CUDA driver in Rust. By default, it passes calls on to NVIDIA's driver where there is a GPU,
//!   and interprets the kernels' PTX where there is no GPU. With this feature, linking needs no CUDA.
//! - `cuda_builder`: compile the kernels with rust-cuda's `cuda_builder`, in place of the PTX that ships with
//!   this crate.
//! - `nccl`: the module `group`, for several GPUs that work together, in one process or in many. The library NCCL is opened at run time,
//!   when it is first needed.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "virtual-gpu")]
extern crate virtual_gpu as _;

mod arguments;
mod axis;
pub mod binding;
mod by_key;
mod call;
mod check;
mod columns;
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
mod whole;

pub use binding::{
    DeviceItems, DeviceItemsMut, DeviceStream, Lent, RawItems, RawItemsMut, RawStream, User,
};
pub use bytemuck;
pub use check::{
    Bytes, OperatorFlaw, check_equality, check_operator, check_pairs_operator, check_predicate,
    check_reduce_operator, check_scan_operator,
};
#[cfg(feature = "cust")]
pub use cust;
/// The version of `half` whose floats `cust` can copy to a device. These floats are items, like the floats of `half` 2, which this crate
/// re-exports as [`f16`](struct@f16) and [`bf16`].
#[cfg(feature = "cust")]
pub use cust_half;
pub use error::{Argument, DriverCode, Error, Result};
pub use gpu::Gpu;
pub use half::{bf16, f16};
pub use kernel::{Item, Kernel, kind};
pub use own_kernel::OwnKernel;
#[doc(hidden)]
pub use ptx::{shipped_keyed_text, shipped_text};
pub use request::{
    Cpu, Flagged, Queuer, Reduce, Runner, Runs, Scan, Select, reduce, runs, scan, select,
};
pub use segments::Offset;
#[doc(hidden)]
pub use selection::HeadsKernel;
pub use selection::{RunsKernel, SelectKernel};
pub use slice::{
    HasNorm, gpu_arg_max, gpu_arg_min, gpu_arg_min_max, gpu_dot, gpu_max, gpu_min, gpu_min_max,
    gpu_moments, gpu_norm, gpu_product, gpu_sum, gpu_wide_sum,
};
pub use warpfold_kernels::element::Element;
pub use warpfold_kernels::elementary;
pub use warpfold_kernels::op::*;
pub use warpfold_kernels::selection::{Equal, Equality, NonZero, NotNan, Predicate};
pub use warpfold_kernels::{mapped, one_reading};

/// The crate of the kernels, for [`item!`] and [`operators!`].
#[doc(hidden)]
pub use warpfold_kernels as kernels;

/// Types that the expansions of [`operators!`] and [`kernels!`] name.
#[doc(hidden)]
pub mod texts {
    pub use crate::kernel::{Entry, Row};
    pub use crate::ptx::{Packed, Texts, Variant};
}
