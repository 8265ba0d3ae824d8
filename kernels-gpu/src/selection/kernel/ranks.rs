//! Where the chosen items of a warp's chunk go: counted over its lanes, row by row.

use crate::contract::{vector_items, WARP_LANES};
use crate::element::Element;
use crate::selection::{chunk_items, chunk_rows, row_items, warp_items};
use crate::simt;

/// Which of a thread's items of a chunk are chosen, and how many items are chosen before each of its vectors.
#[derive(Clone, Copy)]
pub struct Ranks {
    pub bits: u32,
    /// Those of the lanes before, in each row.
    before: Counts,
    /// Those of all lanes, in each row.
    all: Counts,
}

/// The numbers of chosen items in the rows of a chunk, side by side in a register.
#[derive(Clone, Copy)]
struct Counts(u32);

impl Ranks {
    /// Those of a thread's bits.
    ///
    /// # Safety
    /// Convergent: a whole warp.
    #[inline(always)]
    pub unsafe fn of<T: Element>(bits: u32) -> Self {
        let own = Counts::of::<T>(bits);
        // SAFETY: the caller's.
        let (upto, all) = unsafe { own.over_lanes() };
        let before = Counts(upto.0 - own.0);
        Ranks { bits, before, all }
    }

    /// How many items of the chunk are chosen.
    #[inline(always)]
    pub fn chosen<T>(self) -> u32 {
        self.all.sum::<T>()
    }

    /// How many items are chosen before the thread's vector of a row.
    #[inline(always)]
    pub fn before_row<T>(self, row: usize) -> u32 {
        let before = self.before.row::<T>(row as u32);
        match row {
            0 => before,
            _ => simt::arithmetic::add_bytes(
                self.all.0,
                u32::MAX >> (32 - 8 * row) & 0x0101_0101,
                before,
            ),
        }
    }
}

impl Counts {
    /// Bits of a row's number. A row of up to 128 items has a number of 8 bits; a chunk of one row has all.
    const fn width<T>() -> u32 {
        if chunk_rows::<T>() == 1 {
            32
        } else {
            8
        }
    }

    /// Those of a thread. The bits of all rows are added up side by side, after Warren, *Hacker's Delight*, 5-1.
    #[inline(always)]
    fn of<T: Element>(bits: u32) -> Self {
        let unit = vector_items::<T>() as u32;
        if chunk_rows::<T>() == 1 {
            return Counts(bits.count_ones());
        }
        // A number of as many bits as a row has items, for each row.
        let mut counts = bits;
        if unit >= 2 {
            counts -= counts >> 1 & 0x5555;
        }
        if unit >= 4 {
            counts = (counts & 0x3333) + (counts >> 2 & 0x3333);
        }
        // Two rows go to each half, and one to each byte.
        let pair = (1 << (2 * unit)) - 1;
        counts = (counts | counts << (16 - 2 * unit)) & (pair * 0x0001_0001);
        counts = (counts | counts << (8 - unit)) & (((1 << unit) - 1) * 0x0101_0101);
        Counts(counts)
    }

    /// The number of a row.
    #[inline(always)]
    fn row<T>(self, row: u32) -> u32 {
        match Self::width::<T>() {
            32 => self.0,
            width => self.0 >> (row * width) & 0xff,
        }
    }

    /// The numbers of all rows together.
    #[inline(always)]
    fn sum<T>(self) -> u32 {
        match Self::width::<T>() {
            32 => self.0,
            _ => simt::arithmetic::add_bytes(self.0, 0x0101_0101, 0),
        }
    }

    /// Those of the lanes up to and including the calling one, by Kogge and Stone; and those of all lanes.
    ///
    /// # Safety
    /// Convergent: a whole warp.
    #[inline(always)]
    unsafe fn over_lanes(self) -> (Self, Self) {
        let lane = simt::lane();
        let mut upto = self.0;
        let mut delta = 1;
        while delta < WARP_LANES {
            // SAFETY: the caller's.
            let below = unsafe { simt::shuffle_up(upto, delta) };
            upto += if lane >= delta { below } else { 0 };
            delta *= 2;
        }
        // SAFETY: the caller's.
        let all = unsafe { simt::shuffle_from(upto, WARP_LANES - 1) };
        (Counts(upto), Counts(all))
    }
}

const _: () = {
    // A chunk of several rows has at most four of up to four items a lane: their numbers are bytes.
    assert!(chunk_rows::<u32>() * 8 <= 32 && row_items::<u32>() < 256);
    assert!(vector_items::<u32>() == 4 && chunk_rows::<u16>() == 1);
    assert!(warp_items::<u8>() == 4 * chunk_items::<u8>());
};
