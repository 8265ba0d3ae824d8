//! Reductions by key of slices on the host, on [`Gpu::global`].

#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::launch::{Chooser, check_lengths};
use crate::selection::{RunsKernel, heads};
use crate::staged::{self, Items};

/// [`reduce_by_key`](crate::reduce_by_key()) of slices on the host: the first key of each run of equal neighbouring keys, and what its
/// values combine to, with the same bits. For no keys, no GPU is needed.
///
/// Keys and values go to the device at once, through page-locked memory, so both need room for all of them, as many results, and an
/// offset for each.
///
/// ```
/// use warpfold::{Equal, Sum, gpu_reduce_by_key};
///
/// # fn main() -> warpfold::Result<()> {
/// let shops = [3u8, 3, 1, 1, 1];
/// let sales = [1.0f32, 2.0, 3.0, 4.0, 5.0];
/// let (shops, totals) = gpu_reduce_by_key::<Sum, Equal, _, _>(&shops, &sales)?;
/// assert_eq!((shops, totals), (vec![3, 1], vec![3.0, 12.0]));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::LengthsDiffer`], and those of [`gpu_reduce`](crate::gpu_reduce).
pub fn gpu_reduce_by_key<O, E, K, V>(keys: &[K], values: &[V]) -> Result<(Vec<K>, Vec<O::Output>)>
where
    O: Kernel<kind::segmented_reduce, V>,
    E: RunsKernel<K>,
    K: Item,
    V: Item,
{
    check_lengths(keys.len(), values.len())?;
    if keys.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    reduce(O::row(), keys.into(), values.into(), heads::<E, K>())
}

/// Reduces the runs of at least one key of type `K` to results of type `R`, the row's.
fn reduce<K: Item, R: Item>(
    row: &'static Row,
    keys: Items<'_>,
    values: Items<'_>,
    chooser: Chooser,
) -> Result<(Vec<K>, Vec<R>)> {
    Gpu::global()?.enter(|entered| staged::reduce_by_key(entered, row, keys, values, chooser))
}
