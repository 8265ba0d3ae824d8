//! Requests. A call states its verb and operator, its items, their shape, its options, where results go, and where it runs.
//!
//! A request does nothing until `wait` or `queue` ends it. `wait` returns the result; `queue` enqueues the work on a stream.
//!
//! ```
//! use warpfold::{Cpu, Equal, Gpu, Max, NonZero, Sum, reduce, runs, scan, select};
//!
//! # fn main() -> warpfold::Result<()> {
//! let gpu = Gpu::new()?;
//! let items = [3.0f32, 1.0, 4.0, 0.0, 5.0, 9.0];
//! assert_eq!(reduce::<Sum, _>(&items).wait(&gpu)?, 22.0);
//! assert_eq!(reduce::<Max, _>(&items).rows(3).wait(&gpu)?, [4.0, 9.0]);
//! assert_eq!(scan::<Sum, _>(&items).exclusive().wait(&gpu)?, [0.0, 3.0, 4.0, 8.0, 8.0, 13.0]);
//! assert_eq!(select::<NonZero, _>(&items).indices().wait(&gpu)?, [0, 1, 2, 4, 5]);
//! assert_eq!(runs::<Equal, _>(&[7u8, 7, 2]).lengths().wait(&gpu)?, (vec![7, 2], vec![2, 1]));
//! // The same on the CPU, with the same bits.
//! assert_eq!(reduce::<Sum, _>(&items).wait(Cpu)?, 22.0);
//! # Ok(())
//! # }
//! ```
//!
//! # All cells
//!
//! The table lists requests, and the places where they run. A number stands for a combination that does not compile, and refers to a reason
//! below the table. Some rows are left out because an option makes no difference: for example, an `.exclusive()` scan with a pitch runs
//! wherever the inclusive scan with a pitch runs. A test runs each `yes`, and checks that the compiler refuses each number.
//!
#![doc = include_str!("request/cells.md")]

pub mod bounds;
mod by_cpu;
mod by_gpu;
#[cfg(feature = "nccl")]
mod by_group;
mod ends;
pub mod memory;
mod reduce;
mod runs;
mod scan;
mod select;
pub mod shape;

pub use by_cpu::Cpu;
pub use reduce::{Reduce, reduce};
pub use runs::{Runs, runs};
pub use scan::{Scan, scan};
pub use select::{Flagged, Select, select};

use crate::binding::RawStream;
use crate::error::Result;

/// Results are written to the request's output.
///
/// This type and the following types are parameters of a request's type. They record which methods of the request have been called. A
/// program names these types if one of its structs holds a request:
/// ```
/// use warpfold::request::{Written, memory::OnTheHost, shape::Rows};
/// use warpfold::{Cpu, Reduce, Sum, reduce};
///
/// /// The sums of rows, to be run somewhere.
/// struct RowSums<'a>(Reduce<'a, Sum, u32, OnTheHost, Rows, Written>);
///
/// let mut sums = [0; 2];
/// RowSums(reduce::<Sum, _>(&[1u32, 2, 3, 4]).rows(2).to(&mut sums)).0.wait(Cpu)?;
/// assert_eq!(sums, [3, 7]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Written {}

/// Results are written to the request's output, and the total is returned.
///
/// ```
/// use warpfold::request::{WrittenWithTotal, memory::OnTheHost, shape::{Exclusive, WholeWith}};
/// use warpfold::{Cpu, Scan, Sum, scan};
///
/// let mut offsets = [0; 3];
/// let request: Scan<'_, Sum, u32, OnTheHost, WholeWith, Exclusive, WrittenWithTotal> =
///     scan(&[3, 1, 4]).exclusive().to(&mut offsets).and_total();
/// assert_eq!(request.wait(Cpu)?, 8);
/// assert_eq!(offsets, [0, 3, 4]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum WrittenWithTotal {}

