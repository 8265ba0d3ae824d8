//! Selections: what the device writes, by plain iterators.

use warpfold_kernels::element::Element;
use warpfold_kernels::selection::{Equality, Predicate};

/// The items whose flag is not 0. There are as many flags as items.
///
/// ```
/// assert_eq!(warpfold::reference::select_flagged(&[5, 6, 7], &[1, 0, 2]), [5, 7]);
/// ```
pub fn select_flagged<T: Copy>(items: &[T], flags: &[u8]) -> Vec<T> {
    let flagged = items.iter().zip(flags);
    flagged
        .filter(|&(_, &flag)| flag != 0)
        .map(|(&item, _)| item)
        .collect()
}

/// The items for which the predicate holds.
///
/// ```
/// use warpfold::{NonZero, reference};
/// assert_eq!(reference::select_if::<NonZero, f32>(&[0.0, 2.5, -0.0]), [2.5]);
/// ```
pub fn select_if<P: Predicate<T>, T: Element>(items: &[T]) -> Vec<T> {
    items
        .iter()
        .copied()
        .filter(|&item| P::holds(item))
        .collect()
}

/// The items whose flag is not 0, and the others.
pub fn partition_flagged<T: Copy>(items: &[T], flags: &[u8]) -> (Vec<T>, Vec<T>) {
    let others: Vec<u8> = flags.iter().map(|&flag| u8::from(flag == 0)).collect();
    (select_flagged(items, flags), select_flagged(items, &others))
}

/// The items for which the predicate holds, and the others.
pub fn partition_if<P: Predicate<T>, T: Element>(items: &[T]) -> (Vec<T>, Vec<T>) {
    items.iter().partition(|&&item| P::holds(item))
}

/// The indices of the items for which the predicate holds.
pub fn select_indices_if<P: Predicate<T>, T: Element>(items: &[T]) -> Vec<usize> {
    (0..items.len())
        .filter(|&index| P::holds(items[index]))
        .collect()
}

/// Where runs start, then the number of items.
///
/// ```
/// use warpfold::{Equal, reference};
/// assert_eq!(reference::run_starts::<Equal, u8>(&[3, 3, 1, 3]), [0, 2, 3, 4]);
/// ```
pub fn run_starts<E: Equality<T>, T: Element>(items: &[T]) -> Vec<usize> {
    let begins = |&index: &usize| index == 0 || !E::same(items[index - 1], items[index]);
    let mut starts: Vec<usize> = (0..items.len()).filter(begins).collect();
    starts.push(items.len());
    starts
}

/// The first item of each run.
pub fn unique<E: Equality<T>, T: Element>(items: &[T]) -> Vec<T> {
    let starts = run_starts::<E, T>(items);
    starts[..starts.len() - 1]
        .iter()
        .map(|&start| items[start])
        .collect()
}

/// The first item of each run, and how long the run is.
///
/// ```
/// use warpfold::{Equal, reference};
/// let (keys, lengths) = reference::run_length_encode::<Equal, u8>(&[3, 3, 1, 3]);
/// assert_eq!((keys, lengths), (vec![3, 1, 3], vec![2, 1, 1]));
/// ```
pub fn run_length_encode<E: Equality<T>, T: Element>(items: &[T]) -> (Vec<T>, Vec<usize>) {
    let starts = run_starts::<E, T>(items);
    let lengths = starts.windows(2).map(|pair| pair[1] - pair[0]);
    (unique::<E, T>(items), lengths.collect())
}
