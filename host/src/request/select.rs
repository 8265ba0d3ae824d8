//! Requests to select.

use std::marker::PhantomData;

use super::bounds::{Counts, ReturnsToHost, ToReturn, ToWrite, WritesOnDevice};
use super::memory::{Input, Is, OnTheDevice, OnTheHost, Output, PairsIn, Place, Returned};
use super::{Counted, ReturnedIndices, ReturnedParts, Uncounted, Written, ends_of};
use crate::arguments::{Arguments, Memory};
use crate::segments::Offset;

/// A request to select the items that the predicate `C` chooses: see [`select`].
///
/// The other type parameters are the type of the items, their place, where results go, and whether the number of chosen items goes to
/// device memory.
///
/// ```
/// use warpfold::{Cpu, NonZero, Select, request::memory::OnTheHost, select};
/// // A request is a value: the memory is borrowed, and nothing is done yet.
/// let request: Select<'_, NonZero, u32, OnTheHost> = select::<NonZero, _>(&[0u32, 7, 5]);
/// assert_eq!(request.wait(Cpu)?, [7, 5]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[must_use = "a request does nothing until it is ended by `wait` or `queue`"]
pub struct Select<'a, C, T, P, R = Returned, N = Uncounted> {
    pub(super) arguments: Arguments<Memory<'a>>,
    types: Types<C, T, P, R, N>,
}

type Types<C, T, P, R, N> = PhantomData<fn() -> (C, T, P, R, N)>;

/// Chooses the items whose flag is not 0: `select::<Flagged, _>((&items, &flags))`, with a flag of one byte for each item. On a GPU, the
/// items must have 1, 2, 4, 8 or 16 bytes. For items of another size, select the indices instead: use the flags as the items, and
/// [`NonZero`](crate::NonZero) as the predicate.
///
/// ```
/// use warpfold::{Cpu, Flagged, select};
/// assert_eq!(select::<Flagged, _>((&[1.5f32, 2.5, 3.5], &[1u8, 0, 1])).wait(Cpu)?, [1.5, 3.5]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Flagged;

/// Selects the items that the predicate `C` chooses, in their order. A predicate is [`NonZero`](crate::NonZero), [`NotNan`](crate::NotNan),
/// [`Flagged`], or a type that the program defines.
///
/// | part of the request | methods |
/// |---|---|
/// | a number of items that is in device memory | [`count`](Select::count) |
/// | outputs | [`to`](Select::to) for the chosen items, [`rest_to`](Select::rest_to) for the others; in device memory also [`indices_to`](Select::indices_to) |
/// | where the number of chosen items goes | [`count_to`](Select::count_to); a request that is queued needs it |
/// | what `wait` returns for items of the host | none: a `Vec` of the chosen items; [`indices`](Select::indices), [`partition`](Select::partition) |
/// | where it runs | [`wait`](Select::wait), [`queue`](Select::queue) |
///
/// With outputs, `wait` returns how many items are chosen. An output needs room for its results only. A shorter output is filled. `wait`
/// then returns how much room is needed, as [`Error::OutputTooShort`](crate::Error::OutputTooShort). Queued work writes the number of all
/// chosen items as the count, even if an output is too short.
///
/// If there are no items, none is chosen: outputs are not touched, and the count is 0.
///
/// The time depends on the bytes moved: each item and flag is read once, and each result is written once.
///
/// The algorithm is after Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back* (2016), and Billeter, Olsson and
/// Assarsson, *Efficient Stream Compaction on Wide SIMD Many-Core Architectures* (2009).
///
/// ```
/// use warpfold::{Flagged, Gpu, NonZero, select};
/// # fn main() -> warpfold::Result<()> {
/// let gpu = Gpu::new()?;
/// assert_eq!(select::<NonZero, _>(&[0u32, 7, 0, 5]).wait(&gpu)?, [7, 5]);
/// assert_eq!(select::<NonZero, _>(&[0u32, 7, 0, 5]).indices().wait(&gpu)?, [1, 3]);
/// let (chosen, rest) = select::<Flagged, _>((&[1.5f32, 2.5, 3.5], &[0u8, 1, 1])).partition().wait(&gpu)?;
/// assert_eq!((chosen, rest), (vec![2.5, 3.5], vec![1.5]));
/// # Ok(())
/// # }
/// ```
pub fn select<'a, C, I: Input<'a, Place: Keeps<I::Item>>>(
    input: I,
) -> Select<'a, C, I::Item, I::Place> {
    let (first, second) = input.memories();
    let mut arguments = Arguments::new(first);
    arguments.second = second;
    Select {
        arguments,
        types: PhantomData,
    }
}

impl<'a, C, T, P, R, N> Select<'a, C, T, P, R, N> {
    /// The same arguments, as a request with other type parameters.
    fn retyped<R2, N2>(self) -> Select<'a, C, T, P, R2, N2> {
        Select {
            arguments: self.arguments,
            types: PhantomData,
        }
    }
}

/// The type of the items that a selection keeps, if its input has items of type `T` in the place `Self`. With flags, the kept items have
/// the type of the first input's items.
#[diagnostic::on_unimplemented(
    message = "items are selected by flags of type `u8`",
    label = "expects `(&items, &flags)` with a `u8` for each item: 0 for one that is not chosen",
    note = "items in one input are selected by a predicate: `select::<NonZero, _>(&items)`"
)]
pub trait Keeps<T> {
    /// The type of the kept items.
    type Kept;
}

impl<T> Keeps<T> for OnTheDevice {
    type Kept = T;
}

impl<T> Keeps<T> for OnTheHost {
    type Kept = T;
}

