//! Generic addresses: a window each for shared memory, local memory and kernel parameters. All other addresses count as global. Kernels
//! have addresses after these windows, below device memory.

use super::AddressSpace;

/// Bytes of a window.
const WINDOW_BYTES: u64 = 1 << 32;
/// Where the window of shared memory starts.
pub(crate) const SHARED_WINDOW: u64 = WINDOW_BYTES;
/// Where the window of local memory starts.
pub(crate) const LOCAL_WINDOW: u64 = 2 * WINDOW_BYTES;
/// Where the window of kernel parameters starts.
pub(crate) const PARAM_WINDOW: u64 = 3 * WINDOW_BYTES;
/// Where the addresses of kernels start.
const KERNEL_WINDOW: u64 = 4 * WINDOW_BYTES;

/// Bytes from one kernel's address to the next kernel's.
const KERNEL_STEP: u64 = 16;

/// The space that a generic address lies in.
pub(crate) fn space_of(address: u64) -> AddressSpace {
    match address / WINDOW_BYTES {
        1 => AddressSpace::Shared,
        2 => AddressSpace::Local,
        3 => AddressSpace::KernelParam,
        _ => AddressSpace::Global,
    }
}

/// The offset of a generic address in the window of its space.
pub(crate) fn within_window(address: u64) -> u64 {
    address % WINDOW_BYTES
}

/// The address of a kernel, by its index in the module.
pub(crate) fn kernel_address(index: usize) -> u64 {
    KERNEL_WINDOW + index as u64 * KERNEL_STEP
}

/// The index of the kernel at an address, if a kernel can have this address. The module may have no kernel with this index.
pub(crate) fn kernel_index(address: u64) -> Option<usize> {
    let offset = address.checked_sub(KERNEL_WINDOW)?;
    let index = usize::try_from(offset / KERNEL_STEP).ok()?;
    offset.is_multiple_of(KERNEL_STEP).then_some(index)
}
