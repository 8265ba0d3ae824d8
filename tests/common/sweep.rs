//! Tests with many cases usually try some of them, and all if `WARPFOLD_SWEEP` is set, as by `.ci/run sweeps`.

/// The step through the cases: `quick`, or 1 in a sweep.
pub fn step(quick: usize) -> usize {
    if is_sweep() { 1 } else { quick }
}

/// Whether all cases are to be tried.
pub fn is_sweep() -> bool {
    std::env::var_os("WARPFOLD_SWEEP").is_some()
}
