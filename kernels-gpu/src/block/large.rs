//! The scan of a tile whose items or results are large: more than 16 bytes each.
//!
//! A warp owns a **stretch** of consecutive items, and each of its lanes owns a **run** of consecutive items in the stretch. The lanes copy
//! and store the stretch together, in units of up to 16 bytes. Neighbouring lanes access neighbouring units, whatever the size of an item.
//! If items and results have the same size, the distance between the runs in shared memory prevents bank conflicts when the lanes access
//! their runs.
//!
//! Each lane folds its run, and the lanes scan the runs' totals by shuffles. The results go through shared memory too. They never overwrite
//! an item that is still needed.

mod copies;

use core::marker::PhantomData;

use crate::contract::{THREAD_VECTORS, WARP_LANES};
use crate::direction::{Direction, Heading};
use crate::element::{Element, Vector};
use crate::op::Op;
use crate::simt;
use crate::thread::{for_each_vector, lift, Items, TileItems};
use crate::warp;

use super::{Placement, Shape};

pub use self::copies::Stretch;

use self::copies::Layout;

/// The number of the barrier in [`LargeTile::join`].
const TOTALS_BARRIER: u32 = 1;

/// Runs a block of code for each index from 0 to 10: a lane has at most 11 items.
macro_rules! for_each_row {
    ($row:ident => $body:block) => {
        for_each_vector!($row in 0 1 2 3 4 5 6 7 8 9 10 => $body)
    };
}

/// A tile that lies in shared memory, to be scanned with the operator `O`.
pub struct LargeTile<O, T, S> {
    first: *mut u32,
    direction: Direction,
    scan: PhantomData<(O, T, S)>,
}

/// The calling lane's part of the scan of a warp's items.
pub struct Runs<A> {
    /// The prefix of the lane's run within the warp.
    before: A,
    /// The warp's items up to the end of the lane's run, combined.
    upto: A,
}

/// The calling lane's part of the scan of a tile.
pub struct Joined<A> {
    /// The prefix of the lane's run within the tile.
    pub before: A,
    /// The tile's items up to the end of the lane's run, combined.
    pub upto: A,
}

impl<O: Op<T>, T: Element, S: Shape> LargeTile<O, T, S> {
    /// The tile that begins at the address `first`. In both directions, a warp's items are in shared memory in the same order as in the
    /// array.
    #[inline(always)]
    pub fn new(first: *mut u32, direction: Direction) -> Self {
        LargeTile {
            first,
            direction,
            scan: PhantomData,
        }
    }

    /// Whether the calling thread has the last run of the tile.
    #[inline(always)]
    pub fn has_last_run() -> bool {
        simt::thread_index() == S::WARPS * WARP_LANES - 1
    }

    /// The lowest address of the warp's runs.
    #[inline(always)]
    fn warp_runs(&self) -> *mut u32 {
        let before = simt::warp() as usize * WARP_LANES as usize * S::SHAPE.lane_bytes();
        self.first.wrapping_byte_add(before)
    }

    /// The number of free bytes that lie before a run's items. A result is never written over an item that is still needed: if results are
    /// larger than items, the free bytes lie before the items in a forward scan, and after the items in a backward scan.
    #[inline(always)]
    fn items_shift(&self) -> u32 {
        let free = Layout::<T, S>::FREE as u64;
        (free - self.direction.if_backward(free)) as u32
    }

    /// The number of free bytes that lie before a run's results.
    #[inline(always)]
    fn results_shift(&self) -> u32 {
        self.direction
            .if_backward(Layout::<O::Output, S>::FREE as u64) as u32
    }

    /// The address of the calling lane's run. In a backward scan, the last lane's run comes first in memory.
    #[inline(always)]
    fn run(&self) -> *mut u32 {
        let run = self.direction.place(simt::lane() as u64, WARP_LANES as u64) as usize;
        self.warp_runs()
            .wrapping_byte_add(run * S::SHAPE.lane_bytes())
    }

    /// The address of item `v` of the calling lane.
    #[inline(always)]
    fn item(&self, v: usize) -> *mut u32 {
        let place = self.direction.place(v as u64, S::ROWS as u64) as usize;
        let offset = self.items_shift() as usize + place * size_of::<T>();
        self.run().wrapping_byte_add(offset)
    }

    /// The address of result `v` of the calling lane.
    #[inline(always)]
    fn result(&self, v: usize) -> *mut u32 {
        let place = self.direction.place(v as u64, S::ROWS as u64) as usize;
        let offset = self.results_shift() as usize + place * size_of::<O::Output>();
        self.run().wrapping_byte_add(offset)
    }

    /// The index of the calling lane's first item, counted from the beginning of the tile.
    #[inline(always)]
    fn first_item() -> u32 {
        simt::thread_index() * S::ROWS as u32
    }

    /// Scans the calling warp's runs, and writes their total to the warp's place in `totals`. Call [`Self::join`] next.
    ///
    /// # Safety
    /// - Convergent: all warps that share the tile, after [`Self::end_copy`].
    /// - `totals` is in the block's own shared memory and has a place for each warp. No warp reads it until [`Self::join`].
    #[inline(always)]
    pub unsafe fn scan(
        &self,
        items: TileItems,
        totals: *mut O::Accumulator,
    ) -> Runs<O::Accumulator> {
        // SAFETY: the whole warp shuffles, and its items have been copied (conditions of this function). A warp writes its own place of
        // `totals`.
        unsafe {
            let mut lanes = [O::identity(); THREAD_VECTORS];
            lanes[0] = self.fold(items);
            warp::inclusive_scans::<O, T>(&mut lanes, 1);
            let upto = lanes[0];
            let before = warp::exclusive_of::<O, T>(upto);
            if simt::lane() == WARP_LANES - 1 {
                totals.add(simt::warp() as usize).write(upto);
            }
            Runs { before, upto }
        }
    }