/// Results overwrite the items.
///
/// ```
/// use warpfold::request::{Replaced, memory::OnTheHost, shape::{Inclusive, Whole}};
/// use warpfold::{Cpu, Scan, Sum, scan};
///
/// let mut items = [1, 2, 3];
/// let request: Scan<'_, Sum, u32, OnTheHost, Whole, Inclusive, Replaced> = scan(&mut items).in_place();
/// request.wait(Cpu)?;
/// assert_eq!(items, [1, 3, 6]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Replaced {}

/// Results and the total are returned.
///
/// ```
/// use warpfold::request::{ReturnedWithTotal, memory::OnTheHost, shape::{Exclusive, WholeWith}};
/// use warpfold::{Cpu, Scan, Sum, scan};
///
/// let request: Scan<'_, Sum, u32, OnTheHost, WholeWith, Exclusive, ReturnedWithTotal> =
///     scan(&[3, 1, 4]).exclusive().and_total();
/// assert_eq!(request.wait(Cpu)?, (vec![0, 3, 4], 8));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum ReturnedWithTotal {}

/// Indices are returned.
///
/// ```
/// use warpfold::request::{ReturnedIndices, memory::OnTheHost};
/// use warpfold::{Cpu, NonZero, Select, select};
///
/// let request: Select<'_, NonZero, u32, OnTheHost, ReturnedIndices> = select(&[0, 5, 0, 6]).indices();
/// assert_eq!(request.wait(Cpu)?, [1, 3]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum ReturnedIndices {}

/// The chosen items and the other items are returned.
///
/// ```
/// use warpfold::request::{ReturnedParts, memory::OnTheHost};
/// use warpfold::{Cpu, NonZero, Select, select};
///
/// let request: Select<'_, NonZero, u32, OnTheHost, ReturnedParts> = select(&[0, 5, 0, 6]).partition();
/// assert_eq!(request.wait(Cpu)?, (vec![5, 6], vec![0, 0]));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum ReturnedParts {}

/// The first item of each run and the lengths of the runs are returned.
///
/// ```
/// use warpfold::request::{ReturnedLengths, memory::OnTheHost};
/// use warpfold::{Cpu, Equal, Runs, runs};
///
/// let request: Runs<'_, Equal, u8, OnTheHost, ReturnedLengths> = runs(&[7, 7, 2]).lengths();
/// assert_eq!(request.wait(Cpu)?, (vec![7, 2], vec![2, 1]));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum ReturnedLengths {}

/// The number of chosen items, or of runs, is not written to device memory.
///
/// ```
/// use warpfold::request::{Uncounted, Written, memory::OnTheHost};
/// use warpfold::{Cpu, NonZero, Select, select};
///
/// let mut kept = [0; 4];
/// let request: Select<'_, NonZero, u32, OnTheHost, Written, Uncounted> = select(&[0, 5, 0, 6]).to(&mut kept);
/// assert_eq!(request.wait(Cpu)?, 2); // so the count is returned
/// assert_eq!(kept[..2], [5, 6]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Uncounted {}

/// The number of chosen items, or of runs, is written to device memory.
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::request::{Counted, Written, memory::OnTheDevice};
/// use warpfold::{Gpu, NonZero, RawStream, Select, select};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[0u32, 5, 0, 6])?;
/// let (mut kept, mut count) = (DeviceBuffer::zeroed(4)?, DeviceBuffer::zeroed(1)?);
/// let request: Select<'_, NonZero, u32, OnTheDevice, Written, Counted> =
///     select(&items).to(&mut kept).count_to(&mut count);
/// request.queue(&gpu, &RawStream::DEFAULT)?;
/// gpu.synchronize()?;
/// assert_eq!(count.as_host_vec()?, [2]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub enum Counted {}