impl<P, T: Copy> Keeps<warpfold_kernels::op::Pair<T, u8>> for PairsIn<P> {
    type Kept = T;
}

impl<'a, C, T, P: Place, R, N> Select<'a, C, T, P, R, N> {
    /// Writes the chosen items to the beginning of `chosen`. The other places of `chosen` are not touched.
    ///
    /// ```
    /// use warpfold::{Gpu, NonZero, select};
    /// # fn main() -> warpfold::Result<()> {
    /// let (mut chosen, mut rest) = ([9u32; 4], [9u32; 4]);
    /// let count = select::<NonZero, _>(&[0u32, 7, 0, 5]).to(&mut chosen).rest_to(&mut rest).wait(&Gpu::new()?)?;
    /// assert_eq!((count, chosen, rest), (2, [7, 5, 9, 9], [0, 0, 9, 9]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn to<W>(mut self, chosen: W) -> Select<'a, C, T, P, Written, N>
    where
        P: Keeps<T>,
        W: Output<'a, Item = P::Kept, Place: Is<P::Side>>,
        R: ToWrite,
    {
        self.arguments.results = Some(chosen.memory());
        self.retyped()
    }

    /// Writes the items that are not chosen to the beginning of `rest`.
    ///
    /// ```
    /// use warpfold::{Cpu, NonZero, select};
    /// let mut zeros = [9u32; 4];
    /// assert_eq!(select::<NonZero, _>(&[0u32, 7, 0, 5]).rest_to(&mut zeros).wait(Cpu)?, 2);
    /// assert_eq!(zeros, [0, 0, 9, 9]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn rest_to<W>(mut self, rest: W) -> Select<'a, C, T, P, Written, N>
    where
        P: Keeps<T>,
        W: Output<'a, Item = P::Kept, Place: Is<P::Side>>,
        R: ToWrite,
    {
        self.arguments.rest = Some(rest.memory());
        self.retyped()
    }

    /// Writes the indices of the chosen items to the beginning of `indices`, in ascending order. The indices are numbers of type `u32`,
    /// `u64` or `usize`. If their type is too small for the number of items, the error is
    /// [`Error::TooManyItems`](crate::Error::TooManyItems).
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Gpu, NonZero, select};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[0.0f32, 7.0, 0.0, 5.0])?;
    /// let mut indices = DeviceBuffer::<u32>::zeroed(4)?;
    /// assert_eq!(select::<NonZero, _>(&items).indices_to(&mut indices).wait(&gpu)?, 2);
    /// assert_eq!(indices.as_host_vec()?[..2], [1, 3]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn indices_to<W>(mut self, indices: W) -> Select<'a, C, T, P, Written, N>
    where
        P: WritesOnDevice,
        W: Output<'a, Item: Offset, Place: Is<OnTheDevice>>,
        R: ToWrite,
    {
        self.arguments.indices = Some(indices.memory());
        self.retyped()
    }

    /// Limits the input to a count of items in device memory: the first number of `count`. The device reads the number when the work
    /// begins. A number that is too large counts as the whole input.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Gpu, NonZero, select};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[0u32, 7, 0, 5])?;
    /// let count = DeviceBuffer::from_slice(&[3u64])?;
    /// let mut chosen = DeviceBuffer::<u32>::zeroed(4)?;
    /// assert_eq!(select::<NonZero, _>(&items).count(&count).to(&mut chosen).wait(&gpu)?, 1);
    /// assert_eq!(chosen.as_host_vec()?[0], 7);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn count<F: Input<'a, Item = u64, Place: Is<OnTheDevice>>>(mut self, count: F) -> Self
    where
        P: Counts,
    {
        self.arguments.count = Some(count.memories().0);
        self
    }

    /// Writes the number of chosen items to the first item of `count`.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Gpu, NonZero, RawStream, select};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[0u32, 7, 0, 5])?;
    /// let (mut chosen, mut count) = (DeviceBuffer::<u32>::zeroed(4)?, DeviceBuffer::<u64>::zeroed(1)?);
    /// select::<NonZero, _>(&items).to(&mut chosen).count_to(&mut count).queue(&gpu, &RawStream::DEFAULT)?;
    /// gpu.synchronize()?;
    /// assert_eq!(count.as_host_vec()?, [2]);
    /// assert_eq!(chosen.as_host_vec()?[..2], [7, 5]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn count_to<W: Output<'a, Item = u64, Place: Is<OnTheDevice>>>(
        mut self,
        count: W,
    ) -> Select<'a, C, T, P, R, Counted>
    where
        P: WritesOnDevice,
    {
        self.arguments.count_to = Some(count.memory());
        self.retyped()
    }

    /// `wait` returns the indices of the chosen items.
    ///
    /// ```
    /// use warpfold::{Cpu, NonZero, select};
    /// assert_eq!(select::<NonZero, _>(&[0u32, 7, 0, 5]).indices().wait(Cpu)?, [1, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn indices(self) -> Select<'a, C, T, P, ReturnedIndices, N>
    where
        P: ReturnsToHost,
        R: ToReturn,
    {
        self.retyped()
    }

    /// `wait` returns the chosen items and the items that are not chosen, each in the order of the input.
    ///
    /// ```
    /// use warpfold::{Cpu, NonZero, select};
    /// let (chosen, rest) = select::<NonZero, _>(&[0u32, 7, 0, 5]).partition().wait(Cpu)?;
    /// assert_eq!((chosen, rest), (vec![7, 5], vec![0, 0]));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn partition(self) -> Select<'a, C, T, P, ReturnedParts, N>
    where
        P: ReturnsToHost,
        R: ToReturn,
    {
        self.retyped()
    }
}

ends_of!(Select<'a, C, T, P, R, N>);
