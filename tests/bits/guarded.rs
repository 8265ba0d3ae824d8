//! Device memory with a guard on both sides.

use crate::device::Item;
use cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use warpfold::{Op, cust};

use crate::data::assert_same_bits;
use crate::edges::{Edges, intruder};
use crate::gpu;

/// The least number of items in a guard. It is a multiple of the number of items of a vector, for every item type.
const GUARD_ITEMS: usize = 16;

/// Items in device memory, with a guard before and after them.
pub struct Guarded<T: Edges> {
    buffer: DeviceBuffer<T>,
    guard: T,
    start: usize,
    item_count: usize,
}

impl<T: Edges> Guarded<T> {
    /// Copies an input of the operator `O` to an address that is `offset` items past a multiple of 16 bytes. With most operators, a kernel
    /// that reads the guard gets a wrong result.
    pub fn input<O: Op<T>>(items: &[T], offset: usize) -> Self {
        Self::new(items, offset, intruder::<O, T>())
    }

    /// Room for `item_count` items, at an address that is `offset` items past a multiple of 16 bytes. The room and the
    /// guard are filled with the sentinel.
    pub fn output(item_count: usize, offset: usize) -> Self {
        Self::new(&vec![T::SENTINEL; item_count], offset, T::SENTINEL)
    }

    fn new(items: &[T], offset: usize, guard: T) -> Self {
        gpu();
        let start = GUARD_ITEMS + offset;
        let before = vec![guard; start];
        let after = vec![guard; GUARD_ITEMS];
        let buffer = DeviceBuffer::from_slice(&[&before, items, &after].concat()).unwrap();
        Self {
            buffer,
            guard,
            start,
            item_count: items.len(),
        }
    }

    /// The items. The slice must not outlive `self`.
    pub fn slice(&self) -> DeviceSlice<T> {
        self.buffer.index(self.start..self.start + self.item_count)
    }

    /// Checks the guard, and returns the items as they are now.
    pub fn checked(&self) -> Vec<T> {
        let all = download(&self.buffer);
        let (before, rest) = all.split_at(self.start);
        let (items, after) = rest.split_at(self.item_count);
        for guard in [before, after] {
            assert_same_bits(guard, &vec![self.guard; guard.len()], "the guard");
        }
        items.to_vec()
    }
}

/// A copy of device memory.
pub fn download<T: Item>(slice: &DeviceSlice<T>) -> Vec<T> {
    let mut items = vec![T::zeroed(); slice.len()];
    slice.copy_to(&mut items[..]).unwrap();
    items
}
