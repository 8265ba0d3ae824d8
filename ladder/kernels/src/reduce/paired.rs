//! Document 5, `reduceNeighbored`, `reduceNeighboredLess` and `reduceInterleaved`: a block combines its items in place, in global memory. A
//! thread has one item. The host combines the blocks' results.
//!
//! ```text
//! neighboured_pair     stride 1, 2, …:        thread t:  x[t] ⊕= x[t + stride]              if t is a multiple of 2 stride
//! neighboured_packed   stride 1, 2, …:        thread t:  x[2t · stride] ⊕= x[… + stride]    if that is in the block
//! interleaved_pair     stride block / 2, …:   thread t:  x[t] ⊕= x[t + stride]              if t < stride
//! ```
//!
//! In `neighboured_pair`, warps diverge at every level. In `neighboured_packed`, the active threads are the first threads of the block. In
//! a block of 512 threads, these are 8 warps at the first level, and 4 warps at the next. A warp diverges at the last five levels only. In
//! `interleaved_pair`, neighbouring threads also access neighbouring items.
//!
//! A block has log₂ B barriers, where B is the block size. Every level goes through global memory. Half the threads are never active:
//! document 2 gives each thread two items instead.
//!
//! Corrected: in the document's kernels, threads past the last item return before a barrier at which the other threads wait, and the last
//! block reads past the last item. Here the kernels work on a copy that the host has padded to whole blocks with the identity.

use super::tree;
use crate::PlainCommutative;
use warpfold_kernels::device::{block, thread};
use warpfold_kernels::element::Element;

/// Thread 0 writes the block's result.
///
/// # Safety
/// `partials` has an item for each block. `items` points to the block's items. No other thread has written item 0 since the last barrier.
#[inline(always)]
pub unsafe fn write_first<T: Element>(partials: *mut T, items: *const T) {
    if thread::index() == 0 {
        // SAFETY: `partials` has an item for this block, and no other thread interferes (this function's conditions).
        unsafe { partials.add(thread::block() as usize).write(items.read()) }
    }
}

/// The items of the calling block, which has `per_thread` items for each thread.
///
/// # Safety
/// `items` points to `per_thread` items for each thread of the grid.
#[inline(always)]
pub unsafe fn of_block<T: Element>(items: *mut T, per_thread: u32) -> *mut T {
    let block_items = per_thread * thread::block_threads();
    // SAFETY: each block has `block_items` items at `items`, so the items of this block begin in bounds (this function's condition).
    unsafe { items.add(thread::block() as usize * block_items as usize) }
}

/// Combines neighbours. An active thread writes the item with the thread's own index.
///
/// # Safety
/// The [conditions of every launch](crate). The block size is a power of two. `items` points to an item for each thread of the grid, and
/// `partials` to an item for each block.
#[inline(always)]
pub unsafe fn neighboured_pair<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
) {
    let thread = thread::index();
    // SAFETY: there is an item for each thread, and a partial (this function's conditions). An active thread combines two items. The index
    // of the first item is a multiple of twice the stride, and the index of the second item is below the next such multiple. So no other
    // thread uses these two items before the barrier. All threads take all turns of the loop.
    unsafe {
        let items = of_block(items, 1);
        let mut stride = 1;
        while stride < thread::block_threads() {
            if thread.is_multiple_of(2 * stride) {
                tree::add::<O, T>(items, thread, thread + stride);
            }
            // Orders this level's writes before the next level's reads.
            block::barrier();
            stride *= 2;
        }
        write_first(partials, items);
    }
}

/// Combines neighbours. The active threads are the first threads of the block.
///
/// # Safety
/// The conditions of [`neighboured_pair`].
#[inline(always)]
pub unsafe fn neighboured_packed<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
) {
    // SAFETY: as in [`neighboured_pair`], but here the first item is at `index`, a multiple of twice the stride. If `index` is in the
    // block, `index + stride` is in the block too.
    unsafe {
        let items = of_block(items, 1);
        let mut stride = 1;
        while stride < thread::block_threads() {
            let index = 2 * stride * thread::index();
            if index < thread::block_threads() {
                tree::add::<O, T>(items, index, index + stride);
            }
            // Orders this level's writes before the next level's reads.
            block::barrier();
            stride *= 2;
        }
        write_first(partials, items);
    }
}

/// Combines the upper half of the items with the lower half.
///
/// # Safety
/// The conditions of [`neighboured_pair`].
#[inline(always)]
pub unsafe fn interleaved_pair<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
) {
    // SAFETY: there is an item for each thread, and a partial. The block size is a power of two (this function's conditions).
    unsafe {
        let items = of_block(items, 1);
        tree::halve::<O, T>(items, thread::block_threads() / 2, 0);
        write_first(partials, items);
    }
}
