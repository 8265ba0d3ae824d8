//! Putting a prefix before a scanned tile, and storing the results.

use crate::element::{Element, Vector};
use crate::op::Op;
use crate::simt;
use crate::thread::{for_each_vector, must_leave_out, Items, TileItems};

use super::super::{Placement, Shape};
use super::{Before, ScanPart, ScanTile, WARP_LANES};

impl<O: Op<T>, T: Element, S: Shape> ScanTile<O, T, S> {
    /// Puts a prefix before the tile, which is scanned, and stores the calling thread's `part` of the results. The slots are
    /// free then.
    ///
    /// # Safety
    /// Convergent: all warps that share the tile. `before` is the tile's. The part is writable, and nobody else reads or
    /// writes it.
    #[inline(always)]
    pub unsafe fn store<P: Placement>(
        &self,
        items: TileItems,
        prefix: O::Accumulator,
        before: &Before<O::Accumulator>,
        part: ScanPart<O::Output, T>,
    ) {
        let slots = self.striped();
        // Found out once for all vectors: a question for each would part the stores from each other.
        let is_whole = part.is_whole();
        // SAFETY: the caller's; the barrier orders the lanes' writes before each other's reads.
        unsafe {
            if Self::IS_BLOCKED {
                let prefix = O::combine(prefix, before[0]);
                if Self::leaves_out(items) {
                    let lifted = |vector| items.existing(vector, S::VECTOR_ITEMS);
                    self.place_blocked::<P>(items, prefix, lifted);
                } else {
                    self.place_blocked::<P>(items, prefix, |_| Items::All);
                }
                simt::warp_barrier();
                if is_whole {
                    part.store_whole(slots);
                    return;
                }
            } else if is_whole {
                self.place_striped::<P>(
                    items,
                    prefix,
                    before,
                    |_| Items::All,
                    |v, results| part.store_vector(v, results),
                );
                return;
            } else {
                let lifted = |vector| match must_leave_out::<O, T>() {
                    true => items.existing(vector, S::VECTOR_ITEMS),
                    false => Items::All,
                };
                self.place_striped::<P>(items, prefix, before, lifted, |v, results| {
                    slots.write(v, Self::RESULTS, results)
                });
            }
            part.store_in_pieces(slots);
        }
    }

    /// Passes on the results of each of the calling thread's striped vectors, in memory order. Some items are lifted already.
    ///
    /// # Safety
    /// The slots are written.
    #[inline(always)]
    unsafe fn place_striped<P: Placement>(
        &self,
        items: TileItems,
        prefix: O::Accumulator,
        before: &Before<O::Accumulator>,
        lifted: impl Fn(u32) -> Items,
        hand_on: impl Fn(usize, Vector),
    ) {
        let slots = self.striped();
        for_each_vector!(V => {
            if V < S::ROWS {
                let vector = Self::first_striped() + V as u32 * WARP_LANES;
                let index = items.index(vector, S::VECTOR_ITEMS);
                let mut before = O::combine(prefix, before[V]);
                // SAFETY: the caller's.
                let words = unsafe { self.read(slots, V) };
                let results = P::place::<O, T>(&mut before, &words, index, lifted(vector));
                hand_on(V, self.results(&results));
            }
        });
    }

    /// Replaces each of the calling thread's blocked vectors by its results. `before` is their prefix; some items are lifted already.
    ///
    /// # Safety
    /// The slots are written, and no other thread uses them.
    #[inline(always)]
    unsafe fn place_blocked<P: Placement>(
        &self,
        items: TileItems,
        mut before: O::Accumulator,
        lifted: impl Fn(u32) -> Items,
    ) {
        let slots = self.blocked();
        for_each_vector!(V => {
            if V < S::ROWS {
                let vector = Self::first_blocked() + V as u32;
                let index = items.index(vector, S::VECTOR_ITEMS);
                // SAFETY: the caller's.
                unsafe {
                    let words = self.read(slots, V);
                    let results = P::place::<O, T>(&mut before, &words, index, lifted(vector));
                    slots.write(V, Self::RESULTS, self.results(&results));
                }
            }
        });
    }
}