    /// The fold of the calling lane's items.
    ///
    /// # Safety
    /// The conditions of [`Self::scan`].
    #[inline(always)]
    unsafe fn fold(&self, items: TileItems) -> O::Accumulator {
        let mut folded = O::identity();
        // SAFETY: the items that exist have been copied (condition of `scan`).
        unsafe {
            if items.count == S::TILE_ITEMS {
                for_each_row!(V => {
                    if V < S::ROWS {
                        let item = self.lifted(items, V);
                        folded = if V == 0 { item } else { O::combine(folded, item) };
                    }
                });
            } else {
                let count = self.existing(items);
                let mut v = 0;
                while v < count {
                    let step = simt::opaque_one();
                    folded = O::combine(folded, self.lifted(items, v));
                    v += step;
                }
            }
        }
        folded
    }

    /// How many of the calling lane's items exist. In the last tile, items may be missing.
    #[inline(always)]
    fn existing(&self, items: TileItems) -> usize {
        let before = Self::first_item();
        Ord::min(items.count.saturating_sub(before), S::ROWS as u32) as usize
    }

    /// Item `v` of the calling lane, as it lies in shared memory.
    ///
    /// # Safety
    /// The item has been copied to shared memory.
    #[inline(always)]
    unsafe fn read(&self, v: usize) -> Vector {
        // SAFETY: the item has been copied (condition of this function), and its address is aligned for `ACCESS`.
        unsafe { Layout::<T, S>::ACCESS.read_shared(self.item(v)) }
    }

    /// Item `v` of the calling lane, lifted.
    ///
    /// # Safety
    /// The item has been copied to shared memory.
    #[inline(always)]
    unsafe fn lifted(&self, items: TileItems, v: usize) -> O::Accumulator {
        // SAFETY: the item has been copied: this function's condition.
        let item = unsafe { self.read(v) };
        lift::<O, T>(&item, 0, self.index(items, v), Items::All)
    }

    /// The index of the calling lane's item `v`. In a backward scan, indices count from the end of the input.
    #[inline(always)]
    fn index(&self, items: TileItems, v: usize) -> u64 {
        items.begin + (Self::first_item() + v as u32) as u64
    }

    /// Combines the totals of the tile's earlier warps with the calling lane's values. The warps meet at one barrier, between the writes
    /// and the reads of their totals.
    ///
    /// # Safety
    /// - Convergent: all warps that share the tile, after [`Self::scan`] with the same `totals`.
    /// - A barrier lies between this call's reads and the next writes to `totals`.
    #[inline(always)]
    pub unsafe fn join(
        runs: Runs<O::Accumulator>,
        totals: *const O::Accumulator,
    ) -> Joined<O::Accumulator> {
        let mut warps = O::identity();
        // SAFETY: all warps that share the tile get to the barrier. The barrier orders the writes of the totals before the reads.
        unsafe {
            simt::wait_at_barrier(TOTALS_BARRIER, S::WARPS);
            let mut w = 0;
            // Two totals are read together, to save time on the last warp: it folds the most totals, and the other warps wait for it later.
            while w + 1 < simt::warp() {
                let step = simt::opaque_one() as u32;
                let (first, second) = (totals.add(w as usize), totals.add(w as usize + 1));
                let (first, second) = (first.read(), second.read());
                warps = O::combine(O::combine(warps, first), second);
                w += 2 * step;
            }
            if w < simt::warp() {
                warps = O::combine(warps, totals.add(w as usize).read());
            }
        }
        Joined {
            before: O::combine(warps, runs.before),
            upto: O::combine(warps, runs.upto),
        }
    }

    /// Applies the tile's prefix to the scanned tile, and stores the calling warp's stretch of the results. Afterwards the runs are free.
    ///
    /// # Safety
    /// - Convergent: all warps that share the tile. The tile is scanned, and its runs still hold the items.
    /// - `prefix` is the tile's prefix. `before` is the prefix of the lane's run within the tile.
    /// - The stretch's existing results are writable, and no other warp reads or writes them.
    #[inline(always)]
    pub unsafe fn store<P: Placement>(
        &self,
        items: TileItems,
        prefix: O::Accumulator,
        before: O::Accumulator,
        stretch: Stretch<O::Output>,
    ) {
        let mut before = O::combine(prefix, before);
        // SAFETY: until the first barrier of the warp, a lane reads and writes only its own run. This barrier orders the lane's writes
        // before the other lanes' reads. The second barrier orders these reads before the runs are written again.
        unsafe {
            if items.count == S::TILE_ITEMS {
                for_each_row!(V => {
                    if V < S::ROWS {
                        self.replace::<P>(items, V, &mut before);
                    }
                });
            } else {
                let count = self.existing(items);
                let mut v = 0;
                while v < count {
                    let step = simt::opaque_one();
                    self.replace::<P>(items, v, &mut before);
                    v += step;
                }
            }
            simt::warp_barrier();
            self.copy_out(stretch);
            simt::warp_barrier();
        }
    }

    /// Replaces item `v` of the calling lane by its result. `before` is the item's prefix, and is replaced by the next item's prefix.
    ///
    /// # Safety
    /// The item has been copied to shared memory, and no other lane uses the run.
    #[inline(always)]
    unsafe fn replace<P: Placement>(
        &self,
        items: TileItems,
        v: usize,
        before: &mut O::Accumulator,
    ) {
        // SAFETY: the item has been copied, and the run is this lane's: this function's conditions.
        unsafe {
            let item = self.read(v);
            let result = P::place::<O, T>(before, &item, self.index(items, v), Items::All);
            Layout::<O::Output, S>::ACCESS.write_shared(self.result(v), result);
        }
    }
}
