//! Reductions of two inputs: an item is a pair of values, one of each.

use bytemuck::Zeroable;
use cust::memory::DeviceSlice;
use cust::stream::Stream;
use warpfold_kernels::op::{Dot, Op, Pair};

#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::launch::{PairSpan, Queue, Span, check_lengths, reduce_pairs_to_host};
use crate::staged::{self, Items};

/// Combines the pairs of the items of `left` and `right` with the operator `O`, and waits for the result: pair `i` has item `i` of
/// either.
///
/// The bits are those of a reduction of the pairs, [`reference::reduce`](crate::reference::reduce) of a list of
/// [`Pair`]s. Otherwise as [`reduce`](crate::reduce()).
///
/// # Errors
///
/// [`Error::LengthsDiffer`], and those of [`reduce`](crate::reduce()).
pub fn reduce_pairs<O, A, B>(
    gpu: &Gpu,
    left: &DeviceSlice<A>,
    right: &DeviceSlice<B>,
) -> Result<O::Output>
where
    A: Item,
    B: Item,
    O: Kernel<kind::reduce_pairs, Pair<A, B>>,
{
    let pairs = PairSpan::new(Span::from(left), Span::from(right))?;
    if pairs.item_count() == 0 {
        return Ok(O::lower(O::identity()));
    }
    let mut result = O::Output::zeroed();
    and_wait(gpu, O::row(), pairs, bytemuck::bytes_of_mut(&mut result))?;
    Ok(result)
}

/// Queues the combination of the pairs of the items of `left` and `right` on `stream`, to the first item of `output`: the result of
/// [`reduce_pairs`], bit for bit, by the rules of [`reduce_into`](crate::reduce_into).
///
/// # Errors
///
/// [`Error::LengthsDiffer`], and those of [`reduce_into`](crate::reduce_into).
pub fn reduce_pairs_into<O, A, B>(
    gpu: &Gpu,
    stream: &Stream,
    left: &DeviceSlice<A>,
    right: &DeviceSlice<B>,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()>
where
    A: Item,
    B: Item,
    O: Kernel<kind::reduce_pairs, Pair<A, B>>,
{
    let pairs = PairSpan::new(Span::from(left), Span::from(right))?;
    queue(gpu, stream, O::row(), pairs, Span::from(&*output))
}

/// Reduces at least one pair, waits for the result, and writes it to these bytes.
fn and_wait(gpu: &Gpu, row: &'static Row, pairs: PairSpan, result: &mut [u8]) -> Result<()> {
    gpu.enter(|entered| reduce_pairs_to_host(entered, row, pairs, result))
}

fn queue(
    gpu: &Gpu,
    stream: &Stream,
    row: &'static Row,
    pairs: PairSpan,
    output: Span,
) -> Result<()> {
    gpu.enter(|entered| {
        Queue::on(entered, stream, |queue| {
            queue.reduce_pairs(row, pairs, output)
        })
    })
}

/// The pairs of the items of two slices of the host combined with the operator `O`: see [`reduce_pairs`].
///
/// # Errors
///
/// [`Error::LengthsDiffer`], and those of [`gpu_reduce`](crate::gpu_reduce).
pub fn gpu_reduce_pairs<O, A, B>(left: &[A], right: &[B]) -> Result<O::Output>
where
    A: Item,
    B: Item,
    O: Kernel<kind::reduce_pairs, Pair<A, B>>,
{
    check_lengths(left.len(), right.len())?;
    if left.is_empty() {
        return Ok(O::lower(O::identity()));
    }
    let mut result = O::Output::zeroed();
    let bytes = bytemuck::bytes_of_mut(&mut result);
    slices(O::row(), left.into(), right.into(), bytes)?;
    Ok(result)
}

/// Reduces at least one pair of slices, and writes the result to these bytes.
fn slices(row: &'static Row, left: Items<'_>, right: Items<'_>, result: &mut [u8]) -> Result<()> {
    Gpu::global()?.enter(|entered| staged::reduce_pairs(entered, row, left, right, result))
}

/// What [`Dot`] gives for items of type `T`.
type Product<T> = <Dot as Op<Pair<T, T>>>::Output;

/// The dot product of `left` and `right`, see [`Dot`]; waits for the result.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, dot};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let left = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.0])?;
/// let right = DeviceBuffer::from_slice(&[4.0f32, 5.0, -6.0])?;
/// assert_eq!(dot(&gpu, &left, &right)?, -4.0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`reduce_pairs`].
pub fn dot<T: Item>(gpu: &Gpu, left: &DeviceSlice<T>, right: &DeviceSlice<T>) -> Result<Product<T>>
where
    Dot: Kernel<kind::reduce_pairs, Pair<T, T>>,
{
    reduce_pairs::<Dot, T, T>(gpu, left, right)
}

/// Queues the dot product of `left` and `right` on `stream`, to the first item of `output`: see [`reduce_pairs_into`].
///
/// # Errors
///
/// The same as for [`reduce_pairs_into`].
pub fn dot_into<T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    left: &DeviceSlice<T>,
    right: &DeviceSlice<T>,
    output: &mut DeviceSlice<Product<T>>,
) -> Result<()>
where
    Dot: Kernel<kind::reduce_pairs, Pair<T, T>>,
{
    reduce_pairs_into::<Dot, T, T>(gpu, stream, left, right, output)
}

/// The dot product of two slices of the host, see [`Dot`].
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(warpfold::gpu_dot(&[100u8, 200], &[3, 2])?, 700u64);
/// assert!(warpfold::gpu_dot(&[1.0f64], &[]).is_err());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_reduce_pairs`].
pub fn gpu_dot<T: Item>(left: &[T], right: &[T]) -> Result<Product<T>>
where
    Dot: Kernel<kind::reduce_pairs, Pair<T, T>>,
{
    gpu_reduce_pairs::<Dot, T, T>(left, right)
}
