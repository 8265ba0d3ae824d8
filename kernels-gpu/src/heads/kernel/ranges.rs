//! The ranges: what is known about each of them becomes what is known before it.

use crate::contract::WARP_LANES;
use crate::element::Element;
use crate::heads::{Before, BLOCK_THREADS, MOST_RANGES};
use crate::selection::Equality;
use crate::thread::for_each_vector;
use crate::{simt, warp};

use super::Launch;

/// How many ranges a thread reads at once.
const AT_ONCE: u64 = 4;

/// No heads.
const NONE: Before = Before { count: 0, last: 0 };

impl<E: Equality<T>, T: Element> Launch<E, T> {
    /// Replaces what is known about each range by what is known before it, and writes the summary and the number of runs.
    ///
    /// # Safety
    /// Convergent: the whole block, which is the last to arrive.
    #[inline(always)]
    pub unsafe fn add_up_ranges(&self) {
        let ranges = self.heads.layout.range_count;
        // Few ranges belong to the first threads.
        let each = if ranges > AT_ONCE * BLOCK_THREADS as u64 {
            MOST_RANGES / BLOCK_THREADS as u64
        } else {
            AT_ONCE
        };
        let thread = simt::thread_index();
        let first = thread as u64 * each;
        let end = Ord::min(first + each, ranges);
        // SAFETY: the ranges are in the layout, and all of them are written: every block has arrived. The whole block is here, so the whole
        // warp shuffles. Each warp writes a sum of its own, and a barrier precedes the reads. Each range is read and rewritten by one
        // thread. No other block accesses the summary any more.
        unsafe {
            let mut own = NONE;
            let mut range = first;
            while range < end {
                let step = simt::opaque_one() as u64;
                let known = self.read_ranges(range, end);
                for_each_vector!(R in 0 1 2 3 => { own = after(own, known[R]); });
                range += step * AT_ONCE;
            }
            let upto = warp_scan(own);
            let sums: *mut Before = (&raw mut (*self.shared).sums).cast();
            if simt::lane() == WARP_LANES - 1 {
                sums.add(simt::warp() as usize).write(upto);
            }
            // Orders the writes of the warps' sums before all threads' reads.
            simt::barrier();
            let mut before = NONE;
            let mut warp = 0;
            while warp < simt::warp() {
                let step = simt::opaque_one() as u32;
                before = after(before, simt::read_shared(sums.add(warp as usize)));
                warp += step;
            }
            let below = warp::shuffle_up(upto.last, 1);
            before = Before {
                count: before.count + upto.count - own.count,
                last: Ord::max(before.last, if simt::lane() == 0 { 0 } else { below }),
            };
            range = first;
            while range < end {
                let step = simt::opaque_one() as u64;
                let known = self.read_ranges(range, end);
                for_each_vector!(R in 0 1 2 3 => {
                    if range + (R as u64) < end {
                        self.heads.range(range + R as u64).write(before);
                    }
                    before = after(before, known[R]);
                });
                range += step * AT_ONCE;
            }
            if thread == BLOCK_THREADS - 1 {
                let summary = self.heads.summary();
                (*summary).run_count = before.count;
                (*summary).item_count = self.arguments.key_count;
                (*summary).arrivals = 0;
                if !self.arguments.run_count.is_null() {
                    self.arguments.run_count.write(before.count);
                }
            }
        }
    }

    /// What is known about some ranges, from `range` on; nothing about ranges from `end` on.
    ///
    /// # Safety
    /// The ranges before `end` are in the layout, and written.
    #[inline(always)]
    unsafe fn read_ranges(&self, range: u64, end: u64) -> [Before; AT_ONCE as usize] {
        let mut known = [NONE; AT_ONCE as usize];
        for_each_vector!(R in 0 1 2 3 => {
            if range + (R as u64) < end {
                // SAFETY: the range is in the layout, and written.
                known[R] = unsafe { self.heads.range(range + R as u64).read() };
            }
        });
        known
    }
}

/// What is known of the lanes up to and including the calling one.
///
/// # Safety
/// Convergent: a whole warp.
#[inline(always)]
unsafe fn warp_scan(own: Before) -> Before {
    let mut upto = own;
    let mut delta = 1;
    while delta < WARP_LANES {
        // SAFETY: the whole warp is here: this function's condition.
        let below = unsafe {
            Before {
                count: warp::shuffle_up(upto.count, delta),
                last: warp::shuffle_up(upto.last, delta),
            }
        };
        if simt::lane() >= delta {
            upto = after(below, upto);
        }
        delta *= 2;
    }
    upto
}

/// What is known after items of which `left` is known, and then items of which `right` is known.
#[inline(always)]
fn after(left: Before, right: Before) -> Before {
    Before {
        count: left.count + right.count,
        last: Ord::max(left.last, right.last),
    }
}
