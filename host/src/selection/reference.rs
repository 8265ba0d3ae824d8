//! Runs of equal items on the CPU, by plain iterators.

use warpfold_kernels::element::Element;
use warpfold_kernels::selection::Equality;

/// The starts of the runs, followed by the number of items.
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
pub fn run_length_encode<E: Equality<T>, T: Element>(items: &[T]) -> (Vec<T>, Vec<usize>) {
    let starts = run_starts::<E, T>(items);
    let lengths = starts.windows(2).map(|pair| pair[1] - pair[0]);
    (unique::<E, T>(items), lengths.collect())
}
