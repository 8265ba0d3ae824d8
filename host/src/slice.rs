//! Shortcuts for slices of the host. They run on [`Gpu::global`].
//!
//! A copy over the bus takes far longer than the reduction, so data that is used more than once belongs in a device buffer. A slice may be
//! longer than the device's memory: it is uploaded piece by piece, and each piece is reduced when it arrives.

use bytemuck::Zeroable;
use warpfold_kernels::op::{
    ArgMax, ArgMin, ArgMinMax, Dot, Extremes, Max, Min, MinMax, Moments, Op, Pair, Product, Sum,
    SumOfSquares, WideSum, WideSumOfSquares,
};

use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, kind};
use crate::launch::check_lengths;
use crate::request::reduce;
use crate::staged;
use crate::{bf16, f16};

/// Combines all items. An empty slice needs no GPU.
fn whole<O: Kernel<kind::reduce, T>, T: Item>(items: &[T]) -> Result<O::Output> {
    match items {
        [] => Ok(O::lower(O::identity())),
        _ => {
            let mut result = O::Output::zeroed();
            let to = bytemuck::bytes_of_mut(&mut result);
            Gpu::global()?.enter(|entered| staged::reduce(entered, O::row(), items.into(), to))?;
            Ok(result)
        }
    }
}

/// The sum of the items. Integers wrap. The sum of an empty slice is 0 for integers and −0.0 for floats, as with `iter().sum()`. An empty
/// slice needs no GPU.
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(warpfold::gpu_sum(&[1.5f32, 2.0, 4.0])?, 7.5);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The errors of [`Gpu::global`] and of [`Reduce::wait`](crate::Reduce::wait).
pub fn gpu_sum<T: Item>(items: &[T]) -> Result<T>
where
    Sum: Kernel<kind::reduce, T, Output = T>,
{
    whole::<Sum, T>(items)
}

/// The sum of the items, in a type that is wider than theirs: integers wrap much later, and floats round much less. See [`WideSum`]. The
/// sum of an empty slice is 0 for integers and −0.0 for floats.
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(warpfold::gpu_wide_sum(&[200u8, 100])?, 300u64);
/// assert_eq!(warpfold::gpu_wide_sum(&[1.0e8f32, 1.0, -1.0e8])?, 1.0f64);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_sum`].
pub fn gpu_wide_sum<T: Item>(items: &[T]) -> Result<<WideSum as Op<T>>::Output>
where
    WideSum: Kernel<kind::reduce, T>,
{
    whole::<WideSum, T>(items)
}

/// The product of the items; 1 for an empty slice. Integers wrap.
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(warpfold::gpu_product(&[2u64, 3, 7])?, 42);
/// assert_eq!(warpfold::gpu_product::<u64>(&[])?, 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_sum`].
pub fn gpu_product<T: Item>(items: &[T]) -> Result<T>
where
    Product: Kernel<kind::reduce, T, Output = T>,
{
    whole::<Product, T>(items)
}

/// The least of the items; `None` for an empty slice. A float NaN counts as the least item, and −0.0 is less than +0.0.
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(warpfold::gpu_min(&[3i64, -7, 5])?, Some(-7));
/// assert_eq!(warpfold::gpu_min::<f32>(&[])?, None);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_sum`].
pub fn gpu_min<T: Item>(items: &[T]) -> Result<Option<T>>
where
    Min: Kernel<kind::reduce, T, Output = T>,
{
    if items.is_empty() {
        return Ok(None);
    }
    whole::<Min, T>(items).map(Some)
}

/// The greatest of the items; `None` for an empty slice. A float NaN counts as the greatest item, and −0.0 is less than +0.0.
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(warpfold::gpu_max(&[3i64, -7, 5])?, Some(5));
/// assert!(warpfold::gpu_max(&[1.0, f32::NAN])?.is_some_and(f32::is_nan));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_sum`].
pub fn gpu_max<T: Item>(items: &[T]) -> Result<Option<T>>
where
    Max: Kernel<kind::reduce, T, Output = T>,
{
    if items.is_empty() {
        return Ok(None);
    }
    whole::<Max, T>(items).map(Some)
}

/// The dot product of two slices of equal length: see [`Dot`]. For empty slices, it is 0 for integers and −0.0 for floats.
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
/// [`Error::LengthsDiffer`](crate::Error::LengthsDiffer), and the errors of [`gpu_sum`].
pub fn gpu_dot<T: Item>(left: &[T], right: &[T]) -> Result<<Dot as Op<Pair<T, T>>>::Output>
where
    Dot: Kernel<kind::reduce_pairs, Pair<T, T>>,
{
    check_lengths(left.len(), right.len())?;
    match left {
        [] => Ok(<Dot as Op<Pair<T, T>>>::lower(
            <Dot as Op<Pair<T, T>>>::identity(),
        )),
        _ => reduce::<Dot, _>((left, right)).wait(Gpu::global()?),
    }
}

