//! Tests that try many cases try some of them, and all where `WARPFOLD_SWEEP` is set, as `.ci/run sweeps` does.

/// The step through the cases: `quick`, or one by one in a sweep.
pub fn step(quick: usize) -> usize {
    if is_sweep() { 1 } else { quick }
}

/// Whether all cases are to be tried.
pub fn is_sweep() -> bool {
    std::env::var_os("WARPFOLD_SWEEP").is_some()
}
