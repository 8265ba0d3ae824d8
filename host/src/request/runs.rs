//! Requests for the runs of equal items.

use std::marker::PhantomData;

use super::bounds::{Counts, ReturnsToHost, Single, ToReturn, ToWrite, WritesOnDevice};
use super::memory::{Input, Is, OnTheDevice, Output, Place, Returned};
use super::{Counted, ReturnedIndices, ReturnedLengths, Uncounted, Written, ends_of};
use crate::arguments::{Arguments, Memory};
use crate::segments::Offset;

/// A request for the runs of neighbours that are equal by `E`: see [`runs`].
///
/// The other type parameters are the type of the items, their place, where results go, and whether the number of runs goes to device
/// memory.
///
/// ```
/// use warpfold::{Cpu, Equal, Runs, request::memory::OnTheHost, runs};
/// // A request is a value: the memory is borrowed, and nothing is done yet.
/// let request: Runs<'_, Equal, u32, OnTheHost> = runs::<Equal, _>(&[3u32, 3, 1]);
/// assert_eq!(request.wait(Cpu)?, [3, 1]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[must_use = "a request does nothing until it is ended by `wait` or `queue`"]
pub struct Runs<'a, E, T, P, R = Returned, N = Uncounted> {
    pub(super) arguments: Arguments<Memory<'a>>,
    types: Types<E, T, P, R, N>,
}

type Types<E, T, P, R, N> = PhantomData<fn() -> (E, T, P, R, N)>;

/// Finds the runs of equal neighbours: their first items ("unique"), their lengths ("run-length encode"), and where they start. The
/// equality `E` says which items are equal: [`Equal`](crate::Equal) compares by value.
///
/// | part of the request | methods |
/// |---|---|
/// | a number of items that is in device memory | [`count`](Runs::count) |
/// | outputs | [`to`](Runs::to) for the first items; in device memory also [`lengths_to`](Runs::lengths_to), [`starts_to`](Runs::starts_to) |
/// | where the number of runs goes | [`count_to`](Runs::count_to); a request that is queued needs it |
/// | what `wait` returns for items of the host | none: a `Vec` of the first items; [`lengths`](Runs::lengths), [`starts`](Runs::starts) |
/// | where it runs | [`wait`](Runs::wait), [`queue`](Runs::queue) |
///
/// With outputs, `wait` returns how many runs there are. Outputs that are too short are filled, as with [`select`](super::select()). If
/// there are no items, there are no runs, and the starts are the single number 0.
///
/// The algorithm is that of [`select`](super::select()): the first item of each run is selected.
///
/// ```
/// use warpfold::{Equal, Gpu, runs};
/// # fn main() -> warpfold::Result<()> {
/// let gpu = Gpu::new()?;
/// assert_eq!(runs::<Equal, _>(&[3u32, 3, 1, 3]).wait(&gpu)?, [3, 1, 3]);
/// assert_eq!(runs::<Equal, _>(&[3u32, 3, 1, 3]).lengths().wait(&gpu)?, (vec![3, 1, 3], vec![2, 1, 1]));
/// assert_eq!(runs::<Equal, _>(&[3u32, 3, 1, 3]).starts().wait(&gpu)?, [0, 2, 3, 4]);
/// # Ok(())
/// # }
/// ```
pub fn runs<'a, E, I: Input<'a, Place: Single>>(input: I) -> Runs<'a, E, I::Item, I::Place> {
    Runs {
        arguments: Arguments::new(input.memories().0),
        types: PhantomData,
    }
}

impl<'a, E, T, P, R, N> Runs<'a, E, T, P, R, N> {
    /// The same arguments, as a request with other type parameters.
    fn retyped<R2, N2>(self) -> Runs<'a, E, T, P, R2, N2> {
        Runs {
            arguments: self.arguments,
            types: PhantomData,
        }
    }
}

