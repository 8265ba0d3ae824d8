//! Vectors of items in a block's shared memory.

use crate::contract::THREAD_VECTORS;
use crate::element::{for_each_item, item_of, put_item, vector_of};
use crate::element::{Element, Vector, VECTOR_WORDS};
use crate::segments::{offset_in_sixteen, offset_of, vector_items};
use crate::simt;
use crate::thread::{for_each_vector, Access, Vectors};

use super::super::rings::place_of_vector;
use super::Room;

impl<T: Element, A: Copy> Room<T, A> {
    /// How a vector is accessed.
    pub(super) const VECTOR_ACCESS: Access = Access::new(16, 16);

    /// A vector with its items in the opposite order, in a backward launch. This turns the order of memory to that of the launch, and back.
    #[inline(always)]
    fn turned(&self, vector: &Vector) -> Vector {
        self.direction
            .turned::<T>(vector, vector_items::<T>() as usize)
    }

    /// The 16 items from a place on, in vectors. Items have at most 8 bytes.
    ///
    /// # Safety
    /// The items are written.
    #[inline(always)]
    pub unsafe fn sixteen(&self, place: u32) -> Vectors {
        let mut vectors: Vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
        for_each_vector!(V => {
            if V < size_of::<T>() {
                for_each_item!(P of T => {
                    let item = V as u32 * vector_items::<T>() + P as u32;
                    // SAFETY: the item is written: this function's condition.
                    let item = unsafe { self.item(place + item) };
                    put_item::<T>(&mut vectors[V], P, item_of(&item, 0));
                });
            }
        });
        vectors
    }

    /// The vector that has the item at a place, with its items in the order of the launch's direction.
    ///
    /// # Safety
    /// An item of this vector is written. Its other places may hold anything.
    #[inline(always)]
    pub unsafe fn vector(&self, place: u32) -> Vector {
        // SAFETY: an item of the vector is written: the same condition as this function's.
        let vector = unsafe { self.vector_in_memory(place) };
        self.turned(&vector)
    }

    /// As [`Self::vector`], at a place where a vector begins. This takes fewer instructions.
    ///
    /// # Safety
    /// The same condition as for [`Self::vector`].
    #[inline(always)]
    pub unsafe fn vector_from(&self, place: u32) -> Vector {
        // SAFETY: a vector lies there, and an item of the vector is written: this function's condition.
        let vector = unsafe { self.vector_at(offset_of::<T>(place as usize) as u32) };
        self.turned(&vector)
    }

    /// The vector that has the item at a place, in the order of memory.
    ///
    /// # Safety
    /// The same condition as for [`Self::vector`].
    #[inline(always)]
    pub unsafe fn vector_in_memory(&self, place: u32) -> Vector {
        let offset = place_of_vector(place / vector_items::<T>());
        // SAFETY: an item of the vector is written: this function's condition.
        unsafe { self.vector_at(offset) }
    }

    /// The vector at an offset in the items' memory, in the order of memory.
    ///
    /// # Safety
    /// A vector lies there, and one of its items is written.
    #[inline(always)]
    pub unsafe fn vector_at(&self, offset: u32) -> Vector {
        // SAFETY: an item of the vector is written (this function's condition), so the vector is in the items' memory. Vectors lie at
        // multiples of 16 bytes.
        unsafe { vector_of(simt::read_vector_at(self.item_memory(), offset)) }
    }

    /// The vectors of the 16 places from `first` on. `first` is a multiple of 16.
    ///
    /// # Safety
    /// The items at these places are written.
    #[inline(always)]
    pub unsafe fn vectors_of_sixteen(&self, first: u32) -> Vectors {
        let offset = offset_of::<T>(first as usize) as u32;
        let mut vectors: Vectors = [[0; VECTOR_WORDS]; THREAD_VECTORS];
        for_each_vector!(V => {
            if V < size_of::<T>() {
                // SAFETY: the vector's items are written: this function's condition.
                let vector = unsafe { self.vector_at(offset_in_sixteen(offset, V as u32)) };
                vectors[V] = self.turned(&vector);
            }
        });
        vectors
    }

    /// Writes the vectors of the 16 places from `first` on. `first` is a multiple of 16.
    ///
    /// # Safety
    /// The items' memory has these places, and no other thread uses the items there.
    #[inline(always)]
    pub unsafe fn put_sixteen(&self, first: u32, vectors: &Vectors) {
        let offset = offset_of::<T>(first as usize) as u32;
        for_each_vector!(V => {
            if V < size_of::<T>() {
                let vector = self.turned(&vectors[V]);
                let offset = offset_in_sixteen(offset, V as u32) as usize;
                let to = self.item_memory().wrapping_add(offset);
                // SAFETY: the vector is in the items' memory, and no other thread uses it (this function's conditions); vectors lie at
                // multiples of 16 bytes.
                unsafe { Self::VECTOR_ACCESS.write_shared(to.cast(), vector) };
            }
        });
    }

    /// Writes a vector at a place where a vector begins.
    ///
    /// # Safety
    /// The items' memory has the place, and no other thread uses the vector there.
    #[inline(always)]
    pub unsafe fn put_vector(&self, place: u32, vector: Vector) {
        let vector = self.turned(&vector);
        // SAFETY: the vector is in the items' memory, and no other thread uses it (this function's conditions); vectors lie at multiples
        // of 16 bytes.
        unsafe { Self::VECTOR_ACCESS.write_shared(self.vector_address(place).cast(), vector) };
    }
}
