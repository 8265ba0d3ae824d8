//! An operator with a row counts as used, though nothing asks for it: this file compiles.

#![deny(dead_code)]

#[path = "../src/operators.rs"]
mod operators;
