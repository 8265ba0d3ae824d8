//! Checks that an access is in bounds, and that it is aligned to its full width. If not, the check returns a fault with the reason.

use super::machine::Machine;
use super::memory::named;
use crate::fault::{AccessKind, Extent, FaultKind, Near, Space};
use crate::memory::{Allocation, Lookup};
use crate::program::AddressSpace;

/// The offset of an access in a memory space of `size` bytes. The space is not global memory. Fails if the access is misaligned or out of
/// bounds. `bytes` is a power of two.
#[inline(always)]
pub(super) fn check_space(
    space: AddressSpace,
    kind: AccessKind,
    address: u64,
    bytes: u32,
    size: u64,
) -> Result<usize, FaultKind> {
    let misaligned = address & u64::from(bytes - 1) != 0;
    match misaligned || address >= size || u64::from(bytes) > size - address {
        true => Err(explain_space(named(space), kind, address, bytes, size)),
        false => Ok(address as usize),
    }
}

#[cold]
fn explain_space(space: Space, kind: AccessKind, address: u64, bytes: u32, size: u64) -> FaultKind {
    if !address.is_multiple_of(bytes.into()) {
        return FaultKind::Misaligned {
            space,
            access: kind,
            address,
            bytes,
        };
    }
    let extent = Extent {
        base: 0,
        bytes: size,
    };
    FaultKind::OutOfBounds {
        space,
        access: kind,
        address,
        bytes,
        near: match address < size {
            true => Near::Across(extent),
            false => Near::After(extent, address - size),
        },
    }
}

/// The allocation that contains an access. Fails if the access is misaligned or in no allocation.
#[inline(always)]
pub(super) fn check_global<'m, O>(
    machine: &'m Machine<'_, O>,
    lookup: &mut Lookup,
    kind: AccessKind,
    address: u64,
    bytes: u32,
) -> Result<&'m Allocation, FaultKind> {
    let misaligned = address & u64::from(bytes - 1) != 0;
    match machine.snapshot.find(lookup, address, bytes) {
        Some(place) if !misaligned => Ok(place),
        _ => Err(explain_global(machine, kind, address, bytes)),
    }
}

#[cold]
fn explain_global<O>(
    machine: &Machine<'_, O>,
    access: AccessKind,
    address: u64,
    bytes: u32,
) -> FaultKind {
    if !address.is_multiple_of(bytes.into()) {
        return FaultKind::Misaligned {
            space: Space::Global,
            access,
            address,
            bytes,
        };
    }
    match machine.memory.find_freed(address) {
        Some(freed) => FaultKind::UseAfterFree {
            access,
            address,
            bytes,
            freed,
        },
        None => FaultKind::OutOfBounds {
            space: Space::Global,
            access,
            address,
            bytes,
            near: machine.memory.near(address),
        },
    }
}
