//! Requests to reduce.

use std::marker::PhantomData;

use warpfold_kernels::element::Element;
use warpfold_kernels::op::Op;

use super::bounds::{Counts, HasKeys, HasRows, Single, Unshaped, WritesOnDevice};
use super::memory::{Input, Is, OnTheDevice, Output, Place, Returned};
use super::shape::{self, Axis, ByKey, Columns, InOrder, Pitched, Rows, Segments, Whole};
use super::{Written, ends_of};
use crate::arguments::{Arguments, Memory, Shape};
use crate::axis;
use crate::segments::Offset;

/// A request to combine items with the operator `O`: see [`reduce`].
///
/// The other type parameters are the type of the items, their place, their shape, and where results go.
///
/// ```
/// use warpfold::{Cpu, Reduce, Sum, reduce, request::memory::OnTheHost};
/// // A request is a value: the memory is borrowed, and nothing is done yet.
/// let request: Reduce<'_, Sum, u32, OnTheHost> = reduce::<Sum, _>(&[1u32, 2, 3]);
/// assert_eq!(request.wait(Cpu)?, 6);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[must_use = "a request does nothing until it is ended by `wait` or `queue`"]
pub struct Reduce<'a, O, T, P, S = Whole, R = Returned> {
    pub(super) arguments: Arguments<Memory<'a>>,
    types: Types<O, T, P, S, R>,
}

type Types<O, T, P, S, R> = PhantomData<fn() -> (O, T, P, S, R)>;

/// Combines items with the operator `O`.
///
/// | part of the request | methods |
/// |---|---|
/// | the shape | none: all items together; [`in_order`](Reduce::in_order): all items together, with an operator that need not commute; [`segments`](Reduce::segments), [`rows`](Reduce::rows), [`columns`](Reduce::columns), [`axis`](Reduce::axis), [`by_key`](Reduce::by_key); [`pitch`](Reduce::pitch) |
/// | a number of items that is in device memory | [`count`](Reduce::count) |
/// | outputs | [`to`](Reduce::to); by key also [`keys_to`](Reduce::keys_to), and [`count_to`](Reduce::count_to) or [`runs_to`](Reduce::runs_to): a request that is queued needs one of the two |
/// | where it runs | [`wait`](Reduce::wait), [`queue`](Reduce::queue) |
///
/// `wait` returns:
///
/// | | items of the host | device memory |
/// |---|---|---|
/// | all items | the result | the result |
/// | several parts | a `Vec` of results | needs `.to(&mut results)` |
/// | by key | the keys of the runs and the results, two `Vec`s | needs `.to(&mut results)` |
/// | with `.to(…)` | nothing; by key, the number of runs | nothing; by key, the number of runs |
///
/// If there are no items, a reduction of the whole gives the operator's identity. A result has the same bits on every device, every time.
/// Floats are combined along a tree that depends only on the operator, the item type, the shape and the number of items
/// ([`warpfold_kernels::contract`]). A NaN from one of the library's operators is Rust's `NAN`; for 16-bit floats it is `0x7fff`.
///
/// The algorithm is after Harris, *Optimizing Parallel Reduction in CUDA* (2007). Unlike Harris's, it reduces device memory in one launch.
/// The algorithm for segments is after Merrill and Garland, *Merge-based Parallel Sparse Matrix-Vector Multiplication* (2016), and Baxter's
/// moderngpu.
///
/// ```
/// use warpfold::{Dot, Gpu, Sum, reduce};
/// # fn main() -> warpfold::Result<()> {
/// let gpu = Gpu::new()?;
/// assert_eq!(reduce::<Sum, _>(&[1u32, 2, 3]).wait(&gpu)?, 6);
/// assert_eq!(reduce::<Sum, _>(&[1u32, 2, 3]).segments(&[0u32, 2, 2, 3]).wait(&gpu)?, [3, 0, 3]);
/// assert_eq!(reduce::<Dot, _>((&[1.0f32, 2.0], &[3.0f32, 4.0])).wait(&gpu)?, 11.0);
/// # Ok(())
/// # }
/// ```
pub fn reduce<'a, O, I: Input<'a>>(input: I) -> Reduce<'a, O, I::Item, I::Place> {
    let (first, second) = input.memories();
    let mut arguments = Arguments::new(first);
    arguments.second = second;
    Reduce {
        arguments,
        types: PhantomData,
    }
}

