//! A tile, scanned by the warps that share it.
//!
//! A warp owns consecutive rows of 32 vectors. It copies and stores them **striped**: a lane has a vector of each row, so
//! that the lanes' accesses lie side by side. How it scans them is a matter of speed:
//!
//! - striped too, a row at a time, by shuffles;
//! - **blocked**: a lane has consecutive vectors, folds them in registers, and only the lanes' totals are shuffled. That is
//!   another order, so it is for operators that give the same bits in any; and the results are passed on through shared
//!   memory once more. It pays where a value takes two shuffles and a row is combined at some cost: of 2^24 `f64` on an H200,
//!   the maximum took 110.6 µs striped and 80.9 blocked; of 2^23 `u64`, the sum took 40.3 and 38.7; but of 2^28 `u32` 529
//!   and 532.

use crate::contract::{THREAD_VECTORS, WARP_LANES};
use crate::element::{Accumulator, Element, Words};
use crate::op::Op;
use crate::thread::{for_each_vector, Part, Slots};
use crate::{simt, warp};

use super::Placement;

/// A thread's part of a tile to scan, striped.
pub type ScanPart<T> = Part<T, WARP_LANES>;

/// The number of the barrier in [`Rows::join`].
const TOTALS_BARRIER: u32 = 1;

/// What stands before each vector of a thread, in its tile or its warp; in the first place alone, before all of them, where
/// the tile is scanned blocked.
pub type Before<A> = [A; THREAD_VECTORS];

/// A tile that lies in shared memory, with `ROWS` rows for each warp.
#[derive(Clone, Copy)]
pub struct ScanTile<const ROWS: usize> {
    first: *mut u32,
}

impl<const ROWS: usize> ScanTile<ROWS> {
    /// The tile that begins at `first`.
    #[inline(always)]
    pub fn new(first: *mut u32) -> Self {
        ScanTile { first }
    }

    /// The calling thread's first vector of a tile, striped.
    #[inline(always)]
    fn first_striped() -> u32 {
        simt::warp() * ROWS as u32 * WARP_LANES + simt::lane()
    }

    /// The calling thread's part of the tile of an array that begins at `tile`, of whose items `tile_items` exist.
    #[inline(always)]
    pub fn part<T: Element>(tile: *mut T, tile_items: u32) -> ScanPart<T> {
        Part::new(tile, tile_items, ROWS, Self::first_striped())
    }

    /// Where the calling thread's part is copied to, and stored from.
    #[inline(always)]
    pub fn striped(self) -> Slots {
        Slots::new(self.first, Self::first_striped(), WARP_LANES)
    }

    /// The calling thread's slots, blocked.
    #[inline(always)]
    fn blocked(self) -> Slots {
        Slots::new(self.first, simt::thread_index() * ROWS as u32, 1)
    }

    /// Whether the tile is scanned blocked. An odd number of vectors for each lane keeps the lanes off each other's banks.
    #[inline(always)]
    const fn is_blocked<O: Op<T>, T: Element>() -> bool {
        let takes_two_shuffles = <O::Accumulator as Accumulator>::WORDS == 2;
        O::EXACT && takes_two_shuffles && ROWS % 2 == 1
    }

    /// Scans the calling warp's rows, and writes their total to the warp's place in `totals`. [`Rows::join`] comes next.
    ///
    /// # Safety
    /// Convergent: all warps that share the tile. Each thread's striped slots are written. `totals` are in the block's own
    /// shared memory, one for each warp.
    #[inline(always)]
    pub unsafe fn scan<O: Op<T>, T: Element>(
        self,
        totals: *mut O::Accumulator,
    ) -> Rows<O::Accumulator> {
        // SAFETY: the caller's; the barrier orders the lanes' writes before each other's reads, and a warp writes its own
        // total.
        unsafe {
            let rows = if Self::is_blocked::<O, T>() {
                simt::warp_barrier();
                self.scan_blocked::<O, T>()
            } else {
                self.scan_striped::<O, T>()
            };
            if simt::lane() == 0 {
                totals.add(simt::warp() as usize).write(rows.total);
            }
            rows
        }
    }

    /// Rows are scanned by shuffles, all of them a step at a time: the next row's shuffle hides the latency of the last
    /// one's. The rows' totals are folded in registers.
    ///
    /// # Safety
    /// That of [`Self::scan`].
    #[inline(always)]
    unsafe fn scan_striped<O: Op<T>, T: Element>(self) -> Rows<O::Accumulator> {
        let slots = self.striped();
        let mut lanes = [O::identity(); THREAD_VECTORS];
        let mut before = [O::identity(); THREAD_VECTORS];
        let mut total = O::identity();
        // SAFETY: the caller's.
        unsafe {
            for_each_vector!(ROW => {
                if ROW < ROWS {
                    lanes[ROW] = O::total(slots.read(ROW), 0);
                }
            });
            warp::inclusive_scans::<O, T, ROWS>(&mut lanes);
            for_each_vector!(ROW => {
                if ROW < ROWS {
                    before[ROW] = warp::exclusive_of::<O, T>(lanes[ROW]);
                    lanes[ROW] = warp::shuffle_from(lanes[ROW], WARP_LANES - 1);
                }
            });
        }
        for_each_vector!(ROW => {
            if ROW < ROWS {
                before[ROW] = O::combine(total, before[ROW]);
                total = O::combine(total, lanes[ROW]);
            }
        });
        Rows { before, total }
    }

