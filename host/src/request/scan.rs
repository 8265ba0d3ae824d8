//! Requests to scan.

use std::marker::PhantomData;

use warpfold_kernels::element::Element;
use warpfold_kernels::op::Op;

use super::bounds::{
    Counts, Forward, HasKeys, HasRows, InPlace, Includes, NotInPlace, OfAll, Single, Unshaped,
    WithTotal, Writable, WritesOnDevice,
};
use super::memory::{Input, Is, OnTheDevice, Output, Place, Returned};
use super::shape::{
    self, Axis, ByKey, Columns, Inclusive, Pitched, Reversed, Rows, Segments, Whole, WholeWith,
};
use super::{Replaced, ends_of};
use crate::arguments::{Arguments, Memory, Shape, Value};
use crate::axis;
use crate::segments::Offset;

/// A request to scan with the operator `O`: see [`scan`].
///
/// The other type parameters are the type of the items, their place, their shape, the order, and where results go.
///
/// ```
/// use warpfold::{Cpu, Scan, Sum, request::memory::OnTheHost, scan};
/// // A request is a value: the memory is borrowed, and nothing is done yet.
/// let request: Scan<'_, Sum, u32, OnTheHost> = scan::<Sum, _>(&[1u32, 2, 3]);
/// assert_eq!(request.wait(Cpu)?, [1, 3, 6]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[must_use = "a request does nothing until it is ended by `wait` or `queue`"]
pub struct Scan<'a, O, T, P, S = Whole, D = Inclusive, R = Returned> {
    pub(super) arguments: Arguments<Memory<'a>>,
    types: Types<O, T, P, S, D, R>,
}

type Types<O, T, P, S, D, R> = PhantomData<fn() -> (O, T, P, S, D, R)>;

/// Combines each item with all items before it, by the operator `O`. With [`Sum`](crate::Sum), the results are prefix sums.
///
/// | part of the request | methods |
/// |---|---|
/// | the shape | none: all items together; [`segments`](Scan::segments), [`rows`](Scan::rows), [`columns`](Scan::columns), [`axis`](Scan::axis), [`by_key`](Scan::by_key); [`pitch`](Scan::pitch) |
/// | inclusive or exclusive | none: a result includes its own item; [`exclusive`](Scan::exclusive): it excludes its own item |
/// | the direction | none: from the first item; [`reversed`](Scan::reversed): from the last |
/// | options | [`initial`](Scan::initial), [`total`](Scan::total), [`and_total`](Scan::and_total), [`count`](Scan::count) |
/// | outputs | [`to`](Scan::to), [`in_place`](Scan::in_place); none, for items of the host: `wait` returns a `Vec` |
/// | where it runs | [`wait`](Scan::wait), [`queue`](Scan::queue) |
///
/// The result has the same bits on every device, every time. Floats are combined along a tree that depends only on the operator, the types
/// of items and results, the shape, the direction, whether the scan is exclusive, the number of items and the item's index
/// ([`warpfold_kernels::contract`]). A NaN from one of the library's operators is Rust's `NAN`; for 16-bit floats it is `0x7fff`. If there
/// are no items, there are no results.
///
/// The algorithm for scans of the whole is after Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back* (2016).
/// The scan inside a warp is after Kogge and Stone, *A Parallel Algorithm for the Efficient Solution of a General Class of Recurrence
/// Equations* (1973).
///
/// ```
/// use warpfold::{Gpu, Sum, scan};
/// # fn main() -> warpfold::Result<()> {
/// let gpu = Gpu::new()?;
/// assert_eq!(scan::<Sum, _>(&[3u32, 1, 4]).wait(&gpu)?, [3, 4, 8]);
/// assert_eq!(scan::<Sum, _>(&[3u32, 1, 4]).exclusive().initial(10).wait(&gpu)?, [10, 13, 14]);
/// assert_eq!(scan::<Sum, _>(&[3u32, 1, 4]).exclusive().and_total().wait(&gpu)?, (vec![0, 3, 4], 8));
/// let mut items = [1u32, 2, 3, 4];
/// scan::<Sum, _>(&mut items).in_place().wait(&gpu)?;
/// assert_eq!(items, [1, 3, 6, 10]);
/// # Ok(())
/// # }
/// ```
///
/// Two more scans: the index of the greatest item so far, and the linear recurrence `xᵢ = xᵢ₋₁ / 2 + 1`, which begins with 4.
///
/// ```
/// use warpfold::{Affine, ArgMax, Cpu, Recurrence, scan};
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(scan::<ArgMax, _>(&[3u32, 1, 4, 1, 5]).wait(Cpu)?, [0, 0, 2, 2, 4]);
/// let steps = [Affine { scale: 0.5, offset: 1.0 }; 3];
/// let start = Affine { scale: 0.0, offset: 4.0 };
/// assert_eq!(scan::<Recurrence, _>(&steps).initial(start).wait(Cpu)?, [3.0, 2.5, 2.25]);
/// # Ok(())
/// # }
/// ```
pub fn scan<'a, O, I>(input: I) -> Scan<'a, O, I::Item, I::Place, Whole, Inclusive, I::Start>
where
    I: Input<'a, Place: Single>,
{
    Scan {
        arguments: Arguments::new(input.memories().0),
        types: PhantomData,
    }
}

