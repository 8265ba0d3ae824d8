//! The ranges: the last head of each range becomes the last head before the range.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::heads::{BLOCK_THREADS, MOST_RANGES};
use crate::selection::Equality;
use crate::thread::for_each_vector;
use crate::{simt, warp};

use super::Launch;

/// How many ranges a thread reads at once.
const AT_ONCE: u64 = 4;

impl<E: Equality<T>, T: Element> Launch<E, T> {
    /// Replaces the last head of each range by the last head before the range, and writes the summary.
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
        let first = thread as u64 * each;
        let end = Ord::min(first + each, ranges);
        // SAFETY: the ranges are in the layout, and all of them are written: every block has arrived. The whole block is here, so the whole
        // warp shuffles. Each warp writes a word of its own, and a barrier precedes the reads. Each range is read and rewritten by one
        // thread. No other block accesses the summary any more.
        unsafe {
            let mut own = 0;
            let mut range = first;
            while range < end {
                let step = simt::opaque_one() as u64;
                let lasts = self.read_ranges(range, end);
                for_each_vector!(R in 0 1 2 3 => { own = Ord::max(own, lasts[R]); });
                range += step * AT_ONCE;
            }
            // The last head of the lanes up to and including the calling one. A lane that has no lane `delta` below it gets its own value.
            let mut upto = own;
            let mut delta = 1;
            while delta < WARP_LANES {
                upto = Ord::max(upto, warp::shuffle_up(upto, delta));
                delta *= 2;
            }
            let lasts: *mut u64 = (&raw mut (*self.shared).lasts).cast();
            if simt::lane() == WARP_LANES - 1 {
                lasts.add(simt::warp() as usize).write(upto);
            }
            // Orders the writes of the warps' last heads before all threads' reads.
            simt::barrier();
            let below = warp::shuffle_up(upto, 1);
            let mut before = if simt::lane() == 0 { 0 } else { below };
            let mut warp = 0;
            while warp < simt::warp() {
                let step = simt::opaque_one() as u32;
                before = Ord::max(before, simt::read_shared(lasts.add(warp as usize)));
                warp += step;
            }
            range = first;
            while range < end {
                let step = simt::opaque_one() as u64;
                let lasts = self.read_ranges(range, end);
                for_each_vector!(R in 0 1 2 3 => {
                    if range + (R as u64) < end {
                        self.heads.range(range + R as u64).write(before);
                    }
                    before = Ord::max(before, lasts[R]);
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

    /// The last heads of [`AT_ONCE`] ranges, from `range` on; 0 for ranges from `end` on.
    ///
    /// # Safety
    /// The ranges before `end` are in the layout, and written.
    #[inline(always)]
    unsafe fn read_ranges(&self, range: u64, end: u64) -> [u64; AT_ONCE as usize] {
        let mut lasts = [0; AT_ONCE as usize];
        for_each_vector!(R in 0 1 2 3 => {
            if range + (R as u64) < end {
                // SAFETY: the range is in the layout, and written.
                lasts[R] = unsafe { self.heads.range(range + R as u64).read() };
            }
        });
        lasts
    }
}
