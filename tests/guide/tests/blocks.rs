//! Every block of Rust in README and the guide, compiled and run: a test is called by its page and line.

#![allow(clippy::all)]

include!(concat!(env!("OUT_DIR"), "/blocks.rs"));
