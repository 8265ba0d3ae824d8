//! Document 5, `reduceUnrolling2` to `reduceCompleteUnroll`: a block combines 2, 4 or 8 blocks of items, each with an item for each thread.
//! The last three kernels also unroll levels of the block's tree.
//!
//! ```text
//! x[t] = x[t] ⊕ x[t + block] ⊕ …                         2, 4 or 8 items a thread; barrier
//! unrolled_2, _4, _8:      then as `interleaved_pair`
//! unrolled_8_last_warp:    the same, but the last 64 items by the first warp, without barriers of the block
//! unrolled_8_completely:   the same, but the levels above unrolled, and selected by the block size
//! unrolled_8_constant:     the same, but the block size is a constant of the kernel, so that the selection costs nothing
//! ```
//!
//! Cost: the loads of a thread's items are independent of each other, so all are in flight at once. A block of 2ᵏ threads has 1 + k
//! barriers, or k − 5 if the first warp alone computes the last levels.
//!
//! Corrected: as in `paired`. As in the document, the first warp computes the last levels in global memory, but here with barriers of the
//! warp in place of `volatile`: see `tree::last_warp`.

use super::paired::{of_block, write_first};
use super::tree;
use crate::PlainCommutative;
use warpfold_kernels::device::{block, thread};
use warpfold_kernels::element::Element;

/// Each thread has an item in each of `BLOCKS` consecutive blocks of items. Combines the thread's items, and writes the result to the place
/// of the first item. Returns the address of the calling block's items.
///
/// # Safety
/// Convergent: the whole block. `items` points to `BLOCKS` items for each thread of the grid.
#[inline(always)]
unsafe fn combine_blocks<O: PlainCommutative<T>, T: Element, const BLOCKS: u32>(
    items: *mut T,
) -> *mut T {
    // SAFETY: each thread of the grid has `BLOCKS` items, and the whole block is here (this function's conditions). No other thread uses
    // this thread's items before the barrier.
    unsafe {
        let items = of_block(items, BLOCKS);
        let first = items.add(thread::index() as usize);
        let mut sum = first.read();
        let mut block = 1;
        while block < BLOCKS {
            let item = first.add((block * thread::block_threads()) as usize).read();
            sum = O::combine(sum, item);
            block += 1;
        }
        first.write(sum);
        // Orders the writes of the sums before the tree's reads.
        block::barrier();
        items
    }
}

macro_rules! unrolled {
    ($($(#[$doc:meta])* $name:ident: $blocks:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        #[doc = concat!(
            "The ladder's contract of a launch. The block size is a power of two. `items` points to ",
            stringify!($blocks),
            " for each thread of the grid, `partials` to one for each block."
        )]
        #[inline(always)]
        pub unsafe fn $name<O: PlainCommutative<T>, T: Element>(items: *mut T, partials: *mut T) {
            // SAFETY: the whole block is here, with the items and a partial; its size is a power of two (this function's conditions).
            unsafe {
                let items = combine_blocks::<O, T, $blocks>(items);
                tree::halve::<O, T>(items, thread::block_threads() / 2, 0);
                write_first(partials, items);
            }
        }
    )*};
}

unrolled! {
    /// A block combines two blocks of items.
    unrolled_2: 2;
    /// A block combines four blocks of items.
    unrolled_4: 4;
    /// A block combines eight blocks of items.
    unrolled_8: 8;
}

/// The levels from 64 items down are unrolled, in the first warp alone. The block size is at least 64.
///
/// # Safety
/// The conditions of [`unrolled_8`].
#[inline(always)]
pub unsafe fn unrolled_8_last_warp<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
) {
    // SAFETY: as in [`unrolled_8`]. The block has at least 64 threads, so 64 items are left for the first warp. A barrier precedes the
    // warp's reads.
    unsafe {
        let items = combine_blocks::<O, T, 8>(items);
        tree::halve::<O, T>(items, thread::block_threads() / 2, 32);
        finish_in_warp::<O, T>(items, partials);
    }
}

/// All levels are unrolled. The block size is at least 64.
///
/// # Safety
/// The conditions of [`unrolled_8`].
#[inline(always)]
pub unsafe fn unrolled_8_completely<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
) {
    // SAFETY: as in [`unrolled_8_last_warp`].
    unsafe {
        let items = combine_blocks::<O, T, 8>(items);
        tree::levels_above_a_warp::<O, T>(items, thread::block_threads());
        finish_in_warp::<O, T>(items, partials);
    }
}

/// All levels are unrolled, for a constant block size: 64, 128, …, 1024.
///
/// # Safety
/// The conditions of [`unrolled_8`], with `BLOCK` threads in a block.
#[inline(always)]
pub unsafe fn unrolled_8_constant<O: PlainCommutative<T>, T: Element, const BLOCK: u32>(
    items: *mut T,
    partials: *mut T,
) {
    // SAFETY: as in [`unrolled_8_last_warp`]. The block has `BLOCK` threads.
    unsafe {
        let items = combine_blocks::<O, T, 8>(items);
        tree::levels_above_a_warp::<O, T>(items, BLOCK);
        finish_in_warp::<O, T>(items, partials);
    }
}

/// Combines the remaining 64 items in the first warp.
///
/// # Safety
/// Convergent: whole warps. `items` has 64 items, and a barrier has separated the writes to them from this call. `partials` has an item for
/// each block.
#[inline(always)]
unsafe fn finish_in_warp<O: PlainCommutative<T>, T: Element>(items: *mut T, partials: *mut T) {
    if thread::warp() == 0 {
        // SAFETY: only the whole first warp is here, and the other warps no longer use the items. There are 64 items, and a partial (this
        // function's conditions).
        unsafe {
            tree::last_warp::<O, T>(items);
            write_first(partials, items);
        }
    }
}
