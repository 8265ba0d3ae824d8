//! A tile, scanned by the warps that share it.
//!
//! A warp owns consecutive rows of 32 vectors. It copies and stores them **striped**: a lane has a vector of each row, so
//! that the lanes' accesses lie side by side. It scans them
//!
//! - striped too, a row at a time, by shuffles;
//! - **blocked**, where accumulators have [more than one word](crate::contract::ScanShape::is_blocked): a lane has consecutive vectors,
//!   folds them in registers, and only the lanes' totals are shuffled. The results are passed on through shared memory once more. The
//!   prefixes of all vectors would fill the registers if the accumulator is wide.
//!
//! A vector's results lie where its items lay, so a slot has room for either.

mod storing;

use core::marker::PhantomData;

use crate::contract::{THREAD_VECTORS, WARP_LANES};
use crate::direction::Direction;
use crate::element::{Accumulator, Element, Vector};
use crate::op::Op;
use crate::thread::{append, for_each_vector, must_leave_out, total};
use crate::thread::{Access, Items, Part, Slots, TileItems};
use crate::{simt, warp};

use super::Shape;

/// A thread's part of a tile, striped: of items of type `T`, with room in the slots for a `U` for each.
pub type ScanPart<T, U> = Part<T, U, WARP_LANES, Direction>;

/// The number of the barrier in [`ScanTile::join`].
const TOTALS_BARRIER: u32 = 1;

/// The prefix of each vector of a thread, within its tile or its warp. If the tile is scanned blocked, the first entry alone is used: the
/// prefix of all of the thread's vectors.
pub type Before<A> = [A; THREAD_VECTORS];

/// A tile that lies in shared memory, to be scanned with the operator `O`.
pub struct ScanTile<O, T, S> {
    first: *mut u32,
    direction: Direction,
    scan: PhantomData<(O, T, S)>,
}

impl<O: Op<T>, T: Element, S: Shape> ScanTile<O, T, S> {
    /// Whether the tile is scanned blocked.
    const IS_BLOCKED: bool = S::SHAPE.is_blocked(<O::Accumulator as Accumulator>::WORDS);

    /// How many values [`Before`] has.
    const PREFIXES: usize = if Self::IS_BLOCKED { 1 } else { S::ROWS };

    /// How the items of a vector are accessed.
    const ITEMS: Access = ScanPart::<T, O::Output>::ACCESS;

    /// How the results of a vector are accessed.
    const RESULTS: Access = ScanPart::<O::Output, T>::ACCESS;

    /// The tile that begins at `first`. Each of its vectors is as memory has it, whatever the direction.
    #[inline(always)]
    pub fn new(first: *mut u32, direction: Direction) -> Self {
        ScanTile {
            first,
            direction,
            scan: PhantomData,
        }
    }

    /// The items of the vector in slot `v`, in the tile's direction.
    ///
    /// # Safety
    /// The slot is written.
    #[inline(always)]
    unsafe fn read(&self, slots: Slots, v: usize) -> Vector {
        // SAFETY: the caller's.
        let vector = unsafe { slots.read(v, Self::ITEMS) };
        self.direction.turned::<T>(&vector, S::VECTOR_ITEMS)
    }

    /// A vector's results as memory has them.
    #[inline(always)]
    fn results(&self, results: &Vector) -> Vector {
        self.direction.turned::<O::Output>(results, S::VECTOR_ITEMS)
    }

    /// The calling thread's first vector of a tile, striped.
    #[inline(always)]
    fn first_striped() -> u32 {
        simt::warp() * S::ROWS as u32 * WARP_LANES + simt::lane()
    }

    /// The calling thread's first vector of a tile, blocked.
    #[inline(always)]
    fn first_blocked() -> u32 {
        simt::thread_index() * S::ROWS as u32
    }

