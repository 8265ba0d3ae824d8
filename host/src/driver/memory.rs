//! Device memory and page-locked host memory, which are freed when dropped; copies and fills.
//!
//! Freeing waits for queued work. It fails if earlier work failed, or if the context and its memory were destroyed.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{self, NonNull};

use super::{Address, Context, Device, Failure, Result, Stream, check, raw};
use crate::error::{DriverCode, Error};

/// Device memory, aligned to 256 bytes. It belongs to the context that was current when it was allocated.
#[derive(Debug)]
pub(crate) struct DeviceMemory {
    address: Address,
}

impl DeviceMemory {
    /// Allocates `bytes` bytes, which must not be 0.
    pub fn allocate(bytes: u64) -> Result<Self, Error> {
        let too_much = || Error::OutOfMemory {
            asked_bytes: Some(bytes),
            free_bytes: free_bytes().ok(),
        };
        let count = usize::try_from(bytes).map_err(|_| too_much())?;
        let mut address = 0;
        // SAFETY: the pointer is to a live local.
        let allocated = check("cuMemAlloc_v2", unsafe {
            raw::cuMemAlloc_v2(&mut address, count)
        });
        match allocated {
            Ok(()) => Ok(Self { address }),
            Err(failure) if failure.code == DriverCode::OUT_OF_MEMORY => Err(too_much()),
            Err(failure) => Err(failure.into()),
        }
    }

    #[inline]
    pub fn address(&self) -> Address {
        self.address
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // SAFETY: the call takes no pointer to host memory.
        let _ = unsafe { raw::cuMemFree_v2(self.address) };
    }
}

/// Page-locked host memory, aligned to a page. It belongs to the context that was current when it was allocated. The device reads and
/// writes it over the bus.
#[derive(Debug)]
pub(crate) struct PinnedMemory {
    start: NonNull<u8>,
    address: Address,
}

// SAFETY: this value alone owns the memory, and any thread may ask the driver to free it.
unsafe impl Send for PinnedMemory {}
// SAFETY: shared access only returns the addresses, or asks the driver about them. A user of the addresses needs separate unsafe code to
// read or write there.
unsafe impl Sync for PinnedMemory {}

impl PinnedMemory {
    /// Allocates `bytes` bytes, which must not be 0. Their contents are arbitrary.
    pub fn allocate(bytes: usize) -> Result<Self, Error> {
        const DEVICE_MAP: u32 = 2;
        let mut start = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        let allocated = check("cuMemHostAlloc", unsafe {
            raw::cuMemHostAlloc(&mut start, bytes, DEVICE_MAP)
        });
        allocated.map_err(|failure| match failure.code {
            DriverCode::OUT_OF_MEMORY => Error::OutOfHostMemory { asked_bytes: bytes },
            _ => failure.into(),
        })?;
        let mut memory = Self {
            start: NonNull::new(start.cast()).unwrap_or(NonNull::dangling()),
            address: 0,
        };
        // SAFETY: the first pointer is to a live local. The driver only looks up the second pointer, and does not follow it.
        check("cuMemHostGetDevicePointer_v2", unsafe {
            raw::cuMemHostGetDevicePointer_v2(&mut memory.address, memory.start.as_ptr().cast(), 0)
        })?;
        Ok(memory)
    }

