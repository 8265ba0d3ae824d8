//! Copies that are done when the call returns: what the ladder and the tests need beyond the library.

use super::{Address, Result, check, raw};

pub(crate) fn copy_to_device(to: Address, from: &[u8]) -> Result<()> {
    // SAFETY: `from` is readable over its length, and this copy has read it when it returns.
    check("cuMemcpyHtoD_v2", unsafe {
        raw::cuMemcpyHtoD_v2(to, from.as_ptr().cast(), from.len())
    })
}

pub(crate) fn copy_to_host(to: &mut [u8], from: Address) -> Result<()> {
    // SAFETY: `to` is writable over its length, and this copy has written it when it returns.
    check("cuMemcpyDtoH_v2", unsafe {
        raw::cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), from, to.len())
    })
}

/// Copies within the device's memory.
#[cfg(feature = "ladder")]
pub(crate) fn copy_within_device(to: Address, from: Address, bytes: usize) -> Result<()> {
    // SAFETY: no host pointers.
    check("cuMemcpyDtoD_v2", unsafe {
        raw::cuMemcpyDtoD_v2(to, from, bytes)
    })
}
