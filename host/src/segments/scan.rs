//! Scans of segments of buffers that are in the device's memory, and of the rows of matrices.

use cust::memory::DeviceSlice;
use cust::stream::Stream;

use super::{Offset, check, of_offsets, of_rows};
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::launch::{Queue, Segments, Span};

/// Scans each segment of `input` with the operator `O`, each item included, to `output`, and waits for it: `output[i]` is the
/// combination of the items of `i`'s segment up to and including `input[i]`. There is a place in `output` for each item; those of
/// items that belong to no segment, and places after the last, are not touched.
///
/// Offsets are those of [`segmented_reduce`](crate::segmented_reduce()). The output lies elsewhere than the input: a block
/// reads items beside its own. Where there is no segment, the driver is not called.
///
/// The time follows the bytes of items, offsets and results, each moved once (some offsets twice), and not the segments' lengths.
///
/// A result depends on the items of its segment up to it and on nothing else, bit for bit: not on where the segment lies, nor on
/// its neighbours, the device or the run. The operator need not commute; for one that looks at an item's index, that counts
/// from the segment's start. The order is said in [`warpfold_kernels::segments`], and
/// [`reference::segmented_inclusive_scan`](crate::reference::segmented_inclusive_scan) computes the same on the host.
///
/// After Merrill and Garland, *Merge-based Parallel Sparse Matrix-Vector Multiplication* (2016), in one launch.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, segmented_inclusive_scan};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[1i32, 2, 3, 4, 5])?;
/// let offsets = DeviceBuffer::from_slice(&[0u32, 3, 3, 5])?;
/// let mut sums = DeviceBuffer::zeroed(5)?;
/// segmented_inclusive_scan::<Sum, _, _>(&gpu, &items, &offsets, &mut sums)?;
/// assert_eq!(sums.as_host_vec()?, [1, 3, 6, 4, 9]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`segmented_reduce`](crate::segmented_reduce()), of which [`Error::BadOffset`](crate::Error::BadOffset) leaves the results
/// unspecified.
pub fn segmented_inclusive_scan<O: Kernel<kind::segmented_scan, T>, T: Item, I: Offset>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    offsets: &DeviceSlice<I>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let segments = of_offsets(input, offsets);
    and_wait(
        gpu,
        O::row(),
        segments,
        Place::Included,
        Span::from(&*output),
    )
}

/// As [`segmented_inclusive_scan`], each item left out: `output[i]` is the combination of the items of `i`'s segment before
/// `input[i]`, and the operator's identity at a segment's start.
///
/// # Errors
///
/// The same as for [`segmented_inclusive_scan`].
pub fn segmented_exclusive_scan<O: Kernel<kind::segmented_scan, T>, T: Item, I: Offset>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    offsets: &DeviceSlice<I>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let segments = of_offsets(input, offsets);
    and_wait(
        gpu,
        O::row(),
        segments,
        Place::LeftOut,
        Span::from(&*output),
    )
}

/// Queues a [`segmented_inclusive_scan`] on `stream`. For the rules of functions that do not wait, see the [crate's
/// documentation](crate#without-waiting).
///
/// Offsets that do not ascend, or are beyond the items, are not reported: the results are unspecified then, all of them. Nothing
/// else is read or written, and the work ends.
///
/// # Errors
///
/// The same as for [`segmented_inclusive_scan`], except [`Error::BadOffset`](crate::Error::BadOffset) and
/// [`Error::CaptureUnderWay`](crate::Error::CaptureUnderWay), and [`Error::ForeignStream`](crate::Error::ForeignStream).
pub fn segmented_inclusive_scan_on<O: Kernel<kind::segmented_scan, T>, T: Item, I: Offset>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    offsets: &DeviceSlice<I>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let segments = of_offsets(input, offsets);
    queue(
        gpu,
        stream,
        O::row(),
        segments,
        Place::Included,
        Span::from(&*output),
    )
}

