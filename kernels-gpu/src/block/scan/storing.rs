//! Applying the tile's prefix to a scanned tile, and storing the results.

use crate::element::{Element, Vector};
use crate::op::Op;
use crate::simt;
use crate::thread::{for_each_vector, must_leave_out, Items, TileItems};

use super::super::{Placement, Shape};
use super::{Before, ScanPart, ScanTile, WARP_LANES};

impl<O: Op<T>, T: Element, S: Shape> ScanTile<O, T, S> {
    /// Applies the tile's prefix to the scanned tile, and stores the calling thread's `part` of the results. Afterwards the thread's
    /// striped slots are free.
    ///
    /// # Safety
    /// - Convergent: all warps that share the tile. The tile is scanned, and its slots still hold the items.
    /// - `prefix` is the tile's prefix. `before` has the prefixes of the thread's vectors within the tile.
    /// - The part's existing results are writable, and no other thread reads or writes them.
    #[inline(always)]
    pub unsafe fn store<P: Placement>(
        &self,
        items: TileItems,
        prefix: O::Accumulator,
        before: &Before<O::Accumulator>,
        part: ScanPart<O::Output, T>,
    ) {
        let slots = self.striped();
        // One check serves all vectors. With a branch at each store, the stores would not be issued together.
        let is_whole = part.is_whole();
        // SAFETY: whole warps call this function, their slots are written, and the part is this thread's (conditions of this function).
        // Until the warp's barrier, a lane's blocked slots are used by this lane only. The barrier orders each lane's writes before the
        // other lanes' reads. Vectors are stored without a check only where `is_whole` holds.
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

    /// Computes the results of each of the calling thread's striped vectors. Passes a vector's results, in memory order, to `hand_on`.
    /// `lifted` returns which items of a vector are lifted.
    ///
    /// # Safety
    /// - The thread's striped slots are written.
    /// - It is sound to call `hand_on` for each of the thread's vectors.
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
                // SAFETY: the striped slots are written (condition of this function), and `V` is one of them.
                let words = unsafe { self.read(slots, V) };
                let results = P::place::<O, T>(&mut before, &words, index, lifted(vector));
                hand_on(V, self.results(&results));
            }
        });
    }

    /// Replaces each of the calling thread's blocked vectors by its results. `before` is the first vector's prefix. `lifted` returns which
    /// items of a vector are lifted.
    ///
    /// # Safety
    /// - The thread's blocked slots are written.
    /// - No other thread uses these slots.
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
                // SAFETY: the blocked slots are written, and no other thread uses them (conditions of this function). Slot `V` is one of
                // them.
                unsafe {
                    let words = self.read(slots, V);
                    let results = P::place::<O, T>(&mut before, &words, index, lifted(vector));
                    slots.write(V, Self::RESULTS, self.results(&results));
                }
            }
        });
    }
}
