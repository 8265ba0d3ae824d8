//! Operators that do not commute. `tests/` checks their results.

#![allow(missing_docs)]

pub mod operators;
