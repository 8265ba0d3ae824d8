//! Cases that tests skip to save time, unless the environment variable `WARPFOLD_SWEEP` is set. `.ci/run sweeps` sets it.

/// The distance from one tried case to the next: 1 in a sweep, otherwise `quick`.
pub fn step(quick: usize) -> usize {
    if is_sweep() { 1 } else { quick }
}

/// Whether all cases are to be tried.
pub fn is_sweep() -> bool {
    std::env::var_os("WARPFOLD_SWEEP").is_some()
}
