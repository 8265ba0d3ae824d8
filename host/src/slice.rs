//! Reductions and scans of slices on the host: copy to the device, run, copy back.
//!
//! They work on [`Gpu::global`], and are for results now rather than speed: a copy over the bus costs far more
//! than the reduction. Data that is used more than once belongs in a device buffer.

use crate::driver;
use crate::error::Result;
use crate::gpu::{DeviceMemory, Gpu};
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Queue, Span, reduce_to_host};
use warpfold_kernels::op::{Max, Min, Product, Sum};

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
/// Those of [`Gpu::global`] and of [`reduce`](crate::reduce()).
pub fn gpu_sum<T: Item>(items: &[T]) -> Result<T>
where
    Sum: Kernel<kind::reduce, T>,
{
    reduce::<Sum, T>(items)
}

/// The product of the items; 1 for none. Integers wrap.
///
/// # Errors
///
/// Those of [`gpu_sum`].
pub fn gpu_product<T: Item>(items: &[T]) -> Result<T>
where
    Product: Kernel<kind::reduce, T>,
{
    reduce::<Product, T>(items)
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
/// Those of [`gpu_sum`].
pub fn gpu_min<T: Item>(items: &[T]) -> Result<Option<T>>
where
    Min: Kernel<kind::reduce, T>,
{
    if items.is_empty() {
        return Ok(None);
    }
    reduce::<Min, T>(items).map(Some)
}

/// The greatest of the items; `None` for none. A float NaN wins, and −0.0 is less than +0.0.
///
/// # Errors
///
/// Those of [`gpu_sum`].
pub fn gpu_max<T: Item>(items: &[T]) -> Result<Option<T>>
where
    Max: Kernel<kind::reduce, T>,
{
    if items.is_empty() {
        return Ok(None);
    }
    reduce::<Max, T>(items).map(Some)
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
/// Those of [`Gpu::global`] and of [`inclusive_scan`](crate::inclusive_scan).
pub fn gpu_inclusive_scan<O: Kernel<kind::inclusive_scan, T>, T: Item>(
    items: &[T],
) -> Result<Vec<T>> {
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
/// Those of [`gpu_inclusive_scan`].
pub fn gpu_exclusive_scan<O: Kernel<kind::exclusive_scan, T>, T: Item>(
    items: &[T],
) -> Result<Vec<T>> {
    scan::<kind::exclusive_scan, O, T>(items)
}

fn reduce<O: Kernel<kind::reduce, T>, T: Item>(items: &[T]) -> Result<T> {
    if items.is_empty() {
        return Ok(O::identity());
    }
    Gpu::global()?.enter(|entered| {
        let (_memory, span) = upload(items)?;
        reduce_to_host::<O, T>(entered, span)
    })
}

fn scan<Kind, O: Kernel<Kind, T>, T: Item>(items: &[T]) -> Result<Vec<T>> {
    let mut result = vec![T::zeroed(); items.len()];
    if items.is_empty() {
        return Ok(result);
    }
    Gpu::global()?.enter(|entered| {
        let (memory, span) = upload(items)?;
        Queue::and_wait(entered, |queue| queue.scan::<Kind, O, T>(span, span))?;
        driver::copy_to_host(bytemuck::cast_slice_mut(&mut result), memory.address())?;
        Ok(result)
    })
}

/// Copies at least one item to the device.
fn upload<T: Item>(items: &[T]) -> Result<(DeviceMemory, Span)> {
    let memory = DeviceMemory::allocate(size_of_val(items) as u64)?;
    driver::copy_to_device(memory.address(), bytemuck::cast_slice(items))?;
    let span = Span {
        address: memory.address(),
        item_count: items.len(),
    };
    Ok((memory, span))
}
