//! A call's arguments in the device's memory, and the check of all of them.
//!
//! A call lists everything that it reads and writes in the caller's memory as [`Region`]s. [`check`] makes the checks that need no driver,
//! and [`check_memory`] asks the driver whether the regions are memory of the context. Both come before the call's kernel and workspace are
//! prepared, and before anything is launched. So a refused call has changed none of the caller's memory.
//!
//! The rule:
//!
//! - an output has room for everything that the call must write. If the call reads a count, the count's region has at least one item;
//! - each region is aligned for its items;
//! - no output shares a byte with an input or with another output. One exception: a scan of the whole may write each result over the item
//!   with the same index, if results and items have the same type;
//! - each region is memory of this GPU's primary context. The driver is asked about the region's first byte.
//!
//! If nothing in a region is read or written, only its length is checked.

use crate::driver::Address;
use crate::error::{Argument, Error, Result};
use crate::gpu::Entered;
use crate::kernel::Type;

/// Values of one type in the device's memory: items, results, offsets or a number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub address: Address,
    pub item_count: usize,
    pub item: Type,
}

impl Span {
    /// No items.
    pub const NONE: Self = Self {
        address: 0,
        item_count: 0,
        item: Type::of::<u8>(),
    };

    /// One past the last byte.
    fn end(self) -> Address {
        let bytes = (self.item_count as u64).saturating_mul(self.item.bytes as u64);
        self.address.saturating_add(bytes)
    }

    /// The first `most` items, or all items if there are fewer.
    pub fn first_items(self, most: usize) -> Self {
        Self {
            item_count: self.item_count.min(most),
            ..self
        }
    }

    /// Whether the span has bytes in common with `other`. An empty span has no bytes.
    pub fn overlaps(self, other: Self) -> bool {
        self.item_count > 0
            && other.item_count > 0
            && self.address < other.end()
            && other.address < self.end()
    }

    pub fn check_alignment(self, argument: Argument) -> Result<()> {
        let alignment = self.item.alignment;
        // An alignment is a power of two.
        match self.address & (alignment as u64 - 1) == 0 {
            true => Ok(()),
            false => Err(Error::Misaligned {
                argument,
                address: self.address,
                alignment,
            }),
        }
    }
}

/// What a call does with a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Written,
    /// Written in place: a thread reads an item of the input before it writes the item of the same index. So an input of the same type may
    /// start at the same address.
    WrittenInPlace,
}

/// Memory that a call reads or writes, in the role of one argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Region {
    argument: Argument,
    access: Access,
    /// How many items the region has.
    offered_items: usize,
    /// How many items the region must have at least.
    needed_items: usize,
    /// The part of the region that is read or written.
    touched: Span,
}

impl Region {
    /// All items of the span may be read.
    pub fn read(argument: Argument, span: Span) -> Self {
        Self {
            argument,
            access: Access::Read,
            offered_items: span.item_count,
            needed_items: 0,
            touched: span,
        }
    }

    /// Only the first item is read: the count.
    pub fn count(span: Span) -> Self {
        Self {
            needed_items: 1,
            touched: span.first_items(1),
            ..Self::read(Argument::Count, span)
        }
    }

    /// Up to `needed_items` items are written. There must be room for all of them.
    pub fn written(argument: Argument, span: Span, needed_items: usize) -> Self {
        Self {
            needed_items,
            ..Self::written_at_most(argument, span, needed_items)
        }
    }

    /// Up to `most_items` items are written, and no more than there is room for.
    pub fn written_at_most(argument: Argument, span: Span, most_items: usize) -> Self {
        Self {
            argument,
            access: Access::Written,
            offered_items: span.item_count,
            needed_items: 0,
            touched: span.first_items(most_items),
        }
    }

    /// The same region, but the output may be the input's memory.
    pub fn in_place(self) -> Self {
        Self {
            access: Access::WrittenInPlace,
            ..self
        }
    }

    /// Whether anything in the region is read or written.
    fn is_touched(&self) -> bool {
        self.touched.item_count > 0
    }

    /// Whether this region is used, and starts at the address of `other`.
    fn begins_with(&self, other: &Self) -> bool {
        self.is_touched() && self.touched.address == other.touched.address
    }

    fn check_length(&self) -> Result<()> {
        let offered_items = self.offered_items;
        match (offered_items < self.needed_items, self.access) {
            (false, _) => Ok(()),
            (true, Access::Read) => Err(Error::CountMissing),
            (true, Access::Written | Access::WrittenInPlace) => Err(Error::OutputTooShort {
                offered_items,
                needed_items: self.needed_items,
            }),
        }
    }

    fn check_apart(&self, other: &Self) -> Result<()> {
        let (read, written) = match (self.access, other.access) {
            (Access::Read, Access::Read) => return Ok(()),
            (_, Access::Read) => (other, self),
            _ => (self, other),
        };
        if !read.touched.overlaps(written.touched) || written.takes_the_place_of(read) {
            return Ok(());
        }
        Err(Error::Overlap {
            input: read.touched.address,
            input_items: read.touched.item_count,
            output: written.touched.address,
            output_items: written.touched.item_count,
        })
    }

    /// Whether this output overwrites the input `read` in place, each item with its own result.
    fn takes_the_place_of(&self, read: &Self) -> bool {
        self.access == Access::WrittenInPlace
            && (read.access, read.argument) == (Access::Read, Argument::Input)
            && self.touched.address == read.touched.address
            && self.touched.item == read.touched.item
    }
}

/// Makes all checks of a call's arguments that need no driver. Arguments that the call does not have are `None`.
pub(crate) fn check(regions: &[Option<Region>]) -> Result<()> {
    for (index, region) in regions.iter().enumerate() {
        let Some(region) = region else { continue };
        region.check_length()?;
        if region.is_touched() {
            region.touched.check_alignment(region.argument)?;
            for before in regions[..index].iter().flatten() {
                before.check_apart(region)?;
            }
        }
    }
    Ok(())
}

/// Asks the driver whether the arguments are memory of the context: once for each address.
pub(super) fn check_memory(entered: Entered<'_>, regions: &[Option<Region>]) -> Result<()> {
    for (index, region) in regions.iter().enumerate() {
        if let Some(region) = region
            && region.is_touched()
        {
            let mut before = regions[..index].iter().flatten();
            if !before.any(|before| before.begins_with(region)) {
                entered.check_memory(region.argument, region.touched.address)?;
            }
        }
    }
    Ok(())
}
