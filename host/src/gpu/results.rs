//! Where synchronous reductions put their results: slots of pinned memory, so that the kernel writes straight to
//! the host and nothing is copied.

use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use super::PinnedMemory;
use crate::driver::Address;
use crate::error::Result;
use crate::kernel::Item;

/// Bytes of a slot: room for any item, at an address aligned for it.
const SLOT_BYTES: usize = 16;

/// Bytes of pinned memory that are cut into slots at a time.
const PAGE_BYTES: usize = 4096;

/// The slots of a context.
#[derive(Debug, Default)]
pub(super) struct Results {
    slots: Mutex<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    free: Vec<Place>,
    /// Keeps the slots' memory.
    pages: Vec<PinnedMemory>,
}

/// Where a slot is: for the device, and for the host.
#[derive(Debug, Clone, Copy)]
struct Place {
    address: Address,
    start: NonNull<u8>,
}

// SAFETY: an address, which whoever has taken the slot uses alone.
unsafe impl Send for Place {}

/// A slot that nobody else has.
///
/// It is not given back by being dropped: if a kernel may still write to it, it is lost to the pool.
#[derive(Debug)]
pub(crate) struct ResultSlot {
    place: Place,
}

impl ResultSlot {
    /// Where the device writes the result.
    pub fn address(&self) -> Address {
        self.place.address
    }
}

impl Results {
    pub fn new() -> Self {
        Self::default()
    }

    /// A slot. Allocates when all are taken.
    pub fn take(&self) -> Result<ResultSlot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let place = match slots.free.pop() {
            Some(place) => place,
            None => slots.grow()?,
        };
        Ok(ResultSlot { place })
    }

    /// Reads the result and gives the slot back.
    ///
    /// # Safety
    ///
    /// The work that writes to the slot is done, and it wrote an item of this type.
    pub unsafe fn read<T: Item>(&self, slot: ResultSlot) -> T {
        const { assert!(size_of::<T>() <= SLOT_BYTES && SLOT_BYTES.is_multiple_of(align_of::<T>())) };
        // SAFETY: a slot is large enough and aligned for an item, and nobody writes to it, as the caller promises.
        // The device has written it, which the compiler cannot know, hence volatile.
        let result = unsafe { slot.place.start.cast::<T>().read_volatile() };
        self.give_back(slot);
        result
    }

    /// Gives a slot back that nothing writes to.
    pub fn give_back(&self, slot: ResultSlot) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.free.push(slot.place);
    }

    /// Frees all slots.
    pub fn clear(&mut self) {
        *self.slots.get_mut().unwrap_or_else(PoisonError::into_inner) = Slots::default();
    }
}

impl Slots {
    /// Makes more slots and takes one of them.
    fn grow(&mut self) -> Result<Place> {
        let page = PinnedMemory::allocate(PAGE_BYTES)?;
        let place = |offset: usize| Place {
            address: page.address() + offset as u64,
            // SAFETY: the offset lies within the page.
            start: unsafe { page.start().add(offset) },
        };
        let first = place(0);
        self.free
            .extend((SLOT_BYTES..PAGE_BYTES).step_by(SLOT_BYTES).map(place));
        self.pages.push(page);
        Ok(first)
    }
}

#[cfg(test)]
mod tests;
