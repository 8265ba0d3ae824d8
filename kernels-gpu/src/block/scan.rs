//! A tile, scanned by the warps that share it.
//!
//! A warp owns consecutive rows of 32 vectors. It copies and stores the vectors **striped**: a lane has one vector of each row, so the
//! lanes' accesses are adjacent. It scans the vectors in one of two ways:
//!
//! - striped: each row is scanned by shuffles.
//! - **blocked**: a lane has consecutive vectors and folds them in registers, so only the lanes' totals are shuffled. The lanes then write
//!   the results to shared memory, and store them striped. A tile is [scanned blocked](crate::contract::ScanShape::is_blocked) if the
//!   accumulator is wide, or if the accumulator has two words and the number of rows is odd. In these cases, scans of rows would take too
//!   many registers or shuffles.
//!
//! A vector's results may overwrite its items in shared memory. So a vector's slot has the size of the vector's items or of its results,
//! whichever is larger.

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

/// A thread's striped part of a tile, in an array of values of type `T`. In shared memory, a vector's slot has room for the vector's values
/// of type `T` or for the same number of values of type `U`, whichever are larger.
pub type ScanPart<T, U> = Part<T, U, WARP_LANES, Direction>;

/// The number of the barrier in [`ScanTile::join`].
const TOTALS_BARRIER: u32 = 1;