    /// The calling thread's part of the tile of an array of items or results that begins at `tile`, in this direction, and
    /// `tile_items` of which exist.
    #[inline(always)]
    pub fn part<V: Element, W: Element>(
        direction: Direction,
        tile: *mut V,
        tile_items: u32,
    ) -> ScanPart<V, W> {
        Part::towards(direction, tile, tile_items, S::ROWS, Self::first_striped())
    }

    /// Where the calling thread's part is copied to, and stored from.
    #[inline(always)]
    pub fn striped(&self) -> Slots {
        Slots::new(
            self.first,
            Self::first_striped(),
            WARP_LANES,
            S::SHAPE.vector_bytes,
        )
    }

    /// The calling thread's slots, blocked.
    #[inline(always)]
    fn blocked(&self) -> Slots {
        Slots::new(self.first, Self::first_blocked(), 1, S::SHAPE.vector_bytes)
    }

    /// Whether some items of the tile are left out.
    #[inline(always)]
    fn leaves_out(items: TileItems) -> bool {
        must_leave_out::<O, T>() && items.count < S::TILE_ITEMS
    }

    /// Scans the calling warp's rows, and writes their total to the warp's place in `totals`. [`Self::join`] comes next.
    ///
    /// # Safety
    /// Convergent: all warps that share the tile. Each thread's striped slots are written, with `items`. `totals` are in the
    /// block's own shared memory, one for each warp.
    #[inline(always)]
    pub unsafe fn scan(
        &self,
        items: TileItems,
        totals: *mut O::Accumulator,
    ) -> Rows<O::Accumulator> {
        // SAFETY: the caller's; the barrier orders the lanes' writes before each other's reads, and a warp writes its own
        // total.
        unsafe {
            let rows = if Self::IS_BLOCKED {
                simt::warp_barrier();
                self.scan_blocked(items)
            } else {
                self.scan_striped(items)
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
    /// The same as for [`Self::scan`].
    #[inline(always)]
    unsafe fn scan_striped(&self, items: TileItems) -> Rows<O::Accumulator> {
        let mut before = [O::identity(); THREAD_VECTORS];
        let mut total = O::identity();
        // SAFETY: the caller's.
        let lanes = unsafe {
            let mut lanes = if Self::leaves_out(items) {
                self.striped_totals(items, |vector| items.existing(vector, S::VECTOR_ITEMS))
            } else {
                self.striped_totals(items, |_| Items::All)
            };
            warp::inclusive_scans::<O, T>(&mut lanes, S::ROWS);
            for_each_vector!(ROW => {
                if ROW < S::ROWS {
                    before[ROW] = warp::exclusive_of::<O, T>(lanes[ROW]);
                    lanes[ROW] = warp::shuffle_from(lanes[ROW], WARP_LANES - 1);
                }
            });
            lanes
        };
        for_each_vector!(ROW => {
            if ROW < S::ROWS {
                before[ROW] = O::combine(total, before[ROW]);
                total = O::combine(total, lanes[ROW]);
            }
        });
        Rows { before, total }
    }

    /// The total of each of the calling thread's vectors, striped, of which some items are lifted.
    ///
    /// # Safety
    /// The same as for [`Self::scan`].
    #[inline(always)]
    unsafe fn striped_totals(
        &self,
        items: TileItems,
        lifted: impl Fn(u32) -> Items,
    ) -> [O::Accumulator; THREAD_VECTORS] {
        let slots = self.striped();
        let mut totals = [O::identity(); THREAD_VECTORS];
        for_each_vector!(ROW => {
            if ROW < S::ROWS {
                let vector = Self::first_striped() + ROW as u32 * WARP_LANES;
                let index = items.index(vector, S::VECTOR_ITEMS);
                // SAFETY: the caller's.
                let words = unsafe { self.read(slots, ROW) };
                totals[ROW] = total::<O, T, O::Output>(&words, index, lifted(vector));
            }
        });
        totals
    }

    /// Each lane folds its vectors; their totals are scanned by shuffles.
    ///
    /// # Safety
    /// The same as for [`Self::scan`]; and the lanes' writes are ordered before each other's reads.
    #[inline(always)]
    unsafe fn scan_blocked(&self, items: TileItems) -> Rows<O::Accumulator> {
        let mut lanes = [O::identity(); THREAD_VECTORS];
        let mut before = [O::identity(); THREAD_VECTORS];
        // SAFETY: the caller's.
        unsafe {
            lanes[0] = if Self::leaves_out(items) {
                self.fold_blocked(items, |vector| items.existing(vector, S::VECTOR_ITEMS))
            } else {
                self.fold_blocked(items, |_| Items::All)
            };
            warp::inclusive_scans::<O, T>(&mut lanes, 1);
            before[0] = warp::exclusive_of::<O, T>(lanes[0]);
            let total = warp::shuffle_from(lanes[0], WARP_LANES - 1);
            Rows { before, total }
        }
    }

    /// The fold of the calling thread's vectors, blocked, of which some items are lifted.
    ///
    /// # Safety
    /// The same as for [`Self::scan_blocked`].
    #[inline(always)]
    unsafe fn fold_blocked(
        &self,
        items: TileItems,
        lifted: impl Fn(u32) -> Items,
    ) -> O::Accumulator {
        let slots = self.blocked();
        let mut folded = O::identity();
        for_each_vector!(V => {
            if V < S::ROWS {
                let vector = Self::first_blocked() + V as u32;
                let index = items.index(vector, S::VECTOR_ITEMS);
                // SAFETY: the caller's.
                let words = unsafe { self.read(slots, V) };
                if V == 0 {
                    folded = total::<O, T, O::Output>(&words, index, lifted(vector));
                } else if O::Accumulator::IS_WIDE {
                    folded = append::<O, T, O::Output>(folded, &words, index, lifted(vector));
                } else {
                    let total = total::<O, T, O::Output>(&words, index, lifted(vector));
                    folded = O::combine(folded, total);
                }
            }
        });
        folded
    }

    /// Joins the warps of a tile. One barrier of them, between the writes of their totals and the reads.
    ///
    /// # Safety
    /// Convergent: all warps that share the tile, after [`Self::scan`] with the same `totals`.
    #[inline(always)]
    pub unsafe fn join(
        rows: Rows<O::Accumulator>,
        totals: *const O::Accumulator,
    ) -> Scanned<O::Accumulator> {
        // SAFETY: the caller's; the barrier orders the writes before the reads.
        let warp_prefix = unsafe {
            simt::wait_at_barrier(TOTALS_BARRIER, S::WARPS);
            Self::fold_below(totals, simt::warp())
        };
        let mut before = rows.before;
        for_each_vector!(V => {
            if V < Self::PREFIXES {
                before[V] = O::combine(warp_prefix, before[V]);
            }
        });
        Scanned {
            before,
            upto: O::combine(warp_prefix, rows.total),
        }
    }

    /// The left fold of the totals of the first `below` warps.
    ///
    /// # Safety
    /// They are written, and a barrier lies between.
    #[inline(always)]
    unsafe fn fold_below(totals: *const O::Accumulator, below: u32) -> O::Accumulator {
        let mut folded = O::identity();
        let mut w = 0;
        while w < S::WARPS {
            if w < below {
                // SAFETY: the caller's.
                folded = O::combine(folded, unsafe { totals.add(w as usize).read() });
            }
            w += 1;
        }
        folded
    }
}

/// A warp's rows of a tile, scanned.
pub struct Rows<A> {
    /// The prefix of the thread's vectors within the warp.
    before: Before<A>,
    /// All items of the warp.
    total: A,
}

/// A tile, scanned.
pub struct Scanned<A> {
    /// The prefix of the thread's vectors within the tile.
    pub before: Before<A>,
    /// The tile's items up to the end of the warp, combined. On the last warp, this is the tile's aggregate.
    pub upto: A,
}