/// A place where a request `R` can run and be waited for: `&Gpu`, the result of [`Gpu::global`](crate::Gpu::global), [`Cpu`], and, with the
/// feature `nccl`, `&Gpus`, `&mut Member` and `AtRoot`.
///
/// ```
/// use warpfold::request::{Runner, memory::OnTheHost};
/// use warpfold::{Cpu, Gpu, Reduce, Result, Sum, reduce};
///
/// /// A sum, wherever it may run.
/// fn sum<'a, Where>(items: &'a [u32], on: Where) -> Result<u32>
/// where
///     Where: Runner<Reduce<'a, Sum, u32, OnTheHost>, Given = u32>,
/// {
///     reduce::<Sum, _>(items).wait(on)
/// }
///
/// # fn main() -> Result<()> {
/// assert_eq!(sum(&[1, 2], Cpu)?, sum(&[1, 2], &Gpu::new()?)?);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "this request cannot be waited for on `{Self}`",
    label = "expects `&gpu`; for requests on slices of the host, also `Cpu`",
    note = "a group of GPUs reduces and scans the whole, at most `.exclusive()`: `&gpus` slices of the host, `&mut member` device memory",
    note = "the request is `{R}`"
)]
pub trait Runner<R> {
    /// The type of the request's result.
    type Given;

    #[doc(hidden)]
    fn run(self, request: R) -> Result<Self::Given>;
}

