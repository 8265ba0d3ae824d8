//! The columns of row-major matrices, in the order that [`warpfold_kernels::columns`] says: that of segments.

use warpfold_kernels::element::Element;
use warpfold_kernels::op::Op;

use super::{reduce_rows, segmented_exclusive_scan, segmented_inclusive_scan};

/// Combines the items of each of `columns` columns of a row-major matrix, as [`reduce_rows`] does those of the rows of the transposed
/// one. Of a matrix of no rows, each column gives the operator's identity.
///
/// ```
/// use warpfold::{Max, reference};
/// assert_eq!(reference::reduce_columns::<Max, u32>(&[1, 2, 4, 3], 2), [4, 3]);
/// ```
///
/// # Panics
///
/// If `columns` is 0.
pub fn reduce_columns<O: Op<T>, T: Element>(matrix: &[T], columns: usize) -> Vec<O::Output> {
    let rows = matrix.len() / columns;
    match rows {
        0 => vec![O::lower(O::identity()); columns],
        _ => reduce_rows::<O, T>(&transposed(matrix, columns), rows),
    }
}

/// Scans each of `columns` columns of a row-major matrix, each item included.
///
/// ```
/// use warpfold::{Sum, reference};
/// let sums = reference::inclusive_scan_columns::<Sum, u32>(&[1, 2, 4, 3], 2);
/// assert_eq!(sums, [1, 2, 5, 5]);
/// ```
///
/// # Panics
///
/// If `columns` is 0.
pub fn inclusive_scan_columns<O: Op<T>, T: Element>(
    matrix: &[T],
    columns: usize,
) -> Vec<O::Output> {
    scan(matrix, columns, segmented_inclusive_scan::<O, T>)
}

/// As [`inclusive_scan_columns`], each item left out.
///
/// ```
/// use warpfold::{Sum, reference};
/// let sums = reference::exclusive_scan_columns::<Sum, u32>(&[1, 2, 4, 3], 2);
/// assert_eq!(sums, [0, 0, 1, 2]);
/// ```
///
/// # Panics
///
/// If `columns` is 0.
pub fn exclusive_scan_columns<O: Op<T>, T: Element>(
    matrix: &[T],
    columns: usize,
) -> Vec<O::Output> {
    scan(matrix, columns, segmented_exclusive_scan::<O, T>)
}

/// Scans the columns as the segments of the transposed matrix.
fn scan<T: Element, R: Element>(
    matrix: &[T],
    columns: usize,
    scan_segments: fn(&[T], &[usize]) -> Vec<R>,
) -> Vec<R> {
    let rows = matrix.len() / columns;
    let offsets: Vec<usize> = (0..=columns).map(|column| column * rows).collect();
    let results = scan_segments(&transposed(matrix, columns), &offsets);
    match rows {
        0 => results,
        _ => transposed(&results, rows),
    }
}

/// The items of a matrix of this many columns, column after column.
fn transposed<T: Copy>(matrix: &[T], columns: usize) -> Vec<T> {
    let column = |column| matrix.iter().skip(column).step_by(columns).copied();
    (0..columns).flat_map(column).collect()
}
