//! Operators and kernels like a user's, and their expected results: `tests/` runs them.

#![allow(missing_docs)]

pub mod kernels;
pub mod operators;
