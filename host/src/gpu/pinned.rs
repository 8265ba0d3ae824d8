//! Page-locked memory of the host, which the device reads and writes over the bus.

use std::ptr::NonNull;

use crate::driver::{self, Address};
use crate::error::{DriverCode, Error, Result};

/// Page-locked memory of the context that was current when it was made, aligned to a page. Freed when dropped, which
/// waits for queued work.
#[derive(Debug)]
pub(crate) struct PinnedMemory {
    start: NonNull<u8>,
    address: Address,
}

// SAFETY: the memory is this owner's, and the driver frees it from any thread.
unsafe impl Send for PinnedMemory {}
// SAFETY: shared access gives out addresses only; reading and writing takes unsafe code of its own.
unsafe impl Sync for PinnedMemory {}

impl PinnedMemory {
    /// Allocates `bytes`, at least one. What they hold is arbitrary.
    pub fn allocate(bytes: usize) -> Result<Self> {
        let start = driver::allocate_pinned(bytes).map_err(|failure| match failure.code {
            DriverCode::OUT_OF_MEMORY => Error::OutOfHostMemory { asked_bytes: bytes },
            _ => failure.into(),
        })?;
        let mut memory = Self { start, address: 0 };
        memory.address = driver::address_of_pinned(start)?;
        Ok(memory)
    }

    /// Checks that the memory still exists.
    pub fn check(&self) -> Result<()> {
        Ok(driver::check_pinned(self.start)?)
    }

    /// The device's address of the memory.
    pub fn address(&self) -> Address {
        self.address
    }

    /// The host's address of the memory.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        // A failure is that of earlier work, or of a context that is gone and its memory with it.
        let _ = driver::free_pinned(self.start);
    }
}
