//! Operators and kernels such as users write. `tests/` checks their results.

#![allow(missing_docs)]

pub mod kernels;
pub mod operators;