/// Queues a [`segmented_exclusive_scan`] on `stream`, as [`segmented_inclusive_scan_on`] does the other.
///
/// # Errors
///
/// The same as for [`segmented_inclusive_scan_on`].
pub fn segmented_exclusive_scan_on<O: Kernel<kind::segmented_scan, T>, T: Item, I: Offset>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    offsets: &DeviceSlice<I>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let segments = of_offsets(input, offsets);
    queue(
        gpu,
        stream,
        O::row(),
        segments,
        Place::LeftOut,
        Span::from(&*output),
    )
}

/// Scans each row of `input`, contiguous rows of `row_items`, with the operator `O`, each item included, to `output`, and
/// waits for it.
///
/// It is a [`segmented_inclusive_scan`] without offsets in memory, with the same bits. For no items there is no row, and the driver
/// is not called.
///
/// # Errors
///
/// [`Error::UnevenRows`](crate::Error::UnevenRows) if the items are no whole rows, as they never are with `row_items` 0. Else those
/// of [`segmented_inclusive_scan`] that can apply.
pub fn inclusive_scan_rows<O: Kernel<kind::segmented_scan, T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    row_items: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let segments = of_rows(Span::from(input), row_items)?;
    and_wait(
        gpu,
        O::row(),
        segments,
        Place::Included,
        Span::from(&*output),
    )
}

/// As [`inclusive_scan_rows`], each item left out.
///
/// # Errors
///
/// The same as for [`inclusive_scan_rows`].
pub fn exclusive_scan_rows<O: Kernel<kind::segmented_scan, T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    row_items: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let segments = of_rows(Span::from(input), row_items)?;
    and_wait(
        gpu,
        O::row(),
        segments,
        Place::LeftOut,
        Span::from(&*output),
    )
}

/// Queues an [`inclusive_scan_rows`] on `stream`. For the rules of functions that do not wait, see the [crate's
/// documentation](crate#without-waiting).
///
/// # Errors
///
/// The same as for [`inclusive_scan_rows`], except [`Error::CaptureUnderWay`](crate::Error::CaptureUnderWay), and
/// [`Error::ForeignStream`](crate::Error::ForeignStream).
pub fn inclusive_scan_rows_on<O: Kernel<kind::segmented_scan, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    row_items: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let segments = of_rows(Span::from(input), row_items)?;
    queue(
        gpu,
        stream,
        O::row(),
        segments,
        Place::Included,
        Span::from(&*output),
    )
}

/// Queues an [`exclusive_scan_rows`] on `stream`, as [`inclusive_scan_rows_on`] does the other.
///
/// # Errors
///
/// The same as for [`inclusive_scan_rows_on`].
pub fn exclusive_scan_rows_on<O: Kernel<kind::segmented_scan, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    row_items: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let segments = of_rows(Span::from(input), row_items)?;
    queue(
        gpu,
        stream,
        O::row(),
        segments,
        Place::LeftOut,
        Span::from(&*output),
    )
}

/// Whether an item is part of its result.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    Included,
    LeftOut,
}

/// Scans segments, if there are any, and waits for it.
fn and_wait(
    gpu: &Gpu,
    row: &'static Row,
    segments: Option<Segments>,
    place: Place,
    output: Span,
) -> Result<()> {
    let Some(segments) = segments else {
        return Ok(());
    };
    check::scan(gpu, row, segments, place == Place::LeftOut, output)
}

/// Queues a scan of segments, if there are any.
fn queue(
    gpu: &Gpu,
    stream: &Stream,
    row: &'static Row,
    segments: Option<Segments>,
    place: Place,
    output: Span,
) -> Result<()> {
    let Some(segments) = segments else {
        return Ok(());
    };
    gpu.enter(|entered| {
        Queue::on(entered, stream, |queue| {
            queue.segmented_scan(row, segments, place == Place::LeftOut, output, 0)
        })
    })
}
