//! Reductions of the columns of slices on the host, on [`Gpu::global`].

use warpfold_kernels::op::Op;

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::segments::row_count;
use crate::staged::{self, Items};

/// [`reduce_columns`](crate::reduce_columns) of a slice on the host: a result for each of `columns` columns, with the same bits.
///
/// The whole slice goes to the device at once, through page-locked memory, so both need room for all items and results. Of a matrix of
/// no rows, each column gives the operator's identity, and the driver is not called.
///
/// ```
/// use warpfold::{Max, gpu_reduce_columns};
///
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(gpu_reduce_columns::<Max, _>(&[1, 5, 2, 4, 3, 0], 3)?, [4, 5, 2]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::UnevenRows`](crate::Error::UnevenRows) if the items are no whole rows, as they never are with no columns. Else those of
/// [`gpu_reduce`](crate::gpu_reduce).
pub fn gpu_reduce_columns<O: Kernel<kind::columns_reduce, T>, T: Item>(
    matrix: &[T],
    columns: usize,
) -> Result<Vec<O::Output>> {
    let rows = row_count(matrix.len(), columns)?;
    match rows {
        0 => identities::<O, T>(columns),
        _ => reduce(O::row(), matrix.into(), rows, columns),
    }
}

/// Reduces the columns of a matrix of at least one row to results of type `R`, the row's.
fn reduce<R: Item>(
    row: &'static Row,
    matrix: Items<'_>,
    rows: usize,
    columns: usize,
) -> Result<Vec<R>> {
    Gpu::global()?.enter(|entered| staged::reduce_columns(entered, row, matrix, rows, columns))
}

/// The operator's identity as a result, as many times.
fn identities<O: Op<T>, T: Item>(count: usize) -> Result<Vec<O::Output>> {
    let mut results = Vec::new();
    results
        .try_reserve_exact(count)
        .map_err(|_| Error::OutOfHostMemory {
            asked_bytes: count.saturating_mul(size_of::<O::Output>()),
        })?;
    results.resize(count, O::lower(O::identity()));
    Ok(results)
}
