//! Scans of whole arrays.
//!
//! The order of combination is part of [`crate::contract`], what a launch provides is said in [`crate::launch`], and the layout of the
//! scratch memory in [`crate::workspace`].

#[macro_use]
mod arguments;
mod entry;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) mod kind;
pub mod tuning;

#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
#[doc(hidden)]
pub mod kernel;
#[cfg(all(
    any(target_arch = "nvptx64", feature = "cuda_std"),
    feature = "skeletons"
))]
mod skeletons;

pub use arguments::*;
