//! Scans (prefix sums and their kin) of buffers that are in the device's memory.
//!
//! All the functions are one: two kinds of scan, into another buffer or in place, waiting or not. What a scan may have beside items and
//! results is in [`with`].

mod with;

pub use with::{
    ScanOptions, exclusive_scan_and_total, exclusive_scan_with, exclusive_scan_with_on,
    inclusive_scan_with, inclusive_scan_with_on,
};

use cust::memory::DeviceSlice;
use cust::stream::Stream;

use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::launch::{Queue, Span};

/// Writes to `output[i]` the combination of `input[0]` to `input[i]` with the operator `O`, and waits for it.
///
/// `output` may be longer than `input`: its further items are not touched. For no items nothing is done,
/// and the driver is not called. Runs after all that was queued on the default stream and on `cust`'s
/// streams before. On an error that was found after the launch the output is unspecified.
///
/// The result has the same bits on every device and in every run: floats are combined along a tree that depends on
/// an item's index only ([`warpfold_kernels::contract`]), and a NaN comes out as Rust's `NAN`.
/// [`reference::inclusive_scan`](crate::reference::inclusive_scan) computes the same on the host.
///
/// After Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back* (2016), and inside
/// a warp Kogge and Stone, *A Parallel Algorithm for the Efficient Solution of a General Class of Recurrence
/// Equations* (1973).
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, inclusive_scan};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let input = DeviceBuffer::from_slice(&[1u32, 2, 3, 4])?;
/// let mut output = DeviceBuffer::zeroed(4)?;
/// inclusive_scan::<Sum, _>(&gpu, &input, &mut output)?;
/// assert_eq!(output.as_host_vec()?, [1, 3, 6, 10]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::CaptureUnderWay`], [`Error::OutputTooShort`], [`Error::Overlap`], [`Error::Misaligned`], [`Error::ForeignMemory`],
/// [`Error::OutOfMemory`], [`Error::KernelRejected`], [`Error::Driver`], [`Error::Poisoned`], [`Error::Forked`].
///
/// [`Error::CaptureUnderWay`]: crate::Error::CaptureUnderWay
/// [`Error::Forked`]: crate::Error::Forked
/// [`Error::OutputTooShort`]: crate::Error::OutputTooShort
/// [`Error::Overlap`]: crate::Error::Overlap
/// [`Error::Misaligned`]: crate::Error::Misaligned
/// [`Error::ForeignMemory`]: crate::Error::ForeignMemory
/// [`Error::OutOfMemory`]: crate::Error::OutOfMemory
/// [`Error::KernelRejected`]: crate::Error::KernelRejected
/// [`Error::Driver`]: crate::Error::Driver
/// [`Error::Poisoned`]: crate::Error::Poisoned
pub fn inclusive_scan<O: Kernel<kind::inclusive_scan, T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    and_wait(gpu, O::row(), Span::from(input), Span::from(&*output))
}

/// Writes to `output[i]` the combination of `input[0]` to `input[i - 1]` with the operator `O`, and waits for
/// it. `output[0]` is the operator's identity.
///
/// Everything else is as for [`inclusive_scan`].
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, exclusive_scan};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let lengths = DeviceBuffer::from_slice(&[3u64, 0, 5])?;
/// let mut offsets = DeviceBuffer::zeroed(3)?;
/// exclusive_scan::<Sum, _>(&gpu, &lengths, &mut offsets)?;
/// assert_eq!(offsets.as_host_vec()?, [0, 3, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`inclusive_scan`].
pub fn exclusive_scan<O: Kernel<kind::exclusive_scan, T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    and_wait(gpu, O::row(), Span::from(input), Span::from(&*output))
}

/// As [`inclusive_scan`], with the results in the place of the items. On an error that was found after the
/// launch the items are unspecified.
///
/// # Errors
///
/// The errors of [`inclusive_scan`] that can apply.
pub fn inclusive_scan_in_place<O: Kernel<kind::inclusive_scan, T, Output = T>, T: Item>(
    gpu: &Gpu,
    items: &mut DeviceSlice<T>,
) -> Result<()> {
    let items = Span::from(&*items);
    and_wait(gpu, O::row(), items, items)
}

/// As [`exclusive_scan`], with the results in the place of the items. On an error that was found after the
/// launch the items are unspecified.
///
/// # Errors
///
/// The errors of [`inclusive_scan`] that can apply.
pub fn exclusive_scan_in_place<O: Kernel<kind::exclusive_scan, T, Output = T>, T: Item>(
    gpu: &Gpu,
    items: &mut DeviceSlice<T>,
) -> Result<()> {
    let items = Span::from(&*items);
    and_wait(gpu, O::row(), items, items)
}

/// Queues an [`inclusive_scan`] on `stream`. For the rules of functions that do not wait, see the [crate's
/// documentation](crate#without-waiting).
///
/// # Errors
///
/// The same as for [`inclusive_scan`], except [`Error::CaptureUnderWay`](crate::Error::CaptureUnderWay), and
/// [`Error::ForeignStream`](crate::Error::ForeignStream).
pub fn inclusive_scan_on<O: Kernel<kind::inclusive_scan, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    queue(
        gpu,
        stream,
        O::row(),
        Span::from(input),
        Span::from(&*output),
    )
}

/// Queues an [`exclusive_scan`] on `stream`. For the rules of functions that do not wait, see the [crate's
/// documentation](crate#without-waiting).
///
/// # Errors
///
/// The same as for [`inclusive_scan_on`].
pub fn exclusive_scan_on<O: Kernel<kind::exclusive_scan, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    queue(
        gpu,
        stream,
        O::row(),
        Span::from(input),
        Span::from(&*output),
    )
}

/// Queues an [`inclusive_scan_in_place`] on `stream`. For the rules of functions that do not wait, see the
/// [crate's documentation](crate#without-waiting).
///
/// # Errors
///
/// The errors of [`inclusive_scan_on`] that can apply.
pub fn inclusive_scan_in_place_on<O: Kernel<kind::inclusive_scan, T, Output = T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    items: &mut DeviceSlice<T>,
) -> Result<()> {
    let items = Span::from(&*items);
    queue(gpu, stream, O::row(), items, items)
}

/// Queues an [`exclusive_scan_in_place`] on `stream`. For the rules of functions that do not wait, see the
/// [crate's documentation](crate#without-waiting).
///
/// # Errors
///
/// The errors of [`inclusive_scan_on`] that can apply.
pub fn exclusive_scan_in_place_on<O: Kernel<kind::exclusive_scan, T, Output = T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    items: &mut DeviceSlice<T>,
) -> Result<()> {
    let items = Span::from(&*items);
    queue(gpu, stream, O::row(), items, items)
}

fn and_wait(gpu: &Gpu, row: &'static Row, input: Span, output: Span) -> Result<()> {
    if input.item_count == 0 {
        return Ok(());
    }
    gpu.enter(|entered| {
        Queue::and_wait(entered, |queue, _| queue.scan(row, input, output)).map(drop)
    })
}

fn queue(gpu: &Gpu, stream: &Stream, row: &'static Row, input: Span, output: Span) -> Result<()> {
    if input.item_count == 0 {
        return Ok(());
    }
    gpu.enter(|entered| Queue::on(entered, stream, |queue| queue.scan(row, input, output)))
}
