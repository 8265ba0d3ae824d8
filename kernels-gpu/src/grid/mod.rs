//! Whole arrays: what the kernels' entries forward to.

pub mod columns;
pub mod reduce;
pub mod scan;
pub mod segments;
pub mod selection;
mod tiles;
