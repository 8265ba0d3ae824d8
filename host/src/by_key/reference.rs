//! Reductions by key on the CPU: each run of equal keys is a segment.

use warpfold_kernels::element::Element;
use warpfold_kernels::op::Op;
use warpfold_kernels::selection::Equality;

use crate::segments::reference::segmented_reduce;
use crate::selection::reference::{run_starts, unique};

/// The first key of each run of equal neighbouring keys, and each run's values combined.
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
