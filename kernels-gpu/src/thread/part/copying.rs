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
    /// Copies the part to `slots`, vector by vector, with fillers in place of items that do not exist.
    ///
    /// # Safety
    /// - The array is readable, and no other thread writes the part.
    /// - No other thread uses the slots.
    #[inline(always)]
    pub unsafe fn copy<O: Op<T>>(&self, slots: Slots) {
        // SAFETY: the conditions of `copy_in_pieces` are this function's.
        unsafe { self.copy_in_pieces::<O>(slots, None) };
    }

    /// If [`simt::COPIES`] is synchronous, does nothing: [`Self::end_copy`] copies the part. Otherwise begins to copy the part to `slots`,
    /// with fillers in place of items that do not exist. `policy` applies only to copies of 16 bytes. What cannot be copied asynchronously
    /// is copied before the function returns.
    ///
    /// # Safety
    /// - The array is readable, and no other thread writes the part before [`Self::end_copy`].
    /// - No other thread uses the slots.
    #[inline(always)]
    pub unsafe fn begin_copy<O: Op<T>>(&self, slots: Slots, policy: EvictionPolicy) {
        if simt::COPIES == Copies::Synchronous {
            return;
        }
        // SAFETY: the array is readable and the slots are this thread's (conditions of this function). Where the part is whole, its vectors
        // exist and are aligned.
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

    /// If [`simt::COPIES`] is synchronous, copies the part. Otherwise waits for the copy that [`Self::begin_copy`] began.
    ///
    /// # Safety
    /// - The part and the slots are the same as in the last call of [`Self::begin_copy`].
    /// - The conditions of that call still hold.
    #[inline(always)]
    pub unsafe fn end_copy<O: Op<T>>(&self, slots: Slots) {
        if simt::COPIES == Copies::Asynchronous {
            simt::await_copies();
            return;
        }
        // SAFETY: the conditions of `begin_copy` still hold (condition of this function). `is_whole` is checked before the whole part is
        // copied.
        unsafe {
            if self.is_whole() {
                self.copy_whole(slots);
            } else {
                self.copy_in_pieces::<O>(slots, None);
            }
        }
    }

    /// Copies the part, for which [`Self::is_whole`] holds.
    ///
    /// # Safety
    /// - [`Self::is_whole`] holds.
    /// - The array is readable, and no other thread writes the part.
    /// - No other thread uses the slots.
    #[inline(always)]
    unsafe fn copy_whole(&self, slots: Slots) {
        // SAFETY: the part is whole, and the array is readable (conditions of this function).
        let vectors = unsafe { self.load_whole(Caching::Streamed) };
        for_each_vector!(V => {
            if V < self.rows {
                // SAFETY: the slot is this thread's (condition of this function).
                unsafe { slots.write(V, Self::ACCESS, vectors[V]) };
            }
        });
    }

    /// Copies any part, whole or not, with fillers in place of items that do not exist. A vector is copied as a whole if
    /// [`Self::is_vector`] holds, else item by item. If no item of a vector exists, the vector's slot gets only fillers. The copies are
    /// asynchronous if two conditions hold: `begins` is an eviction policy, and items can be copied asynchronously. Asynchronous copies may
    /// still be in flight when the function returns. Synchronous copies are done by then. The loop is not written out, because it indexes
    /// no registers.
    ///
    /// # Safety
    /// - The array is readable, and no other thread writes the part.
    /// - No other thread uses the slots.
    #[inline(always)]
    unsafe fn copy_in_pieces<O: Op<T>>(&self, slots: Slots, begins: Option<EvictionPolicy>) {
        let begins = begins.filter(|_| Self::ITEM_ACCESS.has_copies());
        let mut v = 0;
        while v < self.rows {
            let step = simt::opaque_one();
            // SAFETY: the slots are this thread's (condition of this function), and `is_vector` is checked before a vector is loaded.
            // `begins` is set only if items can be copied asynchronously. Then vectors can be copied asynchronously too, because a vector's
            // unit is at least as large as an item's.
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

    /// Begins to copy vector `v`: as a whole if [`Self::is_vector`] holds, else item by item.
    ///
    /// # Safety
    /// - The conditions of [`Self::copy_in_pieces`].
    /// - Items and vectors can be copied asynchronously: [`Access::has_copies`](super::Access::has_copies).
    #[inline(always)]
    unsafe fn begin_copy_of<O: Op<T>>(&self, v: usize, slots: Slots, policy: EvictionPolicy) {
        // SAFETY: `is_vector` or `exists` is checked before each copy, so its source is readable. The slot, and each item's place in it, is
        // this thread's.
        unsafe {
            if self.is_vector(v) {
                let (to, from) = (slots.address(v), self.vector(v).cast());
                // If a vector is one item, the inlined loop of `copy_in_pieces` has no branch that copies item by item. Then `ptxas` of
                // CUDA 13.0 keeps the policy in a uniform register, and uses the same register for an address. The result is an illegal
                // instruction.
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
