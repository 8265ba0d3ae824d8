//! Compiles operators of your own for `warpfold`.
mod error;
mod ptx;
