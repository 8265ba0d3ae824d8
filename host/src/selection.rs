//! Selection of items that are in the device's memory: by flags, by a predicate, or as heads of runs.
//!
//! | what is written | chosen by flags | by a predicate | heads of runs |
//! |---|---|---|---|
//! | the items | [`select_flagged`] | [`select_if`] | [`unique`] |
//! | the items, and apart from them the others | [`partition_flagged`] | [`partition_if`] | |
//! | their indices | [`select_indices_if`] of the flags | [`select_indices_if`] | [`run_starts`] |
//! | the items, and the lengths of the runs | | | [`run_length_encode`] |
//!
//! Each has a form with `_on` that queues on a stream, and most have one for slices on the host.

mod call;
mod kernels;
mod runs;
mod slices;

pub(crate) use kernels::heads;
pub use kernels::{RunsKernel, SelectKernel};
pub use runs::{
    run_length_encode, run_length_encode_on, run_starts, run_starts_on, unique, unique_counted_on,
    unique_on,
};

pub use slices::{
    gpu_partition_flagged, gpu_partition_if, gpu_run_length_encode, gpu_select_flagged,
    gpu_select_if, gpu_select_indices_if, gpu_unique,
};

use cust::memory::DeviceSlice;
use cust::stream::Stream;

use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::Item;
use crate::launch::{Outputs, Selection, Span};
use crate::segments::Offset;

use self::kernels::{by_flags, by_predicate};

/// Writes the items of `input` whose flag is not 0 to the first items of `output`, in their order, and waits for it. Gives how
/// many they are. The rest of `output` is not touched.
///
/// `output` needs room for what is selected, and no more. If it has less, it is filled, and the error says how much is needed. For
/// no items nothing is done, and the driver is not called. Items are of any type of 1, 2, 4, 8 or 16 bytes; of others, the indices
/// can be selected. A predicate needs no flags: see [`select_if`].
///
/// The time is that of the bytes: each item and flag is read once, and each selected item written once.
///
/// After Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back* (2016), and Billeter, Olsson and
/// Assarsson, *Efficient Stream Compaction on Wide SIMD Many-Core Architectures* (2009).
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, select_flagged};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[1.5f32, 2.5, 3.5, 4.5])?;
/// let flags = DeviceBuffer::from_slice(&[0u8, 1, 0, 1])?;
/// let mut kept = DeviceBuffer::zeroed(4)?;
/// assert_eq!(select_flagged(&gpu, &items, &flags, &mut kept)?, 2);
/// assert_eq!(kept.as_host_vec()?[..2], [2.5, 4.5]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::OutputTooShort`]. And, before anything is launched, [`Error::LengthsDiffer`] of items and flags, [`Error::Overlap`],
/// [`Error::CaptureUnderWay`], [`Error::ForeignMemory`], [`Error::Misaligned`] (items of 8 bytes and of 16 have to lie on a
/// multiple of 8, others on one of their size), [`Error::OutOfMemory`], [`Error::KernelRejected`], [`Error::Driver`], [`Error::Poisoned`],
/// [`Error::Forked`].
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
pub fn select_flagged<T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    flags: &DeviceSlice<u8>,
    output: &mut DeviceSlice<T>,
) -> Result<usize> {
    call::and_wait(gpu, flagged(input, flags, items(output))?)
}

/// Queues a [`select_flagged`] on `stream`; the number of selected items goes to the first place of `count`. For the rules of
/// functions that do not wait, see the [crate's documentation](crate#without-waiting).
///
/// If `output` has too little room, that is no error: it is filled, and the count is more than its length. For no items the count
/// is 0.
///
/// # Errors
///
/// The same as for [`select_flagged`], except [`Error::CaptureUnderWay`](crate::Error::CaptureUnderWay), and
/// [`Error::ForeignStream`](crate::Error::ForeignStream). [`Error::OutputTooShort`](crate::Error::OutputTooShort) is about a
/// `count` without a place.
pub fn select_flagged_on<T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    flags: &DeviceSlice<u8>,
    output: &mut DeviceSlice<T>,
    count: &mut DeviceSlice<u64>,
) -> Result<()> {
    call::queue(gpu, stream, flagged(input, flags, items(output))?, count)
}

