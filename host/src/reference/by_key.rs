//! Reductions and scans by key: segments that runs of equal keys make.

use warpfold_kernels::element::Element;
use warpfold_kernels::op::Op;
use warpfold_kernels::selection::Equality;

use super::{
    run_starts, segmented_exclusive_scan, segmented_inclusive_scan, segmented_reduce, unique,
};

/// The first key of each run of equal neighbouring keys, and what its values combine to.
///
/// ```
/// use warpfold::{Equal, Sum, reference};
/// let (keys, sums) = reference::reduce_by_key::<Sum, Equal, u8, u32>(&[3, 3, 1, 3], &[1, 2, 3, 4]);
/// assert_eq!((keys, sums), (vec![3, 1, 3], vec![3, 3, 4]));
/// ```
///
/// # Panics
///
/// If there are fewer values than keys.
pub fn reduce_by_key<O: Op<V>, E: Equality<K>, K: Element, V: Element>(
    keys: &[K],
    values: &[V],
) -> (Vec<K>, Vec<O::Output>) {
    let starts = run_starts::<E, K>(keys);
    (
        unique::<E, K>(keys),
        segmented_reduce::<O, V>(values, &starts),
    )
}

/// The values of each run of equal neighbouring keys scanned, each value included.
///
/// ```
/// use warpfold::{Equal, Sum, reference};
/// let sums = reference::inclusive_scan_by_key::<Sum, Equal, u8, u32>(&[3, 3, 1, 3], &[1, 2, 3, 4]);
/// assert_eq!(sums, [1, 3, 3, 4]);
/// ```
///
/// # Panics
///
/// If there are fewer values than keys.
pub fn inclusive_scan_by_key<O: Op<V>, E: Equality<K>, K: Element, V: Element>(
    keys: &[K],
    values: &[V],
) -> Vec<O::Output> {
    segmented_inclusive_scan::<O, V>(values, &run_starts::<E, K>(keys))
}

/// As [`inclusive_scan_by_key`], each value left out.
///
/// # Panics
///
/// If there are fewer values than keys.
pub fn exclusive_scan_by_key<O: Op<V>, E: Equality<K>, K: Element, V: Element>(
    keys: &[K],
    values: &[V],
) -> Vec<O::Output> {
    segmented_exclusive_scan::<O, V>(values, &run_starts::<E, K>(keys))
}
