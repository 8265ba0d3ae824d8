//! Replaces the heads of each range by the heads before the range.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::heads::{BeforeRange, BLOCK_THREADS, MOST_RANGES};
use crate::selection::Equality;
use crate::thread::for_each_vector;
use crate::{simt, warp};

use super::Launch;

/// How many ranges a thread reads at once.
const AT_ONCE: u64 = 4;

impl BeforeRange {
    /// No heads.
    const NONE: Self = BeforeRange { end: 0, count: 0 };

    /// The heads of these ranges and of the `later` ranges together.
    #[inline(always)]
    fn and(self, later: Self) -> Self {
        BeforeRange {
            end: Ord::max(self.end, later.end),
            count: self.count + later.count,
        }
    }

    /// The heads of lane `n - delta`, where `n` is the number of the calling lane. If there is no lane `n - delta`, the result has no
    /// meaning.
    ///
    /// # Safety
    /// Convergent: the whole warp.
    #[inline(always)]
    unsafe fn below(self, delta: u32) -> Self {
        // SAFETY: the whole warp is here: this function's condition.
        unsafe {
            BeforeRange {
                end: warp::shuffle_up(self.end, delta),
                count: warp::shuffle_up(self.count, delta),
            }
        }
    }
}

impl<E: Equality<T>, T: Element> Launch<E, T> {
    /// Replaces the heads of each range by the heads before the range, and writes the summary.
    ///
    /// # Safety
    /// Convergent: the whole block, which is the last to arrive.
    #[inline(always)]
    pub unsafe fn place_ranges(&self) {
        let ranges = self.heads.layout.range_count;
        // If there are few ranges, the first threads take them all.
        let each = if ranges > AT_ONCE * BLOCK_THREADS as u64 {
            MOST_RANGES / BLOCK_THREADS as u64
        } else {
            AT_ONCE
        };
        let thread = simt::thread_index();
        let lane = simt::lane();
        let first = thread as u64 * each;
        let end = Ord::min(first + each, ranges);
        // SAFETY: the ranges are in the layout, and all of them are written: every block has arrived. The whole block is here, so the whole
        // warp shuffles. Each warp writes to its own place in shared memory, and a barrier lies between these writes and the reads. Each
        // range is read and rewritten by one thread. No other block accesses the summary any more.
        unsafe {
            let mut own = BeforeRange::NONE;
            let mut range = first;
            while range < end {
                let step = simt::opaque_one() as u64;
                let ranges = self.read_ranges(range, end);
                for_each_vector!(R in 0 1 2 3 => { own = own.and(ranges[R]); });
                range += step * AT_ONCE;
            }
            // The heads of the ranges of this lane and of all lanes below it.
            let mut upto = own;
            let mut delta = 1;
            while delta < WARP_LANES {
                let below = upto.below(delta);
                if lane >= delta {
                    upto = below.and(upto);
                }
                delta *= 2;
            }
            let warps: *mut BeforeRange = (&raw mut (*self.shared).ranges).cast();
            if lane == WARP_LANES - 1 {
                warps.add(simt::warp() as usize).write(upto);
            }
            // Orders the writes of the warps' heads before all threads' reads.
            simt::barrier();
            let below = upto.below(1);
            let mut before = if lane == 0 { BeforeRange::NONE } else { below };
            let mut warp = 0;
            while warp < simt::warp() {
                let step = simt::opaque_one() as u32;
                before = before.and(simt::read_shared(warps.add(warp as usize)));
                warp += step;
            }
            range = first;
            while range < end {
                let step = simt::opaque_one() as u64;
                let ranges = self.read_ranges(range, end);
                for_each_vector!(R in 0 1 2 3 => {
                    if range + (R as u64) < end {
                        self.heads.range(range + R as u64).write(before);
                    }
                    before = before.and(ranges[R]);
                });
                range += step * AT_ONCE;
            }
            if thread == 0 {
                let summary = self.heads.summary();
                (*summary).item_count = self.arguments.key_count;
                (*summary).arrivals = 0;
            }
        }
    }

    /// The heads of [`AT_ONCE`] ranges, from `range` on. Ranges from `end` on get [`BeforeRange::NONE`].
    ///
    /// # Safety
    /// The ranges before `end` are in the layout, and written.
    #[inline(always)]
    unsafe fn read_ranges(&self, range: u64, end: u64) -> [BeforeRange; AT_ONCE as usize] {
        let mut ranges = [BeforeRange::NONE; AT_ONCE as usize];
        for_each_vector!(R in 0 1 2 3 => {
            if range + (R as u64) < end {
                // SAFETY: the range is in the layout, and written.
                ranges[R] = unsafe { self.heads.range(range + R as u64).read() };
            }
        });
        ranges
    }
}
