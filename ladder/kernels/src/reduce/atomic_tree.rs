//! Document 3, `getMax_binary` to `getMax_binary3`: a tree in shared memory, and an atomic operation for each block.
//!
//! ```text
//! shared[t] = x[i];  barrier
//! atomic_tree:           shared[t] ⊕= shared[t + k]   for k = block / 2, …, 1, t < k, each with a barrier
//! last_warp_unrolled:    the same down to 64 items; then the first warp, unrolled
//! constant_tree:         all levels unrolled, and selected by a constant block size
//! result ⊕= shared[0], atomically, by thread 0
//! ```
//!
//! Cost: each thread reads one item, and every item is read once. A block of 2ⁿ threads has 1 + n barriers, or n − 5 if the last warp is
//! unrolled.
//!
//! Corrected: a thread past the last item contributes the identity. The unrolled levels have barriers of the warp: see `tree::last_warp`.
//! The document launches `getMax_binary3<64>` with blocks of up to 1024 threads, and so uses only 64 items of each block. Here the host
//! picks the kernel whose constant is the block size.

use super::atomics::Atomic;
use super::{item_or_identity, tree};
use crate::PlainCommutative;
use warpfold_kernels::device::{block, thread};
use warpfold_kernels::element::Element;

/// `getMax_binary`: one barrier per level. The block size is a power of two.
///
/// # Safety
/// The [conditions of every launch](crate). `input` points to `item_count` items, and `result` to an item that holds the identity.
#[inline(always)]
pub unsafe fn atomic_tree<O: Atomic<T>, T: Element>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    let shared = block::shared_memory::<T>();
    // SAFETY: the whole block is here, with an item of shared memory for each thread (a condition of every launch), and `input` has
    // `item_count` items (this function's conditions). `item_to_shared` ends with a barrier. Only atomic operations use `result`.
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
/// The conditions of [`atomic_tree`].
#[inline(always)]
pub unsafe fn last_warp_unrolled<O: Atomic<T>, T: Element>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    let shared = block::shared_memory::<T>();
    // SAFETY: as in [`atomic_tree`]. The block has at least 64 threads, so 64 items are left for the first warp. A barrier precedes its
    // reads.
    unsafe {
        item_to_shared::<O, T>(shared, input, item_count);
        tree::halve::<O, T>(shared, thread::block_threads() / 2, 32);
        finish_in_warp::<O, T>(shared, result);
    }
}

/// `getMax_binary3`: all levels are unrolled, for a constant block size: 64, 128, …, 1024.
///
/// # Safety
/// The conditions of [`atomic_tree`], with `BLOCK` threads in a block.
#[inline(always)]
pub unsafe fn constant_tree<O: Atomic<T>, T: Element, const BLOCK: u32>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    let shared = block::shared_memory::<T>();
    // SAFETY: as in [`atomic_tree`]. The block has `BLOCK` threads, a power of two of at least 64, so 64 items are left for the first warp.
    // A barrier precedes its reads.
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
    // SAFETY: `input` has `item_count` items, and `shared` an item for each thread; the whole block is here (this function's conditions).
    unsafe {
        let item = item_or_identity::<O, T>(input, item_count, thread::index_in_grid());
        shared.add(thread::index() as usize).write(item);
        // Orders the writes of the items before the tree's reads.
        block::barrier();
    }
}

/// Combines the remaining 64 items in the first warp. The first lane combines their total with `result`.
///
/// # Safety
/// Convergent: whole warps. `shared` has 64 items, and a barrier has ordered their writes before this call. `result` points to an item of
/// global memory that only atomic operations use.
#[inline(always)]
pub unsafe fn finish_in_warp<O: Atomic<T>, T: Element>(shared: *mut T, result: *mut T) {
    if thread::warp() > 0 {
        return;
    }
    // SAFETY: only the whole first warp is here, since the other warps have returned. `shared` has 64 items, and only atomic operations use
    // `result` (this function's conditions).
    unsafe {
        tree::last_warp::<O, T>(shared);
        if thread::lane() == 0 {
            O::to_global(result, shared.read());
        }
    }
}
