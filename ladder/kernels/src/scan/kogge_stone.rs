//! Document 4's Kogge-Stone scan: each pass combines every item with the item one stride before it, if that item exists. The stride doubles
//! from pass to pass.
//!
//! ```text
//! for stride in 1, 2, 4, … below B:    T[t] = T[t − stride] ⊕ T[t]     for every t from stride on
//! ```
//!
//! After the pass of stride s, T[t] is the combination of the 2 s items up to and including item t. If there are fewer than 2 s, it is the
//! combination of these. In a block of B threads, the log₂ B passes take B log₂ B − (B − 1) applications of the operator; the sequential
//! scan takes B − 1.
//!
//! - [`kogge_stone`]: scans in place. Two barriers per pass separate all reads from all writes. Shared memory holds B items.
//! - [`double_buffered_kogge_stone`]: each pass reads one buffer and writes the other, so one barrier per pass is enough. Shared memory
//!   holds 2 B items. The document describes this kernel, and has no code for it.
//!
//! Corrected: here the places past the last item hold the operator's identity. In the document they hold 0. B may be any number from 2 up;
//! the formulas above are for powers of two. The method is that of Kogge and Stone, *A Parallel Algorithm for the Efficient Solution of a
//! General Class of Recurrence Equations* (1973).

use super::{load, Placement};
use crate::Plain;
use warpfold_kernels::device::{block, thread};
use warpfold_kernels::element::Element;

/// Scans each section in place in shared memory. A section has an item for each thread of a block.
///
/// # Safety
/// - There is a block for each section, with an item of dynamic shared memory for each thread.
/// - `input` points to `item_count` readable items, `output` to as many writable items, and `totals` to an item for each block. The three
///   arrays do not overlap, except that an inclusive scan may be in place.
#[inline(always)]
pub unsafe fn kogge_stone<P: Placement, O: Plain<T>, T: Element>(
    input: *const T,
    output: *mut T,
    totals: *mut T,
    item_count: u64,
) {
    let (thread, threads) = (thread::index(), thread::block_threads());
    let index = thread::index_in_grid();
    let section: *mut T = block::shared_memory();
    // SAFETY: the block has an item of shared memory for each thread (condition 1). A thread writes its own place only, and barriers
    // separate writes from reads. All threads take all turns of the loop. `load` and `store` have the conditions of this function.
    unsafe {
        let own = section.add(thread as usize);
        own.write(load::<P, O, T>(input, item_count, index));
        let mut stride = 1;
        while stride < threads {
            // Orders earlier writes to shared memory before this pass's reads.
            block::barrier();
            let mut combined = O::identity();
            if thread >= stride {
                combined = O::combine(own.sub(stride as usize).read(), own.read());
            }
            // Orders this pass's reads before its writes.
            block::barrier();
            if thread >= stride {
                own.write(combined);
            }
            stride *= 2;
        }
        store(own.read(), output, totals, item_count, index);
    }
}

/// Scans each section in two buffers of shared memory, which take turns as source and destination. A section has an item for each thread of
/// a block.
///
/// # Safety
/// The conditions of [`kogge_stone`], with shared memory for twice as many items.
#[inline(always)]
pub unsafe fn double_buffered_kogge_stone<P: Placement, O: Plain<T>, T: Element>(
    input: *const T,
    output: *mut T,
    totals: *mut T,
    item_count: u64,
) {
    let (thread, threads) = (thread::index(), thread::block_threads());
    let index = thread::index_in_grid();
    let buffers: *mut T = block::shared_memory();
    // SAFETY: the block has two items of shared memory for each thread (condition 1). A thread writes its own place of each buffer only,
    // and a barrier separates the passes. All threads take all turns of the loop. `load` and `store` have the conditions of this function.
    unsafe {
        let mut source = buffers.add(thread as usize);
        let mut destination = source.add(threads as usize);
        source.write(load::<P, O, T>(input, item_count, index));
        let mut stride = 1;
        while stride < threads {
            // Orders earlier accesses to shared memory before this pass's accesses. The previous pass wrote the buffer that is now the
            // source, and read the buffer that is now the destination.
            block::barrier();
            let mut combined = source.read();
            if thread >= stride {
                combined = O::combine(source.sub(stride as usize).read(), combined);
            }
            destination.write(combined);
            core::mem::swap(&mut source, &mut destination);
            stride *= 2;
        }
        store(source.read(), output, totals, item_count, index);
    }
}

/// Writes a thread's result. The last thread's result is also written as the section's total.
///
/// # Safety
/// The conditions of [`kogge_stone`].
#[inline(always)]
unsafe fn store<T: Element>(
    scanned: T,
    output: *mut T,
    totals: *mut T,
    item_count: u64,
    index: u64,
) {
    // SAFETY: `index < item_count` is checked before the first write, and `totals` has an item for each block (condition 2 of
    // [`kogge_stone`]).
    unsafe {
        if index < item_count {
            output.add(index as usize).write(scanned);
        }
        if thread::index() == thread::block_threads() - 1 {
            totals.add(thread::block() as usize).write(scanned);
        }
    }
}