impl<'a, O, T, P, S, D, R> Scan<'a, O, T, P, S, D, R> {
    /// The same arguments, as a request with other type parameters.
    fn retyped<S2, D2, R2>(self) -> Scan<'a, O, T, P, S2, D2, R2> {
        Scan {
            arguments: self.arguments,
            types: PhantomData,
        }
    }
}

impl<'a, O, T, P: Place, S: shape::Shape, D, R> Scan<'a, O, T, P, S, D, R> {
    /// Scans each segment by itself. Offsets are as for [`Reduce::segments`](super::Reduce::segments). An item that belongs to no segment
    /// has no result: its place in an output is not touched, and in a returned `Vec` it is zero.
    ///
    /// The scan cannot be in place, since a block also reads items next to its own items.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, scan};
    /// let offsets = [1u32, 3, 4];
    /// assert_eq!(scan::<Sum, _>(&[9u32, 1, 2, 3, 9]).segments(&offsets).wait(Cpu)?, [0, 1, 3, 3, 0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn segments<F: Input<'a, Place: Is<P>, Item: Offset>>(
        mut self,
        offsets: F,
    ) -> Scan<'a, O, T, P, Segments, D, R>
    where
        S: Unshaped,
        R: NotInPlace,
    {
        self.arguments.shape = Shape::Segments(offsets.memories().0);
        self.retyped()
    }

    /// Scans each row of `row_items` items by itself: see [`Reduce::rows`](super::Reduce::rows).
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, scan};
    /// assert_eq!(scan::<Sum, _>(&[1u32, 2, 3, 4, 5, 6]).rows(3).wait(Cpu)?, [1, 3, 6, 4, 9, 15]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn rows(mut self, row_items: usize) -> Scan<'a, O, T, P, Rows, D, R>
    where
        S: Unshaped,
        R: NotInPlace,
    {
        self.arguments.shape = Shape::Rows(row_items);
        self.retyped()
    }

    /// Scans each column by itself. The items are a row-major matrix that has `columns` columns: see
    /// [`Reduce::columns`](super::Reduce::columns).
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, scan};
    /// assert_eq!(scan::<Sum, _>(&[1u32, 2, 3, 4, 5, 6]).columns(3).wait(Cpu)?, [1, 2, 3, 5, 7, 9]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn columns(mut self, columns: usize) -> Scan<'a, O, T, P, Columns, D, R>
    where
        S: Unshaped,
        R: NotInPlace,
    {
        self.arguments.shape = Shape::Columns(columns);
        self.retyped()
    }

    /// Scans along the middle axis of an array of `outer` × `length` × `inner` items: each part by itself, as in
    /// [`Reduce::axis`](super::Reduce::axis). Each result is at the index of its item.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, scan};
    /// let items = [1u32, 2, 10, 20, 100, 200, 1000, 2000];
    /// assert_eq!(scan::<Sum, _>(&items).axis(2, 2, 2).wait(Cpu)?, [1, 2, 11, 22, 100, 200, 1100, 2200]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn axis(
        mut self,
        outer: usize,
        length: usize,
        inner: usize,
    ) -> Scan<'a, O, T, P, Axis, D, R>
    where
        S: Unshaped,
        R: NotInPlace,
    {
        self.arguments.shape = Shape::Axis(axis::Axis::along(outer, length, inner));
        self.retyped()
    }

    /// Sets the pitch of rows: see [`Reduce::pitch`](super::Reduce::pitch). Each result is at the index of its item. The places between
    /// rows are not touched in an output, and are zero in a returned `Vec`.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, scan};
    /// // Two rows of two items. The second row starts three items after the first.
    /// assert_eq!(scan::<Sum, _>(&[1u32, 2, 99, 3, 4]).rows(2).pitch(3).wait(Cpu)?, [1, 3, 0, 3, 7]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn pitch(mut self, items: usize) -> Scan<'a, O, T, P, Pitched, D, R>
    where
        S: HasRows,
    {
        self.arguments.set_pitch(items);
        self.retyped()
    }

    /// Scans each run of equal neighbouring keys by itself: see [`Reduce::by_key`](super::Reduce::by_key).
    ///
    /// ```
    /// use warpfold::{Cpu, Equal, Sum, scan};
    /// let (keys, items) = ([7u8, 7, 2, 7], [1u32, 2, 3, 4]);
    /// assert_eq!(scan::<Sum, _>(&items).by_key::<Equal, _>(&keys).wait(Cpu)?, [1, 3, 3, 4]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn by_key<E, F: Input<'a, Place: Is<P>>>(
        mut self,
        keys: F,
    ) -> Scan<'a, O, T, P, ByKey<E, F::Item>, D, R>
    where
        S: Unshaped,
        R: NotInPlace,
    {
        self.arguments.shape = Shape::Keys(keys.memories().0);
        self.retyped()
    }

    /// Sets the initial value, which takes the place of the operator's identity before the first item. The value is an accumulator of the
    /// operator. For `Sum`, `Product`, `Min` and `Max` of items of 32 and 64 bits, the accumulator has the type of the items.
    ///
    /// ```
    /// use warpfold::{Cpu, Max, scan};
    /// assert_eq!(scan::<Max, _>(&[3i64, 1, 8]).initial(5).wait(Cpu)?, [5, 5, 8]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn initial(mut self, initial: O::Accumulator) -> Scan<'a, O, T, P, WholeWith, D, R>
    where
        S: OfAll,
        O: Op<T>,
        T: Element,
    {
        self.arguments.initial = Some(Value::new(&initial));
        self.retyped()
    }

    /// Writes the total to the first item of `total`. The total combines the initial value and all items. It is the result that an
    /// exclusive scan would have for one more item at the end. (With floats, an inclusive scan's last result may have other bits.) The
    /// total of an empty input is the initial value, or the identity.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, scan};
    /// let (mut sums, mut total) = ([0u32; 3], [0u32]);
    /// scan::<Sum, _>(&[3u32, 1, 4]).exclusive().to(&mut sums).total(&mut total).wait(Cpu)?;
    /// assert_eq!((sums, total), ([0, 3, 4], [8]));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn total<W>(mut self, total: W) -> Scan<'a, O, T, P, WholeWith, D, R>
    where
        S: OfAll,
        O: Op<T>,
        T: Element,
        W: Output<'a, Item = O::Output, Place: Is<P::Side>>,
    {
        self.arguments.total = Some(total.memory());
        self.retyped()
    }
}

