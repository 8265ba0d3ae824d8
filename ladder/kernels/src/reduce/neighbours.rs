//! Document 2: three kernels that combine the items of a block in place, in global memory, two for each thread. The host
//! combines the blocks' results.
//!
//! ```text
//! kernel 1    stride 1, 2, 4, …:   thread t:  x[2t] ⊕= x[2t + stride]          if t divides by the stride
//! kernel 2    stride 1, 2, 4, …:   thread t:  x[2t · stride] ⊕= x[… + stride]  if t < block / stride
//! kernel 3    stride block, …, 1:  thread t:  x[t] ⊕= x[t + stride]            if t < stride
//! ```
//!
//! In kernel 1 every warp has threads that work and threads that do not, until the stride is past 32. Kernel 2 moves
//! those that work to the front, so that whole warps work or do not. Kernel 3, which the document sets as an exercise,
//! also has neighbouring threads work on neighbouring items, so that a warp's accesses are contiguous.
//!
//! Cost: 1 + log₂ of the block size barriers a block; every level goes through global memory.
//!
//! Mended: the document's blocks are powers of two. A block of another size would reach into the items of the next, so
//! each access is held against the end of the block's own items, where the document has the end of all items; kernel 2
//! rounds its count of working threads up, and kernel 3 its strides.

use super::tree;
use crate::PlainCommutative;
use warpfold_kernels::device::{block, thread};
use warpfold_kernels::element::Element;

/// The items of a block: two for each thread, fewer in the last block.
struct Segment<T> {
    items: *mut T,
    item_count: u32,
}

impl<T: Element> Segment<T> {
    /// The calling block's.
    ///
    /// # Safety
    /// `items` points to `item_count` items, and the block has at least one of them.
    #[inline(always)]
    unsafe fn of_block(items: *mut T, item_count: u64) -> Self {
        let block_items = 2 * thread::block_threads();
        let begin = thread::block() as u64 * block_items as u64;
        Self {
            // SAFETY: the caller's.
            items: unsafe { items.add(begin as usize) },
            item_count: Ord::min(item_count - begin, block_items as u64) as u32,
        }
    }

    /// `items[index] ⊕= items[index + stride]`, if there is such an item.
    ///
    /// # Safety
    /// No other thread writes either, or reads the first, before the next barrier.
    #[inline(always)]
    unsafe fn add<O: PlainCommutative<T>>(&self, index: u32, stride: u32) {
        if index + stride < self.item_count {
            // SAFETY: the caller's; both indices are below the count.
            unsafe { tree::add::<O, T>(self.items, index, index + stride) }
        }
    }

    /// Has thread 0 write the block's result.
    ///
    /// # Safety
    /// `partials` has an item for each block; a barrier has ordered the writes of item 0 before.
    #[inline(always)]
    unsafe fn write_first(&self, partials: *mut T) {
        if thread::index() == 0 {
            // SAFETY: the caller's.
            unsafe {
                partials
                    .add(thread::block() as usize)
                    .write(self.items.read())
            }
        }
    }
}

/// Kernel 1: neighbours, each thread on its own two items.
///
/// # Safety
/// The ladder's contract of a launch. `items` points to `item_count` items, of which each block has at least one;
/// `partials` to one for each block.
#[inline(always)]
pub unsafe fn divergent_neighbours<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
    item_count: u64,
) {
    let thread = thread::index();
    // SAFETY: the caller's. A thread whose index divides by the stride has an item that divides by twice that.
    unsafe {
        let segment = Segment::of_block(items, item_count);
        let mut stride = 1;
        while stride < 2 * thread::block_threads() {
            if thread.is_multiple_of(stride) {
                segment.add::<O>(2 * thread, stride);
            }
            // Orders this level's writes before the next one's reads.
            block::barrier();
            stride *= 2;
        }
        segment.write_first(partials);
    }
}

/// Kernel 2: neighbours, the threads that work at the front.
///
/// # Safety
/// The same as for [`divergent_neighbours`].
#[inline(always)]
pub unsafe fn packed_neighbours<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
    item_count: u64,
) {
    let thread = thread::index();
    // SAFETY: the caller's. Thread t has the t-th of the items that divide by twice the stride.
    unsafe {
        let segment = Segment::of_block(items, item_count);
        let mut stride = 1;
        while stride < 2 * thread::block_threads() {
            if thread < thread::block_threads().div_ceil(stride) {
                segment.add::<O>(2 * stride * thread, stride);
            }
            // Orders this level's writes before the next one's reads.
            block::barrier();
            stride *= 2;
        }
        segment.write_first(partials);
    }
}

/// Kernel 3: the upper half with the lower, the threads that work at the front.
///
/// # Safety
/// The same as for [`divergent_neighbours`].
#[inline(always)]
pub unsafe fn packed_interleaved<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
    item_count: u64,
) {
    let thread = thread::index();
    // SAFETY: the caller's. The items left are twice the stride, or one fewer; a thread has one of the lower half, and
    // its partner in the upper.
    unsafe {
        let segment = Segment::of_block(items, item_count);
        let mut left = 2 * thread::block_threads();
        while left > 1 {
            let stride = left.div_ceil(2);
            if thread < left - stride {
                segment.add::<O>(thread, stride);
            }
            // Orders this level's writes before the next one's reads.
            block::barrier();
            left = stride;
        }
        segment.write_first(partials);
    }
}
