//! Reductions and scans of the columns of row-major matrices on the CPU. Each column is combined in the same order as a segment (see
//! [`warpfold_kernels::columns`]).

use warpfold_kernels::element::Element;
use warpfold_kernels::op::Op;

use crate::segments::reference::{
    segmented_exclusive_scan, segmented_inclusive_scan, segmented_reduce,
};

/// Reduces each column of a row-major matrix. The matrix is transposed first, and its columns are reduced as segments. If the matrix has no
/// rows, each result is the operator's identity.
///
/// # Panics
///
/// If `columns` is 0.
pub fn reduce_columns<O: Op<T>, T: Element>(matrix: &[T], columns: usize) -> Vec<O::Output> {
    segmented_reduce::<O, T>(
        &transposed(matrix, columns),
        &offsets(matrix.len(), columns),
    )
}

/// Scans each column of a row-major matrix inclusively: an item is part of its own result.
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

/// The same as [`inclusive_scan_columns`], but exclusive: an item is not part of its own result.
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

/// Transposes the matrix, scans its columns as segments, and transposes the results back.
fn scan<T: Element, R: Element>(
    matrix: &[T],
    columns: usize,
    scan_segments: fn(&[T], &[usize]) -> Vec<R>,
) -> Vec<R> {
    let offsets = offsets(matrix.len(), columns);
    let results = scan_segments(&transposed(matrix, columns), &offsets);
    match matrix.len() / columns {
        0 => results,
        rows => transposed(&results, rows),
    }
}

/// Where the columns begin in the transposed matrix, and where the last column ends.
fn offsets(item_count: usize, columns: usize) -> Vec<usize> {
    let rows = item_count / columns;
    (0..=columns).map(|column| column * rows).collect()
}

/// The items of a matrix of this many columns, column after column.
fn transposed<T: Copy>(matrix: &[T], columns: usize) -> Vec<T> {
    let column = |column| matrix.iter().skip(column).step_by(columns).copied();
    (0..columns).flat_map(column).collect()
}
