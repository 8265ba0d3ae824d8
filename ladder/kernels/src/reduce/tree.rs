//! A block's tree, which most rungs use: the upper half of the items is combined with the lower half, until one item is left.
//!
//! The items are an array of the block's own, in shared or in global memory. Before a call, a barrier has to follow the threads' writes to
//! it. The result is item 0, valid on thread 0.

use crate::PlainCommutative;
use warpfold_kernels::device::{block, thread, warp};
use warpfold_kernels::element::Element;

/// `items[index] ⊕= items[other]`.
///
/// # Safety
/// Before the next barrier, no other thread writes either of these items, or reads the first.
#[inline(always)]
pub unsafe fn add<O: PlainCommutative<T>, T: Element>(items: *mut T, index: u32, other: u32) {
    // SAFETY: the caller's.
    unsafe {
        let item = items.add(index as usize);
        item.write(O::combine(item.read(), items.add(other as usize).read()));
    }
}

/// Levels with strides from `first`, a power of two, down to above `last`, each with its barrier.
///
/// # Safety
/// Convergent: the whole block. `items` has `2 · first` items.
#[inline(always)]
pub unsafe fn halve<O: PlainCommutative<T>, T: Element>(items: *mut T, first: u32, last: u32) {
    let thread = thread::index();
    let mut stride = first;
    while stride > last {
        // SAFETY: the caller's. Each thread has an item of the lower half, and its partner in the upper one.
        unsafe {
            if thread < stride {
                add::<O, T>(items, thread, thread + stride);
            }
            // Orders this level's writes before the next one's reads.
            block::barrier();
        }
        stride /= 2;
    }
}

/// The level with the stride `$stride`, if the block of `BLOCK` threads is large enough for it.
macro_rules! level {
    ($O:ident $T:ident $items:ident $block:expr, $stride:literal) => {
        if $block >= 2 * $stride {
            if thread::index() < $stride {
                add::<$O, $T>($items, thread::index(), thread::index() + $stride);
            }
            // Orders this level's writes before the next one's reads.
            block::barrier();
        }
    };
}

/// The levels down to 64 items, written out. If `block_threads` is a constant, the levels that it rules out cost nothing.
///
/// # Safety
/// Convergent: the whole block, of `block_threads` threads, a power of two. `items` has one for each.
#[inline(always)]
pub unsafe fn levels_above_a_warp<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    block_threads: u32,
) {
    // SAFETY: the caller's. Each thread has an item of the lower half, and its partner in the upper one.
    unsafe {
        level!(O T items block_threads, 512);
        level!(O T items block_threads, 256);
        level!(O T items block_threads, 128);
        level!(O T items block_threads, 64);
    }
}

/// The levels of 64 items and less, by the first warp alone, without barriers of the block.
///
/// All lanes work at every level, though only the results of the lower half are used: inactive lanes would need a branch. The documents
/// rely on lockstep within a warp, and on `volatile`. Since the Volta generation, lanes are scheduled independently, and neither is
/// enough. So each level is a read, a barrier of the warp, a write, and another barrier.
///
/// # Safety
/// Convergent: the first warp, and no other. `items` has 64 items, which no other warp uses any more.
#[inline(always)]
pub unsafe fn last_warp<O: PlainCommutative<T>, T: Element>(items: *mut T) {
    let lane = thread::lane();
    let mut stride = 32;
    while stride > 0 {
        // SAFETY: the caller's; a lane reads below item 64 and writes its own.
        unsafe {
            let item = items.add(lane as usize);
            let sum = O::combine(item.read(), item.add(stride as usize).read());
            // Orders this level's reads before its writes.
            warp::barrier();
            item.write(sum);
            // Orders this level's writes before the next one's reads.
            warp::barrier();
        }
        stride /= 2;
    }
}
