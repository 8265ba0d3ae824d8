//! The driver calls that this library makes. This file defines the type of the calls' results, and sets the context and the capture mode in
//! which a thread makes calls.
//!
//! `cust` declares the driver's functions with a Rust enum as their result. If a newer driver returns a code that the enum lacks, the
//! behaviour is undefined. `cust` also merges many codes into one. So the library declares the functions itself, with `i32` results
//! ([`raw`]). Every [`Failure`] has the name of the call and the raw code. Outside tests, the library uses `cust`'s own types only in its
//! public interface.
//!
//! Most wrappers of calls only turn the raw code into a [`Result`]. No wrapper retries a call. Each kind of handle has its own type. Most
//! handles were returned by the driver. The exceptions are the default stream's handle, and the program's handles that the unsafe function
//! [`Stream::from_raw`] takes. Each resource (memory, a stream, an event, a module, the primary context) has a type that releases the
//! resource when dropped. [`Context`], [`Function`] and [`Stream`] are handles of objects that other values own and keep alive. Device
//! addresses are plain numbers: the driver refuses to copy, fill or free at an address without memory.

mod capture;
mod device;
mod event;
mod memory;
mod module;
#[cfg(feature = "nccl")]
mod peer;
mod raw;
mod stream;

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr;

use crate::error::{DriverCode, Error};

pub(crate) use capture::{Capture, check_default_stream, in_capture};
pub(crate) use device::{
    Device, DeviceAttribute, device, device_attribute, device_count, device_memory_bytes,
    device_name,
};
pub(crate) use event::Event;
pub(crate) use memory::{
    DeviceMemory, PinnedMemory, fill, free_bytes, is_memory_of, queue_copy_to_device,
    queue_copy_to_host, write_item,
};
#[cfg(test)]
pub(crate) use memory::{copy_to_device, copy_to_host};
pub(crate) use module::{Module, load_module};
#[cfg(feature = "nccl")]
pub(crate) use peer::queue_copy_between;
pub(crate) use stream::{MOST_PARAMETERS, OwnStream, Shape, Stream};

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

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name(*mut c_void);

        // SAFETY: a handle names an object that the driver keeps and locks; any thread may use the handle.
        unsafe impl Send for $name {}
        // SAFETY: the driver locks the object that the handle names, so threads may use it at the same time.
        unsafe impl Sync for $name {}
    )*};
}

handles! {
    /// A context.
    Context;
    /// A kernel of a loaded module.
    Function;
}

/// Converts a raw result code.
#[inline]
fn check(call: &'static str, raw: i32) -> Result<()> {
    match raw {
        0 => Ok(()),
        code => Err(Failure {
            call,
            code: DriverCode(code),
        }),
    }
}

/// Why the driver's functions are missing, or `None` if they were found. The library looks them up at run time.
#[cfg(not(any(feature = "cust", feature = "virtual-gpu")))]
pub(crate) fn why_missing() -> Option<String> {
    raw::opened::functions()
        .err()
        .map(|missing| missing.to_string())
}

/// The driver's functions are linked, so none is missing.
#[cfg(all(feature = "cust", not(feature = "virtual-gpu")))]
pub(crate) fn why_missing() -> Option<String> {
    None
}

pub(crate) fn init() -> Result<()> {
    // SAFETY: no pointers.
    check("cuInit", unsafe { raw::cuInit(0) })
}

/// The text that the driver wrote into `buffer`: up to the first NUL, and without white space at both ends.
fn text(buffer: &[u8]) -> String {
    let length = buffer
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(buffer.len());
    String::from_utf8_lossy(&buffer[..length]).trim().to_owned()
}

/// A counted reference to a device's primary context. `cust`'s contexts and the CUDA runtime hold other references, so the context may
/// still exist after this reference is released.
#[derive(Debug)]
pub(crate) struct PrimaryContext {
    device: Device,
    handle: Context,
}

impl PrimaryContext {
    pub fn retain(device: Device) -> Result<Self> {
        let mut context = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        check("cuDevicePrimaryCtxRetain", unsafe {
            raw::cuDevicePrimaryCtxRetain(&mut context, device.0)
        })?;
        Ok(Self {
            device,
            handle: Context(context),
        })
    }

    pub fn device(&self) -> Device {
        self.device
    }

    pub fn handle(&self) -> Context {
        self.handle
    }

    /// Makes the context current on this thread until the result is dropped. If the context is current already, this costs one driver call.
    #[inline]
    pub fn bind(&self) -> Result<Bound<'_>> {
        let pushed = !is_current(self.handle)?;
        if pushed {
            // SAFETY: no pointers but the handle.
            check("cuCtxPushCurrent_v2", unsafe {
                raw::cuCtxPushCurrent_v2(self.handle.0)
            })?;
        }
        Ok(Bound {
            pushed,
            on_this_thread: PhantomData,
        })
    }
}

impl Drop for PrimaryContext {
    fn drop(&mut self) {
        // SAFETY: no pointers; this releases the one reference that `retain` took. A drop cannot report a failure.
        let _ = unsafe { raw::cuDevicePrimaryCtxRelease_v2(self.device.0) };
    }
}

/// A context that is current on this thread. A drop restores the previous context.
pub(crate) struct Bound<'context> {
    pushed: bool,
    on_this_thread: PhantomData<(&'context PrimaryContext, *mut ())>,
}

impl Bound<'_> {
    /// The same as a drop, but reports the failure.
    #[inline]
    pub fn unbind(mut self) -> Result<()> {
        self.pop()
    }

    #[inline]
    fn pop(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.pushed) {
            return Ok(());
        }
        let mut popped = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        check("cuCtxPopCurrent_v2", unsafe {
            raw::cuCtxPopCurrent_v2(&mut popped)
        })
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        // This pops the context only if `unbind` was not called: for example, because the caller's work panicked.
        let _ = self.pop();
    }
}

/// Whether `context` is current on the calling thread.
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

/// While this exists, the calling thread's capture mode is relaxed: the driver accepts most of the thread's calls during a capture.
#[derive(Debug)]
pub(crate) struct Unconcerned {
    /// The mode to restore; `None` once it is restored.
    before: Option<c_int>,
    on_this_thread: PhantomData<*mut ()>,
}

impl Unconcerned {
    pub fn begin() -> Result<Self> {
        const RELAXED: c_int = 2;
        Ok(Self {
            before: Some(exchange_mode(RELAXED)?),
            on_this_thread: PhantomData,
        })
    }

    /// The same as a drop, but reports the failure.
    pub fn end(mut self) -> Result<()> {
        self.go_back()
    }

    fn go_back(&mut self) -> Result<()> {
        self.before
            .take()
            .map_or(Ok(()), |mode| exchange_mode(mode).map(drop))
    }
}

impl Drop for Unconcerned {
    fn drop(&mut self) {
        // This restores the mode only if `end` was not called: for example, because the caller's work panicked.
        let _ = self.go_back();
    }
}

/// Sets the capture mode of the calling thread, and returns the previous mode.
fn exchange_mode(mut mode: c_int) -> Result<c_int> {
    // SAFETY: the pointer is to a live local.
    check("cuThreadExchangeStreamCaptureMode", unsafe {
        raw::cuThreadExchangeStreamCaptureMode(&mut mode)
    })?;
    Ok(mode)
}
