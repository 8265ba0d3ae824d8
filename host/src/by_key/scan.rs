//! Scans by key.

use cust::memory::DeviceSlice;
use cust::stream::Stream;

use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, kind};
use crate::launch::Span;
use crate::segments::{Offset, Place};
use crate::selection::RunsKernel;

use super::call::{Keyed, Starts};

/// Scans the values of each run of equal neighbouring keys with the operator `O`, each value included, to `output`, and waits for it:
/// `output[i]` is the combination of the values of `i`'s run up to and including `values[i]`.
///
/// Keys and their equality are those of [`reduce_by_key`](crate::reduce_by_key()), and the order of combination is that of
/// [`segmented_inclusive_scan`](crate::segmented_inclusive_scan). There are as many values as keys; the output lies elsewhere, and may be
/// longer: its further items are not touched. For no keys nothing is done, and the driver is not called.
///
/// For the starts of runs, memory for one offset more than there are keys is allocated for the time of the call;
/// [`inclusive_scan_by_key_on`] takes it from the caller. [`reference::inclusive_scan_by_key`](crate::reference::inclusive_scan_by_key)
/// computes the same on the host.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Equal, Gpu, Sum, inclusive_scan_by_key};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let keys = DeviceBuffer::from_slice(&[3u8, 3, 1, 1, 1, 3])?;
/// let values = DeviceBuffer::from_slice(&[1u32, 2, 3, 4, 5, 6])?;
/// let mut sums = DeviceBuffer::zeroed(6)?;
/// inclusive_scan_by_key::<Sum, Equal, _, _>(&gpu, &keys, &values, &mut sums)?;
/// assert_eq!(sums.as_host_vec()?, [1, 3, 3, 7, 12, 6]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Before anything is launched, [`Error::LengthsDiffer`](crate::Error::LengthsDiffer) of keys and values, and those of
/// [`segmented_inclusive_scan`](crate::segmented_inclusive_scan) but [`Error::BadOffset`](crate::Error::BadOffset).
pub fn inclusive_scan_by_key<O, E, K, V>(
    gpu: &Gpu,
    keys: &DeviceSlice<K>,
    values: &DeviceSlice<V>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()>
where
    O: Kernel<kind::segmented_scan, V>,
    E: RunsKernel<K>,
    K: Item,
    V: Item,
{
    let keyed = Keyed::new::<E, K, V>(keys, values)?;
    keyed.scan_and_wait(gpu, O::row(), Place::Included, Span::from(&*output))
}

/// As [`inclusive_scan_by_key`], each value left out: `output[i]` is the combination of the values of `i`'s run before `values[i]`, and
/// the operator's identity at a run's start.
///
/// # Errors
///
/// The same as for [`inclusive_scan_by_key`].
pub fn exclusive_scan_by_key<O, E, K, V>(
    gpu: &Gpu,
    keys: &DeviceSlice<K>,
    values: &DeviceSlice<V>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()>
where
    O: Kernel<kind::segmented_scan, V>,
    E: RunsKernel<K>,
    K: Item,
    V: Item,
{
    let keyed = Keyed::new::<E, K, V>(keys, values)?;
    keyed.scan_and_wait(gpu, O::row(), Place::LeftOut, Span::from(&*output))
}

/// Queues an [`inclusive_scan_by_key`] on `stream`. For the rules of functions that do not wait, see the [crate's
/// documentation](crate#without-waiting).
///
/// `starts` is where the runs start, with room for one number more than there are keys, and `count` their number, as
/// [`run_starts_on`](crate::run_starts_on) writes them.
///
/// # Errors
///
/// The same as for [`inclusive_scan_by_key`], except [`Error::CaptureUnderWay`](crate::Error::CaptureUnderWay), and
/// [`Error::ForeignStream`](crate::Error::ForeignStream), [`Error::TooManyItems`](crate::Error::TooManyItems) if starts of 32 bits
/// do not reach, and [`Error::OutputTooShort`](crate::Error::OutputTooShort) of starts or count.
pub fn inclusive_scan_by_key_on<O, E, K, V, I>(
    gpu: &Gpu,
    stream: &Stream,
    keys: &DeviceSlice<K>,
    values: &DeviceSlice<V>,
    output: &mut DeviceSlice<O::Output>,
    (starts, count): (&mut DeviceSlice<I>, &mut DeviceSlice<u64>),
) -> Result<()>
where
    O: Kernel<kind::segmented_scan, V>,
    E: RunsKernel<K>,
    K: Item,
    V: Item,
    I: Offset,
{
    let keyed = Keyed::new::<E, K, V>(keys, values)?;
    let starts = Starts::of(starts, Span::from(&*count));
    keyed.queue_scan(
        gpu,
        stream,
        O::row(),
        Place::Included,
        Span::from(&*output),
        starts,
    )
}

/// Queues an [`exclusive_scan_by_key`] on `stream`, as [`inclusive_scan_by_key_on`] does the other.
///
/// # Errors
///
/// The same as for [`inclusive_scan_by_key_on`].
pub fn exclusive_scan_by_key_on<O, E, K, V, I>(
    gpu: &Gpu,
    stream: &Stream,
    keys: &DeviceSlice<K>,
    values: &DeviceSlice<V>,
    output: &mut DeviceSlice<O::Output>,
    (starts, count): (&mut DeviceSlice<I>, &mut DeviceSlice<u64>),
) -> Result<()>
where
    O: Kernel<kind::segmented_scan, V>,
    E: RunsKernel<K>,
    K: Item,
    V: Item,
    I: Offset,
{
    let keyed = Keyed::new::<E, K, V>(keys, values)?;
    let starts = Starts::of(starts, Span::from(&*count));
    keyed.queue_scan(
        gpu,
        stream,
        O::row(),
        Place::LeftOut,
        Span::from(&*output),
        starts,
    )
}
