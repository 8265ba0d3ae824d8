//! The blocks of Rust in README and the guide, compiled and run. Excerpts are left out, and blocks with `no_run` are only compiled. The
//! name of a test is the page and the line of its block.

#![allow(clippy::all)]

include!(concat!(env!("OUT_DIR"), "/blocks.rs"));