/// A place where a request `R` can be queued on a stream: `&Gpu`.
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, RawStream, Sum, scan};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let mut items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// scan::<Sum, _>(&mut items).in_place().queue(&gpu, &RawStream::DEFAULT)?;
/// gpu.synchronize()?;
/// assert_eq!(items.as_host_vec()?, [1, 3, 6]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[diagnostic::on_unimplemented(
    message = "this request cannot be queued on `{Self}`",
    label = "expects `&gpu`",
    note = "requests on device memory are queued by `.queue(&gpu, &stream)`; a group's requests are waited for"
)]
pub trait Queuer<R> {
    #[doc(hidden)]
    fn queue(self, request: R, stream: RawStream<'_>) -> Result<()>;
}

/// Implements `Debug`, `wait` and `queue` for a type of requests. `wait` and `queue` end a request.
macro_rules! ends_of {
    ($request:ident<'a, $($parameter:ident),*>) => {
        impl<'a, $($parameter),*> $request<'a, $($parameter),*> {
            /// Runs the request, waits for it, and returns its result.
            ///
            /// ```
            /// use warpfold::{Cpu, Equal, Gpu, NonZero, Sum, reduce, runs, scan, select};
            /// # fn main() -> warpfold::Result<()> {
            /// let (gpu, items) = (Gpu::new()?, [3u32, 3, 0]);
            /// assert_eq!(reduce::<Sum, _>(&items).wait(&gpu)?, 6);
            /// assert_eq!(scan::<Sum, _>(&items).wait(&gpu)?, [3, 6, 6]);
            /// assert_eq!(select::<NonZero, _>(&items).wait(&gpu)?, [3, 3]);
            /// assert_eq!(runs::<Equal, _>(&items).wait(&gpu)?, [3, 0]);
            /// // Without a GPU, and with the same bits:
            /// assert_eq!(reduce::<Sum, _>(&items).wait(Cpu)?, 6);
            /// # Ok(())
            /// # }
            /// ```
            ///
            /// # Errors
            ///
            /// Wrong arguments are found before anything is launched or written: [`Error::OutputTooShort`], [`Error::LengthsDiffer`],
            /// [`Error::UnevenRows`], [`Error::UnevenAxes`], [`Error::PitchTooShort`], [`Error::Misaligned`], [`Error::Overlap`],
            /// [`Error::ForeignMemory`], [`Error::CountMissing`], [`Error::TooManyItems`], and [`Error::BadOffset`] for offsets in a slice.
            ///
            /// The call itself may fail with [`Error::CaptureUnderWay`], [`Error::OutOfMemory`], [`Error::OutOfHostMemory`],
            /// [`Error::KernelMissing`], [`Error::KernelRejected`], [`Error::Driver`], [`Error::ContextChanged`], [`Error::Poisoned`],
            /// [`Error::Forked`]. On a group of GPUs, it may also fail with `Error::Group`. On the result of `Gpu::global()`, it may also
            /// fail with the error in that result.
            ///
            /// Two errors are found after the work is done: [`Error::BadOffset`] for offsets in device memory, and
            /// [`Error::OutputTooShort`] if only the work finds out how much room is needed.
            ///
            /// [`Error::BadOffset`]: crate::Error::BadOffset
            /// [`Error::CaptureUnderWay`]: crate::Error::CaptureUnderWay
            /// [`Error::ContextChanged`]: crate::Error::ContextChanged
            /// [`Error::CountMissing`]: crate::Error::CountMissing
            /// [`Error::Driver`]: crate::Error::Driver
            /// [`Error::ForeignMemory`]: crate::Error::ForeignMemory
            /// [`Error::Forked`]: crate::Error::Forked
            /// [`Error::KernelMissing`]: crate::Error::KernelMissing
            /// [`Error::KernelRejected`]: crate::Error::KernelRejected
            /// [`Error::LengthsDiffer`]: crate::Error::LengthsDiffer
            /// [`Error::Misaligned`]: crate::Error::Misaligned
            /// [`Error::OutOfHostMemory`]: crate::Error::OutOfHostMemory
            /// [`Error::OutOfMemory`]: crate::Error::OutOfMemory
            /// [`Error::OutputTooShort`]: crate::Error::OutputTooShort
            /// [`Error::Overlap`]: crate::Error::Overlap
            /// [`Error::PitchTooShort`]: crate::Error::PitchTooShort
            /// [`Error::Poisoned`]: crate::Error::Poisoned
            /// [`Error::TooManyItems`]: crate::Error::TooManyItems
            /// [`Error::UnevenAxes`]: crate::Error::UnevenAxes
            /// [`Error::UnevenRows`]: crate::Error::UnevenRows
            pub fn wait<Where: $crate::request::Runner<Self>>(
                self,
                on: Where,
            ) -> $crate::Result<Where::Given> {
                on.run(self)
            }

            /// Queues the request on a stream and returns without waiting: see [the rules](crate#without-waiting).
            ///
            /// ```
            /// # #[cfg(feature = "cust")]
            /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
            /// use warpfold::cust::memory::DeviceBuffer;
            /// use warpfold::cust::stream::{Stream, StreamFlags};
            /// use warpfold::{Gpu, Sum, reduce, scan};
            ///
            /// let gpu = Gpu::new()?;
            /// gpu.make_current()?;
            /// let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
            /// let mut items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
            /// let mut sum = DeviceBuffer::<u32>::zeroed(1)?;
            /// scan::<Sum, _>(&mut items).in_place().queue(&gpu, &stream)?;
            /// // The reduction runs after the scan, since both are on the same stream.
            /// reduce::<Sum, _>(&items).to(&mut sum).queue(&gpu, &stream)?;
            /// stream.synchronize()?;
            /// assert_eq!(sum.as_host_vec()?, [10]);
            /// # Ok(())
            /// # }
            /// # #[cfg(not(feature = "cust"))]
            /// # fn main() {}
            /// ```
            ///
            /// # Errors
            ///
            /// The call may fail with [`Error::ForeignStream`], and with each error of [`Self::wait`] except those that are found after the
            /// work is done. [`Error::CaptureUnderWay`] is returned only if the call's memory belongs to a stream other than the call's
            /// stream, and one of these two streams is being captured.
            ///
            /// [`Error::CaptureUnderWay`]: crate::Error::CaptureUnderWay
            /// [`Error::ForeignStream`]: crate::Error::ForeignStream
            pub fn queue<Where: $crate::request::Queuer<Self>>(
                self,
                on: Where,
                stream: &impl $crate::binding::DeviceStream,
            ) -> $crate::Result<()>
            where
                P: $crate::request::bounds::Queueable,
            {
                on.queue(self, stream.as_raw())
            }
        }

        impl<$($parameter),*> std::fmt::Debug for $request<'_, $($parameter),*> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(std::any::type_name::<Self>())
            }
        }
    };
}

use ends_of;
