//! The sections of a transfer lane's memory, one after another: inputs, which are uploaded whole, and room for outputs.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::gpu::BusyTransferLane;
use crate::kernel::Type;
use crate::launch::Span;
use crate::staged::Items;

/// The alignment of a section, in bytes. Memory from `cuMemAlloc` has the same alignment.
const ALIGNMENT: usize = 256;

/// Assigns sections, one after another.
#[derive(Default)]
pub(super) struct Layout {
    end: usize,
}

/// A section of a lane's memory, for `item_count` items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Section {
    /// The offset of the section's first byte.
    pub at: usize,
    pub item_count: usize,
    pub item: Type,
}

impl Layout {
    /// A section for `item_count` items, after all earlier sections.
    pub fn section(&mut self, item_count: usize, item: Type) -> Result<Section> {
        let at = self.end.checked_next_multiple_of(ALIGNMENT);
        let end = item_count
            .checked_mul(item.bytes)
            .and_then(|bytes| at?.checked_add(bytes));
        let (Some(at), Some(end)) = (at, end) else {
            return Err(Error::OutOfHostMemory {
                asked_bytes: usize::MAX,
            });
        };
        self.end = end;
        Ok(Section {
            at,
            item_count,
            item,
        })
    }

    /// A section for these items.
    pub fn section_for(&mut self, items: Items<'_>) -> Result<Section> {
        self.section(items.count(), items.item())
    }

    /// Bytes of all sections, and of the gaps between them.
    pub fn bytes(&self) -> usize {
        self.end
    }
}

impl Section {
    /// A range of the section's items.
    pub fn items(self, range: Range<usize>) -> Self {
        Self {
            at: self.at + range.start * self.item.bytes,
            item_count: range.len(),
            ..self
        }
    }

    /// The first `item_count` items, or all items if there are fewer.
    pub fn first(self, item_count: usize) -> Self {
        self.items(0..item_count.min(self.item_count))
    }

    pub fn bytes(self) -> usize {
        self.item_count * self.item.bytes
    }

    /// The section in the device memory of this lane.
    pub fn on(self, lane: &BusyTransferLane<'_>) -> Span {
        Span {
            address: lane.device() + self.at as u64,
            item_count: self.item_count,
            item: self.item,
        }
    }

    /// Copies the items to this section of a lane's buffer.
    pub fn fill(self, bytes: &mut [u8], items: Items<'_>) {
        bytes[self.at..self.at + items.bytes().len()].copy_from_slice(items.bytes());
    }
}
