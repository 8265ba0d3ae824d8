//! A thread's slots for its vectors of a tile in shared memory.

use crate::contract::THREAD_VECTORS;
use crate::element::Vector;
use crate::element::VECTOR_WORDS;

use super::{for_each_vector, Access, Vectors};

/// A thread's slots in the shared memory of a tile: one slot for each of the thread's vectors.
///
/// A slot has the size of a vector. If a scan's items and results have different types, a slot has the size of a vector of the wider type.
/// A vector of the narrower type fills only the beginning of its slot.
#[derive(Clone, Copy)]
pub struct Slots {
    first: *mut u32,
    /// The number of bytes from the start of one of the thread's slots to the start of the next.
    stride_bytes: usize,
}

impl Slots {
    /// Slots of `slot_bytes` bytes in the tile that begins at `tile`. The first slot holds the tile's vector `first`. The other slots hold
    /// every `stride`th vector after it.
    #[inline(always)]
    pub fn new(tile: *mut u32, first: u32, stride: u32, slot_bytes: usize) -> Self {
        Slots {
            first: tile.wrapping_byte_add(first as usize * slot_bytes),
            stride_bytes: stride as usize * slot_bytes,
        }
    }

    /// The address of slot `v`.
    #[inline(always)]
    pub fn address(&self, v: usize) -> *mut u32 {
        self.first.wrapping_byte_add(v * self.stride_bytes)
    }

    /// Reads the vector in slot `v`.
    ///
    /// # Safety
    /// Slot `v` exists and has been written, and `access` describes its vector.
    #[inline(always)]
    pub unsafe fn read(&self, v: usize, access: Access) -> Vector {
        // SAFETY: slot `v` is in shared memory, has been written, and is aligned for `access` (condition of this function).
        unsafe { access.read_shared(self.address(v)) }
    }

    /// As [`Self::read`], for a constant `v`. The accesses to all slots share one base address.
    ///
    /// # Safety
    /// Slot `v` exists and has been written, and `access` describes its vector.
    #[inline(always)]
    pub unsafe fn read_constant(&self, v: usize, access: Access) -> Vector {
        // SAFETY: slot `v`, at this offset from the first slot, is in shared memory, has been written, and is aligned for `access`
        // (condition of this function).
        unsafe { access.read_shared_at(self.first, v * self.stride_bytes) }
    }

    /// Reads the vectors in the first `rows` slots. The other vectors are zero.
    ///
    /// # Safety
    /// The first `rows` slots exist and have been written, and `access` describes their vectors.
    #[inline(always)]
    pub unsafe fn read_rows(&self, rows: usize, access: Access) -> Vectors {
        let mut vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
        for_each_vector!(V => {
            if V < rows {
                // SAFETY: `V` is less than `rows`, so the slot has been written.
                vectors[V] = unsafe { self.read(V, access) };
            }
        });
        vectors
    }

    /// Writes a vector to slot `v`.
    ///
    /// # Safety
    /// Slot `v` exists, no other thread uses it, and `access` describes its vector.
    #[inline(always)]
    pub unsafe fn write(&self, v: usize, access: Access, vector: Vector) {
        // SAFETY: slot `v` is in shared memory, aligned for `access`, and this thread's (condition of this function).
        unsafe { access.write_shared(self.address(v), vector) };
    }
}
