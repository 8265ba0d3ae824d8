//! The scans of document 4. Each has an inclusive and an exclusive form.
//!
//! | kernel | items of a block | applications of the operator in a block | barriers of a block |
//! |---|---|---|---|
//! | [`naive::sequential`] | all, by one thread | n − 1 | 0 |
//! | [`naive::quadratic`] | B | n (n − 1) / 2 in all blocks together | 0 |
//! | [`kogge_stone::kogge_stone`] | B | B log₂ B − (B − 1) | 2 log₂ B |
//! | [`kogge_stone::double_buffered_kogge_stone`] | B | B log₂ B − (B − 1) | log₂ B |
//! | [`brent_kung::brent_kung`] | S = 2 B | 2 (S − 1) − log₂ S | 2 log₂ S |
//! | [`sections::add_prefixes`] | S: one section, but not the first | S | 0 |
//!
//! The input has n items. B is the number of threads of a block, here a power of two. The naive kernels scan the input in one launch. Each
//! block of the Kogge-Stone and Brent-Kung kernels scans one *section* of the input, and writes the section's total to `totals`. If there
//! are several sections, the host launches the kernel's inclusive form to scan their totals. If the totals fill more than one section, the
//! host repeats this with the totals of the totals. Then [`sections::add_prefixes`] combines the items of each section after the first with
//! the section's prefix.
//!
//! As in the document, an exclusive scan is an inclusive scan of other items: the identity, followed by all items of the input but the
//! last. Only [`load`] distinguishes the two scans.
//!
//! Operands keep their order, so the operator need not commute. The order of combination depends on the kernel and on the block size, and
//! so do the bits of a float result: these scans have no contract.

pub mod brent_kung;
pub mod kogge_stone;
pub mod naive;
pub mod sections;

use crate::Plain;
use warpfold_kernels::element::Element;

/// Whether an item's own value is part of its result.
pub trait Placement {
    /// The number of places by which the items are shifted before the scan.
    const SHIFT: u64;
}

/// A result combines all items up to and including its own.
pub enum Inclusive {}

/// A result combines all items before its own.
pub enum Exclusive {}

impl Placement for Inclusive {
    const SHIFT: u64 = 0;
}

impl Placement for Exclusive {
    const SHIFT: u64 = 1;
}

/// The item that the shift by `P::SHIFT` places brings to `index`. The identity, if `index` is before the first shifted item, or is not
/// below `item_count`.
///
/// # Safety
/// `input` points to `item_count` readable items.
#[inline(always)]
unsafe fn load<P: Placement, O: Plain<T>, T: Element>(
    input: *const T,
    item_count: u64,
    index: u64,
) -> T {
    if P::SHIFT <= index && index < item_count {
        // SAFETY: the place is below `item_count`, checked above, and `input` has that many items (this function's condition).
        unsafe { input.add((index - P::SHIFT) as usize).read() }
    } else {
        O::identity()
    }
}
