//! Reduction of an array in one launch.
//!
//! ```text
//! block c:  fold the tiles of chunk c in registers        16-byte loads, 8 in flight a thread
//!           combine lanes by shuffles, warps through shared memory
//!           one chunk: write the result
//!           otherwise: write partial c, arrive; the last to arrive combines all partials
//! ```
//!
//! After Harris, *Optimizing Parallel Reduction in CUDA* (2007), with three departures: the tree inside a warp is
//! made of shuffles; a chunk belongs to a block index and not to a block's share of the grid, so the tree
//! does not depend on the device; and the second launch is replaced by the last block.
//!
//! Cost: every byte is read once. 1 barrier a block; where there are several chunks, 2, and 1 more in the last
//! block. The combination tree, and so every bit of the result, is that of [`crate::contract`].

use crate::block;
use crate::contract::{
    reduce_chunk_tiles, tile_items, vector_items, BLOCK_THREADS, THREAD_VECTORS,
};
use crate::element::Element;
use crate::launch::ReduceShared;
use crate::op::{Commutative, Op};
use crate::simt;
use crate::thread::{self, for_each_vector, Part};
use crate::workspace::Control;

/// Reduces `item_count` items to `output`.
///
/// # Safety
/// - The grid has [`crate::contract::reduce_chunk_count`] blocks of [`BLOCK_THREADS`] threads, all of which call this,
///   with [`crate::launch::reduce_shared_bytes`] of dynamic shared memory.
/// - `input` points to `item_count` readable items, at least one, aligned to their size.
/// - `partials` points to as many writable items as there are blocks; `output` to one. None of these overlap.
/// - `control` is a workspace's, which no other launch uses at the same time.
#[inline(always)]
pub unsafe fn reduce<O: Op<T> + Commutative, T: Element>(
    input: *const T,
    item_count: u64,
    control: *mut Control,
    partials: *mut T,
    output: *mut T,
) {
    let shared: *mut ReduceShared<T> = simt::shared_memory();
    let chunk = simt::block_index();
    let chunk_count = simt::block_count();
    // SAFETY: the caller's. Every branch around a barrier has the same condition on all threads of the block.
    unsafe {
        let totals = &raw mut (*shared).totals;
        let folded = fold_chunk::<O, T>(input, item_count, chunk as u64);
        let partial = block::reduce::<O, T>(folded, totals);
        if chunk_count == 1 {
            if simt::thread_index() == 0 {
                output.write(partial.canonical());
            }
            return;
        }

        if simt::thread_index() == 0 {
            partials.add(chunk as usize).write(partial);
            let arrived = simt::arrive(&raw mut (*control).arrivals);
            (*shared).is_last = (arrived == chunk_count - 1) as u32;
        }
        // Orders thread 0's write of `is_last`, and all that `arrive` acquired, before the reads below, and
        // warp 0's reads of the totals before they are written again.
        simt::barrier();
        if (*shared).is_last == 0 {
            return;
        }
        let folded = fold_partials::<O, T>(partials, chunk_count);
        let total = block::reduce::<O, T>(folded, totals);
        if simt::thread_index() == 0 {
            output.write(total.canonical());
            (*control).arrivals = 0;
        }
    }
}

/// This thread's fold over the tiles of a chunk.
///
/// # Safety
/// `input` points to `item_count` readable items.
#[inline(always)]
unsafe fn fold_chunk<O: Op<T>, T: Element>(input: *const T, item_count: u64, chunk: u64) -> T {
    let chunk_items = reduce_chunk_tiles::<T>(item_count) * tile_items::<T>();
    let mut begin = chunk * chunk_items;
    let end = Ord::min(begin + chunk_items, item_count);
    let mut folds = thread::identities::<O, T>();
    while begin < end {
        // SAFETY: `begin` is an item's index; vectors 256 apart are the threads'.
        let vectors = unsafe {
            let array = input.cast_mut();
            Part::<T, BLOCK_THREADS>::new(array, end, begin, simt::thread_index()).load::<O>()
        };
        let mut p = 0;
        while p < vector_items::<T>() {
            let mut column = [O::identity(); THREAD_VECTORS];
            for_each_vector!(V => { column[V] = vectors[V].as_ref()[p]; });
            let item = thread::combine_pairwise::<O, T>(&mut column);
            folds.as_mut()[p] = O::combine(folds.as_ref()[p], item);
            p += 1;
        }
        begin += tile_items::<T>();
    }
    thread::combine_pairwise::<O, T>(folds.as_mut())
}

/// This thread's fold over every 256th partial.
///
/// # Safety
/// `partials` points to `count` readable items, whose writes the caller has acquired.
#[inline(always)]
unsafe fn fold_partials<O: Op<T>, T: Element>(partials: *const T, count: u32) -> T {
    let mut folded = O::identity();
    let mut index = simt::thread_index();
    while index < count {
        // SAFETY: the index is below the count.
        let partial = unsafe { partials.add(index as usize).read() };
        folded = O::combine(folded, partial);
        index += BLOCK_THREADS;
    }
    folded
}