impl<'a, O, T, P, S, R> Reduce<'a, O, T, P, S, R> {
    /// The same arguments, as a request with other type parameters.
    fn retyped<S2, R2>(self) -> Reduce<'a, O, T, P, S2, R2> {
        Reduce {
            arguments: self.arguments,
            types: PhantomData,
        }
    }
}

impl<'a, O, T, P: Place, S: shape::Shape, R> Reduce<'a, O, T, P, S, R> {
    /// Combines all items in their order: in each `O::combine`, the items of `left` come just before the items of `right`. So the operator
    /// need not commute. There is one result, as without `in_order`.
    ///
    /// The bits are those of [`Self::rows`] with all items in one row. With [`Self::to`] and without [`Self::count`], the time is the same,
    /// too. If the operator commutes, a reduction without `in_order` may be faster. On a GPU, a slice of the host is uploaded all at once.
    ///
    /// ```
    /// use warpfold::{Cpu, Gpu, Sum, reduce};
    /// # fn main() -> warpfold::Result<()> {
    /// let gpu = Gpu::new()?;
    /// let items = [0.5f32, 1.25, -3.0];
    /// assert_eq!(reduce::<Sum, _>(&items).in_order().wait(&gpu)?, -1.25);
    /// assert_eq!(reduce::<Sum, _>(&items).in_order().wait(Cpu)?, -1.25);
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_order(mut self) -> Reduce<'a, O, T, P, InOrder, R>
    where
        P: Single,
        S: Unshaped,
    {
        self.arguments.shape = Shape::InOrder;
        self.retyped()
    }

