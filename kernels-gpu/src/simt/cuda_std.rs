//! The machine through rust-cuda.
