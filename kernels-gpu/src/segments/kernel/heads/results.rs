//! The copy of results from shared to global memory, after a scan by sixteens of places (see `sixteens.rs`).

use crate::contract::WARP_LANES;
use crate::direction::Heading;
use crate::element::Element;
use crate::op::Op;
use crate::segments::{offset_of, offset_of_turn, vector_items, Work, FAN};
use crate::simt;
use crate::thread::{for_each_vector, Access};

use super::super::items::Room;
use super::super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether sixteens of places begin where vectors begin, and the results' vectors are aligned in global memory too.
    #[inline(always)]
    pub fn has_aligned_sixteens(&self, work: &Work) -> bool {
        Self::HAS_VECTORS
            && work.starts.is_multiple_of(vector_items::<T>())
            && self.results(work, 0).addr().is_multiple_of(16)
    }

    /// Copies results from shared to global memory: those at the places from `begin` to `end`, exclusive, that are among the 512 places
    /// from `first` on. A sixteen begins at `first`, which may lie before `begin`. A lane copies every 32nd vector. A vector that lies only
    /// partly between `begin` and `end` is copied item by item: by lane 0 if `begin` is inside the vector, otherwise by lane 1.
    ///
    /// # Safety
    /// The whole warp. `work` is one of the block's works, has the places from `begin` to `end`, and has [aligned
    /// sixteens](Self::has_aligned_sixteens). `begin` is less than `end`. The results at these places are written to shared memory, and no
    /// other warp copies them.
    #[inline(always)]
    pub unsafe fn take_out_sixteens(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        first: u32,
        [begin, end]: [u32; 2],
    ) {
        let items = vector_items::<T>();
        let lane = simt::lane();
        let places = items * WARP_LANES;
        let access = Access::new(16, 16);
        let place = first.wrapping_add(items * lane);
        // A place before place 0 has wrapped: as `i32` it is negative.
        let item = work.base.wrapping_add(place as i32 as u64);
        let to: *mut u32 = self.output.wrapping_add(self.lowest(item)).cast();
        let far = places as u64 * size_of::<O::Output>() as u64;
        let far = self.offsets.direction.signed(far) as usize;
        let copy = |vector: usize, offset: u32| {
            let to = to.wrapping_byte_add(far.wrapping_mul(vector));
            // SAFETY: in each call, a vector lies at `offset`. Its places are between `begin` and `end`, and its results are written (this
            // function's conditions). Global memory has room for each item's result (the launch's condition 5). The vector is aligned in
            // global memory.
            unsafe { access.store(to, room.vector_at(offset)) };
        };
        // Most calls copy all 512 places. If `first` is before `begin`, the difference wraps to a large number.
        let all = WARP_LANES * FAN;
        if end - begin >= all && first.wrapping_sub(begin) <= end - begin - all {
            let offset = offset_of::<T>(place as usize) as u32;
            for_each_vector!(V => {
                if V < size_of::<T>() {
                    copy(V, offset_of_turn(offset, V as u32));
                }
            });
            return;
        }
        for_each_vector!(V => {
            if V < size_of::<T>() {
                let place = place.wrapping_add(V as u32 * places);
                // If `place` is before `begin`, the difference wraps to a large number.
                let is_whole = place.wrapping_sub(begin) < end - begin && place + items <= end;
                if is_whole {
                    copy(V, offset_of::<T>(place as usize) as u32);
                }
            }
        });
        let (edge, is_own) = match lane {
            0 => (begin, true),
            _ => (end, end / items * items >= begin),
        };
        let vector = edge / items * items;
        let is_here = vector.wrapping_sub(first) < WARP_LANES * FAN;
        if lane < 2 && edge != vector && is_own && is_here {
            // SAFETY: the work has the places from `begin` to `end`, and the results at these places are written (this function's
            // conditions). Lanes 0 and 1 copy different vectors: if `begin` and `end` are inside the same vector, lane 1 copies nothing.
            unsafe { self.take_out_each(work, room, vector, [begin, end]) };
        }
    }
}
