//! Operators on wide items, and what their results have to be: `tests/` runs them.

#![allow(missing_docs)]

pub mod operators;
