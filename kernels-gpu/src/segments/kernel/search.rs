//! Where segments begin on the merge path, and the search for the first segment at or after a window's border.

use crate::contract::WARP_LANES;
use crate::direction::{Direction, Heading};
use crate::segments::Border;
use crate::{simt, warp};

/// A launch's offsets. In a backward scan, items and segments count from the end.
///
/// Its unsafe functions need *readable* offsets: `address` points to `segment_count + 1` readable numbers of `offset_bytes`, 4 or 8; or
/// `offset_bytes` is 0. The launch's condition 3 ensures this, even if a smaller `segment_count` is read from memory.
#[derive(Clone, Copy)]
pub struct Offsets {
    pub address: *const u32,
    pub offset_bytes: u64,
    pub row_items: u64,
    pub segment_count: u64,
    pub item_count: u64,
    pub direction: Direction,
}

/// How many segments a lane looks at in a step of a search.
const LANE_LOOKS: u64 = 2;

/// A warp's search for the first segment that begins at a diagonal or after it. All lanes have the same bounds, and `low <= high <=
/// segment_count`.
#[derive(Clone, Copy)]
pub struct Search {
    /// No earlier segment can be the result.
    low: u64,
    /// No later segment can be the result. If all segments from `low` to before `high` begin before the diagonal, `high` is the result.
    high: u64,
    /// The diagonal of the segment before `low`, if there is one.
    before: u64,
    /// The diagonal of segment `high`.
    at: u64,
    /// The diagonals at which the segments begin that the calling lane has looked at; `u64::MAX` where no segment was left for the lane.
    look: [u64; LANE_LOOKS as usize],
}

impl Search {
    /// A search among no segments.
    pub const NOTHING: Self = Search {
        low: 0,
        high: 0,
        before: 0,
        at: 0,
        look: [0; LANE_LOOKS as usize],
    };

    /// Begins a search among all segments. The lanes' first looks take some time to arrive.
    ///
    /// # Safety
    /// The offsets are readable.
    #[inline(always)]
    pub unsafe fn begin(offsets: &Offsets) -> Self {
        let mut search = Search {
            high: offsets.segment_count,
            ..Self::NOTHING
        };
        // SAFETY: the offsets are readable (this function's condition), and there is an offset after the last segment.
        unsafe {
            search.at = offsets.diagonal(offsets.segment_count);
            search.look(offsets);
        }
        search
    }

    /// The distance between the segments that neighbouring lanes look at.
    #[inline(always)]
    fn stride(&self) -> u64 {
        (self.high - self.low).div_ceil(LANE_LOOKS * WARP_LANES as u64)
    }

    /// Looks at some of the remaining segments. The lanes' first segments come before all of their second segments.
    ///
    /// # Safety
    /// The offsets are readable, and the same as in [`Self::begin`].
    #[inline(always)]
    unsafe fn look(&mut self, offsets: &Offsets) {
        let stride = self.stride();
        let first = self.low + simt::lane() as u64 * stride;
        self.look = [first, first + WARP_LANES as u64 * stride].map(|segment| {
            if segment < self.high {
                // SAFETY: `segment < high <= segment_count`, and the offsets are readable: this function's condition.
                unsafe { offsets.diagonal(segment) }
            } else {
                u64::MAX
            }
        });
    }

    /// Narrows the search by the last looks. The remaining range begins after the last segment that begins before the diagonal, and ends at
    /// the next segment that a lane looked at.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same diagonal. Some segments remain.
    #[inline(always)]
    unsafe fn narrow(&mut self, diagonal: u64) {
        // SAFETY: the whole warp is here: this function's condition.
        unsafe {
            let first = simt::ballot(self.look[0] < diagonal);
            let second = simt::ballot(self.look[1] < diagonal);
            // All blocks have to choose the same segment, even if offsets do not ascend. So only the segments before the first one that
            // does not begin before the diagonal count.
            let count = (!(first as u64 | (second as u64) << WARP_LANES)).trailing_zeros();
            let stride = self.stride();
            let next = self.low + count as u64 * stride;
            if next < self.high {
                self.high = next;
                self.at = self.looked_at(count);
            }
            if count > 0 {
                self.low += (count - 1) as u64 * stride + 1;
                self.before = self.looked_at(count - 1);
            }
        }
    }

