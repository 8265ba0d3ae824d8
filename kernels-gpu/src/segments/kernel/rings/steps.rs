//! The copies of a step's items to a slot of a ring.
//!
//! The slot begins with the row of the step's first item. So all copies of whole steps begin at rows, in both memories (see
//! `ROW_BYTES`).

use crate::contract::WARP_LANES;
use crate::element::{put_item, Element, VECTOR_WORDS};
use crate::op::Op;
use crate::segments::rings::*;
use crate::segments::{offset_of_turn, vector_items};
use crate::simt;
use crate::thread::{for_each_vector, Access};

use super::super::Launch;
use super::place_of_vector;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Begins to copy a step's items to the slot that begins `slot` bytes after `ring`. The step has `count` items, at most [`STEP_ITEMS`]:
    /// item `first` and the items after it. In the row of item `first`, `before` items come before item `first`. Each of these earlier
    /// items, and each item from item `all` on, may be left out, or replaced by a copy of item `first`.
    ///
    /// # Safety
    /// The whole warp. Item `first` and all items before item `all` exist. `before` is the first item's place in its row. No other warp
    /// uses the slot, and no lane of this warp uses it before the copies are done.
    #[inline(always)]
    pub unsafe fn bring_step(
        &self,
        ring: *mut u8,
        slot: u32,
        first: u64,
        count: u32,
        before: u32,
        all: u64,
    ) {
        // SAFETY: the conditions are this function's. The step's vectors exist if `bring_vectors_of` is called.
        unsafe {
            if self.vectors_exist(first, count, before) {
                self.bring_vectors_of(ring, slot, first, count, before);
            } else {
                self.bring_each_of(ring, slot, first, count, before, all);
            }
        }
    }

    /// Whether all items exist that lie in the vectors of `count` items from item `first` on, which has place `before` in its row.
    #[inline(always)]
    pub fn vectors_exist(&self, first: u64, count: u32, before: u32) -> bool {
        let items = vector_items::<T>();
        let lowest = first.wrapping_sub((before % items) as u64);
        let upto = lowest + (before % items + count).next_multiple_of(items) as u64;
        lowest <= first && upto <= self.offsets.item_count
    }

    /// As [`Self::bring_step`], if all items of the step's vectors exist.
    ///
    /// # Safety
    /// The conditions of [`Self::bring_step`]. All items of the step's vectors exist.
    #[inline(always)]
    pub unsafe fn bring_vectors_of(
        &self,
        ring: *mut u8,
        slot: u32,
        first: u64,
        count: u32,
        before: u32,
    ) {
        let items = vector_items::<T>();
        let lane = simt::lane();
        let step_vectors = const { STEP_ITEMS / vector_items::<T>() };
        // The vectors before the one with the step's first item, and one past the vector with the step's last item.
        let lead = before / items;
        let end = (before + count).div_ceil(items);
        let from = self
            .input
            .wrapping_add(first.wrapping_sub(before as u64) as usize)
            .wrapping_add((lane * items) as usize);
        // `own` is computed again for each step. If it were computed once, the loop over the steps would need too many registers.
        let own = place_of_vector(lane * simt::late_one());
        for_each_vector!(V => {
            if V < size_of::<T>() {
                let from = from.wrapping_add(V * (WARP_LANES * items) as usize);
                // In each turn, the lanes together copy 32 vectors.
                let place = offset_of_turn(own, V as u32);
                if (V != 0 || lane >= lead) && V as u32 * WARP_LANES + lane < end {
                    // SAFETY: all items of the vectors from `lead` to `end` exist (this function's condition), and nobody writes them (the
                    // launch's condition 2). Item `first` has place `before` in its row, so the vectors are aligned in global memory. No
                    // other warp uses the slot, and no other lane copies this vector.
                    unsafe { Self::bring_vector(ring, slot + place, from.cast()) };
                }
            }
        });
        if step_vectors + lane < end {
            let from = from.wrapping_add((step_vectors * items) as usize);
            let place = offset_of_turn(own, const { size_of::<T>() as u32 });
            // SAFETY: as above, for the vectors in the slot's last row.
            unsafe { Self::bring_vector(ring, slot + place, from.cast()) };
        }
    }

    /// As [`Self::bring_step`], even if some items of the step's vectors do not exist.
    ///
    /// # Safety
    /// The conditions of [`Self::bring_step`].
    #[inline(always)]
    pub unsafe fn bring_each_of(
        &self,
        ring: *mut u8,
        slot: u32,
        first: u64,
        count: u32,
        before: u32,
        all: u64,
    ) {
        let items = vector_items::<T>();
        let begin = first.wrapping_sub(before as u64);
        let mut vector = simt::lane();
        while vector * items < before + count {
            let step = simt::opaque_one() as u32;
            let own = begin.wrapping_add((vector * items) as u64);
            if own < all && own + items as u64 <= all {
                let from = self.input.wrapping_add(own as usize);
                // SAFETY: the vector's items exist, as tested just above, and nobody writes them (the launch's condition 2). Item `first` has
                // place `before` in its row, so the vector is aligned in global memory. No other warp uses the slot (this function's
                // condition), and no other lane copies this vector.
                unsafe { Self::bring_vector(ring, slot + place_of_vector(vector), from.cast()) };
                vector += step * WARP_LANES;
                continue;
            }
            let mut place = 0;
            while place < items {
                let step = simt::opaque_one() as u32;
                let item = own.wrapping_add(place as u64);
                // The number of an item before the step's first item may have wrapped. Missing items are replaced, so that the operator
                // only gets items of the input. The values that the operator computes from the replacements are not used.
                let exists = item >= first && item < all;
                let item = if exists { item } else { first };
                let offset = slot + place_of_vector(vector) + place * size_of::<T>() as u32;
                let mut words = [0; VECTOR_WORDS];
                // SAFETY: the item exists, so it is readable (the launch's condition 2). Its place in the slot is aligned, and no other
                // thread uses it (this function's condition).
                unsafe {
                    put_item(&mut words, 0, self.input.add(item as usize).read());
                    const { Access::new(size_of::<T>(), size_of::<T>()) }
                        .write_shared(ring.wrapping_add(offset as usize).cast(), words);
                }
                place += step;
            }
            vector += step * WARP_LANES;
        }
    }
}
