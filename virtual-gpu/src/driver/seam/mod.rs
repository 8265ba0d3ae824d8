//! The seam: the C symbols of the CUDA driver API, and who answers them.

pub(crate) mod dispatch;
mod exports;
mod places;
pub(crate) mod real;
pub(crate) mod symbols;
pub(crate) mod unsupported;
