//! Direct calls of the driver that allocate page-locked memory, copy it, or page-lock a slice in place.

use std::ffi::c_void;
use std::ptr;

use anyhow::{Result, ensure};
use warpfold::cust::memory::{DeviceBuffer, DeviceCopy};
use warpfold::cust::stream::Stream;

unsafe extern "C" {
    fn cuMemHostAlloc(start: *mut *mut c_void, bytes: usize, flags: u32) -> i32;
    fn cuMemFreeHost(start: *mut c_void) -> i32;
    fn cuMemHostRegister_v2(start: *mut c_void, bytes: usize, flags: u32) -> i32;
    fn cuMemHostUnregister(start: *mut c_void) -> i32;
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: *mut c_void)
    -> i32;
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: *mut c_void) -> i32;
}

/// The direction of a copy.
#[derive(Debug, Clone, Copy)]
pub enum Direction {
    ToDevice,
    ToHost,
}

/// Page-locked memory, all zero at first.
pub struct Pinned {
    start: *mut u8,
    bytes: usize,
}

impl Pinned {
    pub fn new(bytes: usize) -> Result<Self> {
        let mut start = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        let code = unsafe { cuMemHostAlloc(&mut start, bytes, 0) };
        ensure!(code == 0, "cuMemHostAlloc of {bytes} bytes answered {code}");
        let start = start.cast::<u8>();
        // SAFETY: the allocation has `bytes` bytes.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Self { start, bytes })
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the allocation has `bytes` bytes, all written by `new`. `self` is borrowed mutably, and `copy` waits for its copy.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    /// Copies all bytes, and waits.
    pub fn copy<T: DeviceCopy>(
        &mut self,
        direction: Direction,
        device: &DeviceBuffer<T>,
        stream: &Stream,
    ) -> Result<()> {
        ensure!(
            self.bytes <= size_of::<T>() * device.len(),
            "the buffer is too short"
        );
        let (address, host) = (device.as_device_ptr().as_raw(), self.start.cast());
        let stream_handle = stream.as_inner().cast();
        // SAFETY: `self` has `bytes` bytes, and the device's buffer at least as many: checked above. Both are borrowed until
        // `synchronize` below ends the copy.
        let code = unsafe {
            match direction {
                Direction::ToDevice => {
                    cuMemcpyHtoDAsync_v2(address, host, self.bytes, stream_handle)
                }
                Direction::ToHost => cuMemcpyDtoHAsync_v2(host, address, self.bytes, stream_handle),
            }
        };
        ensure!(code == 0, "the copy answered {code}");
        Ok(stream.synchronize()?)
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: the driver allocated the memory at this address, and nothing uses the memory again.
        unsafe { cuMemFreeHost(self.start.cast()) };
    }
}

/// Page-locks the bytes in place, and unlocks them.
pub fn register_and_back(bytes: &mut [u8]) -> Result<()> {
    let start = bytes.as_mut_ptr().cast();
    // SAFETY: the bytes are borrowed mutably, and they are unlocked again before this function returns.
    let (locked, unlocked) = unsafe {
        let locked = cuMemHostRegister_v2(start, bytes.len(), 0);
        (locked, cuMemHostUnregister(start))
    };
    ensure!(
        locked == 0 && unlocked == 0,
        "registering answered {locked}, and back {unlocked}"
    );
    Ok(())
}
