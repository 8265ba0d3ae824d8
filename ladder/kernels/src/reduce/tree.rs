//! A block's tree, in the forms that most reductions of the ladder use: the upper half of the items is combined with the lower half, level
//! by level.
//!
//! The items are an array in shared or in global memory, which only this block uses. The caller has to place a barrier between the threads'
//! writes to the array and the call. After all levels, item 0 is the result, and thread 0 may read it.

use crate::PlainCommutative;
use warpfold_kernels::device::{block, thread, warp};
use warpfold_kernels::element::Element;

/// `items[index] ⊕= items[other]`.
///
/// # Safety
/// `items` has both items. Before the next barrier, no other thread writes either item, or reads `items[index]`.
#[inline(always)]
pub unsafe fn add<O: PlainCommutative<T>, T: Element>(items: *mut T, index: u32, other: u32) {
    // SAFETY: both items are in bounds, and no other thread interferes (this function's conditions).
    unsafe {
        let item = items.add(index as usize);
        item.write(O::combine(item.read(), items.add(other as usize).read()));
    }
}

/// Computes the levels whose strides are `first`, `first` / 2, … and above `last`. `first` is 0 or a power of two. Each level ends with a
/// barrier.
///
/// # Safety
/// Convergent: the whole block. `items` has `2 · first` items.
#[inline(always)]
pub unsafe fn halve<O: PlainCommutative<T>, T: Element>(items: *mut T, first: u32, last: u32) {
    let thread = thread::index();
    let mut stride = first;
    while stride > last {
        // SAFETY: `items` has `2 · first` items, so both indices are in bounds; the whole block is here (this function's condition). An
        // active thread has an item of the lower half and its partner in the upper half. No other thread uses these two items before the
        // barrier.
        unsafe {
            if thread < stride {
                add::<O, T>(items, thread, thread + stride);
            }
            // Orders this level's writes before the next level's reads.
            block::barrier();
        }
        stride /= 2;
    }
}

/// The level with the stride `$stride`, if a block of `$block` threads is large enough for this level.
macro_rules! level {
    ($O:ident $T:ident $items:ident $block:expr, $stride:literal) => {
        if $block >= 2 * $stride {
            if thread::index() < $stride {
                add::<$O, $T>($items, thread::index(), thread::index() + $stride);
            }
            // Orders this level's writes before the next level's reads.
            block::barrier();
        }
    };
}

/// The levels down to 64 items, unrolled. If `block_threads` is a constant, the compiler removes the levels for which the block is too
/// small.
///
/// # Safety
/// Convergent: the whole block. It has `block_threads` threads, a power of two. `items` has an item for each thread.
#[inline(always)]
pub unsafe fn levels_above_a_warp<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    block_threads: u32,
) {
    // SAFETY: a level needs at most `block_threads` items, and the whole block is here (this function's condition). An active thread has an
    // item of the lower half and its partner in the upper half. No other thread uses these two items before the level's barrier.
    unsafe {
        level!(O T items block_threads, 512);
        level!(O T items block_threads, 256);
        level!(O T items block_threads, 128);
        level!(O T items block_threads, 64);
    }
}

/// The levels from 64 items down to one, in the first warp alone, without barriers of the block.
///
/// All lanes work at every level, although each level after the first needs fewer lanes: inactive lanes would need a branch. Documents 3
/// and 5 rely on lockstep within a warp, and on `volatile`. Since the Volta generation, lanes are scheduled independently, and `volatile`
/// is not enough. So each level is a read, a barrier of the warp, a write, and another barrier.
///
/// # Safety
/// Convergent: the first warp, and no other. `items` has 64 items, which no other warp uses any more.
#[inline(always)]
pub unsafe fn last_warp<O: PlainCommutative<T>, T: Element>(items: *mut T) {
    let lane = thread::lane();
    let mut stride = 32;
    while stride > 0 {
        // SAFETY: only the whole first warp is here, with 64 items (this function's conditions): a lane reads items whose indices are below
        // 64, and writes only the item whose index is the lane's. Barriers separate the reads from the writes.
        unsafe {
            let item = items.add(lane as usize);
            let sum = O::combine(item.read(), item.add(stride as usize).read());
            // Orders this level's reads before its writes.
            warp::barrier();
            item.write(sum);
            // Orders this level's writes before the next level's reads.
            warp::barrier();
        }
        stride /= 2;
    }
}
