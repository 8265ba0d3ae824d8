//! The driver calls that this library makes, and nothing above them.
//!
//! `cust` declares the driver's functions with a Rust enum as their result. That is undefined behaviour
//! for the codes of newer drivers, and merges many others into one. So [`raw`] declares the calls that the library makes
//! itself, with `i32` results, and every failure keeps its call's name and its raw code. `cust`'s own
//! types appear only in the library's interface.
//!
//! A wrapper adds a result type and nothing else: no checks, no retries. Handles are newtypes that only this module makes, so every
//! handle was given out by the driver. What has to be given back (memory, streams, events, modules, the primary context) is a type that
//! does so when it is dropped; other handles are kept alive by their owners. Device addresses are plain numbers: the driver checks them, and
//! returns a code for a wrong one.

mod capture;
mod context;
mod device;
mod launch;
mod memory;
mod module;
#[cfg(feature = "nccl")]
mod peer;
mod raw;
mod stream;

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use crate::error::{DriverCode, Error};

pub(crate) use capture::{Capture, check_default_stream, in_capture};
pub(crate) use context::{Bound, PrimaryContext, Unconcerned, is_current, set_current};
pub(crate) use device::{
    Device, DeviceAttribute, device, device_attribute, device_count, device_memory_bytes,
    device_name,
};
pub(crate) use launch::Shape;
pub(crate) use memory::{
    DeviceMemory, PinnedMemory, fill, free_bytes, is_memory_of, queue_copy_to_device,
    queue_copy_to_host, write_item,
};
#[cfg(test)]
pub(crate) use memory::{copy_to_device, copy_to_host};
pub(crate) use module::{Module, load_module};
#[cfg(feature = "nccl")]
pub(crate) use peer::queue_copy_between;
pub(crate) use stream::{Event, OwnStream, Stream};

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

        // SAFETY: a handle is a name for something the driver keeps and locks; any thread may use it.
        unsafe impl Send for $name {}
        // SAFETY: the driver locks what the handle names, so threads may use it at the same time.
        unsafe impl Sync for $name {}
    )*};
}

handles! {
    /// A context.
    Context;
    /// A kernel of a loaded module.
    Function;
}

/// Converts a raw result.
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

/// The text that the driver wrote into `buffer`, up to its first NUL.
fn text(buffer: &[u8]) -> String {
    let length = buffer
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(buffer.len());
    String::from_utf8_lossy(&buffer[..length]).trim().to_owned()
}

/// A function that older drivers lack, looked up at its first use. A program that linked to it would not start with such a driver.
struct Newer<F> {
    name: &'static CStr,
    found: OnceLock<Option<F>>,
}

impl<F: Copy> Newer<F> {
    /// # Safety
    ///
    /// `F` is the type of a pointer to the driver's function of this name.
    const unsafe fn new(name: &'static CStr) -> Self {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        Self {
            name,
            found: OnceLock::new(),
        }
    }

    /// The function, if the driver has it.
    fn find(&self) -> Option<F> {
        *self.found.get_or_init(|| {
            let address = address(self.name)?;
            // SAFETY: by the contract of `new`; both are as large as an address.
            Some(unsafe { std::mem::transmute_copy(&address) })
        })
    }
}

/// The address of the driver's function `name`.
fn address(name: &CStr) -> Option<*mut c_void> {
    const CUDA_12_0: c_int = 12_000;
    let mut address = ptr::null_mut();
    // SAFETY: the name ends in NUL, and the pointer is to a live local.
    let raw = unsafe { raw::cuGetProcAddress(name.as_ptr(), &mut address, CUDA_12_0, 0) };
    (raw == 0 && !address.is_null()).then_some(address)
}