/// The prefixes of a thread's vectors, within a tile or a warp. If the tile is scanned blocked, only the first vector's prefix is used.
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

    /// How many entries of [`Before`] are used.
    const PREFIXES: usize = if Self::IS_BLOCKED { 1 } else { S::ROWS };

    /// How the items of a vector are accessed in shared memory.
    const ITEMS: Access = ScanPart::<T, O::Output>::ACCESS;

    /// How the results of a vector are accessed in shared memory.
    const RESULTS: Access = ScanPart::<O::Output, T>::ACCESS;

    /// The tile that begins at `first`. Its vectors lie in the order of the scan. In both directions, the items of a vector lie in the same
    /// order as in the array.
    #[inline(always)]
    pub fn new(first: *mut u32, direction: Direction) -> Self {
        ScanTile {
            first,
            direction,
            scan: PhantomData,
        }
    }

    /// Reads the vector in slot `v`, and puts its items into the order of the tile's direction.
    ///
    /// # Safety
    /// Slot `v` of `slots` is written.
    #[inline(always)]
    unsafe fn read(&self, slots: Slots, v: usize) -> Vector {
        // SAFETY: the slot is written (condition of this function).
        let vector = unsafe { slots.read(v, Self::ITEMS) };
        self.direction.turned::<T>(&vector, S::VECTOR_ITEMS)
    }

    /// Puts a vector's results from the order of the tile's direction into the order in memory.
    #[inline(always)]
    fn results(&self, results: &Vector) -> Vector {
        self.direction.turned::<O::Output>(results, S::VECTOR_ITEMS)
    }

    /// The number of the calling thread's first vector in a striped tile.
    #[inline(always)]
    fn first_striped() -> u32 {
        simt::warp() * S::ROWS as u32 * WARP_LANES + simt::lane()
    }

    /// The number of the calling thread's first vector in a blocked tile.
    #[inline(always)]
    fn first_blocked() -> u32 {
        simt::thread_index() * S::ROWS as u32
    }

    /// The calling thread's part of a tile, in an array of items or of results. The tile begins at `tile`, extends in `direction`, and has
    /// `tile_items` items.
    #[inline(always)]
    pub fn part<V: Element, W: Element>(
        direction: Direction,
        tile: *mut V,
        tile_items: u32,
    ) -> ScanPart<V, W> {
        Part::towards(direction, tile, tile_items, S::ROWS, Self::first_striped())
    }

    /// The calling thread's striped slots. The thread's part of the items is copied to these slots.
    #[inline(always)]
    pub fn striped(&self) -> Slots {
        Slots::new(
            self.first,
            Self::first_striped(),
            WARP_LANES,
            S::SHAPE.vector_bytes,
        )
    }

    /// The calling thread's blocked slots.
    #[inline(always)]
    fn blocked(&self) -> Slots {
        Slots::new(self.first, Self::first_blocked(), 1, S::SHAPE.vector_bytes)
    }

    /// Whether some items of the tile are missing and have to be left out.
    #[inline(always)]
    fn leaves_out(items: TileItems) -> bool {
        must_leave_out::<O, T>() && items.count < S::TILE_ITEMS
    }

    /// Scans the calling warp's rows, and writes their total to the warp's place in `totals`. Call [`Self::join`] next.
    ///
    /// # Safety
    /// - Convergent: all warps that share the tile.
    /// - Each thread's striped slots are written: they hold `items`.
    /// - `totals` is in the block's own shared memory and has a place for each warp. No warp reads it until [`Self::join`].
    #[inline(always)]
    pub unsafe fn scan(
        &self,
        items: TileItems,
        totals: *mut O::Accumulator,
    ) -> Rows<O::Accumulator> {
        // SAFETY: whole warps scan, and their slots are written (conditions of this function). The warp's barrier orders each lane's writes
        // before the other lanes' reads. A warp writes its own place of `totals`.
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

    /// [`Self::scan`] of a striped tile. Each step of the shuffles is done for all rows before the next step, because one row's shuffle
    /// hides the latency of another row's shuffle. The rows' totals are folded in registers.
    ///
    /// # Safety
    /// The conditions of [`Self::scan`].
    #[inline(always)]
    unsafe fn scan_striped(&self, items: TileItems) -> Rows<O::Accumulator> {
        let mut before = [O::identity(); THREAD_VECTORS];
        let mut total = O::identity();
        // SAFETY: the whole warp shuffles, and the thread's striped slots are written (conditions of `scan`).
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

    /// The total of each of the calling thread's striped vectors. `lifted` returns which items of a vector are lifted.
    ///
    /// # Safety
    /// The conditions of [`Self::scan`].
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
                // SAFETY: the thread's striped slots are written (condition of `scan`), and `ROW` is one of them.
                let words = unsafe { self.read(slots, ROW) };
                totals[ROW] = total::<O, T, O::Output>(&words, index, lifted(vector));
            }
        });
        totals
    }

    /// [`Self::scan`] of a blocked tile. Each lane folds its vectors. The lanes' totals are scanned by shuffles.
    ///
    /// # Safety
    /// - The conditions of [`Self::scan`].
    /// - A barrier of the warp lies between the lanes' writes of their slots and this call, so each lane can read the other lanes' slots.
    #[inline(always)]
    unsafe fn scan_blocked(&self, items: TileItems) -> Rows<O::Accumulator> {
        let mut lanes = [O::identity(); THREAD_VECTORS];
        let mut before = [O::identity(); THREAD_VECTORS];
        // SAFETY: the whole warp shuffles. The slots of all its lanes are written, and the barrier orders these writes before this call
        // (conditions of this function).
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

    /// The fold of the calling thread's blocked vectors. `lifted` returns which items of a vector are lifted.
    ///
    /// # Safety
    /// The conditions of [`Self::scan_blocked`].
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
                // SAFETY: the warp's slots are written, and a barrier has followed (conditions of `scan_blocked`). Slot `V` is one of this
                // lane's slots.
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

    /// Combines the totals of the tile's earlier warps with the calling thread's values. The warps meet at one barrier, between the writes
    /// and the reads of their totals.
    ///
    /// # Safety
    /// - Convergent: all warps that share the tile, after [`Self::scan`] with the same `totals`.
    /// - A barrier lies between this call's reads and the next writes to `totals`.
    #[inline(always)]
    pub unsafe fn join(
        rows: Rows<O::Accumulator>,
        totals: *const O::Accumulator,
    ) -> Scanned<O::Accumulator> {
        // SAFETY: all warps that share the tile get to the barrier. The barrier orders the writes of the totals before the reads.
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
    /// The first `below` warps have written their totals, and a barrier has followed.
    #[inline(always)]
    unsafe fn fold_below(totals: *const O::Accumulator, below: u32) -> O::Accumulator {
        let mut folded = O::identity();
        let mut w = 0;
        while w < S::WARPS {
            if w < below {
                // SAFETY: `w` is less than `below`, so this total was written before the barrier (condition of this function).
                folded = O::combine(folded, unsafe { totals.add(w as usize).read() });
            }
            w += 1;
        }
        folded
    }
}

/// The calling thread's part of the scan of a warp's rows.
pub struct Rows<A> {
    /// The prefixes of the thread's vectors within the warp.
    before: Before<A>,
    /// The warp's items, combined.
    total: A,
}

/// The calling thread's part of the scan of a tile.
pub struct Scanned<A> {
    /// The prefixes of the thread's vectors within the tile.
    pub before: Before<A>,
    /// The tile's items up to the warp's last item, combined. On the last warp, this is the tile's aggregate.
    pub upto: A,
}
