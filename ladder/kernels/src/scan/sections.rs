//! The last step of document 4's hierarchical scan: in every section but the first, each item is combined with the section's prefix.
//!
//! The document describes this step in one sentence. The step is a separate launch, so that every block sees what all blocks of the earlier
//! launches have written. All items except the first section's are read and written once more.

use crate::Plain;
use warpfold_kernels::device::thread;
use warpfold_kernels::element::Element;

/// Block b combines `prefixes[b]` with each item of section b + 1. `prefixes[b]` is the combination of the totals of sections 0 to b.
///
/// # Safety
/// - There is a block for each section except the first.
/// - `items` points to `item_count` writable items, `prefixes` to one readable item for each block; they do not overlap.
#[inline(always)]
pub unsafe fn add_prefixes<O: Plain<T>, T: Element>(
    prefixes: *const T,
    items: *mut T,
    item_count: u64,
    section_items: u64,
) {
    let block = thread::block() as u64;
    let begin = (block + 1) * section_items;
    let end = Ord::min(begin + section_items, item_count);
    // SAFETY: `prefixes` has an item for each block, and `items` has `item_count` items (condition 2). Each `index` is below `item_count`,
    // and belongs to one thread of one block.
    unsafe {
        let prefix = prefixes.add(block as usize).read();
        let mut index = begin + thread::index() as u64;
        while index < end {
            let item = items.add(index as usize);
            item.write(O::combine(prefix, item.read()));
            index += thread::block_threads() as u64;
        }
    }
}
