//! Document 5, `reduceUnrolling2` to `reduceCompleteUnrollWarps8`: a block has the items of 2, 4 or 8 blocks, and its loop
//! is unrolled step by step.
//!
//! ```text
//! x[t] = x[t] ⊕ x[t + block] ⊕ …                         2, 4 or 8 items a thread; barrier
//! unrolled_2, _4, _8:      then `interleaved_pair`
//! unrolled_8_last_warp:    its last 64 items by the first warp, without barriers of the block
//! unrolled_8_completely:   and the levels above them written out, chosen by the block size
//! unrolled_8_constant:     which is a constant of the kernel, so that the choice costs nothing
//! ```
//!
//! Cost: the loads of a thread's items are independent of each other, so all are in flight at once. Barriers of a block of 2ᵏ threads:
//! 1 + k, or k − 5 if the last warp is unrolled.
//!
//! Corrected: as in `paired`. The last warp works in global memory, as the document has it, but with barriers of the
//! warp in place of `volatile`, see `tree::last_warp`.

use super::paired::{of_block, write_first};
use super::tree;
use crate::PlainCommutative;
use warpfold_kernels::device::{block, thread};
use warpfold_kernels::element::Element;

/// Combines the items that each thread has in `BLOCKS` blocks, and writes the result in the place of the first. Returns the address of the
/// first block's items.
///
/// # Safety
/// Convergent: the whole block. `items` points to `BLOCKS` for each thread of the grid.
#[inline(always)]
unsafe fn combine_blocks<O: PlainCommutative<T>, T: Element, const BLOCKS: u32>(
    items: *mut T,
) -> *mut T {
    // SAFETY: the caller's.
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
        // Orders the sums before the tree's reads.
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
            // SAFETY: the caller's.
            unsafe {
                let items = combine_blocks::<O, T, $blocks>(items);
                tree::halve::<O, T>(items, thread::block_threads() / 2, 0);
                write_first(partials, items);
            }
        }
    )*};
}

unrolled! {
    /// Two blocks' items a block.
    unrolled_2: 2;
    /// Four blocks' items a block.
    unrolled_4: 4;
    /// Eight blocks' items a block.
    unrolled_8: 8;
}

/// The last warp is unrolled. The block size is at least 64.
///
/// # Safety
/// The same as for [`unrolled_8`].
#[inline(always)]
pub unsafe fn unrolled_8_last_warp<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
) {
    // SAFETY: the caller's.
    unsafe {
        let items = combine_blocks::<O, T, 8>(items);
        tree::halve::<O, T>(items, thread::block_threads() / 2, 32);
        finish_in_warp::<O, T>(items, partials);
    }
}

/// All levels are written out. The block size is at least 64.
///
/// # Safety
/// The same as for [`unrolled_8`].
#[inline(always)]
pub unsafe fn unrolled_8_completely<O: PlainCommutative<T>, T: Element>(
    items: *mut T,
    partials: *mut T,
) {
    // SAFETY: the caller's.
    unsafe {
        let items = combine_blocks::<O, T, 8>(items);
        tree::levels_above_a_warp::<O, T>(items, thread::block_threads());
        finish_in_warp::<O, T>(items, partials);
    }
}

/// All levels are written out, by a block size that is a constant: 64, 128, …, 1024.
///
/// # Safety
/// The same as for [`unrolled_8`], with `BLOCK` threads in a block.
#[inline(always)]
pub unsafe fn unrolled_8_constant<O: PlainCommutative<T>, T: Element, const BLOCK: u32>(
    items: *mut T,
    partials: *mut T,
) {
    // SAFETY: the caller's.
    unsafe {
        let items = combine_blocks::<O, T, 8>(items);
        tree::levels_above_a_warp::<O, T>(items, BLOCK);
        finish_in_warp::<O, T>(items, partials);
    }
}

/// Combines the 64 items that are left by the first warp.
///
/// # Safety
/// Convergent: whole warps. `items` has 64, which a barrier has ordered before; `partials` has one for each block.
#[inline(always)]
unsafe fn finish_in_warp<O: PlainCommutative<T>, T: Element>(items: *mut T, partials: *mut T) {
    if thread::warp() == 0 {
        // SAFETY: the caller's; the other warps are done.
        unsafe {
            tree::last_warp::<O, T>(items);
            write_first(partials, items);
        }
    }
}