    /// Each lane folds its vectors; their totals are scanned by shuffles.
    ///
    /// # Safety
    /// That of [`Self::scan`]; and the lanes' writes are ordered before each other's reads.
    #[inline(always)]
    unsafe fn scan_blocked<O: Op<T>, T: Element>(self) -> Rows<O::Accumulator> {
        let slots = self.blocked();
        let mut lanes = [O::identity(); THREAD_VECTORS];
        let mut before = [O::identity(); THREAD_VECTORS];
        // SAFETY: the caller's.
        unsafe {
            lanes[0] = O::total(slots.read(0), 0);
            for_each_vector!(V => {
                if V != 0 && V < ROWS {
                    lanes[0] = O::combine(lanes[0], O::total(slots.read(V), 0));
                }
            });
            warp::inclusive_scans::<O, T, 1>(&mut lanes);
            before[0] = warp::exclusive_of::<O, T>(lanes[0]);
            let total = warp::shuffle_from(lanes[0], WARP_LANES - 1);
            Rows { before, total }
        }
    }

    /// Puts a prefix before the tile, which is scanned, and stores the calling thread's `part` of the results. The slots are
    /// free then.
    ///
    /// # Safety
    /// Convergent: all warps that share the tile. `before` is the tile's. The part is writable, and nobody else reads or
    /// writes it.
    #[inline(always)]
    pub unsafe fn store<P: Placement, O: Op<T, Output = T>, T: Element>(
        self,
        prefix: O::Accumulator,
        before: &Before<O::Accumulator>,
        part: ScanPart<T>,
    ) {
        let slots = self.striped();
        // Found out once for all vectors: a question for each would part the stores from each other.
        let is_whole = part.is_whole();
        // SAFETY: the caller's; the barrier orders the lanes' writes before each other's reads.
        unsafe {
            if Self::is_blocked::<O, T>() {
                self.place_blocked::<P, O, T>(O::combine(prefix, before[0]));
                simt::warp_barrier();
                if is_whole {
                    part.store_whole(slots);
                    return;
                }
            } else if is_whole {
                self.place_striped::<P, O, T>(prefix, before, |v, results| {
                    part.store_vector(v, results)
                });
                return;
            } else {
                self.place_striped::<P, O, T>(prefix, before, |v, results| slots.write(v, results));
            }
            part.store_in_pieces(slots);
        }
    }

    /// Hands on the results of each of the calling thread's striped vectors.
    ///
    /// # Safety
    /// The slots are written.
    #[inline(always)]
    unsafe fn place_striped<P: Placement, O: Op<T, Output = T>, T: Element>(
        self,
        prefix: O::Accumulator,
        before: &Before<O::Accumulator>,
        hand_on: impl Fn(usize, Words),
    ) {
        let slots = self.striped();
        for_each_vector!(V => {
            if V < ROWS {
                let mut before = O::combine(prefix, before[V]);
                // SAFETY: the caller's.
                let words = unsafe { slots.read(V) };
                hand_on(V, P::place::<O, T>(&mut before, words));
            }
        });
    }

    /// Replaces each of the calling thread's blocked vectors, `before` which this stands, by its results.
    ///
    /// # Safety
    /// The slots are written, and no other thread uses them.
    #[inline(always)]
    unsafe fn place_blocked<P: Placement, O: Op<T, Output = T>, T: Element>(
        self,
        mut before: O::Accumulator,
    ) {
        let slots = self.blocked();
        for_each_vector!(V => {
            if V < ROWS {
                // SAFETY: the caller's.
                unsafe {
                    let results = P::place::<O, T>(&mut before, slots.read(V));
                    slots.write(V, results);
                }
            }
        });
    }
}

/// A warp's rows of a tile, scanned.
pub struct Rows<A> {
    /// What stands before the thread's vectors in the warp.
    before: Before<A>,
    /// All items of the warp.
    total: A,
}

/// A tile, scanned.
pub struct Scanned<A> {
    /// What stands before the thread's vectors in the tile.
    pub before: Before<A>,
    /// The items of the tile up to the end of the warp: on the last warp, the tile's aggregate.
    pub upto: A,
}

impl<A: Accumulator> Rows<A> {
    /// Joins the warps of a tile. One barrier of them, between the writes of their totals and the reads.
    ///
    /// # Safety
    /// Convergent: all `WARPS` warps that share the tile, after [`ScanTile::scan`] with the same `totals`.
    #[inline(always)]
    pub unsafe fn join<O: Op<T, Accumulator = A>, T: Element, const WARPS: u32>(
        self,
        totals: *const A,
    ) -> Scanned<A> {
        // SAFETY: the caller's; the barrier orders the writes before the reads.
        let warp_prefix = unsafe {
            simt::wait_at_barrier(TOTALS_BARRIER, WARPS);
            fold_below::<O, T, WARPS>(totals, simt::warp())
        };
        let mut before = self.before;
        for_each_vector!(ROW => {
            before[ROW] = O::combine(warp_prefix, before[ROW]);
        });
        Scanned {
            before,
            upto: O::combine(warp_prefix, self.total),
        }
    }
}

/// The left fold of the totals of the first `below` of `WARPS` warps.
///
/// # Safety
/// They are written, and a barrier lies between.
#[inline(always)]
unsafe fn fold_below<O: Op<T>, T: Element, const WARPS: u32>(
    totals: *const O::Accumulator,
    below: u32,
) -> O::Accumulator {
    let mut folded = O::identity();
    let mut w = 0;
    while w < WARPS {
        if w < below {
            // SAFETY: the caller's.
            folded = O::combine(folded, unsafe { totals.add(w as usize).read() });
        }
        w += 1;
    }
    folded
}