impl<'a, E, T, P: Place, R, N> Runs<'a, E, T, P, R, N> {
    /// Writes the first item of each run to the beginning of `firsts`.
    ///
    /// ```
    /// use warpfold::{Cpu, Equal, runs};
    /// let mut firsts = [0u32; 4];
    /// assert_eq!(runs::<Equal, _>(&[3u32, 3, 1, 3]).to(&mut firsts).wait(Cpu)?, 3);
    /// assert_eq!(firsts[..3], [3, 1, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn to<W: Output<'a, Item = T, Place: Is<P>>>(
        mut self,
        firsts: W,
    ) -> Runs<'a, E, T, P, Written, N> {
        self.arguments.results = Some(firsts.memory());
        self.retyped()
    }

    /// Writes the length of each run to the beginning of `lengths`, as numbers of type `u32`, `u64` or `usize`.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Equal, Gpu, runs};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[3u32, 3, 1, 3])?;
    /// let (mut lengths, mut starts) = (DeviceBuffer::<u32>::zeroed(4)?, DeviceBuffer::<u32>::zeroed(5)?);
    /// let count = runs::<Equal, _>(&items).lengths_to(&mut lengths).starts_to(&mut starts).wait(&gpu)?;
    /// assert_eq!(lengths.as_host_vec()?[..count], [2, 1, 1]);
    /// assert_eq!(starts.as_host_vec()?[..count + 1], [0, 2, 3, 4]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn lengths_to<W>(mut self, lengths: W) -> Runs<'a, E, T, P, Written, N>
    where
        P: WritesOnDevice,
        W: Output<'a, Item: Offset, Place: Is<OnTheDevice>>,
        R: ToWrite,
    {
        self.arguments.lengths = Some(lengths.memory());
        self.retyped()
    }

    /// Writes the index of each run's first item to the beginning of `starts`, followed by the number of items. The starts can be used as
    /// the offsets of [`Reduce::segments`](super::Reduce::segments). `starts` needs room for one number more than there are runs.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Equal, Gpu, runs};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[3u32, 3, 1, 3])?;
    /// let mut starts = DeviceBuffer::<u32>::zeroed(5)?;
    /// assert_eq!(runs::<Equal, _>(&items).starts_to(&mut starts).wait(&gpu)?, 3);
    /// assert_eq!(starts.as_host_vec()?[..4], [0, 2, 3, 4]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn starts_to<W>(mut self, starts: W) -> Runs<'a, E, T, P, Written, N>
    where
        P: WritesOnDevice,
        W: Output<'a, Item: Offset, Place: Is<OnTheDevice>>,
        R: ToWrite,
    {
        self.arguments.indices = Some(starts.memory());
        self.retyped()
    }

    /// Limits the input to a count of items in device memory: the first number of `count`. The device reads the number when the work
    /// begins. A number that is too large counts as the whole input.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Equal, Gpu, runs};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[3u32, 3, 1, 3])?;
    /// let count = DeviceBuffer::from_slice(&[3u64])?;
    /// let mut firsts = DeviceBuffer::<u32>::zeroed(4)?;
    /// assert_eq!(runs::<Equal, _>(&items).count(&count).to(&mut firsts).wait(&gpu)?, 2);
    /// assert_eq!(firsts.as_host_vec()?[..2], [3, 1]);
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

    /// Writes the number of runs to the first item of `count`.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Equal, Gpu, RawStream, runs};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[3u32, 3, 1, 3])?;
    /// let (mut firsts, mut count) = (DeviceBuffer::<u32>::zeroed(4)?, DeviceBuffer::<u64>::zeroed(1)?);
    /// runs::<Equal, _>(&items).to(&mut firsts).count_to(&mut count).queue(&gpu, &RawStream::DEFAULT)?;
    /// gpu.synchronize()?;
    /// assert_eq!(count.as_host_vec()?, [3]);
    /// assert_eq!(firsts.as_host_vec()?[..3], [3, 1, 3]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn count_to<W: Output<'a, Item = u64, Place: Is<OnTheDevice>>>(
        mut self,
        count: W,
    ) -> Runs<'a, E, T, P, R, Counted>
    where
        P: WritesOnDevice,
    {
        self.arguments.count_to = Some(count.memory());
        self.retyped()
    }

    /// `wait` returns the first item and the length of each run.
    ///
    /// ```
    /// use warpfold::{Cpu, Equal, runs};
    /// assert_eq!(runs::<Equal, _>(&[3u32, 3, 1, 3]).lengths().wait(Cpu)?, (vec![3, 1, 3], vec![2, 1, 1]));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn lengths(self) -> Runs<'a, E, T, P, ReturnedLengths, N>
    where
        P: ReturnsToHost,
        R: ToReturn,
    {
        self.retyped()
    }

    /// `wait` returns the index of each run's first item, followed by the number of items.
    ///
    /// ```
    /// use warpfold::{Cpu, Equal, runs};
    /// assert_eq!(runs::<Equal, _>(&[3u32, 3, 1, 3]).starts().wait(Cpu)?, [0, 2, 3, 4]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn starts(self) -> Runs<'a, E, T, P, ReturnedIndices, N>
    where
        P: ReturnsToHost,
        R: ToReturn,
    {
        self.retyped()
    }
}

ends_of!(Runs<'a, E, T, P, R, N>);
