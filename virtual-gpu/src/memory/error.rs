//! Refused calls on [`Memory`](super::Memory).

use crate::fault::{Extent, Near};

/// Why a call on [`Memory`](super::Memory) was refused.
///
/// ```
/// let memory = virtual_gpu::Memory::new(1 << 20);
/// let error = memory.alloc(2 << 20).unwrap_err();
/// assert!(matches!(error, virtual_gpu::MemoryError::OutOfMemory { asked: 2097152, .. }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// Not enough memory is left, or not enough unused addresses.
    #[error("out of memory: {asked} bytes were asked for and {free} of {capacity} are free")]
    OutOfMemory {
        /// Bytes asked for.
        asked: u64,
        /// Bytes that are free.
        free: u64,
        /// Bytes that the device has.
        capacity: u64,
    },
    /// An allocation of no bytes.
    #[error("an allocation of zero bytes")]
    ZeroBytes,
    /// The address is not the start of a live allocation.
    #[error("{address:#x} is not the start of an allocation: {near}")]
    NotAllocated {
        /// The address.
        address: u64,
        /// The nearest allocation.
        near: Near,
    },
    /// The address lies in a freed allocation.
    #[error("{address:#x} was freed before: {freed}")]
    Freed {
        /// The address.
        address: u64,
        /// The freed allocation.
        freed: Extent,
    },
    /// A range that is not inside one live allocation.
    #[error("{bytes} bytes at {address:#x} do not lie inside one allocation: {near}")]
    OutOfBounds {
        /// The address.
        address: u64,
        /// Bytes of the range.
        bytes: u64,
        /// The nearest allocation.
        near: Near,
    },
}
