//! A thread's place for its vectors of a tile in shared memory.

use crate::contract::{THREAD_VECTORS, VECTOR_BYTES};
use crate::element::Words;
use crate::simt;

use super::{for_each_vector, Vectors};

/// A thread's slots, one for each of its vectors, in a tile of shared memory.
#[derive(Clone, Copy)]
pub struct Slots {
    first: *mut u32,
    /// Bytes from a slot to the next.
    stride_bytes: usize,
}

impl Slots {
    /// The slots whose first holds vector `first` of the tile that begins at `tile`, and the others every `stride`th from
    /// there on.
    #[inline(always)]
    pub fn new(tile: *mut u32, first: u32, stride: u32) -> Self {
        Slots {
            first: tile.wrapping_byte_add(first as usize * VECTOR_BYTES),
            stride_bytes: stride as usize * VECTOR_BYTES,
        }
    }

    /// The address of slot `v`.
    #[inline(always)]
    pub fn address(&self, v: usize) -> *mut u32 {
        self.first.wrapping_byte_add(v * self.stride_bytes)
    }

    /// Reads slot `v`.
    ///
    /// # Safety
    /// The slot is written.
    #[inline(always)]
    pub unsafe fn read(&self, v: usize) -> Words {
        // SAFETY: the caller's.
        unsafe { simt::read_vector(self.address(v)) }
    }

    /// Reads the first `rows` slots; the other vectors are zero.
    ///
    /// # Safety
    /// The slots are written.
    #[inline(always)]
    pub unsafe fn read_rows(&self, rows: usize) -> Vectors {
        let mut vectors = [[0; 4]; THREAD_VECTORS];
        for_each_vector!(V => {
            if V < rows {
                // SAFETY: the caller's.
                vectors[V] = unsafe { self.read(V) };
            }
        });
        vectors
    }

    /// Writes slot `v`.
    ///
    /// # Safety
    /// Nobody but this thread uses the slot.
    #[inline(always)]
    pub unsafe fn write(&self, v: usize, words: Words) {
        // SAFETY: the slot exists, and is the caller's.
        unsafe { simt::write_vector(self.address(v), words) };
    }
}
