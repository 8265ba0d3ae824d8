//! Operators on wide items, or with wide accumulators. `tests/` checks their results.

#![allow(missing_docs)]

pub mod operators;
