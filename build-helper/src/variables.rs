//! The variables of the environment that a build asks for.

/// The variable that has the device code written beside the source; with the value `check`, compiled and compared with what is there.
pub const UPDATE: &str = "WARPFOLD_UPDATE";

/// The variable that makes it an error if no device code that fits lies beside the source.
pub const LOCKED: &str = "WARPFOLD_LOCKED";

/// The variable that says where the cache is: a folder, or `off`.
pub const CACHE: &str = "WARPFOLD_CACHE";
