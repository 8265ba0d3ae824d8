//! Spans: blocks that take many windows at once, in launches whose segments are long on average.
//!
//! Such a block does not search for the borders of all its windows. Its first warp finds the first segment that begins in the span, and
//! reads the offsets of this segment and of those after it, one on each lane. They tell where the span's other windows begin. After the
//! block has reduced its chunks, its last warp searches for the span's end, as the block of the next span does. If it finds another segment
//! than the offsets have told, the offsets do not ascend.
//!
//! A span is *dense* if so many segments begin in it that there might be more chunks than lanes. Then the block takes its segments in
//! another way (see [`dense`](super::dense)).

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::op::Op;
use crate::tickets;
use crate::{simt, warp};

use super::super::search::{Offsets, Search};
use super::super::Launch;
use super::deal::MOST_DEALT;

/// The search for a span's first segment ends when at most this many segments are left. The lanes read the offsets of all of them, and
/// also those of the segments after them, so that no further access is needed.
const MOST_LEFT: u64 = WARP_LANES as u64 / 2 - 1;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Takes the block's ticket. Finds the first segment that begins in the span or later, and the first one that begins after the span.
    /// Returns both numbers and the lane's [own offsets](Self::own_offsets), of which lane 0 has those of the segment before the first.
    /// Writes the ticket, the tag, `is_refused`, `waits_in_vain` and the two numbers, as the first borders, to the header. If the span [is
    /// dense](Self::is_dense), the second number is too small.
    ///
    /// # Safety
    /// Convergent: the whole warp 0, once, before all other uses of the block's shared memory. The block takes a span.
    #[inline(always)]
    pub unsafe fn begin_span(&self) -> ([u64; 2], [u64; 2]) {
        let lane = simt::lane();
        // SAFETY: the whole warp is here, and no other warp uses the shared memory: this function's conditions. `control` belongs to the
        // workspace, and the offsets are readable: the launch's conditions 6 and 3. The block with the last ticket restarts the tickets,
        // since no block takes another ticket. A warp barrier orders the write of the ticket before the reads. The branch depends on
        // ballots, so it goes the same way on all lanes. The header has the first two borders.
        unsafe {
            let taken = tickets::take_if(self.control, lane == 0);
            // The first look overlaps the wait for the ticket.
            let mut search = Search::new(&self.offsets);
            let look = search.look(&self.offsets);
            if lane == 0 {
                let ticket = taken.ticket();
                tickets::restart_after_last(self.control, ticket);
                (*self.header).ticket = ticket.index;
                (*self.header).tag = ticket.tag;
                (*self.header).is_refused = 0;
                (*self.header).waits_in_vain = 0;
            }
            simt::warp_barrier();
            let diagonal = self.window_number(0) << self.window_shift;
            search.approach(diagonal, look, MOST_LEFT, &self.offsets);
            let [low, high] = search.left();
            let base = low.wrapping_sub(1);
            let [near, _] = self.own_offsets(base);
            let segment = base.wrapping_add(lane as u64);
            let start = Ord::min(near, self.offsets.item_count).wrapping_add(segment);
            let is_before = lane > 0 && segment < high && start < diagonal;
            let before = (!(simt::ballot(is_before) >> 1)).trailing_zeros();
            let first = low + before as u64;
            let mut begin = warp::shuffle_from(near, (lane + before) % WARP_LANES);
            let mut begun = self.count_begun(first, begin);
            if before + begun + 2 >= WARP_LANES {
                // The lanes have not read all the offsets.
                [begin, _] = self.own_offsets(first.wrapping_sub(1));
                begun = self.count_begun(first, begin);
            }
            let end = first + begun as u64;
            if lane == 0 {
                self.border(0).write(first);
                self.border(1).write(end);
            }
            ([first, end], [begin, warp::shuffle_down(begin, 1)])
        }
    }

    /// How many consecutive segments from segment `first` on begin before the end of the block's windows, as far as the lanes' offsets
    /// tell. Lane `l` has the offset `begin` of segment `first + l - 1`.
    ///
    /// # Safety
    /// Convergent: the whole warp. The ticket is written.
    #[inline(always)]
    unsafe fn count_begun(&self, first: u64, begin: u64) -> u32 {
        let lane = simt::lane();
        let segment = first.wrapping_add(lane as u64).wrapping_sub(1);
        // SAFETY: the ticket is written, and the whole warp is here: this function's conditions.
        unsafe {
            let upto = self.window_number(self.windows_per_block) << self.window_shift;
            let begins = lane > 0
                && segment < self.offsets.segment_count
                && begin.wrapping_add(segment) < upto;
            (!(simt::ballot(begins) >> 1)).trailing_zeros()
        }
    }

    /// Whether a span in which `begun` segments begin might have more chunks than lanes.
    #[inline(always)]
    pub fn is_dense(&self, begun: u64) -> bool {
        begun + self.windows_per_block as u64 > MOST_DEALT as u64
    }

    /// The first segment that begins after the block's last diagonal.
    ///
    /// # Safety
    /// Convergent: the whole warp. The ticket is written.
    #[inline(always)]
    pub unsafe fn search_end(&self) -> u64 {
        // The copies of the numbers keep the compiler from holding what it has computed for the first search.
        let late = simt::late_one() as u64;
        let offsets = Offsets {
            segment_count: self.offsets.segment_count * late,
            item_count: self.offsets.item_count * late,
            ..self.offsets
        };
        // SAFETY: the whole warp is here, and the ticket is written: this function's conditions. The offsets are readable (the launch's
        // condition 3).
        unsafe {
            let mut search = Search::new(&offsets);
            let look = search.look(&offsets);
            let diagonal = self.window_number(self.windows_per_block) << self.window_shift;
            search.run(diagonal, look, &offsets)
        }
    }
}
