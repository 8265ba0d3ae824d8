//! Document 1, `reduce1`: a thread folds every item that is a grid's width apart, in three launches.
//!
//! ```text
//! launch 288 blocks:   x[t] = x[t] ⊕ x[t + grid] ⊕ x[t + 2 grid] ⊕ …     for each thread t of the grid
//! launch 1 block:      the same over what the 288 blocks left
//! launch 1 thread:     the same over what the block left
//! ```
//!
//! Cost: 3 launches; every item is read once, in whole rows. The last launch is a sequential loop of one thread.
//!
//! Corrected: the document has every thread of the grid write its sum, also where there are fewer items than threads, and counts those as
//! items in the next launch. Here a thread without items writes no sum, and the next launch gets the number of sums.

use crate::PlainCommutative;
use warpfold_kernels::device::thread;
use warpfold_kernels::element::Element;

/// Folds the items at each thread's place in the grid, and every grid's width after it, to that place.
///
/// # Safety
/// The ladder's contract of a launch. `items` points to `item_count` items.
#[inline(always)]
pub unsafe fn grid_stride<O: PlainCommutative<T>, T: Element>(items: *mut T, item_count: u64) {
    let index = thread::index_in_grid();
    if index < item_count {
        // SAFETY: the index is below the count, and no other thread reads or writes the items of this one.
        unsafe {
            let folded = super::fold_grid_stride::<O, T>(items, item_count);
            items.add(index as usize).write(folded);
        }
    }
}
