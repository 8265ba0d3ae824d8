//! The ladder. Its lower rungs ([`Rung`]) are the kernels of the tutorials that warpfold grew from. Its top rungs are warpfold's own
//! kernels.
//!
//! ```
//! use warpfold::Sum;
//! use warpfold::cust::memory::DeviceBuffer;
//! use warpfold_ladder::{Ladder, Rung};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ladder = Ladder::new()?;
//! let buffer = DeviceBuffer::from_slice(&[3u32, 1, 4, 1, 5])?;
//! assert_eq!(ladder.reduce::<Sum, _>(Rung::Halving, &buffer, 256)?, 14);
//! # Ok(())
//! # }
//! ```
//!
//! The rungs are for learning and measuring: a call allocates its scratch memory and waits for its result. If nothing overflows, a sum of n
//! floats is within n·u·Σ|x| of the exact sum. Here u is the unit roundoff. The bits of a float result may depend on the block size or on
//! the order of atomic operations, except with warpfold's own rungs. A call that launches kernels fails while a blocking stream of the
//! context is being captured ([`warpfold::Error::CaptureUnderWay`]).
//!
//! Like a user's program, this crate loads its own kernels and launches them through the public interfaces of warpfold and of `cust`. The
//! kernels are in `warpfold-ladder-kernels`, and the README of this crate is a guide to them.

mod catalogue;
mod device_runtime;
mod error;
mod item;
mod kernels;
mod ladder;
mod link;
mod measure;
mod nested;
mod reduce;
mod rung;
mod scan;
mod scratch;
mod texts;

pub use error::{Error, Refusal, Result};
pub use item::Item;
pub use ladder::Ladder;
pub use measure::{Launch, Measured};
pub use rung::{BlockSizes, Document, Kind, Rung};
pub use scan::{Placement, Scans};
pub use warpfold_ladder_kernels::Plain;