    /// Checks that the memory still exists: a reset of its context frees it. If it does not exist, the error has the driver's code for a
    /// destroyed context.
    pub fn check(&self) -> Result<()> {
        const MEMORY_TYPE: c_int = 2;
        let mut memory_type: c_uint = 0;
        // SAFETY: there is one attribute, with a pointer to a live local of its type. The driver only looks up the address, and does not
        // follow it.
        let asked = check("cuPointerGetAttributes", unsafe {
            raw::cuPointerGetAttributes(
                1,
                &MEMORY_TYPE,
                &(&raw mut memory_type).cast(),
                self.start.as_ptr().expose_provenance() as Address,
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

    /// The address by which the device accesses the memory.
    pub fn address(&self) -> Address {
        self.address
    }

    /// The address by which the host accesses the memory.
    #[inline]
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        // SAFETY: the driver handed out this address, and the owner no longer uses the memory. If the memory was freed with its context,
        // the driver refuses the address.
        let _ = unsafe { raw::cuMemFreeHost(self.start.as_ptr().cast()) };
    }
}

/// Free bytes of the current context's device.
pub(crate) fn free_bytes() -> Result<u64> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: the pointers are to live locals.
    check("cuMemGetInfo_v2", unsafe {
        raw::cuMemGetInfo_v2(&mut free, &mut total)
    })?;
    Ok(free as u64)
}

/// Queues a fill of `words` 32-bit words.
pub(crate) fn fill(to: Address, word: u32, words: usize, stream: Stream<'_>) -> Result<()> {
    // SAFETY: no pointer is to host memory, and the stream lives.
    check("cuMemsetD32Async", unsafe {
        raw::cuMemsetD32Async(to, word, words, stream.handle)
    })
}

/// Queues a write of an item, of any size and to any address. The item's bytes are copied before this returns. Aligned parts are written
/// as words, the rest as half words and bytes.
pub(crate) fn write_item(to: Address, item: &[u8], stream: Stream<'_>) -> Result<()> {
    let (mut address, mut rest) = (to, item);
    while !rest.is_empty() {
        let fits = |bytes: usize| rest.len() >= bytes && address.is_multiple_of(bytes as u64);
        let bytes = match (fits(4), fits(2)) {
            (true, _) => 4,
            (false, true) => 2,
            (false, false) => 1,
        };
        match rest[..bytes] {
            // SAFETY: no pointer is to host memory, and the stream lives.
            [byte] => check("cuMemsetD8Async", unsafe {
                raw::cuMemsetD8Async(address, byte, 1, stream.handle)
            })?,
            // SAFETY: no pointer is to host memory, and the stream lives.
            [low, high] => check("cuMemsetD16Async", unsafe {
                let half = u16::from_ne_bytes([low, high]);
                raw::cuMemsetD16Async(address, half, 1, stream.handle)
            })?,
            ref word => {
                let word = word.iter().rev();
                let word = word.fold(0, |high, &low| high << 8 | u32::from(low));
                fill(address, word, 1, stream)?;
            }
        }
        address += bytes as u64;
        rest = &rest[bytes..];
    }
    Ok(())
}

/// Whether `address` is memory of `context`, a context of `device`. A stream-ordered allocation belongs to no context: any such memory of
/// `device` counts as memory of `context`.
pub(crate) fn is_memory_of(address: Address, context: Context, device: Device) -> Result<bool> {
    const CONTEXT: c_int = 1;
    const DEVICE_ORDINAL: c_int = 9;
    let mut owner: *mut c_void = ptr::null_mut();
    let mut ordinal: c_int = -2;
    let values = [(&raw mut owner).cast(), (&raw mut ordinal).cast()];
    // SAFETY: there are two attributes, each with a pointer to a live local of its type.
    check("cuPointerGetAttributes", unsafe {
        raw::cuPointerGetAttributes(
            2,
            [CONTEXT, DEVICE_ORDINAL].as_ptr(),
            values.as_ptr(),
            address,
        )
    })?;
    Ok(owner == context.0 || owner.is_null() && ordinal == device.0)
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
    // SAFETY: the driver reads `bytes` bytes at `from` (condition 1) until the copy is done (condition 2). The stream lives.
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
    // SAFETY: the driver writes `bytes` bytes at `to` (condition 1) until the copy is done (condition 2). The stream lives.
    check("cuMemcpyDtoHAsync_v2", unsafe {
        raw::cuMemcpyDtoHAsync_v2(to.as_ptr().cast(), from, bytes, stream.handle)
    })
}

/// Copies, and waits until the copy is done.
#[cfg(test)]
pub(crate) fn copy_to_device(to: Address, from: &[u8]) -> Result<()> {
    // SAFETY: `from` is readable over its length, and the copy is done when the call returns.
    check("cuMemcpyHtoD_v2", unsafe {
        raw::cuMemcpyHtoD_v2(to, from.as_ptr().cast(), from.len())
    })
}

/// Copies, and waits until the copy is done.
#[cfg(test)]
pub(crate) fn copy_to_host(to: &mut [u8], from: Address) -> Result<()> {
    // SAFETY: `to` is writable over its length, and the copy is done when the call returns.
    check("cuMemcpyDtoH_v2", unsafe {
        raw::cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), from, to.len())
    })
}
