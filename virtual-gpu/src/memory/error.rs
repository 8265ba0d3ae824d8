//! Refused calls on [`Memory`](super::Memory).

use std::error::Error;
use std::fmt;

use crate::fault::{Extent, Near};

/// Why a call on [`Memory`](super::Memory) was refused.
///
/// ```
/// let memory = virtual_gpu::Memory::new(1 << 20);
/// let error = memory.alloc(2 << 20).unwrap_err();
/// assert!(matches!(error, virtual_gpu::MemoryError::OutOfMemory { asked: 2097152, .. }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryError {
    /// Not enough memory is left, or not enough unused addresses.
    OutOfMemory {
        /// Bytes asked for.
        asked: u64,
        /// Bytes that are free.
        free: u64,
        /// Bytes that the device has.
        capacity: u64,
    },
    /// An allocation of no bytes.
    ZeroBytes,
    /// The address is not the start of a live allocation.
    NotAllocated {
        /// The address.
        address: u64,
        /// The nearest allocation.
        near: Near,
    },
    /// The address lies in a freed allocation.
    Freed {
        /// The address.
        address: u64,
        /// The freed allocation.
        freed: Extent,
    },
    /// A range that is not inside one live allocation.
    OutOfBounds {
        /// The address.
        address: u64,
        /// Bytes of the range.
        bytes: u64,
        /// The nearest allocation.
        near: Near,
    },
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryError::OutOfMemory {
                asked,
                free,
                capacity,
            } => write!(
                f,
                "out of memory: {asked} bytes were asked for and {free} of {capacity} are free"
            ),
            MemoryError::ZeroBytes => f.write_str("an allocation of zero bytes"),
            MemoryError::NotAllocated { address, near } => {
                write!(f, "{address:#x} is not the start of an allocation: {near}")
            }
            MemoryError::Freed { address, freed } => {
                write!(f, "{address:#x} was freed before: {freed}")
            }
            MemoryError::OutOfBounds {
                address,
                bytes,
                near,
            } => write!(
                f,
                "{bytes} bytes at {address:#x} do not lie inside one allocation: {near}"
            ),
        }
    }
}

impl Error for MemoryError {}
