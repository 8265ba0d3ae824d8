//! Operators and kernels of a user's kind, and what their results have to be: `tests/` runs them.

#![allow(missing_docs)]

pub mod kernels;
pub mod operators;