/// Writes the items of `input` for which the predicate `P` holds to the first items of `output`, in their order, and waits for
/// it. Gives how many they are.
///
/// Everything else is as for [`select_flagged`]. There are kernels for [`NonZero`](crate::NonZero) and
/// [`NotNan`](crate::NotNan); a program's own predicates get theirs by [`operators!`](crate::operators).
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, NonZero, select_if};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[0u32, 7, 0, 0, 5])?;
/// let mut kept = DeviceBuffer::zeroed(5)?;
/// assert_eq!(select_if::<NonZero, _>(&gpu, &items, &mut kept)?, 2);
/// assert_eq!(kept.as_host_vec()?[..2], [7, 5]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The errors of [`select_flagged`] that can apply; items need the alignment of their type.
pub fn select_if<P: SelectKernel<T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<T>,
) -> Result<usize> {
    call::and_wait(gpu, chosen::<P, T>(input, items(output)))
}

/// Queues a [`select_if`] on `stream`; the number of selected items goes to the first place of `count`: see [`select_flagged_on`].
///
/// # Errors
///
/// The errors of [`select_flagged_on`] that can apply.
pub fn select_if_on<P: SelectKernel<T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<T>,
    count: &mut DeviceSlice<u64>,
) -> Result<()> {
    call::queue(gpu, stream, chosen::<P, T>(input, items(output)), count)
}

/// Queues a [`select_if`] on `stream` among the first items of `input`, as many as the first number of `items_at` says, up to all of
/// them, when the work begins; the number of selected items goes to the first place of `count`: see [`select_flagged_on`]. So what one
/// selection leaves is selected from again without the host.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::cust::stream::{Stream, StreamFlags};
/// use warpfold::{Gpu, NonZero, NotNan, select_if_counted_on, select_if_on};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let stream = Stream::new(StreamFlags::DEFAULT, None)?;
/// let items = DeviceBuffer::from_slice(&[2.0f32, f32::NAN, 0.0, 3.0])?;
/// let (mut numbers, mut others) = (DeviceBuffer::zeroed(4)?, DeviceBuffer::zeroed(4)?);
/// let (mut count, mut other_count) = (DeviceBuffer::zeroed(1)?, DeviceBuffer::zeroed(1)?);
/// select_if_on::<NotNan, _>(&gpu, &stream, &items, &mut numbers, &mut count)?;
/// select_if_counted_on::<NonZero, _>(&gpu, &stream, &numbers, &count, &mut others, &mut other_count)?;
/// stream.synchronize()?;
/// assert_eq!(other_count.as_host_vec()?, [2]);
/// assert_eq!(others.as_host_vec()?[..2], [2.0, 3.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`select_if_on`], and [`Error::CountMissing`](crate::Error::CountMissing).
pub fn select_if_counted_on<P: SelectKernel<T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    items_at: &DeviceSlice<u64>,
    output: &mut DeviceSlice<T>,
    count: &mut DeviceSlice<u64>,
) -> Result<()> {
    let selection = chosen::<P, T>(input, items(output)).counted(items_at);
    call::queue(gpu, stream, selection, count)
}

/// Writes the items of `input` whose flag is not 0 to the first items of `selected`, and the others to the first items of
/// `rejected`, both in their order, and waits for it. Gives how many are selected.
///
/// It is done in one pass. Everything else is as for [`select_flagged`].
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, partition_flagged};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[10u64, 11, 12])?;
/// let flags = DeviceBuffer::from_slice(&[1u8, 0, 1])?;
/// let mut selected = DeviceBuffer::zeroed(3)?;
/// let mut rejected = DeviceBuffer::zeroed(3)?;
/// assert_eq!(partition_flagged(&gpu, &items, &flags, &mut selected, &mut rejected)?, 2);
/// assert_eq!(selected.as_host_vec()?[..2], [10, 12]);
/// assert_eq!(rejected.as_host_vec()?[..1], [11]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`select_flagged`].
pub fn partition_flagged<T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    flags: &DeviceSlice<u8>,
    selected: &mut DeviceSlice<T>,
    rejected: &mut DeviceSlice<T>,
) -> Result<usize> {
    call::and_wait(gpu, flagged(input, flags, both(selected, rejected))?)
}

/// Queues a [`partition_flagged`] on `stream`; the number of selected items goes to the first place of `count`: see
/// [`select_flagged_on`].
///
/// # Errors
///
/// The same as for [`select_flagged_on`].
pub fn partition_flagged_on<T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    flags: &DeviceSlice<u8>,
    (selected, rejected): (&mut DeviceSlice<T>, &mut DeviceSlice<T>),
    count: &mut DeviceSlice<u64>,
) -> Result<()> {
    let outputs = both(selected, rejected);
    call::queue(gpu, stream, flagged(input, flags, outputs)?, count)
}

