//! Where segments begin on the merge path, and the search for the first segment that begins at a window's border or after it.

use crate::contract::WARP_LANES;
use crate::direction::{Direction, Heading};
use crate::{simt, warp};

/// A launch's offsets. In a backward scan, items and segments are counted from the end.
///
/// The unsafe functions of this file need *readable* offsets. Offsets are readable if `offset_bytes` is 0. If `offset_bytes` is 4 or 8,
/// they are readable if `address` points to `segment_count + 1` readable numbers of this size. The launch's condition 3 ensures this, even
/// if a smaller `segment_count` is read from memory.
#[derive(Clone, Copy)]
pub struct Offsets {
    pub address: *const u32,
    pub offset_bytes: u64,
    pub row_items: u64,
    pub segment_count: u64,
    pub item_count: u64,
    pub direction: Direction,
}

/// A warp's search for the first segment that begins at a diagonal or after it. All lanes have the same bounds, and `low <= high <=
/// segment_count`.
#[derive(Clone, Copy)]
pub struct Search {
    /// No earlier segment can be the result.
    low: u64,
    /// No later segment can be the result. If all segments from `low` to `high`, exclusive, begin before the diagonal, `high` is the
    /// result.
    high: u64,
}

impl Search {
    /// A search among all segments.
    #[inline(always)]
    pub fn new(offsets: &Offsets) -> Self {
        Search {
            low: 0,
            high: offsets.segment_count,
        }
    }

    /// The segments that are left: the first, and one past the last. The result of the search is one of them, or the number past the last.
    #[inline(always)]
    pub fn left(&self) -> [u64; 2] {
        [self.low, self.high]
    }

    /// The distance between the segments that neighbouring lanes look at.
    #[inline(always)]
    fn stride(&self) -> u64 {
        (self.high - self.low).div_ceil(WARP_LANES as u64)
    }

    /// The diagonal at which the calling lane's segment begins; `u64::MAX`, if there is no segment left for the lane.
    ///
    /// # Safety
    /// The offsets are readable, and the same as in [`Self::new`].
    #[inline(always)]
    pub unsafe fn look(&self, offsets: &Offsets) -> u64 {
        let segment = self.low + simt::lane() as u64 * self.stride();
        if segment < self.high {
            // SAFETY: `segment < high <= segment_count`, and the offsets are readable: this function's condition.
            unsafe { offsets.diagonal(segment) }
        } else {
            u64::MAX
        }
    }

    /// Narrows the search. Bit `l` of `before` says whether the segment of lane `l` begins before the diagonal. Let `count` be the number
    /// of set bits before the first bit that is not set. The new range ends at the segment of lane `count`. If that lane has no segment,
    /// the range's end stays as it was. The new range begins after the segment of lane `count - 1`. If `count` is 0, the range's begin
    /// stays as it was.
    #[inline(always)]
    fn narrow(&mut self, before: u32) {
        let stride = self.stride();
        // If the offsets do not ascend, later bits may be set too, but they are ignored.
        let count = (!before).trailing_zeros() as u64;
        if count == 0 {
            self.high = self.low;
        } else {
            let high = self.low + count * stride;
            self.low += (count - 1) * stride + 1;
            self.high = Ord::min(self.high, high);
        }
    }

    /// Narrows the search around a guess. The guess supposes that all segments in the remaining range have equal lengths. The lanes look at
    /// segments before and after the guess, at growing distances from it. So the new range is about as long as the error of the guess.
    ///
    /// # Safety
    /// Convergent: the whole warp. The offsets are readable. `look` is the lane's result of the last [`Self::look`], and `count` is the
    /// `count` of the call of [`Self::narrow`] that followed. The remaining range is not empty.
    #[inline(always)]
    unsafe fn guess(&mut self, diagonal: u64, look: u64, count: u32, offsets: &Offsets) {
        // SAFETY: the whole warp is here, and the offsets are readable: this function's conditions. All lanes have the same `count`. It is
        // at least 1, since the remaining range is not empty. A lane reads the offset of segment `place` only if `place < high <=
        // segment_count`.
        unsafe {
            let end = offsets.item_count + offsets.segment_count;
            let from = warp::shuffle_from(look, count - 1);
            let to = match count {
                WARP_LANES => end,
                _ => Ord::min(warp::shuffle_from(look, count), end),
            };
            // `from` is less than the diagonal. `to` is at least the diagonal, unless the diagonal is past the end of the merge path.
            let length = to - from;
            let share = Ord::min(diagonal - from, length) as f32 / length as f32;
            let guess = self.low + (share * (self.high - self.low) as f32) as u64;
            let place = place_around(guess, simt::lane());
            let is_before = if place < self.low as i64 {
                true
            } else if place >= self.high as i64 {
                false
            } else {
                offsets.diagonal(place as u64) < diagonal
            };
            let count = (!simt::ballot(is_before)).trailing_zeros();
            if count > 0 {
                let low = place_around(guess, count - 1) + 1;
                self.low = Ord::max(self.low as i64, low) as u64;
            }
            if count < WARP_LANES {
                let high = place_around(guess, count);
                self.high = Ord::min(self.high as i64, high) as u64;
            }
        }
    }

