//! Scans with an initial value, with their total, or of items of which only the device knows how many there are.

use std::fmt;

use bytemuck::Zeroable;
use cust::memory::DeviceSlice;
use cust::stream::Stream;
use warpfold_kernels::op::Op;

use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::launch::{Queue, ScanExtras, Span, Total};

/// What a scan with the operator `O` of items of type `T` may have beside its items and results.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, ScanOptions, Sum, exclusive_scan_with};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let lengths = DeviceBuffer::from_slice(&[3u32, 0, 5])?;
/// let mut offsets = DeviceBuffer::zeroed(3)?;
/// let mut total = DeviceBuffer::zeroed(1)?;
/// let options = ScanOptions::<Sum, _>::new().initial(100).total(&mut total);
/// exclusive_scan_with(&gpu, &lengths, &mut offsets, options)?;
/// assert_eq!(offsets.as_host_vec()?, [100, 103, 103]);
/// assert_eq!(total.as_host_vec()?, [108]);
/// # Ok(())
/// # }
/// ```
pub struct ScanOptions<'a, O: Op<T, Output: Item>, T: Item> {
    initial: Option<O::Accumulator>,
    total: Option<&'a mut DeviceSlice<O::Output>>,
    count: Option<&'a DeviceSlice<u64>>,
}

impl<'a, O: Op<T, Output: Item>, T: Item> ScanOptions<'a, O, T> {
    /// None of them.
    pub const fn new() -> Self {
        Self {
            initial: None,
            total: None,
            count: None,
        }
    }

    /// A value before the first item, in place of the operator's identity. It has the type in which the operator combines: for sums,
    /// products and extremes of 32 and 64 bits the items' own.
    #[must_use]
    pub fn initial(mut self, initial: O::Accumulator) -> Self {
        self.initial = Some(initial);
        self
    }

    /// A place for what all items combine to, after the initial value: it is what an exclusive scan would write after its last
    /// result. (Of floats, an inclusive scan's last result may have other bits.) For no items, it is the initial value, or the identity.
    #[must_use]
    pub fn total(mut self, total: &'a mut DeviceSlice<O::Output>) -> Self {
        self.total = Some(total);
        self
    }

    /// Scans as many of the items as the first number of `count` says, up to all of them, when the work begins: so a selection feeds a
    /// scan without the host. The results are the same as a scan of that many items, bit for bit; nothing is written after them.
    #[must_use]
    pub fn count(mut self, count: &'a DeviceSlice<u64>) -> Self {
        self.count = Some(count);
        self
    }

    fn extras(&self) -> ScanExtras<'_> {
        ScanExtras {
            initial: self.initial.as_ref().map(bytemuck::bytes_of),
            total: self
                .total
                .as_deref()
                .map(|total| Total::Callers(Span::from(total))),
            count: self.count.map(Span::from),
        }
    }
}

impl<O: Op<T, Output: Item>, T: Item> Default for ScanOptions<'_, O, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<O: Op<T, Output: Item>, T: Item> fmt::Debug for ScanOptions<'_, O, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScanOptions")
            .field("has_initial", &self.initial.is_some())
            .field("has_total", &self.total.is_some())
            .field("has_count", &self.count.is_some())
            .finish()
    }
}

/// An [`inclusive_scan`](crate::inclusive_scan) with options: an initial value, its total, a number of items that the device knows.
///
/// [`reference::inclusive_scan_from`](crate::reference::inclusive_scan_from) and
/// [`reference::scan_total`](crate::reference::scan_total) compute the same on the host.
///
/// # Errors
///
/// The same as for [`inclusive_scan`](crate::inclusive_scan), where a total needs room for one result and must lie apart from items and
/// results; and [`Error::CountMissing`](crate::Error::CountMissing).
pub fn inclusive_scan_with<O: Kernel<kind::inclusive_scan, T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<O::Output>,
    options: ScanOptions<'_, O, T>,
) -> Result<()> {
    let (input, output) = (Span::from(input), Span::from(&*output));
    and_wait(gpu, O::row(), input, output, options.extras())
}

