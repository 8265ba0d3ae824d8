//! One thread: its indices, and a fold over items.

use crate::element::Element;
use crate::op::Op;
use crate::simt;

/// This thread's index in its block. Blocks are one-dimensional.
#[inline(always)]
pub fn index() -> u32 {
    simt::thread_index()
}

/// This thread's lane in its warp, from 0 to 31.
#[inline(always)]
pub fn lane() -> u32 {
    simt::lane()
}

/// The index of this thread's warp in its block.
#[inline(always)]
pub fn warp() -> u32 {
    simt::warp()
}

/// The index of this thread's block in the grid.
#[inline(always)]
pub fn block() -> u32 {
    simt::block_index()
}

/// The number of blocks in the grid.
#[inline(always)]
pub fn block_count() -> u32 {
    simt::block_count()
}

/// The number of threads in a block.
#[inline(always)]
pub fn block_threads() -> u32 {
    simt::block_threads()
}

/// This thread's index among all threads of the grid.
#[inline(always)]
pub fn index_in_grid() -> u64 {
    simt::thread_in_grid()
}

/// The number of threads in the grid: the distance between a thread's items in a grid-stride loop.
#[inline(always)]
pub fn grid_threads() -> u64 {
    simt::threads_in_grid()
}

/// Folds every `step`th item from `first` to before `end`, from left to right. Each item is lifted with its index. For no items, the
/// result is the identity.
///
/// The function is not convergent: any thread may call it. For the items 5, 6, 7, 8, 9, with `first` 1 and `step` 2, the sum is 6 + 8 = 14.
///
/// # Safety
/// The items before `end` are aligned and readable. `step` is not 0, and `end + step` does not overflow.
#[inline(always)]
pub unsafe fn fold<O: Op<T>, T: Element>(
    items: *const T,
    first: u64,
    end: u64,
    step: u64,
) -> O::Accumulator {
    let mut folded = O::identity();
    let mut index = first;
    while index < end {
        // SAFETY: `index < end`, and the items before `end` are readable: this function's condition.
        let item = unsafe { items.add(index as usize).read() };
        folded = O::combine(folded, O::lift_at(item, index));
        index += step;
    }
    folded
}