    /// Combines the items of each segment: segment `s` has the items from `offsets[s]` to before `offsets[s + 1]`.
    ///
    /// The number of offsets is one more than the number of segments. Offsets have the type `u32`, `u64` or `usize`. No offset is less than
    /// the offset before it, or greater than the number of items. Items before the first offset, and from the last offset on, belong to no
    /// segment. The result of an empty segment is the operator's identity. An empty list of offsets has no segments.
    ///
    /// The time depends mostly on the bytes of items, offsets and results, and less on the lengths of the segments. Most items are read
    /// once, and most offsets once or twice. Each result is written once. A result depends on the segment's items and on nothing else, bit
    /// for bit. The operator need not commute. If it uses the index of an item, the index counts from the start of the segment.
    /// [`warpfold_kernels::segments`] specifies the order of combination.
    ///
    /// If offsets are wrong, `wait` returns [`Error::BadOffset`](crate::Error::BadOffset). Queued work does not report wrong offsets. With
    /// wrong offsets in device memory the results are unspecified, but no buffer is read or written out of bounds, and the work ends.
    ///
    /// ```
    /// use warpfold::{Cpu, Max, reduce};
    /// let offsets = [1u32, 3, 3, 4];
    /// assert_eq!(reduce::<Max, _>(&[9u32, 1, 5, 2, 9]).segments(&offsets).wait(Cpu)?, [5, 0, 2]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn segments<F: Input<'a, Place: Is<P>, Item: Offset>>(
        mut self,
        offsets: F,
    ) -> Reduce<'a, O, T, P, Segments, R>
    where
        P: Single,
        S: Unshaped,
    {
        self.arguments.shape = Shape::Segments(offsets.memories().0);
        self.retyped()
    }

    /// Combines the items of each row of `row_items` items. The results have the same bits as with [`Self::segments`], but no offsets are
    /// needed. If there are no items, there are no rows and no results.
    ///
    /// If the number of items is not a multiple of `row_items`, or `row_items` is 0, the error is
    /// [`Error::UnevenRows`](crate::Error::UnevenRows).
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, reduce};
    /// assert_eq!(reduce::<Sum, _>(&[1u32, 2, 3, 4, 5, 6]).rows(3).wait(Cpu)?, [6, 15]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn rows(mut self, row_items: usize) -> Reduce<'a, O, T, P, Rows, R>
    where
        P: Single,
        S: Unshaped,
    {
        self.arguments.shape = Shape::Rows(row_items);
        self.retyped()
    }

    /// Combines the items of each column of a row-major matrix that has `columns` columns. If the matrix has no rows, the result of each
    /// column is the operator's identity.
    ///
    /// The result of column `c` has exactly the same bits as the result of row `c` of the transposed matrix. [`warpfold_kernels::columns`]
    /// specifies the order of combination. Each item is read once. If a column has more than 256 rows, the kernel also writes and reads
    /// partials. For each 256 items of a column, these take 8 bytes per 32-bit word of the accumulator.
    ///
    /// If the number of items is not a multiple of `columns`, or `columns` is 0, the error is
    /// [`Error::UnevenRows`](crate::Error::UnevenRows).
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, reduce};
    /// assert_eq!(reduce::<Sum, _>(&[1u32, 2, 3, 4, 5, 6]).columns(3).wait(Cpu)?, [5, 7, 9]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn columns(mut self, columns: usize) -> Reduce<'a, O, T, P, Columns, R>
    where
        P: Single,
        S: Unshaped,
    {
        self.arguments.shape = Shape::Columns(columns);
        self.retyped()
    }

    /// Combines the items along the middle axis of an array of `outer` × `length` × `inner` items, where the last axis is the innermost.
    /// Result `o · inner + i` combines the items `(o · length + k) · inner + i`, for `k` from 0 to `length − 1`. If `inner` is 1, the parts
    /// are rows, as with [`Self::rows`]. If `outer` is 1, the parts are columns, as with [`Self::columns`].
    ///
    /// The bits are those of a segment of the same items. For operators that use the index of an item, the index is `k`. If `length` is 0,
    /// each result is the operator's identity. If `inner` is 1, the parts are handled as rows, otherwise as columns.
    ///
    /// If the number of items is not `outer` · `length` · `inner`, the error is [`Error::UnevenAxes`](crate::Error::UnevenAxes).
    ///
    /// ```
    /// use warpfold::{ArgMax, Gpu, Sum, reduce};
    /// # fn main() -> warpfold::Result<()> {
    /// let gpu = Gpu::new()?;
    /// let items = [1u32, 2, 30, 40, 500, 600, 7, 8, 90, 10, 11, 12];
    /// assert_eq!(reduce::<Sum, _>(&items).axis(2, 3, 2).wait(&gpu)?, [531, 642, 108, 30]);
    /// assert_eq!(reduce::<ArgMax, _>(&items).axis(2, 3, 2).wait(&gpu)?, [2, 2, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn axis(mut self, outer: usize, length: usize, inner: usize) -> Reduce<'a, O, T, P, Axis, R>
    where
        P: Single,
        S: Unshaped,
    {
        self.arguments.shape = Shape::Axis(axis::Axis::along(outer, length, inner));
        self.retyped()
    }

    /// Sets the pitch: the number of items from the start of a row to the start of the next. The pitch is at least the length of a row. The
    /// items between the rows are not read. The gap after the last row may be missing.
    ///
    /// After [`Self::rows`], the pitch applies to these rows; after [`Self::columns`], to the rows of the matrix. After [`Self::axis`], a
    /// row lies along the inner axis, or along the middle axis if `inner` is 1.
    ///
    /// The results lie side by side, as without a pitch, and have the same bits. Rows with gaps between them are read by the kernel for
    /// columns, which is slower for rows than the kernel for rows.
    ///
    /// If the pitch is less than the length of a row, the error is [`Error::PitchTooShort`](crate::Error::PitchTooShort). If the last row
    /// is incomplete, the error is the same as without a pitch: [`Error::UnevenRows`](crate::Error::UnevenRows), or
    /// [`Error::UnevenAxes`](crate::Error::UnevenAxes) for an axis.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, reduce};
    /// // Two rows of two items. The second row starts three items after the first.
    /// assert_eq!(reduce::<Sum, _>(&[1u32, 2, 99, 3, 4]).rows(2).pitch(3).wait(Cpu)?, [3, 7]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn pitch(mut self, items: usize) -> Reduce<'a, O, T, P, Pitched, R>
    where
        S: HasRows,
    {
        self.arguments.set_pitch(items);
        self.retyped()
    }

    /// Combines the items of each run of equal neighbouring keys. There is a key for each item. The equality `E` says which keys are equal:
    /// [`Equal`](crate::Equal) compares by value. A key that occurs again after other keys begins a new run. If there are no items, there
    /// are no runs.
    ///
    /// The outputs of [`Self::to`] and [`Self::keys_to`] need room for one item per run. A shorter output is filled. `wait` then returns
    /// how much room is needed, as [`Error::OutputTooShort`](crate::Error::OutputTooShort). Queued work writes the number of all runs as
    /// the count, even if an output is too short.
    ///
    /// ```
    /// use warpfold::{Cpu, Equal, Sum, reduce};
    /// let (keys, items) = ([7u8, 7, 2, 7], [1.5f32, 2.0, 4.0, 8.0]);
    /// let (firsts, sums) = reduce::<Sum, _>(&items).by_key::<Equal, _>(&keys).wait(Cpu)?;
    /// assert_eq!((firsts, sums), (vec![7, 2, 7], vec![3.5, 4.0, 8.0]));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn by_key<E, F: Input<'a, Place: Is<P>>>(
        mut self,
        keys: F,
    ) -> Reduce<'a, O, T, P, ByKey<E, F::Item>, R>
    where
        P: Single,
        S: Unshaped,
    {
        self.arguments.shape = Shape::Keys(keys.memories().0);
        self.retyped()
    }

    /// Writes the results to the first items of `results`. The other items of `results` are not touched.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, reduce};
    /// let mut sums = [0u32; 3];
    /// reduce::<Sum, _>(&[1u32, 2, 3, 4]).rows(2).to(&mut sums).wait(Cpu)?;
    /// assert_eq!(sums, [3, 7, 0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn to<W>(mut self, results: W) -> Reduce<'a, O, T, P, S, Written>
    where
        O: Op<T>,
        T: Element,
        W: Output<'a, Item = O::Output, Place: Is<P::Side>>,
    {
        self.arguments.results = Some(results.memory());
        self.retyped()
    }

    /// Limits the input to a count in device memory: the first number of `count`. The device reads the number when the work begins. A
    /// number that is too large counts as the whole input. So a selection can feed a reduction without the host, in a captured graph too.
    /// What the number counts depends on the shape:
    ///
    /// | shape | counted | results |
    /// |---|---|---|
    /// | all items, also [`Self::in_order`] | items | one |
    /// | [`Self::by_key`] | items | one for each run |
    /// | [`Self::segments`] | segments | one for each counted segment |
    /// | [`Self::rows`] | rows | one for each counted row |
    /// | [`Self::columns`] | rows of the matrix | one for each column |
    /// | [`Self::axis`] | places on the outer axis, `length · inner` items each | `inner` for each counted place |
    ///
    /// So rows and segments are never cut, with or without a [pitch](Self::pitch). Beyond the count, no results are written.
    ///
    /// The results have the same bits as the results of a buffer that ends at the count. The launch is as large as for the whole input;
    /// blocks without items end at once. With [`Self::in_order`] and a count, the kernel for columns reduces all items as a single column.
    /// It takes longer for this than the kernel for rows, which runs without a count.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Gpu, Sum, reduce};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[1u32, 2, 3, 4])?;
    /// let count = DeviceBuffer::from_slice(&[3u64])?;
    /// assert_eq!(reduce::<Sum, _>(&items).count(&count).wait(&gpu)?, 6);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn count<C: Input<'a, Item = u64, Place: Is<OnTheDevice>>>(
        mut self,
        count: C,
    ) -> Reduce<'a, O, T, P, P::Counted<S>, R>
    where
        P: Counts + Single,
    {
        self.arguments.count = Some(count.memories().0);
        self.retyped()
    }

    /// Writes the first key of each run to the first items of `keys`.
    ///
    /// ```
    /// use warpfold::{Cpu, Equal, Sum, reduce};
    /// let (mut firsts, mut sums) = ([0u8; 4], [0u32; 4]);
    /// let runs = reduce::<Sum, _>(&[1u32, 2, 3, 4])
    ///     .by_key::<Equal, _>(&[7u8, 7, 2, 7])
    ///     .keys_to(&mut firsts)
    ///     .to(&mut sums)
    ///     .wait(Cpu)?;
    /// assert_eq!((&firsts[..runs], &sums[..runs]), (&[7, 2, 7][..], &[3, 3, 4][..]));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn keys_to<W>(mut self, keys: W) -> Self
    where
        S: HasKeys,
        W: Output<'a, Item = S::Key, Place: Is<P::Side>>,
    {
        self.arguments.unique_keys = Some(keys.memory());
        self
    }

    /// Writes the number of runs to the first item of `count`. A queued request needs this output, or those of [`Self::runs_to`].
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Equal, Gpu, RawStream, Sum, reduce};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[1u32, 2, 3, 4])?;
    /// let keys = DeviceBuffer::from_slice(&[7u8, 7, 2, 7])?;
    /// let (mut sums, mut count) = (DeviceBuffer::<u32>::zeroed(4)?, DeviceBuffer::<u64>::zeroed(1)?);
    /// reduce::<Sum, _>(&items)
    ///     .by_key::<Equal, _>(&keys)
    ///     .count_to(&mut count)
    ///     .to(&mut sums)
    ///     .queue(&gpu, &RawStream::DEFAULT)?;
    /// gpu.synchronize()?;
    /// assert_eq!(count.as_host_vec()?, [3]);
    /// assert_eq!(sums.as_host_vec()?[..3], [3, 3, 4]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn count_to<C>(mut self, count: C) -> Reduce<'a, O, T, P, S::Located, R>
    where
        P: WritesOnDevice,
        S: HasKeys,
        C: Output<'a, Item = u64, Place: Is<OnTheDevice>>,
    {
        self.arguments.count_to = Some(count.memory());
        self.retyped()
    }

    /// Writes the index of each run's first item to `starts`, followed by the number of keys. Writes the number of runs to the first item
    /// of `count`. If the starts are not needed, use [`Self::count_to`] instead: most reductions then take less time.
    ///
    /// `starts` needs room for one number more than there are runs. If `starts` is shorter, runs whose start or end does not fit have no
    /// result. `wait` then returns how much room is needed, as [`Error::OutputTooShort`](crate::Error::OutputTooShort).
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Equal, Gpu, RawStream, Sum, reduce};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[1u32, 2, 3, 4])?;
    /// let keys = DeviceBuffer::from_slice(&[7u8, 7, 2, 7])?;
    /// let (mut sums, mut starts) = (DeviceBuffer::<u32>::zeroed(4)?, DeviceBuffer::<u32>::zeroed(5)?);
    /// let mut count = DeviceBuffer::<u64>::zeroed(1)?;
    /// reduce::<Sum, _>(&items)
    ///     .by_key::<Equal, _>(&keys)
    ///     .runs_to(&mut starts, &mut count)
    ///     .to(&mut sums)
    ///     .queue(&gpu, &RawStream::DEFAULT)?;
    /// gpu.synchronize()?;
    /// assert_eq!(count.as_host_vec()?, [3]);
    /// assert_eq!(starts.as_host_vec()?[..4], [0, 2, 3, 4]);
    /// assert_eq!(sums.as_host_vec()?[..3], [3, 3, 4]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn runs_to<F, C>(mut self, starts: F, count: C) -> Reduce<'a, O, T, P, S::Located, R>
    where
        P: WritesOnDevice,
        S: HasKeys,
        F: Output<'a, Item: Offset, Place: Is<OnTheDevice>>,
        C: Output<'a, Item = u64, Place: Is<OnTheDevice>>,
    {
        self.arguments.indices = Some(starts.memory());
        self.arguments.count_to = Some(count.memory());
        self.retyped()
    }
}

ends_of!(Reduce<'a, O, T, P, S, R>);
