//! An allocation in the device's memory.

use crate::driver::{self, Address};
use crate::error::{DriverCode, Error, Result};

/// An allocation in the context that was current when it was made, aligned to 256 bytes. Freed when
/// dropped, which waits for queued work.
#[derive(Debug)]
pub(crate) struct DeviceMemory {
    address: Address,
}

impl DeviceMemory {
    /// Allocates `bytes`, at least one.
    pub fn allocate(bytes: u64) -> Result<Self> {
        let allocated = usize::try_from(bytes).map(driver::allocate);
        match allocated {
            Ok(Ok(address)) => Ok(Self { address }),
            Ok(Err(failure)) if failure.code != DriverCode::OUT_OF_MEMORY => Err(failure.into()),
            _ => Err(Error::OutOfMemory {
                asked_bytes: Some(bytes),
                free_bytes: driver::free_bytes().ok(),
            }),
        }
    }

    pub fn address(&self) -> Address {
        self.address
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // A failure is that of earlier work, or of a context that is gone and its memory with it.
        let _ = driver::free(self.address);
    }
}
