//! Page-locked memory of the host, and the copies that run beside the host.

use std::ffi::{c_int, c_uint};
use std::ptr::{self, NonNull};

use super::{Address, Failure, Result, Stream, check, raw};
use crate::error::DriverCode;

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

/// The device's address of page-locked memory.
pub(crate) fn address_of_pinned(start: NonNull<u8>) -> Result<Address> {
    let mut address = 0;
    // SAFETY: the pointer is to a live local; the driver looks up the other, and follows neither.
    check("cuMemHostGetDevicePointer_v2", unsafe {
        raw::cuMemHostGetDevicePointer_v2(&mut address, start.as_ptr().cast(), 0)
    })?;
    Ok(address)
}

/// Checks that page-locked memory still exists. It is freed with its context, which may have been reset. The error is the one that the
/// driver reports for a destroyed context elsewhere.
pub(crate) fn check_pinned(start: NonNull<u8>) -> Result<()> {
    const MEMORY_TYPE: c_int = 2;
    let mut memory_type: c_uint = 0;
    // SAFETY: one attribute, and a pointer to a live local of its type; the driver looks the address up and does not follow it.
    let asked = check("cuPointerGetAttributes", unsafe {
        raw::cuPointerGetAttributes(
            1,
            &MEMORY_TYPE,
            &(&raw mut memory_type).cast(),
            start.as_ptr().expose_provenance() as Address,
        )
    });
    match asked {
        Ok(()) if memory_type == 0 => Err(Failure {
            call: "cuPointerGetAttributes",
            code: DriverCode::CONTEXT_IS_DESTROYED,
        }),
        other => other,
    }
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
/// - `from` points to `bytes` readable bytes of page-locked memory;
/// - nobody writes or frees them before the copy is done.
pub(crate) unsafe fn queue_copy_to_device(
    to: Address,
    from: NonNull<u8>,
    bytes: usize,
    stream: Stream<'_>,
) -> Result<()> {
    // SAFETY: the driver reads `bytes` bytes at `from` until the copy is done: both conditions are about these. The stream lives.
    check("cuMemcpyHtoDAsync_v2", unsafe {
        raw::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), bytes, stream.handle)
    })
}

/// Queues a copy to the host.
///
/// # Safety
///
/// - `to` points to `bytes` writable bytes of page-locked memory;
/// - nobody else uses or frees them before the copy is done.
pub(crate) unsafe fn queue_copy_to_host(
    to: NonNull<u8>,
    from: Address,
    bytes: usize,
    stream: Stream<'_>,
) -> Result<()> {
    // SAFETY: the driver writes `bytes` bytes at `to` until the copy is done: both conditions are about these. The stream lives.
    check("cuMemcpyDtoHAsync_v2", unsafe {
        raw::cuMemcpyDtoHAsync_v2(to.as_ptr().cast(), from, bytes, stream.handle)
    })
}
