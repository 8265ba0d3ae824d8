//! The callers usually try only some of their cases. If `WARPFOLD_SWEEP` is set, as in `.ci/run sweeps`, they try all of them.

/// The step through the cases: `quick`, or 1 in a sweep.
pub fn step(quick: usize) -> usize {
    if is_sweep() { 1 } else { quick }
}

/// Whether all cases are to be tried.
pub fn is_sweep() -> bool {
    std::env::var_os("WARPFOLD_SWEEP").is_some()
}
