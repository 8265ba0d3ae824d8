//! Values in the device's memory.

use crate::driver::Address;
use crate::error::{Argument, Error, Result};
use crate::kernel::Type;

/// Items in the device's memory, or results, offsets, a number: values of one type.
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

    /// The first `most` items, or as many as there are.
    pub fn first_items(self, most: usize) -> Self {
        Self {
            item_count: self.item_count.min(most),
            ..self
        }
    }

    /// Whether the span has bytes in common with `other`. One without items has none.
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
