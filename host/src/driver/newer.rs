//! Functions that older drivers lack. A program that linked to them would not start with such a driver.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use super::raw;

/// A function of newer drivers, looked up at its first use.
pub(super) struct Newer<F> {
    name: &'static CStr,
    found: OnceLock<Option<F>>,
}

impl<F: Copy> Newer<F> {
    /// # Safety
    ///
    /// `F` is the type of a pointer to the driver's function of this name.
    pub const unsafe fn new(name: &'static CStr) -> Self {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        Self {
            name,
            found: OnceLock::new(),
        }
    }

    /// The function, if the driver has it.
    pub fn find(&self) -> Option<F> {
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
