//! Page-locked memory of the host.

use std::ptr::{self, NonNull};

use super::{Address, Result, check, raw};

/// Allocates page-locked memory that the device reaches too.
pub(crate) fn allocate_pinned(bytes: usize) -> Result<NonNull<u8>> {
    const DEVICE_MAP: u32 = 2;
    let mut start = ptr::null_mut();
    // SAFETY: the pointer is to a live local.
    check("cuMemHostAlloc", unsafe {
        raw::cuMemHostAlloc(&mut start, bytes, DEVICE_MAP)
    })?;
    Ok(NonNull::new(start.cast()).unwrap_or(NonNull::dangling()))
}

/// Where the device finds page-locked memory.
pub(crate) fn address_of_pinned(start: NonNull<u8>) -> Result<Address> {
    let mut address = 0;
    // SAFETY: the pointer is to a live local; the driver looks up the other, and follows neither.
    check("cuMemHostGetDevicePointer_v2", unsafe {
        raw::cuMemHostGetDevicePointer_v2(&mut address, start.as_ptr().cast(), 0)
    })?;
    Ok(address)
}

pub(crate) fn free_pinned(start: NonNull<u8>) -> Result<()> {
    // SAFETY: its owner gives the memory up; the driver refuses what it has not handed out.
    check("cuMemFreeHost", unsafe {
        raw::cuMemFreeHost(start.as_ptr().cast())
    })
}