/// An [`exclusive_scan`](crate::exclusive_scan) with options, as [`inclusive_scan_with`].
///
/// # Errors
///
/// The same as for [`inclusive_scan_with`].
pub fn exclusive_scan_with<O: Kernel<kind::exclusive_scan, T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<O::Output>,
    options: ScanOptions<'_, O, T>,
) -> Result<()> {
    let (input, output) = (Span::from(input), Span::from(&*output));
    and_wait(gpu, O::row(), input, output, options.extras())
}

/// Queues an [`inclusive_scan_with`] on `stream`. For the rules of functions that do not wait, see the [crate's
/// documentation](crate#without-waiting).
///
/// # Errors
///
/// The same as for [`inclusive_scan_with`], except [`Error::CaptureUnderWay`](crate::Error::CaptureUnderWay), and
/// [`Error::ForeignStream`](crate::Error::ForeignStream).
pub fn inclusive_scan_with_on<O: Kernel<kind::inclusive_scan, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<O::Output>,
    options: ScanOptions<'_, O, T>,
) -> Result<()> {
    let (input, output) = (Span::from(input), Span::from(&*output));
    queue(gpu, stream, O::row(), input, output, options.extras())
}

/// Queues an [`exclusive_scan_with`] on `stream`, as [`inclusive_scan_with_on`] does the other.
///
/// # Errors
///
/// The same as for [`inclusive_scan_with_on`].
pub fn exclusive_scan_with_on<O: Kernel<kind::exclusive_scan, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<O::Output>,
    options: ScanOptions<'_, O, T>,
) -> Result<()> {
    let (input, output) = (Span::from(input), Span::from(&*output));
    queue(gpu, stream, O::row(), input, output, options.extras())
}

/// An [`exclusive_scan`](crate::exclusive_scan) that gives the total too: what it would write after its last result. For no items, the
/// operator's identity; the driver is not called then.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, exclusive_scan_and_total};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let lengths = DeviceBuffer::from_slice(&[3u64, 0, 5])?;
/// let mut offsets = DeviceBuffer::zeroed(3)?;
/// assert_eq!(exclusive_scan_and_total::<Sum, _>(&gpu, &lengths, &mut offsets)?, 8);
/// assert_eq!(offsets.as_host_vec()?, [0, 3, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`inclusive_scan`](crate::inclusive_scan).
pub fn exclusive_scan_and_total<O: Kernel<kind::exclusive_scan, T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<O::Output> {
    if input.is_empty() {
        return Ok(O::lower(O::identity()));
    }
    let (input, output) = (Span::from(input), Span::from(&*output));
    let mut total = O::Output::zeroed();
    let bytes = bytemuck::bytes_of_mut(&mut total);
    and_total(gpu, O::row(), input, output, bytes)?;
    Ok(total)
}

/// Scans at least one item, waits for it, and writes the total to these bytes.
fn and_total(
    gpu: &Gpu,
    row: &'static Row,
    input: Span,
    output: Span,
    total: &mut [u8],
) -> Result<()> {
    gpu.enter(|entered| {
        let ((), call) = Queue::and_wait(entered, |queue, call| {
            let extras = ScanExtras {
                total: Some(Total::Own(call.result()?)),
                ..ScanExtras::NONE
            };
            queue.scan_with(row, input, output, extras)
        })?;
        // SAFETY: the scan is done, and wrote its total there.
        unsafe { call.read_result_to(total) }
    })
}

fn and_wait(
    gpu: &Gpu,
    row: &'static Row,
    input: Span,
    output: Span,
    extras: ScanExtras<'_>,
) -> Result<()> {
    if input.item_count == 0 && extras.total.is_none() {
        return Ok(());
    }
    gpu.enter(|entered| {
        let scan = |queue: &mut Queue<'_>, _: &_| queue.scan_with(row, input, output, extras);
        Queue::and_wait(entered, scan).map(drop)
    })
}

fn queue(
    gpu: &Gpu,
    stream: &Stream,
    row: &'static Row,
    input: Span,
    output: Span,
    extras: ScanExtras<'_>,
) -> Result<()> {
    if input.item_count == 0 && extras.total.is_none() {
        return Ok(());
    }
    gpu.enter(|entered| {
        Queue::on(entered, stream, |queue| {
            queue.scan_with(row, input, output, extras)
        })
    })
}
