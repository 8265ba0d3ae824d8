//! Operators that do not commute, and their expected results: `tests/` runs them.

#![allow(missing_docs)]

pub mod operators;
