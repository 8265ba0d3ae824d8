//! Document 1, `reduce2` to `reduce4`: each thread folds items in a grid-stride loop. A block combines its threads' folds by a tree in
//! shared memory. A second launch of one block does the same with the blocks' results.
//!
//! ```text
//! shared[t] = x[t] ⊕ x[t + grid] ⊕ …
//! for k = pow2ceil(block) / 2, …, 2, 1:  shared[t] ⊕= shared[t + k]   for t < k and t + k < block;  barrier
//! y[block] = shared[0]
//! ```
//!
//! There are 2 launches, and every item is read once. A block has 1 barrier after the fold, and then one for each level. The number of
//! levels is log₂ of the block size, rounded up. In [`warp_sync_tree`], a block has only 5 barriers in all; the last 5 levels have barriers
//! of one warp.
//!
//! Corrected: in the document's `reduce4`, all warps wait at barriers of a warp, though only the first warp needs them. The last warp of a
//! block of 300 threads is not full, and its barrier waits for missing lanes. Here all warps but the first return before these barriers.
//! The document states the supported block sizes only in a comment; here the host checks the size.

use super::{fold_grid_stride, tree};
use crate::PlainCommutative;
use warpfold_kernels::device::{block, thread, warp};
use warpfold_kernels::element::Element;

/// `reduce2`: the block size is a power of two.
///
/// # Safety
/// The [conditions of every launch](crate). `input` points to `item_count` items, and `partials` to an item for each block.
#[inline(always)]
pub unsafe fn power_of_two_tree<O: PlainCommutative<T>, T: Element>(
    input: *const T,
    partials: *mut T,
    item_count: u64,
) {
    let shared = block::shared_memory::<T>();
    // SAFETY: the whole block is here, with an item of shared memory for each thread (a condition of every launch); `input` has
    // `item_count` items, and the block has a partial (this function's conditions). `fold_to_shared` and each level end with a barrier.
    unsafe {
        fold_to_shared::<O, T>(shared, input, item_count);
        tree::halve::<O, T>(shared, thread::block_threads() / 2, 0);
        write_partial(partials, shared);
    }
}

/// `reduce3`: any block size. The first stride is half the block size, rounded up to a power of two.
///
/// # Safety
/// The conditions of [`power_of_two_tree`].
#[inline(always)]
pub unsafe fn any_size_tree<O: PlainCommutative<T>, T: Element>(
    input: *const T,
    partials: *mut T,
    item_count: u64,
) {
    let shared = block::shared_memory::<T>();
    let thread = thread::index();
    // SAFETY: as in [`power_of_two_tree`]. Both indices are below the number of threads. No other thread uses the items at these indices
    // before the barrier.
    unsafe {
        fold_to_shared::<O, T>(shared, input, item_count);
        let mut stride = pow2ceil(thread::block_threads()) / 2;
        while stride > 0 {
            if thread < stride && thread + stride < thread::block_threads() {
                tree::add::<O, T>(shared, thread, thread + stride);
            }
            // Orders this level's writes before the next level's reads.
            block::barrier();
            stride /= 2;
        }
        write_partial(partials, shared);
    }
}

/// `reduce4`: the first warp alone computes the last five levels. A block has 256 to 512 threads.
///
/// # Safety
/// The conditions of [`power_of_two_tree`].
#[inline(always)]
pub unsafe fn warp_sync_tree<O: PlainCommutative<T>, T: Element>(
    input: *const T,
    partials: *mut T,
    item_count: u64,
) {
    let shared = block::shared_memory::<T>();
    let thread = thread::index();
    // SAFETY: as in [`power_of_two_tree`]. All indices are below the number of threads, which is at least 256. Between two barriers, no two
    // threads use the same item. After the other warps have returned, only barriers of the first warp follow.
    unsafe {
        fold_to_shared::<O, T>(shared, input, item_count);
        if thread < 256 && thread + 256 < thread::block_threads() {
            tree::add::<O, T>(shared, thread, thread + 256);
        }
        // Each barrier orders the writes of one level before the reads of the next.
        block::barrier();
        let mut stride = 128;
        while stride >= 32 {
            if thread < stride {
                tree::add::<O, T>(shared, thread, thread + stride);
            }
            block::barrier();
            stride /= 2;
        }
        if thread::warp() > 0 {
            return;
        }
        while stride > 0 {
            if thread < stride {
                tree::add::<O, T>(shared, thread, thread + stride);
            }
            warp::barrier();
            stride /= 2;
        }
        write_partial(partials, shared);
    }
}

/// The least power of two that is at least `count`. `count` is at least 1.
#[inline(always)]
fn pow2ceil(count: u32) -> u32 {
    let power = 1 << (31 - count.leading_zeros());
    if count > power {
        power << 1
    } else {
        power
    }
}

/// Writes each thread's fold to its item of shared memory.
///
/// # Safety
/// Convergent: the whole block. `shared` has an item for each thread; `input` points to `item_count` items.
#[inline(always)]
unsafe fn fold_to_shared<O: PlainCommutative<T>, T: Element>(
    shared: *mut T,
    input: *const T,
    item_count: u64,
) {
    // SAFETY: `input` has `item_count` items, and `shared` an item for each thread; the whole block is here (this function's conditions).
    unsafe {
        let folded = fold_grid_stride::<O, T>(input, item_count);
        shared.add(thread::index() as usize).write(folded);
        // Orders the writes of the folds before the tree's reads.
        block::barrier();
    }
}

/// Thread 0 writes the block's result, which is in `shared[0]`.
///
/// # Safety
/// `partials` has an item for each block. Thread 0 wrote `shared[0]`, or a barrier has followed the write.
#[inline(always)]
unsafe fn write_partial<T: Element>(partials: *mut T, shared: *const T) {
    if thread::index() == 0 {
        // SAFETY: `partials` has an item for this block, and `shared[0]` is written (this function's conditions).
        unsafe { partials.add(thread::block() as usize).write(shared.read()) }
    }
}
