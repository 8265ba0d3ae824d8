//! Operators and kernels like a user's. `tests/` checks their results.

#![allow(missing_docs)]

pub mod kernels;
pub mod operators;