/// Writes the items of `input` for which the predicate `P` holds to the first items of `selected`, and the others to the first
/// items of `rejected`, both in their order, and waits for it. Gives how many are selected.
///
/// Everything else is as for [`partition_flagged`] and [`select_if`].
///
/// # Errors
///
/// The same as for [`select_if`].
pub fn partition_if<P: SelectKernel<T>, T: Item>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    selected: &mut DeviceSlice<T>,
    rejected: &mut DeviceSlice<T>,
) -> Result<usize> {
    call::and_wait(gpu, chosen::<P, T>(input, both(selected, rejected)))
}

/// Queues a [`partition_if`] on `stream`; the number of selected items goes to the first place of `count`: see
/// [`select_flagged_on`].
///
/// # Errors
///
/// The same as for [`select_if_on`].
pub fn partition_if_on<P: SelectKernel<T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    (selected, rejected): (&mut DeviceSlice<T>, &mut DeviceSlice<T>),
    count: &mut DeviceSlice<u64>,
) -> Result<()> {
    let outputs = both(selected, rejected);
    call::queue(gpu, stream, chosen::<P, T>(input, outputs), count)
}

/// Writes the indices of the items of `input` for which the predicate `P` holds to the first places of `indices`, ascending, and
/// waits for it. Gives how many they are.
///
/// Indices are `u32`, `u64` or `usize`. Of flags, with [`NonZero`](crate::NonZero), these are the indices of what they select.
/// Everything else is as for [`select_if`].
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, NonZero, select_indices_if};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[0.0f64, 7.0, -0.0, 5.0])?;
/// let mut indices = DeviceBuffer::<u32>::zeroed(4)?;
/// assert_eq!(select_indices_if::<NonZero, _, _>(&gpu, &items, &mut indices)?, 2);
/// assert_eq!(indices.as_host_vec()?[..2], [1, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`select_if`], and [`Error::TooManyItems`](crate::Error::TooManyItems) if indices of 32 bits do not reach.
pub fn select_indices_if<P: SelectKernel<T>, T: Item, I: Offset>(
    gpu: &Gpu,
    input: &DeviceSlice<T>,
    indices: &mut DeviceSlice<I>,
) -> Result<usize> {
    call::and_wait(gpu, chosen::<P, T>(input, places(indices)))
}

/// Queues a [`select_indices_if`] on `stream`; the number of selected items goes to the first place of `count`: see
/// [`select_flagged_on`].
///
/// # Errors
///
/// The same as for [`select_if_on`], and [`Error::TooManyItems`](crate::Error::TooManyItems).
pub fn select_indices_if_on<P: SelectKernel<T>, T: Item, I: Offset>(
    gpu: &Gpu,
    stream: &Stream,
    input: &DeviceSlice<T>,
    indices: &mut DeviceSlice<I>,
    count: &mut DeviceSlice<u64>,
) -> Result<()> {
    call::queue(gpu, stream, chosen::<P, T>(input, places(indices)), count)
}

fn flagged<T: Item>(
    input: &DeviceSlice<T>,
    flags: &DeviceSlice<u8>,
    outputs: Outputs,
) -> Result<Selection> {
    Ok(Selection {
        input: Span::from(input),
        item_count_at: None,
        flags: Some(Span::from(flags)),
        chooser: by_flags::<T>()?,
        outputs,
    })
}

fn chosen<P: SelectKernel<T>, T: Item>(input: &DeviceSlice<T>, outputs: Outputs) -> Selection {
    Selection {
        input: Span::from(input),
        item_count_at: None,
        flags: None,
        chooser: by_predicate::<P, T>(),
        outputs,
    }
}

fn items<T: Item>(output: &mut DeviceSlice<T>) -> Outputs {
    Outputs {
        items: Some(Span::from(&*output)),
        ..Outputs::default()
    }
}

fn both<T: Item>(selected: &mut DeviceSlice<T>, rejected: &mut DeviceSlice<T>) -> Outputs {
    Outputs {
        rejected: Some(Span::from(&*rejected)),
        ..items(selected)
    }
}

fn places<I: Offset>(indices: &mut DeviceSlice<I>) -> Outputs {
    Outputs {
        indices: Some(Span::from(&*indices)),
        ..Outputs::default()
    }
}