    /// Runs the search. `look` is the lane's result of a first [`Self::look`]. The result is a segment, or `segment_count` if none is
    /// found. The segment that is found begins at the diagonal or after it. The segment before it, if there is one, begins before the
    /// diagonal. The same offsets and diagonal always give the same result. All of this holds even if the offsets do not ascend.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same diagonal. The offsets are readable, and the same as in [`Self::new`].
    #[inline(always)]
    pub unsafe fn run(&mut self, diagonal: u64, look: u64, offsets: &Offsets) -> u64 {
        if offsets.are_short_rows() {
            return offsets.border_of_rows(diagonal);
        }
        // SAFETY: the conditions are this function's.
        unsafe { self.approach(diagonal, look, 0, offsets) };
        self.low
    }

    /// Runs the search until at most `most` segments are left. The arguments are as for [`Self::run`]. The segments are not [short
    /// rows](Offsets::are_short_rows).
    ///
    /// # Safety
    /// The conditions of [`Self::run`].
    #[inline(always)]
    pub unsafe fn approach(&mut self, diagonal: u64, mut look: u64, most: u64, offsets: &Offsets) {
        // SAFETY: the whole warp is here, and the offsets are readable: this function's conditions. All lanes have the same bounds, so all
        // lanes take the same branches. `guess` is called only if the remaining range is not empty.
        unsafe {
            let before = simt::ballot(look < diagonal);
            self.narrow(before);
            if self.high - self.low > WARP_LANES as u64 {
                self.guess(diagonal, look, (!before).trailing_zeros(), offsets);
            }
            while self.high - self.low > most {
                let _ = simt::opaque_one();
                look = self.look(offsets);
                self.narrow(simt::ballot(look < diagonal));
            }
        }
    }
}

/// The segment that a lane looks at around a guess. The lower half of the lanes look before the guess. The upper half look at the guess and
/// after it.
#[inline(always)]
fn place_around(guess: u64, lane: u32) -> i64 {
    let half = WARP_LANES / 2;
    let offset = if lane < half {
        -(1 << (half - 1 - lane))
    } else {
        (1 << (lane - half)) - 1
    };
    guess as i64 + offset
}

impl Offsets {
    /// Whether the offsets are in memory, where they may be rewritten during the launch. Otherwise they are computed.
    #[inline(always)]
    pub fn are_read(&self) -> bool {
        self.offset_bytes != 0
    }

    /// Whether segments are rows, and diagonals fit in 32 bits, even those of a few windows past the end.
    #[inline(always)]
    pub fn are_short_rows(&self) -> bool {
        let end = self.item_count + self.segment_count;
        !self.are_read() && end < 1 << 31 && self.row_items < 1 << 31
    }

    /// The first row that begins at a diagonal or after it. If there is no such row, `segment_count`. The segments are [short
    /// rows](Self::are_short_rows).
    #[inline(always)]
    pub fn border_of_rows(&self, diagonal: u64) -> u64 {
        // The items after the last row belong to no row. In a backward scan, they come first.
        let gap = self.item_count - self.segment_count * self.row_items;
        let first = self.direction.if_backward(gap) as u32;
        let rows = Ord::max(self.row_items as u32 + 1, 1);
        let distance = (diagonal as u32).saturating_sub(first);
        // The divisor is not 0. rust-cuda's compiler does not see this, and would call a panic.
        let row = distance.checked_div(rows).unwrap_or(0);
        let rest = distance.checked_rem(rows).unwrap_or(0);
        let row = row + (rest != 0) as u32;
        Ord::min(row as u64, self.segment_count)
    }

    /// Offset `index`.
    ///
    /// # Safety
    /// The offsets are readable, and `index <= segment_count`.
    #[inline(always)]
    pub unsafe fn get(&self, index: u64) -> u64 {
        let place = self.direction.place(index, self.segment_count + 1);
        // SAFETY: `segment_count + 1` numbers are readable, and `index <= segment_count`: this function's conditions. So `place` is at
        // most `segment_count`, in either direction.
        let offset = unsafe {
            match self.offset_bytes {
                4 => self.address.add(place as usize).read() as u64,
                8 => self.address.cast::<u64>().add(place as usize).read(),
                _ => place * self.row_items,
            }
        };
        self.direction.border(offset, self.item_count)
    }

    /// The diagonal at which a segment begins. If its offset is greater than the number of items, the number of items takes the offset's
    /// place.
    ///
    /// # Safety
    /// The same conditions as for [`Self::get`].
    #[inline(always)]
    pub unsafe fn diagonal(&self, segment: u64) -> u64 {
        // SAFETY: readable offsets, and an index in bounds: the same conditions as this function's.
        let offset = unsafe { self.get(segment) };
        Ord::min(offset, self.item_count) + segment
    }
}
