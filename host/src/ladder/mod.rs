//! The ladder: the kernels of the tutorials that this library grew from, each a [`Rung`], from the naive one to ours.
//!
//! ```
//! use warpfold::cust::memory::DeviceBuffer;
//! use warpfold::ladder::{self, Rung};
//! use warpfold::{Gpu, Sum};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let gpu = Gpu::new()?;
//! gpu.make_current()?;
//! let buffer = DeviceBuffer::from_slice(&[3u32, 1, 4, 1, 5])?;
//! assert_eq!(ladder::reduce::<Sum, _>(&gpu, Rung::Halving, &buffer, 256)?, 14);
//! # Ok(())
//! # }
//! ```
//!
//! The rungs are for learning and measuring: each allocates what it needs and waits for its result. A float result
//! is within the error bound of its tree, and its bits may depend on the block size; those of [`Rung::Ours`]
//! do not.

mod catalogue;
mod device_runtime;
mod kernels;
mod measure;
mod nested;
mod reduce;
mod refusal;
mod rung;
mod scan;

pub(crate) use kernels::Kernels;
pub use measure::{Launch, Measured};
pub use nested::nested_hello;
pub use reduce::{reduce, reduce_measured};
pub use refusal::Refusal;
pub use rung::{BlockSizes, Document, Kind, Rung};
pub use scan::{Placement, scan, scan_measured};
pub use warpfold_kernels::ladder::Plain;
