//! Document 2: three kernels that combine a block's items in place, in global memory. A thread has two items, or fewer in the last block.
//! The host combines the blocks' results.
//!
//! ```text
//! kernel 1    stride 1, 2, 4, …:   thread t:  x[2t] ⊕= x[2t + stride]          if t is a multiple of the stride
//! kernel 2    stride 1, 2, 4, …:   thread t:  x[2t · stride] ⊕= x[… + stride]  if t < block / stride
//! kernel 3    stride block, …, 1:  thread t:  x[t] ⊕= x[t + stride]            if t < stride
//! ```
//!
//! In kernel 1, at the strides from 2 to 32, every full warp has both active and inactive threads. In kernel 2, the active threads are the
//! first threads of the block, so most warps are active or inactive as a whole. Kernel 3 is an exercise in the document. In kernel 3,
//! neighbouring threads also access neighbouring items, so a warp's accesses are contiguous.
//!
//! A block has 1 + ⌈log₂ B⌉ barriers, where B is the block size. Every level goes through global memory.
//!
//! Corrected: in the document, each index is compared with the end of all items, and the block sizes are powers of two. A block of another
//! size would access items of the next block. Here each index is compared with the end of the block's own items. Kernel 2 rounds its number
//! of active threads up, and kernel 3 rounds its strides up.

use super::tree;
use crate::PlainCommutative;
use warpfold_kernels::device::{block, thread};
use warpfold_kernels::element::Element;

/// The items of a block: two for each thread, or fewer in the last block.
struct Segment<T> {
    items: *mut T,
    item_count: u32,
}

impl<T: Element> Segment<T> {
    /// The items of the calling block.
    ///
    /// # Safety
    /// `items` points to `item_count` items, and the block has at least one of them.
    #[inline(always)]
    unsafe fn of_block(items: *mut T, item_count: u64) -> Self {
        let block_items = 2 * thread::block_threads();
        let begin = thread::block() as u64 * block_items as u64;
        Self {
            // SAFETY: `begin < item_count`, since the block has at least one item (this function's condition).
            items: unsafe { items.add(begin as usize) },
            item_count: Ord::min(item_count - begin, block_items as u64) as u32,
        }
    }

    /// `items[index] ⊕= items[index + stride]`, if the second item exists.
    ///
    /// # Safety
    /// Before the next barrier, no other thread writes either item, or reads `items[index]`.
    #[inline(always)]
    unsafe fn add<O: PlainCommutative<T>>(&self, index: u32, stride: u32) {
        if index + stride < self.item_count {
            // SAFETY: both indices are below `self.item_count`, and no other thread interferes (this function's condition).
            unsafe { tree::add::<O, T>(self.items, index, index + stride) }
        }
    }

    /// Thread 0 writes the block's result.
    ///
    /// # Safety
    /// `partials` has an item for each block. A barrier has ordered the writes of item 0 before this call.
    #[inline(always)]
    unsafe fn write_first(&self, partials: *mut T) {
        if thread::index() == 0 {
            // SAFETY: `partials` has an item for this block (this function's condition), and every block has at least one item.
            unsafe {
                partials
                    .add(thread::block() as usize)
                    .write(self.items.read())
            }
        }
    }
}

/// Kernel 1: combines neighbours. An active thread writes the first of its own two items.
///
/// # Safety
/// The [conditions of every launch](crate). `items` points to `item_count` items, and each block has at least one of them. `partials`
/// points to an item for each block.
#[inline(always)]
pub unsafe fn divergent_neighbours<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
    item_count: u64,
) {
    let thread = thread::index();
    // SAFETY: the block has at least one item, and a partial (this function's conditions). An active thread combines a pair that begins at
    // a multiple of twice the stride, so no other thread uses this pair before the barrier. All threads take all turns of the loop.
    unsafe {
        let segment = Segment::of_block(items, item_count);
        let mut stride = 1;
        while stride < 2 * thread::block_threads() {
            if thread.is_multiple_of(stride) {
                segment.add::<O>(2 * thread, stride);
            }
            // Orders this level's writes before the next level's reads.
            block::barrier();
            stride *= 2;
        }
        segment.write_first(partials);
    }
}

/// Kernel 2: combines neighbours. The active threads are the first threads of the block.
///
/// # Safety
/// The conditions of [`divergent_neighbours`].
#[inline(always)]
pub unsafe fn packed_neighbours<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
    item_count: u64,
) {
    let thread = thread::index();
    // SAFETY: as in [`divergent_neighbours`]. The pair of thread t begins at 2 · stride · t.
    unsafe {
        let segment = Segment::of_block(items, item_count);
        let mut stride = 1;
        while stride < 2 * thread::block_threads() {
            if thread < thread::block_threads().div_ceil(stride) {
                segment.add::<O>(2 * stride * thread, stride);
            }
            // Orders this level's writes before the next level's reads.
            block::barrier();
            stride *= 2;
        }
        segment.write_first(partials);
    }
}

/// Kernel 3: combines the upper half of the items with the lower half. The active threads are the first threads of the block.
///
/// # Safety
/// The conditions of [`divergent_neighbours`].
#[inline(always)]
pub unsafe fn packed_interleaved<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
    item_count: u64,
) {
    let thread = thread::index();
    // SAFETY: the block has at least one item, and a partial (this function's conditions). An active thread has an item below the stride
    // and the item one stride later, so no other thread uses these items before the barrier. All threads take all turns of the loop.
    unsafe {
        let segment = Segment::of_block(items, item_count);
        let mut left = 2 * thread::block_threads();
        while left > 1 {
            let stride = left.div_ceil(2);
            if thread < left - stride {
                segment.add::<O>(thread, stride);
            }
            // Orders this level's writes before the next level's reads.
            block::barrier();
            left = stride;
        }
        segment.write_first(partials);
    }
}
