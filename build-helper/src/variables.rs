//! The variables of the environment that a build asks for.

/// The variable by which the device code is written beside the source. With the value `check`, it is compiled and compared with the file
/// that is there.
pub const UPDATE: &str = "WARPFOLD_UPDATE";

/// The variable that makes it an error if no device code that fits lies beside the source.
pub const LOCKED: &str = "WARPFOLD_LOCKED";

/// The variable that says where the cache is: a folder, or `off`.
pub const CACHE: &str = "WARPFOLD_CACHE";
