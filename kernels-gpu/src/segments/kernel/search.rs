//! Where segments begin on the merge path, and which begins first after a window's border.

use crate::contract::WARP_LANES;
use crate::direction::{Direction, Heading};
use crate::{simt, warp};

/// A launch's offsets. Of a scan that goes backward, items and segments count from the end.
#[derive(Clone, Copy)]
pub struct Offsets {
    pub address: *const u32,
    pub offset_bytes: u64,
    pub row_items: u64,
    pub segment_count: u64,
    pub item_count: u64,
    pub direction: Direction,
}

/// A search of a warp for the first segment that begins at a diagonal or after it.
#[derive(Clone, Copy)]
pub struct Search {
    /// It is none before this one…
    low: u64,
    /// … and none after this one, where all segments that were looked at begin early enough.
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

    /// How far apart the lanes look.
    #[inline(always)]
    fn stride(&self) -> u64 {
        (self.high - self.low).div_ceil(WARP_LANES as u64)
    }

    /// The diagonal at which the segment begins that the calling lane looks at; the last one, if there is none.
    ///
    /// # Safety
    /// The same as for [`Offsets::get`].
    #[inline(always)]
    pub unsafe fn look(&self, offsets: &Offsets) -> u64 {
        let segment = self.low + simt::lane() as u64 * self.stride();
        if segment < self.high {
            // SAFETY: the caller's; there is such a segment.
            unsafe { offsets.diagonal(segment) }
        } else {
            u64::MAX
        }
    }

    /// Goes on between the last lane whose segment begins before the diagonal and the next.
    #[inline(always)]
    fn narrow(&mut self, before: u32) {
        let stride = self.stride();
        // Of offsets that do not ascend, all blocks have to choose the same.
        let count = (!before).trailing_zeros() as u64;
        if count == 0 {
            self.high = self.low;
        } else {
            let high = self.low + count * stride;
            self.low += (count - 1) * stride + 1;
            self.high = Ord::min(self.high, high);
        }
    }

    /// Goes on around the place where the diagonal would be if the segments between the last lane whose segment begins before it and the
    /// next had equal lengths. The lanes look at growing distances from there, so the remaining range is about as long as the guess was
    /// wrong.
    ///
    /// # Safety Convergent: the whole warp. The offsets are readable; `look` is the look that has narrowed the search to some segments.
    #[inline(always)]
    unsafe fn guess(&mut self, diagonal: u64, look: u64, count: u32, offsets: &Offsets) {
        // SAFETY: the caller's.
        unsafe {
            let end = offsets.item_count + offsets.segment_count;
            let from = warp::shuffle_from(look, count - 1);
            let to = match count {
                WARP_LANES => end,
                _ => Ord::min(warp::shuffle_from(look, count), end),
            };
            // The diagonal is after the one and not after the other.
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

    /// The result of the search that begins with `look`. The same offsets and diagonal always give the same, even if the offsets do not
    /// ascend; and then too the segment before begins before the diagonal, and the segment that is found does not.
    ///
    /// # Safety
    /// Convergent: the whole warp. The offsets are readable.
    #[inline(always)]
    pub unsafe fn run(&mut self, diagonal: u64, mut look: u64, offsets: &Offsets) -> u64 {
        // SAFETY: the caller's. All lanes have the same bounds.
        unsafe {
            let before = simt::ballot(look < diagonal);
            self.narrow(before);
            if self.low < self.high {
                self.guess(diagonal, look, (!before).trailing_zeros(), offsets);
            }
            while self.low < self.high {
                let _ = simt::opaque_one();
                look = self.look(offsets);
                self.narrow(simt::ballot(look < diagonal));
            }
            self.low
        }
    }
}

/// Where a lane looks around a guess: at it or after it the upper half, before it the lower.
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
    /// Whether they are in memory, where other work may rewrite them; otherwise they are computed.
    #[inline(always)]
    pub fn are_read(&self) -> bool {
        self.offset_bytes != 0
    }

    /// Offset `index`.
    ///
    /// # Safety
    /// There is such an offset.
    #[inline(always)]
    pub unsafe fn get(&self, index: u64) -> u64 {
        let place = self.direction.place(index, self.segment_count + 1);
        // SAFETY: the caller's; there are as many offsets as segments, and one.
        let offset = unsafe {
            match self.offset_bytes {
                4 => self.address.add(place as usize).read() as u64,
                8 => self.address.cast::<u64>().add(place as usize).read(),
                _ => place * self.row_items,
            }
        };
        self.direction.border(offset, self.item_count)
    }

    /// The diagonal at which a segment begins; of an offset that is too large, some diagonal.
    ///
    /// # Safety
    /// The same as for [`Self::get`].
    #[inline(always)]
    pub unsafe fn diagonal(&self, segment: u64) -> u64 {
        // SAFETY: the caller's.
        let offset = unsafe { self.get(segment) };
        Ord::min(offset, self.item_count) + segment
    }
}
