//! Document 3, `getMax_binary` to `getMax_binary3`: a tree in shared memory, and an atomic operation for each block.
//!
//! ```text
//! shared[t] = x[i];  barrier
//! atomic_tree:           shared[t] ⊕= shared[t + k]   for k = block / 2, …, 1, t < k, each with a barrier
//! last_warp_unrolled:    the same down to 64 items; the rest by the first warp, written out
//! constant_tree:         the levels written out, and chosen by a block size that is a constant
//! result ⊕= shared[0], atomically, by thread 0
//! ```
//!
//! Cost: every item is read once, by a thread of its own. Barriers of a block of 2ᵏ threads: 1 + k, or k − 5.
//!
//! Corrected: a thread past the last item brings the identity. The unrolled warp has barriers of the warp, see
//! `tree::last_warp`. The document launches `getMax_binary3<64>` with blocks of up to 1024 threads, and so leaves all
//! but 64 items of each out; here the host picks the kernel whose constant is the block size.

use super::atomics::Atomic;
use super::{item_or_identity, tree};
use crate::PlainCommutative;
use warpfold_kernels::device::{block, thread};
use warpfold_kernels::element::Element;

/// `getMax_binary`: a level a barrier. The block size is a power of two.
///
/// # Safety
/// The ladder's contract of a launch. `input` points to `item_count` items, `result` to one, the identity.
#[inline(always)]
pub unsafe fn atomic_tree<O: Atomic<T>, T: Element>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    let shared = block::shared_memory::<T>();
    // SAFETY: the caller's; there is an item of shared memory for each thread.
    unsafe {
        item_to_shared::<O, T>(shared, input, item_count);
        tree::halve::<O, T>(shared, thread::block_threads() / 2, 0);
        if thread::index() == 0 {
            O::to_global(result, shared.read());
        }
    }
}

/// `getMax_binary2`: the last warp is unrolled. The block size is a power of two, at least 64.
///
/// # Safety
/// The same as for [`atomic_tree`].
#[inline(always)]
pub unsafe fn last_warp_unrolled<O: Atomic<T>, T: Element>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    let shared = block::shared_memory::<T>();
    // SAFETY: the caller's; there is an item of shared memory for each thread.
    unsafe {
        item_to_shared::<O, T>(shared, input, item_count);
        tree::halve::<O, T>(shared, thread::block_threads() / 2, 32);
        finish_in_warp::<O, T>(shared, result);
    }
}

/// `getMax_binary3`: all levels are unrolled, by a block size that is a constant: 64, 128, …, 1024.
///
/// # Safety
/// The same as for [`atomic_tree`], with `BLOCK` threads in a block.
#[inline(always)]
pub unsafe fn constant_tree<O: Atomic<T>, T: Element, const BLOCK: u32>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    let shared = block::shared_memory::<T>();
    // SAFETY: the caller's; there is an item of shared memory for each thread.
    unsafe {
        item_to_shared::<O, T>(shared, input, item_count);
        tree::levels_above_a_warp::<O, T>(shared, BLOCK);
        finish_in_warp::<O, T>(shared, result);
    }
}

/// Writes each thread's item to its place in shared memory.
///
/// # Safety
/// Convergent: the whole block. `shared` has an item for each thread; `input` points to `item_count` items.
#[inline(always)]
unsafe fn item_to_shared<O: PlainCommutative<T>, T: Element>(
    shared: *mut T,
    input: *const T,
    item_count: u64,
) {
    // SAFETY: the caller's.
    unsafe {
        let item = item_or_identity::<O, T>(input, item_count, thread::index_in_grid());
        shared.add(thread::index() as usize).write(item);
        // Orders the items before the tree's reads.
        block::barrier();
    }
}

/// Combines the 64 items that are left by the first warp, whose first lane adds them to the result.
///
/// # Safety
/// Convergent: whole warps. `shared` has 64 items, which a barrier has ordered before; `result` is one of global memory.
#[inline(always)]
pub unsafe fn finish_in_warp<O: Atomic<T>, T: Element>(shared: *mut T, result: *mut T) {
    if thread::warp() > 0 {
        return;
    }
    // SAFETY: the caller's; the other warps have left.
    unsafe {
        tree::last_warp::<O, T>(shared);
        if thread::lane() == 0 {
            O::to_global(result, shared.read());
        }
    }
}
