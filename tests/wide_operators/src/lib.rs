//! Operators on wide items. `tests/` checks their results.

#![allow(missing_docs)]

pub mod operators;
