//! Page-locked memory of the host, and the copies that run beside the host.

use std::ptr::{self, NonNull};

use super::{Address, Result, Stream, check, raw};

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

/// Queues a copy to the device.
///
/// # Safety
///
/// `from` points to so many readable bytes of page-locked memory, which nobody writes or frees before the copy is done.
pub(crate) unsafe fn queue_copy_to_device(
    to: Address,
    from: NonNull<u8>,
    bytes: usize,
    stream: Stream<'_>,
) -> Result<()> {
    // SAFETY: as the caller promises; the stream lives.
    check("cuMemcpyHtoDAsync_v2", unsafe {
        raw::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), bytes, stream.handle)
    })
}

/// Queues a copy to the host.
///
/// # Safety
///
/// `to` points to so many writable bytes of page-locked memory, which nobody else uses or frees before the copy is done.
pub(crate) unsafe fn queue_copy_to_host(
    to: NonNull<u8>,
    from: Address,
    bytes: usize,
    stream: Stream<'_>,
) -> Result<()> {
    // SAFETY: as the caller promises; the stream lives.
    check("cuMemcpyDtoHAsync_v2", unsafe {
        raw::cuMemcpyDtoHAsync_v2(to.as_ptr().cast(), from, bytes, stream.handle)
    })
}
