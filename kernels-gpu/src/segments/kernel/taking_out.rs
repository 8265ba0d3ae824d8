//! The copies of a scan's results from shared to global memory.

use crate::direction::Heading;
use crate::element::{first_bytes, item_of, Element};
use crate::op::Op;
use crate::segments::tuning::VECTORS_AT_ONCE;
use crate::segments::{vector_items, Work};
use crate::simt;
use crate::thread::{for_each_vector, Access};

use super::items::Room;
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Copies the results from shared to global memory. Vectors of results that are whole, and aligned in global memory too, are copied as
    /// vectors. All other results are copied one by one.
    ///
    /// # Safety
    /// The whole block. `work` is one of the block's works, and its results are written to shared memory.
    #[inline(always)]
    pub unsafe fn take_out(&self, work: &Work, room: Room<T, O::Accumulator>) {
        let block = [simt::thread_index(), self.threads()];
        // SAFETY: the whole block is here, and the results are written: this function's conditions.
        unsafe { self.take_out_some(work, room, [work.begin, work.end], block) }
    }

    /// As [`Self::take_out`], for the places from `begin` to `end`. A group of `threads` threads shares these places, and the caller has
    /// number `thread` in this group.
    ///
    /// # Safety
    /// `work` is one of the block's works, and has the places. Their results are written to shared memory. Each thread of the group calls
    /// this, and no other thread copies these results.
    #[inline(always)]
    pub unsafe fn take_out_some(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        [begin, end]: [u32; 2],
        [thread, threads]: [u32; 2],
    ) {
        let items = vector_items::<T>();
        let access = Access::new(16, 16);
        let lies_alike = self.results(work, 0).addr().is_multiple_of(16);
        let mut place = begin / items * items + thread * items;
        let places = items * threads;
        if Self::HAS_VECTORS && lies_alike && place >= begin {
            while place + (VECTORS_AT_ONCE - 1) * places + items <= end {
                let step = simt::opaque_one() as u32;
                let to: *mut u32 = self.results(work, place).cast();
                let far = places as u64 * size_of::<O::Output>() as u64;
                let far = self.offsets.direction.signed(far) as usize;
                for_each_vector!(V in 0 1 2 3 => {
                    let to = to.wrapping_byte_add(far.wrapping_mul(V));
                    let place = place + V as u32 * places;
                    // SAFETY: the vector is within these places, and its results are written (this function's conditions). Global memory
                    // has room for each item's result (the launch's condition 5). `to` is aligned, since `lies_alike` is true and a vector
                    // begins at `place`.
                    unsafe { access.store(to, room.vector_in_memory(place)) };
                });
                place += VECTORS_AT_ONCE * places * step;
            }
        }
        while place < end {
            let step = simt::opaque_one() as u32;
            let is_vector = lies_alike && place >= begin && place + items <= end;
            // SAFETY: if `is_vector`, the vector is within these places, and it is aligned in global memory. Its results are written, and
            // global memory has room for them, as above. In the other branch, no other thread copies the vector's results.
            unsafe {
                if Self::HAS_VECTORS && is_vector {
                    let to = self.results(work, place).cast();
                    access.store(to, room.vector_in_memory(place));
                } else {
                    self.take_out_each(work, room, place, [begin, end]);
                }
            }
            place += places * step;
        }
    }

    /// A vector begins at place `vector`. Of its results, copies those at the places from `begin` to `end`, one by one.
    ///
    /// # Safety
    /// `work` is one of the block's works, and has the places. Their results are written to shared memory. No other thread copies them.
    #[inline(always)]
    pub unsafe fn take_out_each(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        vector: u32,
        [begin, end]: [u32; 2],
    ) {
        let mut place = Ord::max(vector, begin);
        let end = Ord::min(vector + vector_items::<T>(), end);
        while place < end {
            let step = simt::opaque_one() as u32;
            // SAFETY: `begin <= place < end`, so the result is written (this function's condition), and global memory has room for it (the
            // launch's condition 5). No other thread copies it.
            unsafe {
                let result = item_of::<T>(&room.item(place), 0);
                self.result(work, place).write(first_bytes(result));
            }
            place += step;
        }
    }
}
