//! Reductions of whole arrays, of one input and of two.
//!
//! [`crate::contract`] defines the order of combination, [`crate::launch`] the resources of a launch, and [`crate::workspace`] the layout
//! of the workspace.

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
