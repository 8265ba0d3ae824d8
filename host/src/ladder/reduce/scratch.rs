//! Memory that a run works on and gives back: copies of the input, partial results.

use std::marker::PhantomData;

use bytemuck::bytes_of_mut;

use crate::driver::{self, Address};
use crate::error::Result;
use crate::gpu::DeviceMemory;
use crate::kernel::Item;
use crate::launch::Span;

/// Items in the device's memory.
pub struct Scratch<T> {
    memory: DeviceMemory,
    items: PhantomData<T>,
}

impl<T: Item> Scratch<T> {
    /// Room for `item_count` items, at least one.
    pub fn new(item_count: usize) -> Result<Self> {
        let bytes = (item_count as u64).saturating_mul(size_of::<T>() as u64);
        Ok(Self {
            memory: DeviceMemory::allocate(bytes)?,
            items: PhantomData,
        })
    }

    /// A copy of the input.
    pub fn copy_of(input: Span) -> Result<Self> {
        let scratch = Self::new(input.item_count)?;
        let bytes = input.item_count * size_of::<T>();
        driver::event::copy_within_device(scratch.address(), input.address, bytes)?;
        Ok(scratch)
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
}
