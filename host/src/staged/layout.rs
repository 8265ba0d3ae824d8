//! Parts of a lane's memory, one behind another: what goes to the device whole, with its results.

use crate::error::{Error, Result};
use crate::gpu::BusyLane;
use crate::kernel::Item;
use crate::launch::Span;

/// Where a part may begin: as device memory does.
const ALIGNMENT: usize = 256;

/// Parts so far.
#[derive(Default)]
pub(super) struct Layout {
    end: usize,
}

/// A part, of so many items.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Its first byte.
    pub at: usize,
    pub item_count: usize,
}

impl Layout {
    /// A part for `item_count` items of `item_bytes` bytes, behind the others.
    pub fn part(&mut self, item_count: usize, item_bytes: usize) -> Result<Part> {
        let at = self.end.checked_next_multiple_of(ALIGNMENT);
        let end = item_count
            .checked_mul(item_bytes)
            .and_then(|bytes| at?.checked_add(bytes));
        let (Some(at), Some(end)) = (at, end) else {
            return Err(Error::OutOfHostMemory {
                asked_bytes: usize::MAX,
            });
        };
        self.end = end;
        Ok(Part { at, item_count })
    }

    /// A part for these items.
    pub fn part_for<T: Item>(&mut self, items: &[T]) -> Result<Part> {
        self.part(items.len(), size_of::<T>())
    }

    /// Bytes of all parts.
    pub fn bytes(&self) -> usize {
        self.end
    }
}

impl Part {
    /// Where it is on the device.
    pub fn on(self, lane: &BusyLane<'_>) -> Span {
        Span {
            address: lane.device() + self.at as u64,
            item_count: self.item_count,
        }
    }

    /// Writes the items to a lane's bytes.
    pub fn fill<T: Item>(self, bytes: &mut [u8], items: &[T]) {
        let items: &[u8] = bytemuck::cast_slice(items);
        bytes[self.at..self.at + items.len()].copy_from_slice(items);
    }
}
