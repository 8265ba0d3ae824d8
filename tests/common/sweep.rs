//! Cases that tests skip to save time, unless `WARPFOLD_SWEEP` is set, as in `.ci/run sweeps`.

/// The step through the cases: `quick`, or 1 in a sweep.
pub fn step(quick: usize) -> usize {
    if is_sweep() { 1 } else { quick }
}

/// Whether these cases are to be tried.
pub fn is_sweep() -> bool {
    std::env::var_os("WARPFOLD_SWEEP").is_some()
}
