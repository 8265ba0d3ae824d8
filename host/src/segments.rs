//! Reductions and scans of segments of buffers that are in the device's memory, and of the rows of matrices.

mod check;
mod scan;
mod slices;

pub(crate) use scan::Place;
pub use scan::{
    exclusive_scan_rows, exclusive_scan_rows_on, inclusive_scan_rows, inclusive_scan_rows_on,
    segmented_exclusive_scan, segmented_exclusive_scan_on, segmented_inclusive_scan,
    segmented_inclusive_scan_on,
};

use cust::memory::{DeviceCopy, DeviceSlice};
use cust::stream::Stream;

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::launch::{Queue, Segments, Span, Starts};

pub use slices::{gpu_reduce_rows, gpu_segmented_reduce};

/// The type of offsets: `u32`, `u64` or, where that has 64 bits, `usize`.
pub trait Offset: DeviceCopy + bytemuck::Pod + sealed::Offset {}

impl Offset for u32 {}
impl Offset for u64 {}
#[cfg(target_pointer_width = "64")]
impl Offset for usize {}

mod sealed {
    pub trait Offset: Copy {
        fn to_u64(self) -> u64;
    }

    macro_rules! offsets {
        ($($t:ty)*) => {$(
            impl Offset for $t {
                fn to_u64(self) -> u64 {
                    self as u64
                }
            }
        )*};
    }

    offsets!(u32 u64);
    #[cfg(target_pointer_width = "64")]
    offsets!(usize);
}

/// Combines the items of each segment of `input` with the operator `O`, writes the results to the first items of `output`, and
/// waits for it. The rest of `output` is not touched.
///
/// There is one offset more than segments: segment `s` has the items from `offsets[s]` to before `offsets[s + 1]`. Offsets ascend,
/// and none is beyond the items. Items before the first and from the last on belong to no segment. A segment without items gives
/// the operator's identity. Where there is no segment, the driver is not called.
///
/// The time follows the bytes of items, offsets and results, each moved once (some offsets twice), and not the segments'
/// lengths: one long segment, millions of short ones and millions of empty ones cost what their bytes cost.
///
/// A result depends on the segment's items and on nothing else, bit for bit: not on where the segment lies, nor on its
/// neighbours, the device or the run. The items are combined in order, so the operator need not commute; for one that looks at
/// an item's index, that counts from the segment's start. The order is said in [`warpfold_kernels::segments`], and
/// [`reference::segmented_reduce`](crate::reference::segmented_reduce) computes the same on the host.
///
/// After Merrill and Garland, *Merge-based Parallel Sparse Matrix-Vector Multiplication* (2016), and Baxter's moderngpu, in one
/// launch.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, segmented_reduce};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[1i32, 2, 3, 4, 5])?;
/// let offsets = DeviceBuffer::from_slice(&[0u32, 3, 3, 5])?;
/// let mut sums = DeviceBuffer::zeroed(3)?;
/// segmented_reduce::<Sum, _, _>(&gpu, &items, &offsets, &mut sums)?;
/// assert_eq!(sums.as_host_vec()?, [6, 0, 9]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::BadOffset`], after which the results are unspecified. And, before anything is launched, [`Error::OutputTooShort`],
/// [`Error::Overlap`] of results and items or offsets, [`Error::CaptureUnderWay`], [`Error::ForeignMemory`],
/// [`Error::Misaligned`], [`Error::OutOfMemory`], [`Error::KernelRejected`], [`Error::Driver`], [`Error::Poisoned`],
/// [`Error::Forked`].
pub fn segmented_reduce<O: Kernel<kind::segmented_reduce, T>, T: Item, I: Offset>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    offsets: &DeviceSlice<I>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let Some(segments) = of_offsets(input, offsets) else {
        return Ok(());
    };
    check::reduce(gpu, O::row(), segments, Span::from(&*output))
}