impl<'a, O, T, P, S, D, R> Scan<'a, O, T, P, S, D, R> {
    /// Leaves each item out of its own result. So for the first item of each part, the result is the initial value, or the operator's
    /// identity if there is no initial value. In a reversed scan, this holds for the last item of each part instead.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, scan};
    /// assert_eq!(scan::<Sum, _>(&[3u32, 1, 4]).exclusive().wait(Cpu)?, [0, 3, 4]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn exclusive(self) -> Scan<'a, O, T, P, S, D::Excluding, R>
    where
        D: Includes,
    {
        self.retyped()
    }

    /// Scans from the last item to the first, as if the items and the results were in the opposite order. With [`Sum`](crate::Sum), the
    /// results are suffix sums. In every shape, each part is scanned this way. In each `O::combine`, the items of `left` come after the
    /// items of `right`. For operators that use the index of an item, such as [`ArgMax`](crate::ArgMax), the index counts from the end. The
    /// initial value comes after the last item. On a GPU, no items are copied to reverse them.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, scan};
    /// # fn main() -> warpfold::Result<()> {
    /// let items = [1u32, 2, 3, 4];
    /// assert_eq!(scan::<Sum, _>(&items).reversed().wait(Cpu)?, [10, 9, 7, 4]);
    /// assert_eq!(scan::<Sum, _>(&items).reversed().exclusive().wait(Cpu)?, [9, 7, 4, 0]);
    /// assert_eq!(scan::<Sum, _>(&items).rows(2).reversed().wait(Cpu)?, [3, 2, 7, 4]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reversed(self) -> Scan<'a, O, T, P, S, Reversed<D>, R>
    where
        D: Forward,
    {
        self.retyped()
    }
}