/// The index of the least item, or of the first of several least items; `None` for an empty slice. A float NaN counts as the least item,
/// and −0.0 is less than +0.0.
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(warpfold::gpu_arg_min(&[3i64, -7, 5, -7])?, Some(1));
/// assert_eq!(warpfold::gpu_arg_min::<f32>(&[])?, None);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_sum`].
pub fn gpu_arg_min<T: Item>(items: &[T]) -> Result<Option<usize>>
where
    ArgMin: Kernel<kind::reduce, T, Output = u64>,
{
    some::<ArgMin, T>(items).map(|index| index.map(|index| index as usize))
}

/// The index of the greatest item, or of the first of several greatest items; `None` for an empty slice. A float NaN counts as the greatest
/// item, and −0.0 is less than +0.0.
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(warpfold::gpu_arg_max(&[3i64, 5, -7, 5])?, Some(1));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_sum`].
pub fn gpu_arg_max<T: Item>(items: &[T]) -> Result<Option<usize>>
where
    ArgMax: Kernel<kind::reduce, T, Output = u64>,
{
    some::<ArgMax, T>(items).map(|index| index.map(|index| index as usize))
}

/// The least and the greatest item; `None` for an empty slice. A float NaN counts as the least and as the greatest item, and −0.0 is less
/// than +0.0.
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// let extremes = warpfold::gpu_min_max(&[3i64, -7, 5])?.expect("there are items");
/// assert_eq!((extremes.min, extremes.max), (-7, 5));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_sum`].
pub fn gpu_min_max<T: Item>(items: &[T]) -> Result<Option<Extremes<T>>>
where
    MinMax: Kernel<kind::reduce, T, Output = Extremes<T>>,
{
    some::<MinMax, T>(items)
}

/// The indices of the least and of the greatest item, as [`gpu_arg_min`] and [`gpu_arg_max`] return them; `None` for an empty slice.
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// let indices = warpfold::gpu_arg_min_max(&[3i64, -7, 5])?.expect("there are items");
/// assert_eq!((indices.min, indices.max), (1, 2));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_sum`].
pub fn gpu_arg_min_max<T: Item>(items: &[T]) -> Result<Option<Extremes<usize>>>
where
    ArgMinMax: Kernel<kind::reduce, T, Output = Extremes<u64>>,
{
    let indices = some::<ArgMinMax, T>(items)?;
    Ok(indices.map(|Extremes { min, max }| Extremes {
        min: min as usize,
        max: max as usize,
    }))
}

/// The number of items, their mean and their variance: see [`Moments`]. For an empty slice the count is 0, and mean and variance are NaN.
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// let moments = warpfold::gpu_moments(&[2.0f32, 4.0, 4.0, 6.0])?;
/// assert_eq!((moments.mean(), moments.variance()), (4.0, 2.0));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_sum`].
pub fn gpu_moments<T: Item>(items: &[T]) -> Result<Moments>
where
    Moments: Kernel<kind::reduce, T, Output = Moments>,
{
    whole::<Moments, T>(items)
}

/// The Euclidean norm of the items: the square root of the sum of their squares. It is 0 for an empty slice.
///
/// The squares of `f32` and `f64` are added up in `f64`, and the squares of [`f16`](struct@f16) and [`bf16`] in `f32`. If the sum
/// overflows, the norm is infinite.
///
/// ```
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(warpfold::gpu_norm(&[3.0f32, -4.0])?, 5.0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_sum`].
pub fn gpu_norm<T: HasNorm>(items: &[T]) -> Result<f64> {
    let squares = whole::<T::Squares, T>(items)?;
    Ok(squares.into().sqrt())
}

/// A type of floats, with the operator that adds up their squares for [`gpu_norm`].
///
/// ```
/// use warpfold::{HasNorm, Result, gpu_norm};
///
/// /// The distance from the origin, in any float.
/// fn distance<T: HasNorm>(point: &[T; 2]) -> Result<f64> {
///     gpu_norm(point)
/// }
/// assert_eq!(distance(&[3.0f32, 4.0])?, distance(&[3.0f64, 4.0])?);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub trait HasNorm: Item {
    /// The operator that adds up the squares.
    type Squares: Kernel<kind::reduce, Self, Output: Into<f64>>;
}

impl HasNorm for f16 {
    type Squares = SumOfSquares;
}

impl HasNorm for bf16 {
    type Squares = SumOfSquares;
}

#[cfg(feature = "cust")]
impl HasNorm for cust_half::f16 {
    type Squares = SumOfSquares;
}

#[cfg(feature = "cust")]
impl HasNorm for cust_half::bf16 {
    type Squares = SumOfSquares;
}

impl HasNorm for f32 {
    type Squares = WideSumOfSquares;
}

impl HasNorm for f64 {
    type Squares = SumOfSquares;
}

/// The result for at least one item; `None` for an empty slice.
fn some<O: Kernel<kind::reduce, T>, T: Item>(items: &[T]) -> Result<Option<O::Output>> {
    match items {
        [] => Ok(None),
        _ => whole::<O, T>(items).map(Some),
    }
}
