//! The driver calls that this library makes, and nothing above them.
//!
//! `cust` declares the driver's functions with a Rust enum as their result. That is undefined behaviour
//! for the codes of newer drivers, and merges many others into one. So [`raw`] declares the calls that the library makes
//! itself, with `i32` results, and every failure keeps its call's name and its raw code. `cust`'s own
//! types appear only in the library's interface.
//!
//! A wrapper adds a result type and nothing else: no checks, no retries. Handles are newtypes that only this
//! file makes, so every handle was given out by the driver. Its owner keeps it alive. Device addresses are plain
//! numbers: the driver checks them, and returns a code for a wrong one.

mod capture;
#[cfg(test)]
mod copy;
mod event;
mod launch;
mod module;
mod newer;
mod own_stream;
#[cfg(feature = "nccl")]
mod peer;
mod pinned;
mod raw;
mod stream;

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::error::{DriverCode, Error};

pub(crate) use capture::{Capture, Unconcerned, check_default_stream, in_capture};
#[cfg(test)]
pub(crate) use copy::{copy_to_device, copy_to_host};
pub(crate) use event::Event;
pub(crate) use launch::Shape;
pub(crate) use module::load_module;
pub(crate) use own_stream::OwnStream;
#[cfg(feature = "nccl")]
pub(crate) use peer::queue_copy_between;
pub(crate) use pinned::{
    address_of_pinned, allocate_pinned, check_pinned, free_pinned, queue_copy_to_device,
    queue_copy_to_host,
};
pub(crate) use stream::Stream;

/// An address in the device's memory.
pub(crate) type Address = u64;

/// A failed driver call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failure {
    pub call: &'static str,
    pub code: DriverCode,
}

impl From<Failure> for Error {
    fn from(Failure { call, code }: Failure) -> Self {
        match code {
            DriverCode::OUT_OF_MEMORY => Error::OutOfMemory {
                asked_bytes: None,
                free_bytes: free_bytes().ok(),
            },
            _ => Error::Driver { call, code },
        }
    }
}

type Result<T, E = Failure> = std::result::Result<T, E>;

/// A device, by the driver's number for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Device(c_int);

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name(*mut c_void);

        // SAFETY: a handle is a name for something the driver keeps and locks; any thread may use it.
        unsafe impl Send for $name {}
        // SAFETY: the driver locks what the handle names, so threads may use it at the same time.
        unsafe impl Sync for $name {}
    )*};
}

handles! {
    /// A context.
    Context;
    /// A loaded module.
    Module;
    /// A kernel of a loaded module.
    Function;
}

/// Converts a raw result.
fn check(call: &'static str, raw: i32) -> Result<()> {
    match raw {
        0 => Ok(()),
        code => Err(Failure {
            call,
            code: DriverCode(code),
        }),
    }
}

/// Why the driver's functions cannot be called, if they are looked up at run time and were not found.
#[cfg(not(any(feature = "cust", feature = "virtual-gpu")))]
pub(crate) fn why_missing() -> Option<String> {
    raw::opened::functions()
        .err()
        .map(|missing| missing.to_string())
}

/// Functions that are linked are not missing.
#[cfg(all(feature = "cust", not(feature = "virtual-gpu")))]
pub(crate) fn why_missing() -> Option<String> {
    None
}

pub(crate) fn init() -> Result<()> {
    // SAFETY: no pointers.
    check("cuInit", unsafe { raw::cuInit(0) })
}

pub(crate) fn device_count() -> Result<u32> {
    let mut count = 0;
    // SAFETY: the pointer is to a live local.
    check("cuDeviceGetCount", unsafe {
        raw::cuDeviceGetCount(&mut count)
    })?;
    Ok(count.max(0) as u32)
}

pub(crate) fn device(ordinal: u32) -> Result<Device> {
    let mut device = 0;
    let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
    // SAFETY: the pointer is to a live local.
    check("cuDeviceGet", unsafe {
        raw::cuDeviceGet(&mut device, ordinal)
    })?;
    Ok(Device(device))
}

pub(crate) fn device_name(device: Device) -> Result<String> {
    let mut name = [0u8; 256];
    // SAFETY: the pointer is to a live local, which is as long as the call is told.
    check("cuDeviceGetName", unsafe {
        raw::cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as c_int, device.0)
    })?;
    Ok(text(&name))
}

/// A number that describes a device, by its value in `CUdevice_attribute`.
#[derive(Debug, Clone, Copy)]
#[repr(i32)]
pub(crate) enum DeviceAttribute {
    Multiprocessors = 16,
    ComputeCapabilityMajor = 75,
    ComputeCapabilityMinor = 76,
    /// Bytes of shared memory that a block may have after opting in.
    SharedBytesPerBlock = 97,
}

