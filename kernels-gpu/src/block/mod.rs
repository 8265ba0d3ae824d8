//! One block: its warps exchange values through shared memory.
//!
//! A convergent function (see [`crate::simt`]) is called by all threads of the block, by all threads of the warps that share a tile, or by
//! all lanes of a warp. The function's `# Safety` section says which of these call it.

mod large;
mod placement;
mod scan;
mod shape;

pub use large::{LargeTile, Stretch};
#[cfg(feature = "stable")]
pub use placement::Either;
pub use placement::{Exclusive, Inclusive, Placement};
pub use scan::{Before, ScanPart, ScanTile};
pub use shape::{Long, Shape, Short};

use crate::contract::{BLOCK_WARPS, WARP_LANES};
use crate::element::Element;
use crate::op::Op;
use crate::{simt, warp};

/// Combines one value of each thread. The result is valid on thread 0. There is one barrier, between the warps' writes of their totals and
/// warp 0's reads. `totals` has a place for each warp, and may be used again after another barrier.
///
/// # Safety
/// - Convergent: the whole block, which has [`BLOCK_WARPS`] warps.
/// - `totals` is in the block's own shared memory and has a place for each warp. A barrier lies between earlier accesses to `totals` and
///   this call.
#[inline(always)]
pub unsafe fn reduce<O: Op<T>, T: Element>(
    value: O::Accumulator,
    totals: *mut O::Accumulator,
) -> O::Accumulator {
    // SAFETY: the whole block gets to the barrier, and all of warp 0 gets to the second reduction. Each warp writes its own place of
    // `totals`, and the barrier orders these writes before warp 0's reads.
    unsafe {
        let total = warp::reduce::<O, T, WARP_LANES>(value);
        if simt::lane() == 0 {
            totals.add(simt::warp() as usize).write(total);
        }
        simt::barrier();
        if simt::warp() > 0 {
            return value;
        }
        let total = if simt::lane() < BLOCK_WARPS {
            totals.add(simt::lane() as usize).read()
        } else {
            O::identity()
        };
        warp::reduce::<O, T, BLOCK_WARPS>(total)
    }
}
