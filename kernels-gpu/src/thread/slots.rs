//! A thread's place for its vectors of a tile in shared memory.

use crate::contract::THREAD_VECTORS;
use crate::element::Vector;
use crate::element::VECTOR_WORDS;

use super::{for_each_vector, Access, Vectors};

/// A thread's slots, one for each of its vectors, in a tile of shared memory.
///
/// A slot has the bytes of a vector. If a scan's items and results have different types, it has those of the wider type. The narrower ones
/// fill its beginning.
#[derive(Clone, Copy)]
pub struct Slots {
    first: *mut u32,
    /// Bytes from a slot to the next.
    stride_bytes: usize,
}

impl Slots {
    /// The slots of `slot_bytes` whose first holds vector `first` of the tile that begins at `tile`, and the others every
    /// `stride`th from there on.
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
    /// The slot is written.
    #[inline(always)]
    pub unsafe fn read(&self, v: usize, access: Access) -> Vector {
        // SAFETY: the caller's.
        unsafe { access.read_shared(self.address(v)) }
    }

    /// [`Self::read`], for a `v` that is a constant: all slots are read from one address.
    ///
    /// # Safety
    /// The slot is written.
    #[inline(always)]
    pub unsafe fn read_constant(&self, v: usize, access: Access) -> Vector {
        // SAFETY: the caller's.
        unsafe { access.read_shared_at(self.first, v * self.stride_bytes) }
    }

    /// Reads the vectors in the first `rows` slots; the others are zero.
    ///
    /// # Safety
    /// The slots are written.
    #[inline(always)]
    pub unsafe fn read_rows(&self, rows: usize, access: Access) -> Vectors {
        let mut vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
        for_each_vector!(V => {
            if V < rows {
                // SAFETY: the caller's.
                vectors[V] = unsafe { self.read(V, access) };
            }
        });
        vectors
    }

    /// Writes a vector to slot `v`.
    ///
    /// # Safety
    /// No other thread uses the slot.
    #[inline(always)]
    pub unsafe fn write(&self, v: usize, access: Access, vector: Vector) {
        // SAFETY: the slot exists, and is the caller's.
        unsafe { access.write_shared(self.address(v), vector) };
    }
}
