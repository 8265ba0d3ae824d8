//! Document 1, `reduce0`: halving in global memory, one launch per level.
//!
//! ```text
//! while n > 1:  half = ⌈n / 2⌉
//!               launch: x[i] ⊕= x[i + half]   for each i with i + half < n
//!               n = half
//! ```
//!
//! Cost: ⌈log₂ n⌉ launches; every level goes through global memory.
//!
//! Corrected: the document rounds the half down, so it loses an item whenever the number of items is odd. Here a level's half is rounded
//! up, and a thread without a partner does nothing.

use crate::PlainCommutative;
use warpfold_kernels::device::thread;
use warpfold_kernels::element::Element;

/// One level: combines the upper half of `item_count` items with the lower half, in place.
///
/// # Safety
/// The [conditions of every launch](crate). `items` points to `item_count` items, and there is a thread for each item of the lower half.
#[inline(always)]
pub unsafe fn halving<O: PlainCommutative<T>, T: Element>(items: *mut T, item_count: u64) {
    let half = item_count.div_ceil(2);
    let index = thread::index_in_grid();
    if index + half < item_count {
        // SAFETY: both indices are below `item_count`, and `items` has that many items (this function's condition). No other thread uses
        // either item.
        unsafe {
            let item = items.add(index as usize);
            item.write(O::combine(item.read(), item.add(half as usize).read()));
        }
    }
}
