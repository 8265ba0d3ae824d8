//! Works on PTX as text: reads it, fills skeletons, splits it into kernels, rewrites it for older devices, finishes and inspects it. The
//! crate runs no external tool.
//!
//! `warpfold`, the build scripts, `warpfold-build` and the program that makes the committed PTX share this crate. The crate does not know
//! warpfold's kernels and operators: its callers specify the rules that it checks a kernel against.
//!
//! | module | contents |
//! |---|---|
//! | [`statement`], [`text`] | a text, its functions and their statements |
//! | [`fill`], [`table`] | skeletons with holes, and the bodies that fill them; the skeleton and the bodies of each kernel |
//! | [`older`] | texts for older devices, made from the texts for compute capability 9.0 |
//! | [`direction`] | the texts of a scan that goes forward or backward |
//! | [`given`] | the text of a kernel for launches with certain arguments and blocks |
//! | [`indices`] | the text of a kernel whose results are indices of 32 bits |
//! | [`keys`] | the text of a kernel that scans or reduces by key, and compares keys |
//! | [`synchronous`] | replacements for instructions that compute capability 7.0 lacks |
//! | [`cut`] | a text split into texts with one entry each |
//! | [`finish`] | launch bounds, and the removal of unneeded parts of a compiler's output |
//! | [`narrow`] | stores of the low bits of a float, which a driver's compiler gets wrong |
//! | [`inspect`] | checks of a finished kernel |
//! | [`names`] | new numbers for registers and labels, with which a text compresses well |
//! | [`rust_cuda`] | changes to the output of rust-cuda's compiler, so that the driver accepts it |
//!
//! The crate reads a subset of PTX: what the compilers emit, and what warpfold's `asm!` contains.
//!
//! `warpfold` also uses this crate at run time, for example to fill skeletons. So this crate has no dependencies.

mod constants;
pub mod cut;
pub mod direction;
mod error;
pub mod fill;
pub mod finish;
pub mod given;
pub mod indices;
pub mod inspect;
pub mod keys;
pub mod names;
pub mod narrow;
pub mod older;
pub mod rust_cuda;
pub mod statement;
pub mod synchronous;
pub mod table;
pub mod text;

pub use error::Malformed;
