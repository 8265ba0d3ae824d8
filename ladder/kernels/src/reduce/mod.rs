//! The ladder's reductions. Related kernels share a file.

pub mod atomic_tree;
pub mod atomics;
pub mod first_at_load;
pub mod grid_stride;
pub mod halving;
pub mod neighbours;
pub mod paired;
pub mod shared_tree;
mod tree;
pub mod unrolled;

use crate::PlainCommutative;
use warpfold_kernels::device::thread;
use warpfold_kernels::element::Element;

/// The fold of a thread's items. Their indices are i, i + g, i + 2 g, …, where i is the thread's index in the grid, and g is the number of
/// threads of the grid.
///
/// # Safety
/// `items` points to `item_count` readable items.
#[inline(always)]
unsafe fn fold_grid_stride<O: PlainCommutative<T>, T: Element>(
    items: *const T,
    item_count: u64,
) -> T {
    let mut folded = O::identity();
    let mut index = thread::index_in_grid();
    while index < item_count {
        // SAFETY: `index < item_count`, and `items` has that many items (this function's condition).
        folded = O::combine(folded, unsafe { items.add(index as usize).read() });
        index += thread::grid_threads();
    }
    folded
}

/// The item at `index`, or the identity if `index` is past the last item.
///
/// # Safety
/// `items` points to `item_count` readable items.
#[inline(always)]
unsafe fn item_or_identity<O: PlainCommutative<T>, T: Element>(
    items: *const T,
    item_count: u64,
    index: u64,
) -> T {
    if index < item_count {
        // SAFETY: `index < item_count`, and `items` has that many items (this function's condition).
        unsafe { items.add(index as usize).read() }
    } else {
        O::identity()
    }
}
