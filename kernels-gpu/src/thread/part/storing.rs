//! Storing a thread's part of a tile.

use crate::direction::Heading;
use crate::element::{item_of, Element, Vector};
use crate::simt;

use super::super::{for_each_vector, Slots};
use super::Part;

impl<T: Element, U: Element, const STRIDE: u32, H: Heading> Part<T, U, STRIDE, H> {
    /// Stores the part, for which [`Self::is_whole`] holds, from `slots`.
    ///
    /// # Safety
    /// - [`Self::is_whole`] holds.
    /// - The array is writable, and no other thread reads or writes the part.
    /// - The slots have been written.
    #[inline(always)]
    pub unsafe fn store_whole(&self, slots: Slots) {
        for_each_vector!(V => {
            if V < self.rows {
                // SAFETY: the part is whole, so each vector is. The slots have been written, and the part is this thread's (conditions of
                // this function).
                unsafe { self.store_vector(V, slots.read(V, Self::ACCESS)) };
            }
        });
    }

    /// Stores vector `v`.
    ///
    /// # Safety
    /// - `is_vector` holds for `v`.
    /// - The array is writable, and no other thread reads or writes the part.
    #[inline(always)]
    pub unsafe fn store_vector(&self, v: usize, vector: Vector) {
        // SAFETY: `is_vector` holds: the vector exists and is aligned. The vector is writable (conditions of this function).
        unsafe { Self::ACCESS.store(self.vector(v).cast(), vector) }
    }

    /// Stores any part from `slots`, also a part that is not whole. Items that do not exist are left out.
    ///
    /// # Safety
    /// - The array is writable, and no other thread reads or writes the part.
    /// - The slots have been written.
    #[inline(always)]
    pub unsafe fn store_in_pieces(&self, slots: Slots) {
        let mut v = 0;
        while v < self.rows {
            let step = simt::opaque_one();
            // SAFETY: the slots have been written, and the part is this thread's (conditions of this function). `is_vector` is checked
            // before a vector is stored.
            unsafe {
                let vector = slots.read(v, Self::ACCESS);
                if self.is_vector(v) {
                    self.store_vector(v, vector);
                } else {
                    self.store_items(v, vector);
                }
            }
            v += step;
        }
    }

    /// Stores the existing items of vector `v` one by one.
    ///
    /// # Safety
    /// The array is writable, and no other thread reads or writes the part.
    #[inline(always)]
    unsafe fn store_items(&self, v: usize, vector: Vector) {
        let mut i = 0;
        while i < Self::ITEMS {
            if self.exists(v, i) {
                // SAFETY: the item exists, and the array is writable.
                unsafe { self.vector(v).add(i).write(item_of(&vector, i)) };
            }
            i += 1;
        }
    }
}
