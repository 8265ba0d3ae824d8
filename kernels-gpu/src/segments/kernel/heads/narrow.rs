//! Scans of narrow items whose results have the items' size, from the upsweep to the results in global memory.
//!
//! ```text
//! all warps:    fold the leaves whose values are used, and list the chunks of several leaves that are one node; a barrier follows
//!               if leaves are whole and aligned: scan the short chunks
//! warp 0:       fold the nodes of longer chunks, publish the values of shared runs, wait for the tail's prefix;
//!               then down to the prefixes of leaves
//! other warps:  prefixes of the leaves of listed chunks; a barrier follows
//! all warps:    results, by leaves or by sixteens of places
//! ```

use crate::element::Element;
use crate::op::Op;
use crate::segments::Work;
use crate::simt;

use super::super::downsweep::Downsweep;
use super::super::items::Room;
use super::super::Launch;
use super::runs::{HAS_LONG, HAS_ROOTS};
use super::upsweep::{GOES_ON, IS_RAGGED};

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether a work of narrow items with these flags is scanned by sixteens of places. This is so if all chunks of the work are short, or
    /// if the work is ragged ([`IS_RAGGED`]).
    #[inline(always)]
    fn goes_by_sixteens(flags: u32) -> bool {
        flags & HAS_LONG == 0 || flags & IS_RAGGED != 0
    }

    /// Scans the chunks of a work of narrow items.
    ///
    /// # Safety
    /// Convergent: the whole block. The header, the words and the items are written, and `work` is one of the block's works. `flags` is the
    /// address of the work's flags, which are cleared.
    #[inline(always)]
    pub unsafe fn scan_narrow_runs(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
        flags: *mut u32,
    ) {
        // SAFETY: the whole block is here, and the header, the words and the items are written: this function's conditions. The branches
        // around barriers depend on values in shared memory, so they go the same way on all threads. Each step comes after the
        // steps that it needs, with a barrier between.
        unsafe {
            let found = self.fold_whole_leaves(work, room);
            Self::note(flags, found);
            // Orders the writes of leaves' values and of flags before all threads' reads, and the reads of items before the writes of the
            // results that replace them.
            simt::barrier();
            let flags = simt::read_shared(flags);
            if !Self::goes_by_sixteens(flags) {
                self.scan_short_runs(work, room);
            }
            // If warp 0 is busy with longer chunks or with the tail, warp 1 also takes warp 0's list.
            let is_busy = flags & HAS_ROOTS != 0 || work.tail_chunk == 0;
            let warp = simt::warp();
            if is_busy && warp == 0 {
                self.place_first(work, room, flags);
            } else {
                self.place_listed(work, room, warp);
            }
            if is_busy && warp == 1 {
                self.place_listed(work, room, 0);
            }
            // Orders the writes of the prefixes and of short chunks' results before all threads' reads.
            simt::barrier();
            if Self::goes_by_sixteens(flags) {
                self.scan_by_sixteens(work, room, flags & GOES_ON != 0);
            } else {
                self.for_each_leaf_of_runs::<Downsweep>(work, room);
                // Orders the writes of the results before the reads by `take_out`.
                simt::barrier();
                self.take_out(work, room);
            }
        }
    }

    /// What warp 0 does between the upsweep and the results, if it is busy: it works on the longer chunks, and on the tail.
    ///
    /// # Safety
    /// Convergent: the whole warp 0. The header, the words, the flags and the leaves' totals are written, and `work` is one of the block's
    /// works.
    #[inline(always)]
    unsafe fn place_first(&self, work: &Work, room: Room<T, O::Accumulator>, flags: u32) {
        // SAFETY: the whole warp is here, and the header, the words and the totals are written: this function's conditions. No other warp
        // uses the values of nodes, or the value of the tail. No other warp uses the values of the leaves of chunks that this warp takes.
        // Lane 0 alone, which has written the tail's prefix, scans a short tail.
        unsafe {
            self.place_long(work, room, flags);
            if work.tail_chunk == 0 && simt::lane() == 0 {
                if !Self::goes_by_sixteens(flags) {
                    self.scan_short_tail(work, room);
                }
                self.place_listed_tail(work, room);
            }
        }
    }
}
