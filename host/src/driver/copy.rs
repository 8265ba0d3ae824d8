//! Synchronous copies, for tests.

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
