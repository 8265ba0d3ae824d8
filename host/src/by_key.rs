//! Reductions and scans by key, of buffers that are in the device's memory: neighbours with equal keys belong together.
//!
//! Two launches: the first writes where the runs of equal keys start, and their keys; the second reduces or scans these segments. So the
//! values of a run are combined in the order of [a segment's](warpfold_kernels::segments), with the same bits.

mod call;
mod scan;
mod slices;

pub use scan::{
    exclusive_scan_by_key, exclusive_scan_by_key_on, inclusive_scan_by_key,
    inclusive_scan_by_key_on,
};

pub use slices::gpu_reduce_by_key;

use cust::memory::DeviceSlice;
use cust::stream::Stream;

use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, kind};
use crate::launch::Span;
use crate::segments::Offset;
use crate::selection::RunsKernel;

use self::call::{Keyed, Starts};

/// Combines the values of each run of equal neighbouring keys with the operator `O`. Writes the first key of each run to the first items
/// of `unique_keys`, its result to the first items of `results`, and waits for it. Gives how many runs there are. The rest of the outputs
/// is not touched.
///
/// Which keys are equal says the equality `E`: [`Equal`](crate::Equal) compares by value. Keys need not be sorted: a key that comes
/// back later begins a run of its own. There are as many values as keys. The values of a run are combined in order, so the operator need
/// not commute.
///
/// The outputs need room for as many items as there are runs, and no more. If they have less, the error says how much is needed, and
/// what has room of the keys is written. For no keys nothing is done, and the driver is not called.
///
/// The time is that of the bytes: keys and values are read once, keys, results and one offset for each run written once, and offsets read
/// once or twice. For the offsets, memory is allocated for the time of the call; [`reduce_by_key_on`] takes it from the caller.
///
/// A result depends on the values of its run and on nothing else, bit for bit; see [`segmented_reduce`](crate::segmented_reduce()).
/// [`reference::reduce_by_key`](crate::reference::reduce_by_key) computes the same on the host.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Equal, Gpu, Sum, reduce_by_key};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let keys = DeviceBuffer::from_slice(&[3u8, 3, 1, 1, 1, 3])?;
/// let values = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let (mut unique, mut sums) = (DeviceBuffer::zeroed(6)?, DeviceBuffer::zeroed(6)?);
/// let runs = reduce_by_key::<Sum, Equal, _, _>(&gpu, &keys, &values, &mut unique, &mut sums)?;
/// assert_eq!(unique.as_host_vec()?[..runs], [3, 1, 3]);
/// assert_eq!(sums.as_host_vec()?[..runs], [3.0, 12.0, 6.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::OutputTooShort`]. And, before anything is launched, [`Error::LengthsDiffer`] of keys and values, [`Error::Overlap`],
/// [`Error::CaptureUnderWay`], [`Error::ForeignMemory`], [`Error::Misaligned`], [`Error::OutOfMemory`], [`Error::KernelRejected`],
/// [`Error::Driver`], [`Error::Poisoned`], [`Error::Forked`].
///
/// [`Error::CaptureUnderWay`]: crate::Error::CaptureUnderWay
/// [`Error::Driver`]: crate::Error::Driver
/// [`Error::ForeignMemory`]: crate::Error::ForeignMemory
/// [`Error::Forked`]: crate::Error::Forked
/// [`Error::KernelRejected`]: crate::Error::KernelRejected
/// [`Error::LengthsDiffer`]: crate::Error::LengthsDiffer
/// [`Error::Misaligned`]: crate::Error::Misaligned
/// [`Error::OutOfMemory`]: crate::Error::OutOfMemory
/// [`Error::OutputTooShort`]: crate::Error::OutputTooShort
/// [`Error::Overlap`]: crate::Error::Overlap
/// [`Error::Poisoned`]: crate::Error::Poisoned
pub fn reduce_by_key<O, E, K, V>(
    gpu: &Gpu,
    keys: &DeviceSlice<K>,
    values: &DeviceSlice<V>,
    unique_keys: &mut DeviceSlice<K>,
    results: &mut DeviceSlice<O::Output>,
) -> Result<usize>
where
    O: Kernel<kind::segmented_reduce, V>,
    E: RunsKernel<K>,
    K: Item,
    V: Item,
{
    let keyed = Keyed::new::<E, K, V>(keys, values)?;
    keyed.reduce_and_wait(
        gpu,
        O::row(),
        Span::from(&*unique_keys),
        Span::from(&*results),
    )
}

/// Queues a [`reduce_by_key`] on `stream`, whose outputs are the keys of the runs and their results; the number of runs goes to the first
/// place of `count`. For the rules of functions that do not wait, see the [crate's documentation](crate#without-waiting).
///
/// `starts` is where the runs start, as [`run_starts`](crate::run_starts) writes it: it needs room for one number more than there are
/// runs. Too little room is no error: `unique_keys` and `starts` are filled, and the count says how many runs there are. The first runs
/// then have results: as many as `unique_keys` and `results` both have room for, and one fewer than `starts` has. For no keys the count
/// is 0.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::cust::stream::{Stream, StreamFlags};
/// use warpfold::{Equal, Gpu, Max, reduce_by_key_on};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let stream = Stream::new(StreamFlags::DEFAULT, None)?;
/// let keys = DeviceBuffer::from_slice(&[3u8, 3, 1])?;
/// let values = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// let (mut unique, mut greatest) = (DeviceBuffer::zeroed(3)?, DeviceBuffer::zeroed(3)?);
/// let mut starts = DeviceBuffer::<u32>::zeroed(4)?;
/// let mut count = DeviceBuffer::zeroed(1)?;
/// let outputs = (&mut *unique, &mut *greatest);
/// reduce_by_key_on::<Max, Equal, _, _, _>(&gpu, &stream, &keys, &values, outputs, &mut starts, &mut count)?;
/// stream.synchronize()?;
/// assert_eq!(count.as_host_vec()?, [2]);
/// assert_eq!(greatest.as_host_vec()?[..2], [2, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`reduce_by_key`], except [`Error::CaptureUnderWay`](crate::Error::CaptureUnderWay), and
/// [`Error::ForeignStream`](crate::Error::ForeignStream), and [`Error::TooManyItems`](crate::Error::TooManyItems) if starts of 32 bits
/// do not reach. [`Error::OutputTooShort`](crate::Error::OutputTooShort) is about a `count` without a place.
pub fn reduce_by_key_on<O, E, K, V, I>(
    gpu: &Gpu,
    stream: &Stream,
    keys: &DeviceSlice<K>,
    values: &DeviceSlice<V>,
    (unique_keys, results): (&mut DeviceSlice<K>, &mut DeviceSlice<O::Output>),
    starts: &mut DeviceSlice<I>,
    count: &mut DeviceSlice<u64>,
) -> Result<()>
where
    O: Kernel<kind::segmented_reduce, V>,
    E: RunsKernel<K>,
    K: Item,
    V: Item,
    I: Offset,
{
    let keyed = Keyed::new::<E, K, V>(keys, values)?;
    let outputs = (Span::from(&*unique_keys), Span::from(&*results));
    let starts = Starts::of(starts, Span::from(&*count));
    keyed.queue_reduce(gpu, stream, O::row(), outputs, starts)
}
