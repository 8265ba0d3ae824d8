//! Memory that a run works on and gives back: copies of the input, partial results.

use std::marker::PhantomData;

use bytemuck::{bytes_of_mut, cast_slice, cast_slice_mut};

use crate::driver::{self, Address};
use crate::error::Result;
use crate::gpu::DeviceMemory;
use crate::kernel::Item;
use crate::launch::Span;

/// Items in the device's memory.
pub struct Scratch<T> {
    memory: DeviceMemory,
    item_count: usize,
    items: PhantomData<T>,
}

impl<T: Item> Scratch<T> {
    /// Room for `item_count` items, at least one.
    pub fn new(item_count: usize) -> Result<Self> {
        let bytes = (item_count as u64).saturating_mul(size_of::<T>() as u64);
        Ok(Self {
            memory: DeviceMemory::allocate(bytes)?,
            item_count,
            items: PhantomData,
        })
    }

    /// `item_count` times the same item.
    pub fn filled(item_count: usize, item: T) -> Result<Self> {
        let scratch = Self::new(item_count)?;
        scratch.fill_from(0, item)?;
        Ok(scratch)
    }

    /// A copy of the input.
    pub fn copy_of(input: Span) -> Result<Self> {
        let scratch = Self::new(input.item_count)?;
        scratch.copy_from(input)?;
        Ok(scratch)
    }

    /// A copy of the input, and `padding` behind it up to `item_count` items.
    pub fn padded_copy_of(input: Span, item_count: usize, padding: T) -> Result<Self> {
        let scratch = Self::new(item_count)?;
        scratch.copy_from(input)?;
        scratch.fill_from(input.item_count, padding)?;
        Ok(scratch)
    }

    fn copy_from(&self, input: Span) -> Result<()> {
        let bytes = input.item_count * size_of::<T>();
        Ok(driver::copy_within_device(
            self.address(),
            input.address,
            bytes,
        )?)
    }

    fn fill_from(&self, first: usize, item: T) -> Result<()> {
        let items = vec![item; self.item_count.saturating_sub(first)];
        if items.is_empty() {
            return Ok(());
        }
        let address = self.address() + (first * size_of::<T>()) as u64;
        Ok(driver::copy_to_device(address, cast_slice(&items))?)
    }

    pub fn address(&self) -> Address {
        self.memory.address()
    }

    /// The first item, once the work that is queued is done.
    pub fn first(&self) -> Result<T> {
        let mut item = T::zeroed();
        driver::copy_to_host(bytes_of_mut(&mut item), self.address())?;
        Ok(item)
    }

    /// All items, once the work that is queued is done.
    pub fn to_host(&self) -> Result<Vec<T>> {
        let mut items = vec![T::zeroed(); self.item_count];
        driver::copy_to_host(cast_slice_mut(&mut items), self.address())?;
        Ok(items)
    }
}
