//! An operator with a row counts as used, even if nothing else uses it: this file compiles.

#![deny(dead_code)]

#[path = "../src/operators.rs"]
mod operators;