    /// The diagonal of the segment with this number among those that the lanes looked at.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same number.
    #[inline(always)]
    unsafe fn looked_at(&self, number: u32) -> u64 {
        let [first, second] = self.look;
        let look = if number < WARP_LANES { first } else { second };
        // SAFETY: the whole warp is here (this function's condition), and the lane is one of its lanes.
        unsafe { warp::shuffle_from(look, number % WARP_LANES) }
    }

    /// Narrows the search around a guess. The guess supposes that all segments in the remaining range have equal lengths. The lanes look at
    /// growing distances from the guess. So the new range is about as long as the error of the guess.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same diagonal. The offsets are readable. [`Self::narrow`] was called, and some segments remain.
    #[inline(always)]
    unsafe fn guess(&mut self, diagonal: u64, offsets: &Offsets) {
        // SAFETY: the whole warp is here, and the offsets are readable: this function's conditions. A lane reads the offset of a place only
        // if `place < high <= segment_count`.
        unsafe {
            let end = offsets.item_count + offsets.segment_count;
            // `from` is less than the diagonal, since `narrow` chose a segment before it. If offsets are wrong, the length may be any
            // number.
            let (from, to) = (self.before, Ord::min(self.at, end));
            let length = to.wrapping_sub(from);
            let share = Ord::min(diagonal - from, length) as f32 / length as f32;
            let guess = self.low + (share * (self.high - self.low) as f32) as u64;
            let place = place_around(guess, simt::lane());
            let look = if place < self.low as i64 {
                0
            } else if place >= self.high as i64 {
                u64::MAX
            } else {
                offsets.diagonal(place as u64)
            };
            let count = (!simt::ballot(look < diagonal)).trailing_zeros();
            if count > 0 {
                let low = place_around(guess, count - 1);
                if low >= self.low as i64 {
                    self.low = low as u64 + 1;
                    self.before = warp::shuffle_from(look, count - 1);
                }
            }
            if count < WARP_LANES {
                let high = place_around(guess, count);
                if high < self.high as i64 {
                    self.high = high as u64;
                    self.at = warp::shuffle_from(look, count);
                }
            }
        }
    }

    /// Runs the search. The segment that is found begins at the diagonal or after
    /// it. The segment before, if there is one, begins before the diagonal. The same offsets and diagonal always give the same segment. All
    /// of this holds even if the offsets do not ascend.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same diagonal. The search has begun. The offsets are readable, and the same as in
    /// [`Self::begin`].
    #[inline(always)]
    pub unsafe fn run(&mut self, diagonal: u64, offsets: &Offsets) -> Border {
        // SAFETY: the whole warp is here, and the offsets are readable: this function's conditions. All lanes have the same bounds, so the
        // branches go the same way on all of them. `guess` and `narrow` are called only while segments remain. Both offsets of a row exist.
        unsafe {
            if offsets.are_short_rows() {
                let segment = offsets.border_of_rows(diagonal);
                return Border {
                    segment,
                    before: offsets.get(segment.saturating_sub(1)),
                    at: offsets.get(segment),
                };
            }
            let mut is_first = true;
            while self.low < self.high {
                let step = simt::opaque_one();
                self.narrow(diagonal);
                if is_first && self.high - self.low > LANE_LOOKS * WARP_LANES as u64 {
                    self.guess(diagonal, offsets);
                }
                is_first = step == 0;
                self.look(offsets);
            }
            Border {
                segment: self.low,
                before: self.before.wrapping_sub(self.low.wrapping_sub(1)),
                at: self.at.wrapping_sub(self.low),
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
    /// Whether the offsets are in memory, where other work may rewrite them. Otherwise they are computed.
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

    /// The first row that begins at a diagonal or after it, or `segment_count`. It needs [short rows](Self::are_short_rows).
    #[inline(always)]
    pub fn border_of_rows(&self, diagonal: u64) -> u64 {
        // In a backward scan, the gap after the last row comes first.
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

    /// The diagonal at which a segment begins; past the last segment, one more than the last diagonal. If the offset is wrong, it may be any
    /// number.
    ///
    /// # Safety
    /// The same conditions as for [`Self::get`].
    #[inline(always)]
    pub unsafe fn diagonal(&self, segment: u64) -> u64 {
        // SAFETY: readable offsets, and an index in bounds: the same conditions as this function's.
        unsafe { self.get(segment) }.wrapping_add(segment)
    }
}
