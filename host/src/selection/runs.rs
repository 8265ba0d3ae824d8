//! Runs of equal items: their first items, their lengths, and where they start.

use cust::memory::DeviceSlice;
use cust::stream::Stream;

use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::Item;
use crate::launch::{Outputs, Selection, Span};
use crate::segments::Offset;

use super::kernels::heads;
use super::{RunsKernel, call, items, places};

/// Writes the first item of each run of equal neighbours of `input` to the first items of `output`, and waits for it. Gives how
/// many runs there are.
///
/// What is equal says `E`: [`Equal`](crate::Equal) compares by value, so that −0.0 and 0.0 are one run and each NaN is a run of its
/// own. A program's own equalities get their kernels by [`operators!`](crate::operators). An item is compared with its neighbour, as by [`Vec::dedup`]; to
/// find the different items of an array, sort it first.
///
/// Everything else is as for [`select_if`](crate::select_if).
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Equal, Gpu, unique};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[3u8, 3, 1, 1, 1, 3])?;
/// let mut firsts = DeviceBuffer::zeroed(6)?;
/// assert_eq!(unique::<Equal, _>(&gpu, &items, &mut firsts)?, 3);
/// assert_eq!(firsts.as_host_vec()?[..3], [3, 1, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`select_if`](crate::select_if).
pub fn unique<E: RunsKernel<T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<T>,
) -> Result<usize> {
    call::and_wait(gpu, runs::<E, T>(input, items(output)))
}

/// Queues a [`unique`] on `stream`; the number of runs goes to the first place of `count`: see
/// [`select_flagged_on`](crate::select_flagged_on).
///
/// # Errors
///
/// The same as for [`select_if_on`](crate::select_if_on).
pub fn unique_on<E: RunsKernel<T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<T>,
    count: &mut DeviceSlice<u64>,
) -> Result<()> {
    call::queue(gpu, stream, runs::<E, T>(input, items(output)), count)
}

/// Queues a [`unique`] on `stream` of the first items of `input`, as many as the first number of `items_at` says: see
/// [`select_if_counted_on`](crate::select_if_counted_on).
///
/// # Errors
///
/// The same as for [`unique_on`], and [`Error::CountMissing`](crate::Error::CountMissing).
pub fn unique_counted_on<E: RunsKernel<T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    items_at: &DeviceSlice<u64>,
    output: &mut DeviceSlice<T>,
    count: &mut DeviceSlice<u64>,
) -> Result<()> {
    let selection = runs::<E, T>(input, items(output)).counted(items_at);
    call::queue(gpu, stream, selection, count)
}

/// Writes the first item of each run of equal neighbours of `input` to the first items of `keys`, and how long the run is to the
/// first places of `lengths`, and waits for it. Gives how many runs there are.
///
/// Lengths are `u32`, which halves what is written of them, or `u64` or `usize`, which 2³² items and more need. Everything else is as for
/// [`unique`].
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Equal, Gpu, run_length_encode};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[3u8, 3, 1, 1, 1, 3])?;
/// let mut keys = DeviceBuffer::zeroed(6)?;
/// let mut lengths = DeviceBuffer::<u32>::zeroed(6)?;
/// let runs = run_length_encode::<Equal, _, _>(&gpu, &items, &mut keys, &mut lengths)?;
/// assert_eq!(keys.as_host_vec()?[..runs], [3, 1, 3]);
/// assert_eq!(lengths.as_host_vec()?[..runs], [2, 3, 1]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`unique`], where the shorter output counts, and [`Error::TooManyItems`](crate::Error::TooManyItems) if lengths of 32
/// bits do not reach.
pub fn run_length_encode<E: RunsKernel<T>, T: Item, L: Offset>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    keys: &mut DeviceSlice<T>,
    lengths: &mut DeviceSlice<L>,
) -> Result<usize> {
    call::and_wait(gpu, runs::<E, T>(input, encoded(keys, lengths)))
}

/// Queues a [`run_length_encode`] on `stream`; the number of runs goes to the first place of `count`: see
/// [`select_flagged_on`](crate::select_flagged_on).
///
/// # Errors
///
/// The same as for [`unique_on`], and [`Error::TooManyItems`](crate::Error::TooManyItems).
pub fn run_length_encode_on<E: RunsKernel<T>, T: Item, L: Offset>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    (keys, lengths): (&mut DeviceSlice<T>, &mut DeviceSlice<L>),
    count: &mut DeviceSlice<u64>,
) -> Result<()> {
    let outputs = encoded(keys, lengths);
    call::queue(gpu, stream, runs::<E, T>(input, outputs), count)
}

/// Writes where each run of equal neighbours of `input` starts to the first places of `starts`, followed by the number of
/// items, and waits for it. Gives how many runs there are, one fewer than is written.
///
/// These are offsets as [`segmented_reduce`](crate::segmented_reduce()) takes them: together the two reduce by key. For no
/// items one offset is written, 0. Everything else is as for [`unique`].
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Equal, Gpu, Sum, run_starts, segmented_reduce};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let keys = DeviceBuffer::from_slice(&[3u8, 3, 1, 1, 1, 3])?;
/// let values = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let mut starts = DeviceBuffer::<u32>::zeroed(7)?;
/// let runs = run_starts::<Equal, _, _>(&gpu, &keys, &mut starts)?;
/// assert_eq!(starts.as_host_vec()?[..=runs], [0, 2, 5, 6]);
///
/// let mut sums = DeviceBuffer::zeroed(6)?;
/// segmented_reduce::<Sum, _, _>(&gpu, &values, &starts.index(0..=runs), &mut sums)?;
/// assert_eq!(sums.as_host_vec()?[..runs], [3.0, 12.0, 6.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`unique`], and [`Error::TooManyItems`](crate::Error::TooManyItems) if offsets of 32 bits do not reach.
pub fn run_starts<E: RunsKernel<T>, T: Item, I: Offset>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    starts: &mut DeviceSlice<I>,
) -> Result<usize> {
    call::and_wait(gpu, runs::<E, T>(input, offsets(starts)))
}

/// Queues a [`run_starts`] on `stream`; the number of runs goes to the first place of `count`: see
/// [`select_flagged_on`](crate::select_flagged_on).
///
/// # Errors
///
/// The same as for [`unique_on`], and [`Error::TooManyItems`](crate::Error::TooManyItems).
pub fn run_starts_on<E: RunsKernel<T>, T: Item, I: Offset>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    starts: &mut DeviceSlice<I>,
    count: &mut DeviceSlice<u64>,
) -> Result<()> {
    call::queue(gpu, stream, runs::<E, T>(input, offsets(starts)), count)
}

fn runs<E: RunsKernel<T>, T: Item>(input: &DeviceSlice<T>, outputs: Outputs) -> Selection {
    Selection {
        input: Span::from(input),
        item_count_at: None,
        flags: None,
        chooser: heads::<E, T>(),
        outputs,
    }
}

fn encoded<T: Item, L: Offset>(keys: &mut DeviceSlice<T>, lengths: &mut DeviceSlice<L>) -> Outputs {
    Outputs {
        lengths: Some(Span::from(&*lengths)),
        ..items(keys)
    }
}

fn offsets<I: Offset>(starts: &mut DeviceSlice<I>) -> Outputs {
    Outputs {
        with_end: true,
        ..places(starts)
    }
}
