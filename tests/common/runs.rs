//! Runs of equal keys.

/// Keys in runs of these lengths.
pub fn keys<K: Copy>(lengths: &[usize], key: impl Fn(usize) -> K) -> Vec<K> {
    let runs = lengths.iter().enumerate();
    runs.flat_map(|(run, &length)| std::iter::repeat_n(key(run), length))
        .collect()
}
