//! PTX as text: read, filled, cut into kernels, finished, narrowed and inspected. Text in, text out; no tool is run.
//!
//! `warpfold`, its build script, `warpfold-build` and the program that makes the committed PTX share it. It knows no kernel and no
//! operator; what must hold of a kind of kernel, its callers say.
//!
//! | module | what it holds |
//! |---|---|
//! | [`statement`], [`text`] | a text, its functions and their statements |
//! | [`fill`], [`table`] | skeletons with holes, and the bodies that fill them; which of them make which kernel |
//! | [`older`] | texts for older devices, made of those for compute capability 9.0 |
//! | [`cut`] | a text with one entry for each entry of a text |
//! | [`finish`] | launch bounds, and what of a compiler's text is kept |
//! | [`narrow`] | stores of the low bits of a float, which a driver's compiler gets wrong |
//! | [`inspect`] | what must hold of a finished kernel |
//! | [`rust_cuda`] | from what rust-cuda's compiler writes to what the driver is given |
//!
//! What is read is the subset of PTX that the compilers write and warpfold's `asm!` contains.
//!
//! The library depends on it when it runs, too, to fill skeletons: so it depends on nothing.

pub mod cut;
mod error;
pub mod fill;
pub mod finish;
pub mod inspect;
pub mod narrow;
pub mod older;
pub mod rust_cuda;
pub mod statement;
pub mod table;
pub mod text;

pub use error::Malformed;
