//! Document 4's Brent-Kung scan: the way up makes a reduction tree, and the way down fills in the places between the tree's nodes. For the
//! same section, this scan needs half the threads of Kogge-Stone, and nearly twice the passes.
//!
//! ```text
//! up:    for stride in 1, 2, 4, … up to B:      T[i] = T[i − stride] ⊕ T[i]      i = 2 stride (t + 1) − 1
//! down:  for stride in S/4, …, 2, 1:            T[i + stride] = T[i] ⊕ T[i + stride]
//! ```
//!
//! A block of B threads scans S = 2 B items. The way up takes S − 1 applications of the operator, and the way down S − 1 − log₂ S. (The
//! document gives an upper bound for both ways together: 2 (S − 1).) There is a barrier before each pass, and another before the results
//! are read: 2 log₂ S barriers. The active threads are the first threads of the block. In the pass of stride s their items are 2 s apart,
//! so up to 32 lanes access one bank.
//!
//! Corrected: here the places past the last item hold the operator's identity. The document leaves these places of shared memory unwritten.
//! S need not be a power of two, but the formulas above are for powers of two. The first stride of the way down is P / 4, where P is the
//! least power of two that is at least S. This is the stride for a section of P items. The method is that of Brent and Kung, *A Regular
//! Layout for Parallel Adders* (1982).

use super::{load, Placement};
use crate::Plain;
use warpfold_kernels::device::{block, thread};
use warpfold_kernels::element::Element;

/// Scans each section. A section has two items for each thread of a block.
///
/// # Safety
/// - There is a block for each section, with dynamic shared memory for a section's items.
/// - `input` points to `item_count` readable items, `output` to as many writable items, and `totals` to an item for each block. The three
///   arrays do not overlap, except that an inclusive scan may be in place.
#[inline(always)]
pub unsafe fn brent_kung<P: Placement, O: Plain<T>, T: Element>(
    input: *const T,
    output: *mut T,
    totals: *mut T,
    item_count: u64,
) {
    let (thread, threads) = (thread::index(), thread::block_threads());
    let section_items = 2 * threads;
    let low = thread::block() as u64 * section_items as u64 + thread as u64;
    let high = low + threads as u64;
    let section: *mut T = block::shared_memory();
    // SAFETY: places are below `section_items`, and the block has shared memory for that many items (condition 1). In each pass a thread
    // writes a place that no other thread uses. Indices of `output` are below `item_count`, and the block has a total (condition 2). All
    // threads take all turns of both loops, so the whole block reaches each barrier.
    unsafe {
        let own = section.add(thread as usize);
        own.write(load::<P, O, T>(input, item_count, low));
        own.add(threads as usize)
            .write(load::<P, O, T>(input, item_count, high));

        let mut stride = 1;
        while stride <= threads {
            // Orders earlier writes to shared memory before this pass's reads.
            block::barrier();
            let node = 2 * stride * (thread + 1) - 1;
            if node < section_items {
                combine_at::<O, T>(section, node - stride, node);
            }
            stride *= 2;
        }

        let mut stride = section_items.next_power_of_two() / 4;
        while stride > 0 {
            // Orders the writes of the previous pass before this pass's reads.
            block::barrier();
            let node = 2 * stride * (thread + 1) - 1;
            if node + stride < section_items {
                combine_at::<O, T>(section, node, node + stride);
            }
            stride /= 2;
        }

        // Orders all writes before the reads of the results.
        block::barrier();
        if low < item_count {
            output.add(low as usize).write(own.read());
        }
        let last = own.add(threads as usize).read();
        if high < item_count {
            output.add(high as usize).write(last);
        }
        if thread == threads - 1 {
            totals.add(thread::block() as usize).write(last);
        }
    }
}

/// Combines the value at `left` with the value at `right`, and stores the result at `right`.
///
/// # Safety
/// `left` and `right` are places of the section. Before the next barrier, no other thread writes either place, or reads `right`.
#[inline(always)]
unsafe fn combine_at<O: Plain<T>, T: Element>(section: *mut T, left: u32, right: u32) {
    // SAFETY: `left` and `right` are places of the section, and no other thread interferes (this function's conditions).
    unsafe {
        let place = section.add(right as usize);
        place.write(O::combine(section.add(left as usize).read(), place.read()));
    }
}
