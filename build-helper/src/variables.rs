//! The environment variables of a build.

/// If this variable is set, and is neither empty nor `0`, the device code is written beside the source. With the value `check`, nothing is
/// written there: the device code is compiled, and compared with the existing file.
pub const UPDATE: &str = "WARPFOLD_UPDATE";

/// If this variable is set, and is neither empty nor `0`, device code that fits must exist beside the source. [`UPDATE`] and rust-cuda's
/// compiler override this setting.
pub const LOCKED: &str = "WARPFOLD_LOCKED";

/// This variable names the cache's folder. With the value `off` or `0`, there is no cache.
pub const CACHE: &str = "WARPFOLD_CACHE";