impl<'a, O, T, P: Place, S: shape::Shape, D, R> Scan<'a, O, T, P, S, D, R> {
    /// Writes each result to `results`, at the index of its item. The other places of `results` are not touched.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, scan};
    /// let mut sums = [7u32; 4];
    /// scan::<Sum, _>(&[3u32, 1, 4]).to(&mut sums).wait(Cpu)?;
    /// assert_eq!(sums, [3, 4, 8, 7]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn to<W>(mut self, results: W) -> Scan<'a, O, T, P, S, D, R::Written>
    where
        O: Op<T>,
        T: Element,
        R: Writable,
        W: Output<'a, Item = O::Output, Place: Is<P::Side>>,
    {
        self.arguments.results = Some(results.memory());
        self.retyped()
    }

    /// Writes each result in the place of its item. The input has to be `&mut`. If an error comes after the launch, the items are
    /// unspecified.
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, scan};
    /// let mut items = [3u32, 1, 4];
    /// scan::<Sum, _>(&mut items).in_place().wait(Cpu)?;
    /// assert_eq!(items, [3, 4, 8]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn in_place(self) -> Scan<'a, O, T, P, S, D, Replaced>
    where
        O: Op<T, Output = T>,
        T: Element,
        S: OfAll,
        R: InPlace,
    {
        self.retyped()
    }

    /// `wait` also returns the total: see [`Self::total`].
    ///
    /// ```
    /// use warpfold::{Cpu, Sum, scan};
    /// assert_eq!(scan::<Sum, _>(&[3u32, 1, 4]).exclusive().and_total().wait(Cpu)?, (vec![0, 3, 4], 8));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn and_total(self) -> Scan<'a, O, T, P, WholeWith, D, R::And>
    where
        S: OfAll,
        R: WithTotal,
    {
        self.retyped()
    }

    /// Limits the input to a count in device memory: the first number of `count`. The device reads the number when the work begins. A
    /// number that is too large counts as the whole input. Without a shape, or with [`Self::by_key`], the number counts items. With the
    /// other shapes, it counts segments, rows, rows of the matrix, or places on the outer axis, as for [reductions](crate::Reduce::count).
    /// The results have the same bits as the results of a buffer that ends at the count. The places after the last result are not touched.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Gpu, Sum, scan};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[1u32, 2, 3, 4])?;
    /// let mut sums = DeviceBuffer::<u32>::zeroed(4)?;
    /// let count = DeviceBuffer::from_slice(&[3u64])?;
    /// scan::<Sum, _>(&items).count(&count).to(&mut sums).wait(&gpu)?;
    /// assert_eq!(sums.as_host_vec()?, [1, 3, 6, 0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn count<C: Input<'a, Item = u64, Place: Is<OnTheDevice>>>(
        mut self,
        count: C,
    ) -> Scan<'a, O, T, P, P::Counted<S>, D, R>
    where
        P: Counts,
    {
        self.arguments.count = Some(count.memories().0);
        self.retyped()
    }

    /// Writes the index of each run's first item to `starts`, followed by the number of keys. Writes the number of runs to the first item
    /// of `count`. Without these outputs, the scan takes less time. `starts` needs room for one number more than there are keys.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Equal, Gpu, RawStream, Sum, scan};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[1u32, 2, 3, 4])?;
    /// let keys = DeviceBuffer::from_slice(&[7u8, 7, 2, 7])?;
    /// let (mut sums, mut starts) = (DeviceBuffer::<u32>::zeroed(4)?, DeviceBuffer::<u32>::zeroed(5)?);
    /// let mut count = DeviceBuffer::<u64>::zeroed(1)?;
    /// scan::<Sum, _>(&items)
    ///     .by_key::<Equal, _>(&keys)
    ///     .runs_to(&mut starts, &mut count)
    ///     .to(&mut sums)
    ///     .queue(&gpu, &RawStream::DEFAULT)?;
    /// gpu.synchronize()?;
    /// assert_eq!(sums.as_host_vec()?, [1, 3, 3, 4]);
    /// assert_eq!(count.as_host_vec()?, [3]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn runs_to<F, C>(mut self, starts: F, count: C) -> Scan<'a, O, T, P, S::Located, D, R>
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

ends_of!(Scan<'a, O, T, P, S, D, R>);
