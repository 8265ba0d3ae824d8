//! Where a slice's extremes are, both extremes, moments and norms: each in one reading, on [`Gpu::global`](crate::Gpu::global).

use warpfold_kernels::op::{
    ArgMax, ArgMin, ArgMinMax, Extremes, MinMax, Moments, SumOfSquares, WideSumOfSquares,
};

use crate::error::Result;
use crate::kernel::{Item, Kernel, kind};
use crate::slice::gpu_reduce;
use crate::{bf16, f16};

/// The index of the least item; `None` for no items. Of equal items, the first. A float NaN wins, and −0.0 is less than +0.0.
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
/// The same as for [`gpu_reduce`].
pub fn gpu_arg_min<T: Item>(items: &[T]) -> Result<Option<usize>>
where
    ArgMin: Kernel<kind::reduce, T, Output = u64>,
{
    some::<ArgMin, T>(items).map(|index| index.map(|index| index as usize))
}

/// The index of the greatest item; `None` for no items. Of equal items, the first. A float NaN wins, and −0.0 is less than +0.0.
///
/// # Errors
///
/// The same as for [`gpu_reduce`].
pub fn gpu_arg_max<T: Item>(items: &[T]) -> Result<Option<usize>>
where
    ArgMax: Kernel<kind::reduce, T, Output = u64>,
{
    some::<ArgMax, T>(items).map(|index| index.map(|index| index as usize))
}

/// The least and the greatest item; `None` for no items. A float NaN wins, and −0.0 is less than +0.0.
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
/// The same as for [`gpu_reduce`].
pub fn gpu_min_max<T: Item>(items: &[T]) -> Result<Option<Extremes<T>>>
where
    MinMax: Kernel<kind::reduce, T, Output = Extremes<T>>,
{
    some::<MinMax, T>(items)
}

/// The indices of the least and of the greatest item: those of [`gpu_arg_min`] and [`gpu_arg_max`].
///
/// # Errors
///
/// The same as for [`gpu_reduce`].
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

/// How many items there are, their mean and their variance: see [`Moments`].
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
/// The same as for [`gpu_reduce`].
pub fn gpu_moments<T: Item>(items: &[T]) -> Result<Moments>
where
    Moments: Kernel<kind::reduce, T, Output = Moments>,
{
    gpu_reduce::<Moments, T>(items)
}

/// The Euclidean norm of the items, the square root of the sum of their squares; 0 for none.
///
/// The squares are added up in `f64` for `f32` and `f64`, and in `f32` for [`f16`](struct@f16) and [`bf16`]; their sum must not
/// overflow.
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
/// The same as for [`gpu_reduce`].
pub fn gpu_norm<T: HasNorm>(items: &[T]) -> Result<f64> {
    let squares = gpu_reduce::<T::Squares, T>(items)?;
    Ok(squares.into().sqrt())
}

/// A float, with the operator that adds up its squares for [`gpu_norm`].
pub trait HasNorm: Item {
    /// The operator.
    type Squares: Kernel<kind::reduce, Self, Output: Into<f64>>;
}

impl HasNorm for f16 {
    type Squares = SumOfSquares;
}

impl HasNorm for bf16 {
    type Squares = SumOfSquares;
}

impl HasNorm for f32 {
    type Squares = WideSumOfSquares;
}

impl HasNorm for f64 {
    type Squares = SumOfSquares;
}

/// The result for some items; for none there is none.
fn some<O: Kernel<kind::reduce, T>, T: Item>(items: &[T]) -> Result<Option<O::Output>> {
    match items {
        [] => Ok(None),
        _ => gpu_reduce::<O, T>(items).map(Some),
    }
}
