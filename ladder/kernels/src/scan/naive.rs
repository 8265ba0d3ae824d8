//! Document 4's two scans in which threads do not cooperate: in the first, one thread computes all results. In the second, each thread
//! computes one result from all items that the result includes.
//!
//! ```text
//! sequential:  y[0] = x[0];  y[i] = y[i − 1] ⊕ x[i]            one thread, n − 1 applications
//! quadratic:   y[i] = x[0] ⊕ x[1] ⊕ … ⊕ x[i]                   a thread an item, n (n − 1) / 2 applications
//! ```
//!
//! The document gives `sequential` as C for the CPU, and `quadratic` as a sentence. These two kernels have no barriers, and use no shared
//! memory. In `quadratic`, all active lanes of a warp read the same item at the same time, and the warp with the last result takes as many
//! steps as the sequential scan.

use super::{load, Placement};
use crate::Plain;
use warpfold_kernels::device::thread;
use warpfold_kernels::element::Element;

/// One thread scans `item_count` items to `output`.
///
/// # Safety
/// - One block of one thread calls this. `item_count` is at least 1.
/// - `input` points to `item_count` readable items, `output` to as many writable items; they do not overlap.
#[inline(always)]
pub unsafe fn sequential<P: Placement, O: Plain<T>, T: Element>(
    input: *const T,
    output: *mut T,
    item_count: u64,
) {
    // SAFETY: there is one thread, and at least one item (condition 1). Every index is below `item_count`, and both arrays have that many
    // items (condition 2).
    unsafe {
        let mut total = load::<P, O, T>(input, item_count, 0);
        output.write(total);
        let mut index = 1;
        while index < item_count {
            total = O::combine(total, load::<P, O, T>(input, item_count, index));
            output.add(index as usize).write(total);
            index += 1;
        }
    }
}

/// Scans `item_count` items to `output`: each thread combines all items that its result includes, from left to right.
///
/// # Safety
/// - The grid has a thread for each item.
/// - `input` points to `item_count` readable items, `output` to as many writable items; they do not overlap.
#[inline(always)]
pub unsafe fn quadratic<P: Placement, O: Plain<T>, T: Element>(
    input: *const T,
    output: *mut T,
    item_count: u64,
) {
    let last = thread::index_in_grid();
    if last >= item_count {
        return;
    }
    // SAFETY: every index is at most `last < item_count`, and both arrays have `item_count` items (condition 2). Each thread writes its own
    // result.
    unsafe {
        let mut total = load::<P, O, T>(input, item_count, 0);
        let mut index = 1;
        while index <= last {
            total = O::combine(total, load::<P, O, T>(input, item_count, index));
            index += 1;
        }
        output.add(last as usize).write(total);
    }
}
