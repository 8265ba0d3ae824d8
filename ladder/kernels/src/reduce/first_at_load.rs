//! Document 3, `getMax_binary4` to `getMax_binary8`: each thread combines two items as it loads them, so that no thread is idle at the
//! first level.
//!
//! ```text
//! first_at_load:       shared[t] = x[i] ⊕ x[i + block]     a block has two blocks' items
//! distant_pairs:       shared[t] = x[i] ⊕ x[i + n / 2]     the second half of the array, not of the block
//! exclusive_cases:     the same; one case for each block size, which has all levels
//! without_indices:     the same; no index is kept in a variable
//! then as `constant_tree`
//! ```
//!
//! The cost is that of `constant_tree` with half the blocks, or with the same number of blocks and half the threads in each block.
//! [`distant_pairs`] is the kernel of two rungs: `getMax_binary5` launches it with half the blocks, and `getMax_binary6` with half the
//! threads in each block.
//!
//! The block size is a constant, so the compiler removes the same levels from `exclusive_cases` as from `tree::levels_above_a_warp`. An
//! index is the same register whether it has a name or not. So the last three kernels compile to the same instructions.
//!
//! Corrected: as in `atomic_tree`. If the second item of a pair does not exist, the first item is the pair's result. `n / 2` is rounded up.
//! Threads past the first half contribute the identity. In the document, these threads combine items of the second half again: this does
//! not change a maximum, but it changes a sum. The document launches `getMax_binary4` with twice as many blocks as it needs, and reads past
//! the end.

use super::atomic_tree::finish_in_warp;
use super::atomics::Atomic;
use super::{item_or_identity, tree};
use warpfold_kernels::device::{block, thread};
use warpfold_kernels::element::Element;

/// `getMax_binary4`: the two items of a pair are a block apart.
///
/// # Safety
/// The [conditions of every launch](crate). A block has `BLOCK` threads: 64, 128, …, 1024. `input` points to `item_count` items, and
/// `result` to an item that holds the identity.
#[inline(always)]
pub unsafe fn first_at_load<O: Atomic<T>, T: Element, const BLOCK: u32>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    let block_items = 2 * BLOCK as u64;
    let index = thread::block() as u64 * block_items + thread::index() as u64;
    // SAFETY: `input` has `item_count` items, and the whole block of `BLOCK` threads is here, with an item of shared memory for each thread
    // (this function's conditions). 64 items are left for the first warp, and a barrier precedes its reads. Only atomic operations use
    // `result`.
    unsafe {
        let pair = O::combine(
            item_or_identity::<O, T>(input, item_count, index),
            item_or_identity::<O, T>(input, item_count, index + BLOCK as u64),
        );
        let shared = pair_to_shared(pair);
        tree::levels_above_a_warp::<O, T>(shared, BLOCK);
        finish_in_warp::<O, T>(shared, result);
    }
}

/// `getMax_binary5` and `getMax_binary6`: the two items of a pair are half the array apart.
///
/// # Safety
/// The conditions of [`first_at_load`].
#[inline(always)]
pub unsafe fn distant_pairs<O: Atomic<T>, T: Element, const BLOCK: u32>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    let index = thread::block() as u64 * BLOCK as u64 + thread::index() as u64;
    // SAFETY: as in [`first_at_load`].
    unsafe {
        let shared = pair_to_shared(distant_pair::<O, T>(input, item_count, index));
        tree::levels_above_a_warp::<O, T>(shared, BLOCK);
        finish_in_warp::<O, T>(shared, result);
    }
}

/// `getMax_binary7`: cases that exclude each other.
///
/// # Safety
/// The conditions of [`first_at_load`].
#[inline(always)]
pub unsafe fn exclusive_cases<O: Atomic<T>, T: Element, const BLOCK: u32>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    let index = thread::block() as u64 * BLOCK as u64 + thread::index() as u64;
    // SAFETY: as in [`first_at_load`].
    unsafe {
        let shared = pair_to_shared(distant_pair::<O, T>(input, item_count, index));
        exclusive_levels::<O, T, BLOCK>(shared);
        finish_in_warp::<O, T>(shared, result);
    }
}

/// `getMax_binary8`: the same kernel without variables for indices.
///
/// # Safety
/// The conditions of [`first_at_load`].
#[inline(always)]
pub unsafe fn without_indices<O: Atomic<T>, T: Element, const BLOCK: u32>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    // SAFETY: as in [`first_at_load`].
    unsafe {
        let shared = pair_to_shared(distant_pair::<O, T>(
            input,
            item_count,
            thread::block() as u64 * BLOCK as u64 + thread::index() as u64,
        ));
        exclusive_levels::<O, T, BLOCK>(shared);
        finish_in_warp::<O, T>(shared, result);
    }
}

/// Writes each thread's pair to its place in shared memory, and returns the beginning of that memory.
///
/// # Safety
/// Convergent: the whole block, which has an item of dynamic shared memory for each thread.
#[inline(always)]
unsafe fn pair_to_shared<T: Element>(pair: T) -> *mut T {
    let shared = block::shared_memory::<T>();
    // SAFETY: the whole block is here, with an item of shared memory for each thread (this function's condition).
    unsafe {
        shared.add(thread::index() as usize).write(pair);
        // Orders the writes of the pairs before the tree's reads.
        block::barrier();
    }
    shared
}

/// If `index` is in the first half of the array: the item at `index`, combined with the item half an array later if there is one. If
/// `index` is past the first half: the identity.
///
/// # Safety
/// `input` points to `item_count` readable items.
#[inline(always)]
unsafe fn distant_pair<O: Atomic<T>, T: Element>(
    input: *const T,
    item_count: u64,
    index: u64,
) -> T {
    let half = item_count.div_ceil(2);
    // SAFETY: `half` is at most `item_count`, and `input` has that many items (this function's condition).
    unsafe {
        O::combine(
            item_or_identity::<O, T>(input, half, index),
            item_or_identity::<O, T>(input, item_count, index + half),
        )
    }
}

/// The levels down to 64 items. Each block size above 64 has a separate case.
///
/// # Safety
/// Convergent: the whole block, of `BLOCK` threads. `items` has an item for each thread.
#[inline(always)]
unsafe fn exclusive_levels<O: Atomic<T>, T: Element, const BLOCK: u32>(items: *mut T) {
    // SAFETY: the whole block of `BLOCK` threads is here (this function's condition), and each case needs at most `BLOCK` items.
    unsafe {
        if BLOCK >= 1024 {
            tree::halve::<O, T>(items, 512, 32);
        } else if BLOCK >= 512 {
            tree::halve::<O, T>(items, 256, 32);
        } else if BLOCK >= 256 {
            tree::halve::<O, T>(items, 128, 32);
        } else if BLOCK >= 128 {
            tree::halve::<O, T>(items, 64, 32);
        }
    }
}
