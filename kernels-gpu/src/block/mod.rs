//! One block: warps combined through shared memory.
//!
//! Every function here is convergent (see [`crate::simt`]): all threads of the block, or of the warps that share a tile,
//! call it.

mod placement;
mod scan;
mod shape;

#[cfg(feature = "stable")]
pub use placement::Either;
pub use placement::{Exclusive, Inclusive, Placement};
pub use scan::{Before, ScanPart, ScanTile};
pub use shape::{Long, Shape, Short};

use crate::contract::{BLOCK_WARPS, WARP_LANES};
use crate::element::Element;
use crate::op::Op;
use crate::{simt, warp};

/// Combines a value of each thread; valid on thread 0. One barrier, between the warps' writes of their
/// totals and warp 0's reads. `totals`, one for each warp, may be used again after another barrier.
///
/// # Safety
/// Convergent: the whole block. `totals` are in the block's own shared memory.
#[inline(always)]
pub unsafe fn reduce<O: Op<T>, T: Element>(
    value: O::Accumulator,
    totals: *mut O::Accumulator,
) -> O::Accumulator {
    // SAFETY: the caller's; a warp writes its own total, and the barrier orders the writes before the reads.
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
