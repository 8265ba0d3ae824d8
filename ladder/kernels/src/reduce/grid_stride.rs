//! Document 1, `reduce1`: a grid-stride loop in each thread, in three launches.
//!
//! ```text
//! launch 288 blocks:   x[t] = x[t] ⊕ x[t + grid] ⊕ x[t + 2 grid] ⊕ …     for each thread t of the grid
//! launch 1 block:      the same over the results of the 288 blocks
//! launch 1 thread:     the same over the results of the one block
//! ```
//!
//! Cost: 3 launches; every item is read once, in coalesced loads. The last launch is a sequential loop of one thread.
//!
//! Corrected: in the document, every thread of the grid writes its sum, even if there are fewer items than threads, and the next launch
//! takes all these sums as items. Here a thread without items writes no sum, and the next launch gets the number of sums.

use crate::PlainCommutative;
use warpfold_kernels::device::thread;
use warpfold_kernels::element::Element;

/// Each thread folds its items. Their indices are i, i + g, i + 2 g, …, where i is the thread's index in the grid, and g is the number of
/// threads of the grid. The result replaces the thread's first item.
///
/// # Safety
/// The [conditions of every launch](crate). `items` points to `item_count` items.
#[inline(always)]
pub unsafe fn grid_stride<O: PlainCommutative<T>, T: Element>(items: *mut T, item_count: u64) {
    let index = thread::index_in_grid();
    if index < item_count {
        // SAFETY: `index < item_count`, and `items` has that many items (this function's condition). No other thread uses this thread's
        // items.
        unsafe {
            let folded = super::fold_grid_stride::<O, T>(items, item_count);
            items.add(index as usize).write(folded);
        }
    }
}