/// Queues a [`segmented_reduce`] on `stream`. For the rules of functions that do not wait, see the [crate's
/// documentation](crate#without-waiting).
///
/// Offsets that do not ascend, or are beyond the items, are not reported: the results are unspecified then, all of them. Nothing
/// else is read or written, and the work ends.
///
/// # Errors
///
/// The same as for [`segmented_reduce`], except [`Error::BadOffset`] and [`Error::CaptureUnderWay`], and [`Error::ForeignStream`].
pub fn segmented_reduce_into<O: Kernel<kind::segmented_reduce, T>, T: Item, I: Offset>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    offsets: &DeviceSlice<I>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    match of_offsets(input, offsets) {
        Some(segments) => queue(gpu, stream, O::row(), segments, Span::from(&*output)),
        None => Ok(()),
    }
}

/// Combines the items of each row of `input`, contiguous rows of `row_items`, with the operator `O`, writes the
/// results to the first items of `output`, and waits for it. The rest of `output` is not touched.
///
/// It is a [`segmented_reduce`] without offsets in memory, with the same bits. For no items there is no row, and the driver is
/// not called.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Max, reduce_rows};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let matrix = DeviceBuffer::from_slice(&[1.0f32, 5.0, 2.0, 4.0, 3.0, 0.5])?;
/// let mut greatest = DeviceBuffer::zeroed(2)?;
/// reduce_rows::<Max, _>(&gpu, &matrix, 3, &mut greatest)?;
/// assert_eq!(greatest.as_host_vec()?, [5.0, 4.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::UnevenRows`] if the items are no whole rows, as they never are with `row_items` 0. Else those of
/// [`segmented_reduce`] that can apply.
pub fn reduce_rows<O: Kernel<kind::segmented_reduce, T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    row_items: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let Some(segments) = of_rows(Span::from(input), row_items)? else {
        return Ok(());
    };
    and_wait(gpu, O::row(), segments, Span::from(&*output))
}

/// Queues a [`reduce_rows`] on `stream`. For the rules of functions that do not wait, see the [crate's
/// documentation](crate#without-waiting).
///
/// # Errors
///
/// The same as for [`reduce_rows`], except [`Error::CaptureUnderWay`], and [`Error::ForeignStream`].
pub fn reduce_rows_into<O: Kernel<kind::segmented_reduce, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    row_items: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    match of_rows(Span::from(input), row_items)? {
        Some(segments) => queue(gpu, stream, O::row(), segments, Span::from(&*output)),
        None => Ok(()),
    }
}

/// The segments between offsets, if there are any.
fn of_offsets<T: Item, I: Offset>(
    input: &DeviceSlice<T>,
    offsets: &DeviceSlice<I>,
) -> Option<Segments> {
    let count = offsets.len().checked_sub(1)?;
    (count > 0).then(|| Segments {
        items: Span::from(input),
        starts: Starts::Offsets(Span::from(offsets)),
        count,
        count_at: None,
    })
}

/// The rows of items, if there are any.
fn of_rows(items: Span, row_items: usize) -> Result<Option<Segments>> {
    let count = row_count(items.item_count, row_items)?;
    Ok((count > 0).then_some(Segments {
        items,
        starts: Starts::Rows(row_items),
        count,
        count_at: None,
    }))
}

/// How many rows items make, all of them whole.
pub(crate) fn row_count(item_count: usize, row_items: usize) -> Result<usize> {
    if row_items == 0 || !item_count.is_multiple_of(row_items) {
        return Err(Error::UnevenRows {
            item_count,
            row_items,
        });
    }
    Ok(item_count / row_items)
}

/// Reduces segments that no kernel refuses, and waits for it.
fn and_wait(gpu: &Gpu, row: &'static Row, segments: Segments, output: Span) -> Result<()> {
    gpu.enter(|entered| {
        Queue::and_wait(entered, |queue, _| {
            queue.segmented_reduce(row, segments, output, 0)
        })
        .map(drop)
    })
}

fn queue(
    gpu: &Gpu,
    stream: &Stream,
    row: &'static Row,
    segments: Segments,
    output: Span,
) -> Result<()> {
    gpu.enter(|entered| {
        Queue::on(entered, stream, |queue| {
            queue.segmented_reduce(row, segments, output, 0)
        })
    })
}
