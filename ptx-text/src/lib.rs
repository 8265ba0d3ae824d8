//! Works on PTX as text: reads it, fills skeletons, splits it into kernels, finishes, narrows and inspects it. No tool
//! is run.
//!
//! It is shared by `warpfold`, its build script, `warpfold-build` and the program that makes the committed PTX. It
//! knows no kernels and no operators: its callers specify the checks of a kernel.
//!
//! | module | what it holds |
//! |---|---|
//! | [`statement`], [`text`] | a text, its functions and their statements |
//! | [`fill`], [`table`] | skeletons with holes, and the bodies that fill them; which of them make which kernel |
//! | [`older`] | texts for older devices, made of those for compute capability 9.0 |
//! | [`direction`] | the texts of a scan that goes forward or backward |
//! | [`indices`] | the text of a kernel whose results are indices of 32 bits |
//! | [`synchronous`] | instructions that compute capability 7.0 lacks, written with those that it has |
//! | [`cut`] | a text with one entry for each entry of a text |
//! | [`finish`] | launch bounds, and what of a compiler's text is kept |
//! | [`narrow`] | stores of the low bits of a float, which a driver's compiler gets wrong |
//! | [`inspect`] | what must hold of a finished kernel |
//! | [`rust_cuda`] | from what rust-cuda's compiler writes to what the driver is given |
//!
//! It reads the subset of PTX that the compilers emit and that warpfold's `asm!` contains.
//!
//! The library also uses it at run time, to fill skeletons, so it has no dependencies.

mod constants;
pub mod cut;
pub mod direction;
mod error;
pub mod fill;
pub mod finish;
pub mod indices;
pub mod inspect;
pub mod narrow;
pub mod older;
pub mod rust_cuda;
pub mod statement;
pub mod synchronous;
pub mod table;
pub mod text;

pub use error::Malformed;
