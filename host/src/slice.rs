//! Reductions and scans of slices on the host, on [`Gpu::global`].
//!
//! A copy over the bus takes far longer than the reduction, so data that is used more than once belongs in a device
//! buffer. A slice may be longer than the device's memory: it is worked on piece by piece as it comes.

use std::mem::MaybeUninit;
use std::ptr;

use bytemuck::Zeroable;
use warpfold_kernels::op::{Max, Min, Op, Product, Sum, WideSum};

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::kernel::kind::Kind;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::staged::{self, Items};

/// All items combined with the operator `O`: see [`reduce`](crate::reduce()). For no items, the operator's identity, and no GPU is
/// needed.
///
/// ```
/// use warpfold::{Max, gpu_reduce};
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(gpu_reduce::<Max, _>(&[3u16, 9, 4])?, 9);
/// assert_eq!(gpu_reduce::<Max, u16>(&[])?, u16::MIN);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`Gpu::global`] and for [`reduce`](crate::reduce()).
pub fn gpu_reduce<O: Kernel<kind::reduce, T>, T: Item>(items: &[T]) -> Result<O::Output> {
    if items.is_empty() {
        return Ok(O::lower(O::identity()));
    }
    let mut result = O::Output::zeroed();
    let bytes = bytemuck::bytes_of_mut(&mut result);
    reduce_to(O::row(), items.into(), bytes)?;
    Ok(result)
}

/// Reduces at least one item, and writes the result to these bytes.
fn reduce_to(row: &'static Row, items: Items<'_>, result: &mut [u8]) -> Result<()> {
    Gpu::global()?.enter(|entered| staged::reduce(entered, row, items, result))
}

/// The sum of the items. Integers wrap; the empty sum of floats is −0.0, as with `iter().sum()`. For no items no
/// GPU is needed.
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
/// The same as for [`gpu_reduce`].
pub fn gpu_sum<T: Item>(items: &[T]) -> Result<T>
where
    Sum: Kernel<kind::reduce, T, Output = T>,
{
    gpu_reduce::<Sum, T>(items)
}

/// The sum of the items in a wider type, in which it wraps or rounds much later: see [`WideSum`].
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
    gpu_reduce::<WideSum, T>(items)
}

/// The product of the items; 1 for none. Integers wrap.
///
/// # Errors
///
/// The same as for [`gpu_sum`].
pub fn gpu_product<T: Item>(items: &[T]) -> Result<T>
where
    Product: Kernel<kind::reduce, T, Output = T>,
{
    gpu_reduce::<Product, T>(items)
}

/// The least of the items; `None` for none. A float NaN wins, and −0.0 is less than +0.0.
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
    gpu_reduce::<Min, T>(items).map(Some)
}

/// The greatest of the items; `None` for none. A float NaN wins, and −0.0 is less than +0.0.
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
    gpu_reduce::<Max, T>(items).map(Some)
}

/// Each item combined with all before it: see [`inclusive_scan`](crate::inclusive_scan).
///
/// ```
/// use warpfold::{Sum, gpu_inclusive_scan};
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(gpu_inclusive_scan::<Sum, _>(&[1u32, 2, 3])?, [1, 3, 6]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`Gpu::global`] and for [`inclusive_scan`](crate::inclusive_scan).
pub fn gpu_inclusive_scan<O: Kernel<kind::inclusive_scan, T>, T: Item>(
    items: &[T],
) -> Result<Vec<O::Output>> {
    scan::<kind::inclusive_scan, O, T>(items)
}

/// All items before each, combined: see [`exclusive_scan`](crate::exclusive_scan).
///
/// ```
/// use warpfold::{Sum, gpu_exclusive_scan};
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(gpu_exclusive_scan::<Sum, _>(&[1u32, 2, 3])?, [0, 1, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_inclusive_scan`].
pub fn gpu_exclusive_scan<O: Kernel<kind::exclusive_scan, T>, T: Item>(
    items: &[T],
) -> Result<Vec<O::Output>> {
    scan::<kind::exclusive_scan, O, T>(items)
}

/// Each item combined with all before it, written to the first places of `results`: [`gpu_inclusive_scan`] without memory of
/// its own, which takes longer to make than the scan. What else is in `results` stays.
///
/// ```
/// use warpfold::{Sum, gpu_inclusive_scan_into};
/// # fn main() -> warpfold::Result<()> {
/// let mut results = [9; 4];
/// gpu_inclusive_scan_into::<Sum, _>(&[1u32, 2, 3], &mut results)?;
/// assert_eq!(results, [1, 3, 6, 9]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::OutputTooShort`], before anything is done. And those of [`gpu_inclusive_scan`], after which any values may be in the
/// first places of `results`.
pub fn gpu_inclusive_scan_into<O: Kernel<kind::inclusive_scan, T>, T: Item>(
    items: &[T],
    results: &mut [O::Output],
) -> Result<()> {
    scan_into::<kind::inclusive_scan, O, T>(items, results)
}

/// All items before each, combined, written to the first places of `results`: see [`gpu_inclusive_scan_into`].
///
/// # Errors
///
/// The same as for [`gpu_inclusive_scan_into`].
pub fn gpu_exclusive_scan_into<O: Kernel<kind::exclusive_scan, T>, T: Item>(
    items: &[T],
    results: &mut [O::Output],
) -> Result<()> {
    scan_into::<kind::exclusive_scan, O, T>(items, results)
}

pub(crate) fn scan<K: Kind, O: Kernel<K, T>, T: Item>(items: &[T]) -> Result<Vec<O::Output>> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    scan_items(O::row(), items.into())
}

/// Scans at least one item to results of type `R`, the row's.
fn scan_items<R: Item>(row: &'static Row, items: Items<'_>) -> Result<Vec<R>> {
    Gpu::global()?.enter(|entered| staged::scan(entered, row, items))
}

fn scan_into<K: Kind, O: Kernel<K, T>, T: Item>(
    items: &[T],
    results: &mut [O::Output],
) -> Result<()> {
    let offered_items = results.len();
    let results = results
        .get_mut(..items.len())
        .ok_or(Error::OutputTooShort {
            offered_items,
            needed_items: items.len(),
        })?;
    if items.is_empty() {
        return Ok(());
    }
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(results);
    // SAFETY: the same memory. Only what is initialised is written to it, so it holds items whatever happens.
    let bytes = unsafe { &mut *(ptr::from_mut(bytes) as *mut [MaybeUninit<u8>]) };
    scan_to(O::row(), items.into(), bytes)
}

/// Scans at least one item to memory for as many results.
fn scan_to(row: &'static Row, items: Items<'_>, results: &mut [MaybeUninit<u8>]) -> Result<()> {
    Gpu::global()?.enter(|entered| staged::scan_to(entered, row, items, results))
}
