//! What a block with long chunks reaches: its diagonals, and the segments that begin there.

use crate::contract::{trailing_zeros, WARP_LANES};
use crate::element::Element;
use crate::op::Op;
use crate::segments::NARROW_CHUNK_ITEMS;
use crate::{simt, warp};

use super::super::Launch;

/// How many consecutive segments a warp can hold, one on each lane. The last lane has no segment: its offset is the end of the segment
/// before it.
pub const LANE_SEGMENTS: u32 = WARP_LANES - 1;

/// The binary logarithm of the number of items of a full chunk. Only chunks of this length are long.
pub const CHUNK_SHIFT: u32 = trailing_zeros(NARROW_CHUNK_ITEMS);

/// The block's diagonals, and the segments that begin there.
#[derive(Clone, Copy)]
pub struct Reach {
    /// The first segment that begins at the block's first diagonal or after it.
    pub first: u64,
    /// The first segment that begins after the block's last diagonal.
    pub end: u64,
    /// The first diagonal, and one past the last.
    pub diagonals: [u64; 2],
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The block's reach, if the segments from `first` to `end`, exclusive, begin in its windows.
    ///
    /// # Safety
    /// The ticket is written.
    #[inline(always)]
    pub unsafe fn reach(&self, first: u64, end: u64) -> Reach {
        // SAFETY: the ticket is written: this function's condition.
        let window = unsafe { self.window_number(0) };
        let windows = [window, window + self.windows_per_block as u64];
        Reach {
            first,
            end,
            diagonals: windows.map(|window| window << self.window_shift),
        }
    }

    /// The offsets at both ends of the lane's segment. Lane 0 has segment `base`, and the other lanes have the segments after it. On the
    /// last lane, and on lanes beyond the launch's segments, the numbers mean nothing. The number `base` may have wrapped.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same `base`.
    #[inline(always)]
    pub unsafe fn own_offsets(&self, base: u64) -> [u64; 2] {
        let segment = base.wrapping_add(simt::lane() as u64);
        let mut begin = 0;
        if segment <= self.offsets.segment_count {
            // SAFETY: the offsets are readable (the launch's condition 3), and the index is in bounds, as tested just above.
            begin = unsafe { self.offsets.get(segment) };
        }
        // SAFETY: the whole warp is here: this function's condition.
        [begin, unsafe { warp::shuffle_down(begin, 1) }]
    }
}
