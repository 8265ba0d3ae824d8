//! Reductions of buffers that are in the device's memory.

use bytemuck::Zeroable;
use cust::memory::DeviceSlice;
use cust::stream::Stream;

#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::launch::{Queue, Span, reduce_to_host};

/// Combines all items of `input` with the operator `O`, and waits for the result.
///
/// For no items, the operator's identity; the driver is not called then. Runs after all that was queued on the default stream
/// and on `cust`'s streams before.
///
/// The result has the same bits on every device and in every run: floats are combined along a tree that depends on
/// their number only ([`warpfold_kernels::contract`]), and a NaN comes out as Rust's `NAN`.
/// [`reference::reduce`](crate::reference::reduce) computes the same on the host.
///
/// After Harris, *Optimizing Parallel Reduction in CUDA* (2007), in one launch.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Max, Sum, reduce};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let buffer = DeviceBuffer::from_slice(&[3i32, -1, 4, -1, 5])?;
/// assert_eq!(reduce::<Sum, _>(&gpu, &buffer)?, 10);
/// assert_eq!(reduce::<Max, _>(&gpu, &buffer.index(..3))?, 4);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::CaptureUnderWay`], [`Error::ForeignMemory`], [`Error::Misaligned`], [`Error::OutOfMemory`],
/// [`Error::KernelRejected`], [`Error::Driver`], [`Error::Poisoned`], [`Error::Forked`].
pub fn reduce<O: Kernel<kind::reduce, T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
) -> Result<O::Output> {
    if input.is_empty() {
        return Ok(O::lower(O::identity()));
    }
    let mut result = O::Output::zeroed();
    let bytes = bytemuck::bytes_of_mut(&mut result);
    and_wait(gpu, O::row(), Span::from(input), bytes)?;
    Ok(result)
}

/// Queues the combination of all items of `input` on `stream`, to the first item of `output`; the rest of
/// `output` is not touched. For no items, that is the operator's identity.
///
/// The result is that of [`reduce`], bit for bit. For the rules of functions that do not wait, see the [crate's
/// documentation](crate#without-waiting).
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::cust::stream::{Stream, StreamFlags};
/// use warpfold::{Gpu, Sum, reduce_into};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let stream = Stream::new(StreamFlags::DEFAULT, None)?;
/// let input = DeviceBuffer::from_slice(&[1.0f64, 2.0, 3.0])?;
/// let mut output = DeviceBuffer::zeroed(1)?;
/// reduce_into::<Sum, _>(&gpu, &stream, &input, &mut output)?;
/// stream.synchronize()?;
/// assert_eq!(output.as_host_vec()?, [6.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`reduce`], except [`Error::CaptureUnderWay`], and [`Error::OutputTooShort`], [`Error::Overlap`],
/// [`Error::ForeignStream`].
pub fn reduce_into<O: Kernel<kind::reduce, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let (input, output) = (Span::from(input), Span::from(&*output));
    queue(gpu, stream, O::row(), input, output)
}

/// Queues the combination of the first items of `input` on `stream`, to the first item of `output`: as many items as the first number of
/// `count` says, up to all of them, when the work begins. So a selection feeds a reduction without the host, in a captured graph too.
///
/// The result is the same as [`reduce`] of that many items, bit for bit; for none, the operator's identity. The launch is as large as one of
/// all items; blocks without items end at once.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::cust::stream::{Stream, StreamFlags};
/// use warpfold::{Gpu, NonZero, Product, reduce_counted_into, select_if_on};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let stream = Stream::new(StreamFlags::DEFAULT, None)?;
/// let items = DeviceBuffer::from_slice(&[2.0f32, 0.0, 3.0, 0.0])?;
/// let mut kept = DeviceBuffer::zeroed(4)?;
/// let mut count = DeviceBuffer::zeroed(1)?;
/// let mut product = DeviceBuffer::zeroed(1)?;
/// select_if_on::<NonZero, _>(&gpu, &stream, &items, &mut kept, &mut count)?;
/// reduce_counted_into::<Product, _>(&gpu, &stream, &kept, &count, &mut product)?;
/// stream.synchronize()?;
/// assert_eq!(product.as_host_vec()?, [6.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`reduce_into`], and [`Error::CountMissing`].
pub fn reduce_counted_into<O: Kernel<kind::reduce, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    count: &DeviceSlice<u64>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let (input, count, output) = (Span::from(input), Span::from(count), Span::from(&*output));
    queue_counted(gpu, stream, O::row(), input, count, output)
}

/// Reduces at least one item, waits for the result, and writes it to these bytes.
fn and_wait(gpu: &Gpu, row: &'static Row, input: Span, result: &mut [u8]) -> Result<()> {
    gpu.enter(|entered| reduce_to_host(entered, row, input, result))
}

fn queue(gpu: &Gpu, stream: &Stream, row: &'static Row, input: Span, output: Span) -> Result<()> {
    gpu.enter(|entered| Queue::on(entered, stream, |queue| queue.reduce(row, input, output)))
}

fn queue_counted(
    gpu: &Gpu,
    stream: &Stream,
    row: &'static Row,
    input: Span,
    count: Span,
    output: Span,
) -> Result<()> {
    gpu.enter(|entered| {
        Queue::on(entered, stream, |queue| {
            queue.reduce_counted(row, input, count, output)
        })
    })
}
