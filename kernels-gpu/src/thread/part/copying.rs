//! Copying a thread's part of a tile from global to shared memory.

use crate::direction::Heading;
use crate::element::VECTOR_WORDS;
use crate::element::{put_item, Element};
use crate::launch::Copies;
use crate::op::Op;
use crate::simt::{self, EvictionPolicy};

use super::super::{for_each_vector, Caching, Slots};
use super::{filler, Part};

impl<T: Element, U: Element, const STRIDE: u32, H: Heading> Part<T, U, STRIDE, H> {
    /// Copies the part to `slots`, vector by vector; items that do not exist are fillers.
    ///
    /// # Safety
    /// The array is readable. No other thread uses the slots.
    #[inline(always)]
    pub unsafe fn copy<O: Op<T>>(&self, slots: Slots) {
        // SAFETY: the caller's.
        unsafe { self.copy_in_pieces::<O>(slots, None) };
    }

    /// Begins to copy the part to `slots`, by an eviction policy; items that do not exist are fillers. Does nothing where
    /// the machine has no asynchronous copies.
    ///
    /// # Safety
    /// The array is readable. No other thread uses the slots.
    #[inline(always)]
    pub unsafe fn begin_copy<O: Op<T>>(&self, slots: Slots, policy: EvictionPolicy) {
        if simt::COPIES == Copies::Synchronous {
            return;
        }
        // SAFETY: the caller's; where the part is whole, its vectors exist and are aligned.
        unsafe {
            if !self.is_whole() {
                self.copy_in_pieces::<O>(slots, Some(policy));
            } else if Self::ACCESS.has_copies() {
                for_each_vector!(V => {
                    if V < self.rows {
                        let (to, from) = (slots.address(V), self.vector(V).cast());
                        Self::ACCESS.begin_copy(to, from, policy);
                    }
                });
            } else {
                self.copy_whole(slots);
            }
        }
    }

    /// Ends the copy that [`Self::begin_copy`] began, or copies the part if that did nothing.
    ///
    /// # Safety
    /// The array is readable. The part and the slots are those of the last call of [`Self::begin_copy`].
    #[inline(always)]
    pub unsafe fn end_copy<O: Op<T>>(&self, slots: Slots) {
        if simt::COPIES == Copies::Asynchronous {
            simt::await_copies();
            return;
        }
        // SAFETY: the caller's; where the part is whole, its vectors exist and are aligned.
        unsafe {
            if self.is_whole() {
                self.copy_whole(slots);
            } else {
                self.copy_in_pieces::<O>(slots, None);
            }
        }
    }

    /// Copies the part, which [`Self::is_whole`].
    ///
    /// # Safety
    /// The array is readable. No other thread uses the slots.
    #[inline(always)]
    unsafe fn copy_whole(&self, slots: Slots) {
        // SAFETY: the caller's.
        let vectors = unsafe { self.load_whole(Caching::Streamed) };
        for_each_vector!(V => {
            if V < self.rows {
                // SAFETY: the caller's.
                unsafe { slots.write(V, Self::ACCESS, vectors[V]) };
            }
        });
    }

    /// Copies a part that is not whole: vectors where they are, else items; or begins to, by an eviction policy. It fills no
    /// registers, so the loop need not be written out.
    ///
    /// # Safety
    /// The array is readable. No other thread uses the slots.
    #[inline(always)]
    unsafe fn copy_in_pieces<O: Op<T>>(&self, slots: Slots, begins: Option<EvictionPolicy>) {
        let begins = begins.filter(|_| Self::ITEM_ACCESS.has_copies());
        let mut v = 0;
        while v < self.rows {
            let step = simt::opaque_one();
            // SAFETY: the caller's; a vector is copied where it exists, and so is an item.
            unsafe {
                if !self.begins(v) {
                    slots.write(v, Self::ACCESS, Self::fillers::<O>());
                } else if let Some(policy) = begins {
                    self.begin_copy_of::<O>(v, slots, policy);
                } else if self.is_vector(v) {
                    slots.write(v, Self::ACCESS, self.load_vector(v, Caching::Kept));
                } else {
                    slots.write(v, Self::ACCESS, self.load_items::<O>(v));
                }
            }
            v += step;
        }
    }

    /// Begins to copy vector `v`, at once or item by item.
    ///
    /// # Safety
    /// The same as for [`Self::copy_in_pieces`]. Items and vectors have copies.
    #[inline(always)]
    unsafe fn begin_copy_of<O: Op<T>>(&self, v: usize, slots: Slots, policy: EvictionPolicy) {
        // SAFETY: the caller's; a vector is copied where it exists, and so is an item.
        unsafe {
            if self.is_vector(v) {
                let (to, from) = (slots.address(v), self.vector(v).cast());
                // `ptxas` of CUDA 13.0 keeps the policy of this loop's copies in a uniform register that it uses for an address
                // too where there is no other branch: an illegal instruction.
                if Self::ITEMS == 1 {
                    Self::ACCESS.begin_copy_without_policy(to, from);
                } else {
                    Self::ACCESS.begin_copy(to, from, policy);
                }
            } else {
                let mut i = 0;
                while i < Self::ITEMS {
                    let slot = slots.address(v).cast::<T>().add(i);
                    if self.exists(v, i) {
                        let from = self.vector(v).add(i).cast();
                        Self::ITEM_ACCESS.begin_copy(slot.cast(), from, policy);
                    } else {
                        let mut item = [0; VECTOR_WORDS];
                        put_item(&mut item, 0, filler::<O, T>());
                        Self::ITEM_ACCESS.write_shared(slot.cast(), item);
                    }
                    i += 1;
                }
            }
        }
    }
}