pub(crate) fn device_attribute(device: Device, attribute: DeviceAttribute) -> Result<u32> {
    let mut value = 0;
    // SAFETY: the pointer is to a live local.
    check("cuDeviceGetAttribute", unsafe {
        raw::cuDeviceGetAttribute(&mut value, attribute as c_int, device.0)
    })?;
    Ok(value.max(0) as u32)
}

pub(crate) fn device_memory_bytes(device: Device) -> Result<u64> {
    let mut bytes = 0;
    // SAFETY: the pointer is to a live local.
    check("cuDeviceTotalMem_v2", unsafe {
        raw::cuDeviceTotalMem_v2(&mut bytes, device.0)
    })?;
    Ok(bytes as u64)
}

pub(crate) fn retain_primary_context(device: Device) -> Result<Context> {
    let mut context = ptr::null_mut();
    // SAFETY: the pointer is to a live local.
    check("cuDevicePrimaryCtxRetain", unsafe {
        raw::cuDevicePrimaryCtxRetain(&mut context, device.0)
    })?;
    Ok(Context(context))
}

pub(crate) fn release_primary_context(device: Device) -> Result<()> {
    // SAFETY: no pointers; the driver counts.
    check("cuDevicePrimaryCtxRelease_v2", unsafe {
        raw::cuDevicePrimaryCtxRelease_v2(device.0)
    })
}

/// Whether `context` is the calling thread's current one.
pub(crate) fn is_current(context: Context) -> Result<bool> {
    let mut current = ptr::null_mut();
    // SAFETY: the pointer is to a live local.
    check("cuCtxGetCurrent", unsafe {
        raw::cuCtxGetCurrent(&mut current)
    })?;
    Ok(current == context.0)
}

pub(crate) fn set_current(context: Context) -> Result<()> {
    // SAFETY: no pointers but the handle.
    check("cuCtxSetCurrent", unsafe {
        raw::cuCtxSetCurrent(context.0)
    })
}

pub(crate) fn push_current(context: Context) -> Result<()> {
    // SAFETY: no pointers but the handle.
    check("cuCtxPushCurrent_v2", unsafe {
        raw::cuCtxPushCurrent_v2(context.0)
    })
}

pub(crate) fn pop_current() -> Result<()> {
    let mut popped = ptr::null_mut();
    // SAFETY: the pointer is to a live local.
    check("cuCtxPopCurrent_v2", unsafe {
        raw::cuCtxPopCurrent_v2(&mut popped)
    })
}

/// Bytes of the current context's device that are free.
pub(crate) fn free_bytes() -> Result<u64> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: the pointers are to live locals.
    check("cuMemGetInfo_v2", unsafe {
        raw::cuMemGetInfo_v2(&mut free, &mut total)
    })?;
    Ok(free as u64)
}

pub(crate) fn allocate(bytes: usize) -> Result<Address> {
    let mut address = 0;
    // SAFETY: the pointer is to a live local.
    check("cuMemAlloc_v2", unsafe {
        raw::cuMemAlloc_v2(&mut address, bytes)
    })?;
    Ok(address)
}

pub(crate) fn free(address: Address) -> Result<()> {
    // SAFETY: no host pointers.
    check("cuMemFree_v2", unsafe { raw::cuMemFree_v2(address) })
}

/// Queues a fill of `words` 32-bit words.
pub(crate) fn fill(to: Address, word: u32, words: usize, stream: Stream<'_>) -> Result<()> {
    // SAFETY: no host pointers; the stream lives.
    check("cuMemsetD32Async", unsafe {
        raw::cuMemsetD32Async(to, word, words, stream.handle)
    })
}

/// Queues the writing of an item of any size at any address. Its bytes are copied now. Aligned parts are filled by words, the others by
/// half words and bytes.
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
            // SAFETY: no host pointers; the stream lives.
            [byte] => check("cuMemsetD8Async", unsafe {
                raw::cuMemsetD8Async(address, byte, 1, stream.handle)
            })?,
            // SAFETY: no host pointers; the stream lives.
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

/// Whether `address` is memory of `context`. Stream-ordered allocations belong to no context, only to a device: then whether it is
/// memory of the context's device.
pub(crate) fn is_memory_of(address: Address, context: Context, device: Device) -> Result<bool> {
    const CONTEXT: c_int = 1;
    const DEVICE_ORDINAL: c_int = 9;
    let mut owner: *mut c_void = ptr::null_mut();
    let mut ordinal: c_int = -2;
    let values = [(&raw mut owner).cast(), (&raw mut ordinal).cast()];
    // SAFETY: two attributes, and for each a pointer to a live local of its type.
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

/// The text that the driver wrote into `buffer`, up to its first NUL.
fn text(buffer: &[u8]) -> String {
    let length = buffer
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(buffer.len());
    String::from_utf8_lossy(&buffer[..length]).trim().to_owned()
}
