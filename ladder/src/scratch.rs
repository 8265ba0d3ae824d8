//! The scratch memory of a run, on the device.

use cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};

use crate::{Item, Result};

/// An address in the device's memory.
pub type Address = u64;

/// The address at which a buffer begins.
pub fn address_of<T: Item>(items: &DeviceSlice<T>) -> Address {
    items.as_device_ptr().as_raw()
}

/// Items in the device's memory.
pub struct Scratch<T: Item>(DeviceBuffer<T>);

impl<T: Item> Scratch<T> {
    /// Room for `item_count` items. The count is at least 1.
    pub fn new(item_count: usize) -> Result<Self> {
        // SAFETY: items are plain data, so any bits are valid items.
        Ok(Self(unsafe { DeviceBuffer::uninitialized(item_count) }?))
    }

    /// `item_count` times the same item.
    pub fn filled(item_count: usize, item: T) -> Result<Self> {
        Ok(Self(DeviceBuffer::from_slice(&vec![item; item_count])?))
    }

    /// A copy of the input.
    pub fn copy_of(input: &DeviceSlice<T>) -> Result<Self> {
        let mut scratch = Self::new(input.len())?;
        scratch.0.copy_from(input)?;
        Ok(scratch)
    }

    /// A copy of the input, filled up with `padding` to `item_count` items.
    pub fn padded_copy_of(input: &DeviceSlice<T>, item_count: usize, padding: T) -> Result<Self> {
        let scratch = Self::new(item_count)?;
        scratch.0.index(..input.len()).copy_from(input)?;
        let padding = vec![padding; item_count - input.len()];
        if !padding.is_empty() {
            scratch.0.index(input.len()..).copy_from(&padding)?;
        }
        Ok(scratch)
    }

    pub fn address(&self) -> Address {
        address_of(&self.0)
    }

    /// The items, to be written by a call of warpfold.
    pub fn items(&mut self) -> &mut DeviceSlice<T> {
        &mut self.0
    }

    /// Waits for the queued work, and copies the first item to the host.
    pub fn first(&self) -> Result<T> {
        let mut item = [T::zeroed()];
        self.0.index(..1).copy_to(&mut item)?;
        Ok(item[0])
    }

    /// Waits for the queued work, and copies all items to the host.
    pub fn to_host(&self) -> Result<Vec<T>> {
        let mut items = vec![T::zeroed(); self.0.len()];
        self.0.copy_to(&mut items)?;
        Ok(items)
    }
}
