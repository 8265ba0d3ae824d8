//! One block: warps combined through shared memory.
//!
//! Every function here is convergent (see [`crate::simt`]): all threads of the block, or of the warps that share a tile,
//! call it.

use crate::contract::{BLOCK_WARPS, THREAD_VECTORS, WARP_LANES};
use crate::element::{for_each_item, Accumulator, Element, Words};
use crate::op::Op;
use crate::thread::{for_each_vector, Part, Slots};
use crate::{simt, warp};

/// Combines a value of each thread; valid on thread 0. One barrier, between the warps' writes of their
/// totals and warp 0's reads. `totals`, one for each warp, may be used again after another barrier.
///
/// # Safety
/// Convergent: the whole block. `totals` are in the block's own shared memory.
#[inline(always)]
pub unsafe fn reduce<O: Op<T>, T: Element>(
    value: O::Accumulator,
    totals: *mut O::Accumulator,
) -> O::Accumulator {
    // SAFETY: the caller's; a warp writes its own total, and the barrier orders the writes before the reads.
    unsafe {
        let total = warp::reduce::<O, T, WARP_LANES>(value);
        if simt::lane() == 0 {
            totals.add(simt::warp() as usize).write(total);
        }
        simt::barrier();
        if simt::warp() > 0 {
            return value;
        }
        let total = if simt::lane() < BLOCK_WARPS {
            totals.add(simt::lane() as usize).read()
        } else {
            O::identity()
        };
        warp::reduce::<O, T, BLOCK_WARPS>(total)
    }
}

/// What a scan puts at each place.
pub trait Placement {
    /// The results of one vector, `before` which this stands.
    fn place<O: Op<T, Output = T>, T: Element>(before: O::Accumulator, words: Words) -> T::Vector;
}

/// Everything up to and including the place.
pub struct Inclusive;

/// Everything before the place.
pub struct Exclusive;

impl Placement for Inclusive {
    #[inline(always)]
    fn place<O: Op<T, Output = T>, T: Element>(before: O::Accumulator, words: Words) -> T::Vector {
        let mut vector = T::unpack(words);
        let items = vector.as_mut();
        let mut upto = UpTo::<O, T>::new(before);
        for_each_item!(P of T => {
            upto.append(O::lift(items[P]));
            items[P] = O::lower(upto.value());
        });
        vector
    }
}

impl Placement for Exclusive {
    #[inline(always)]
    fn place<O: Op<T, Output = T>, T: Element>(before: O::Accumulator, words: Words) -> T::Vector {
        let mut vector = T::unpack(words);
        let items = vector.as_mut();
        let mut upto = UpTo::<O, T>::new(before);
        for_each_item!(P of T => {
            let item = O::lift(items[P]);
            items[P] = O::lower(upto.value());
            upto.append(item);
        });
        vector
    }
}

/// The combination of all items of a vector up to a place, and of what stands before the vector.
struct UpTo<O: Op<T>, T: Element> {
    before: O::Accumulator,
    /// The vector's items alone; with what stands before, where any order does.
    items: Option<O::Accumulator>,
}

impl<O: Op<T>, T: Element> UpTo<O, T> {
    #[inline(always)]
    fn new(before: O::Accumulator) -> Self {
        UpTo {
            before,
            items: if O::EXACT { Some(before) } else { None },
        }
    }

    #[inline(always)]
    fn append(&mut self, item: O::Accumulator) {
        self.items = Some(match self.items {
            Some(items) => O::combine(items, item),
            None => item,
        });
    }

    #[inline(always)]
    fn value(&self) -> O::Accumulator {
        match self.items {
            Some(items) if O::EXACT => items,
            Some(items) => O::combine(self.before, items),
            None => self.before,
        }
    }
}

/// A thread's part of a tile to scan: a vector in each of its warp's consecutive rows of 32 vectors.
pub type ScanPart<T> = Part<T, WARP_LANES>;

/// The calling thread's part of the tile that begins at `tile`, of whose items `tile_items` exist.
#[inline(always)]
pub fn scan_part<T: Element, const ROWS: usize>(tile: *mut T, tile_items: u32) -> ScanPart<T> {
    let vector = simt::warp() * ROWS as u32 * WARP_LANES + simt::lane();
    Part::new(tile, tile_items, ROWS, vector)
}

/// The number of the barrier in [`Rows::join`].
const TOTALS_BARRIER: u32 = 1;

/// What stands before each vector of a thread, in its tile or its warp.
pub type Before<A> = [A; THREAD_VECTORS];

/// A warp's rows of a tile, scanned.
pub struct Rows<A> {
    /// What stands before each of the thread's vectors in the warp.
    before: Before<A>,
    /// All items of the warp.
    total: A,
}

/// A tile, scanned.
pub struct Scanned<A> {
    /// What stands before each of the thread's vectors in the tile.
    pub before: Before<A>,
    /// The items of the tile up to the end of the warp: on the last warp, the tile's aggregate.
    pub upto: A,
}

/// Scans the rows of a warp, and writes their total to the warp's place in `totals`. [`Rows::join`] comes next.
///
/// A warp owns consecutive rows of 32 vectors, see [`scan_part`]. Rows are scanned by shuffles, all rows a step at a time:
/// the next row's shuffle hides the latency of the last one's. The rows' totals are folded in registers.
///
/// # Safety
/// Convergent: all warps that share the tile. The slots are written. `totals` are in the block's own shared memory, one for
/// each warp.
#[inline(always)]
pub unsafe fn scan_rows<O: Op<T>, T: Element, const ROWS: usize>(
    slots: Slots,
    totals: *mut O::Accumulator,
) -> Rows<O::Accumulator> {
    let mut lanes = [O::identity(); THREAD_VECTORS];
    let mut before = [O::identity(); THREAD_VECTORS];
    let mut total = O::identity();
    // SAFETY: the caller's; a warp writes its own total.
    unsafe {
        for_each_vector!(ROW => {
            if ROW < ROWS {
                lanes[ROW] = O::total(slots.read(ROW));
            }
        });
        warp::inclusive_scans::<O, T, ROWS>(&mut lanes);
        for_each_vector!(ROW => {
            if ROW < ROWS {
                before[ROW] = warp::exclusive_of::<O, T>(lanes[ROW]);
                lanes[ROW] = warp::shuffle_from(lanes[ROW], WARP_LANES - 1);
            }
        });
        for_each_vector!(ROW => {
            if ROW < ROWS {
                before[ROW] = O::combine(total, before[ROW]);
                total = O::combine(total, lanes[ROW]);
            }
        });
        if simt::lane() == 0 {
            totals.add(simt::warp() as usize).write(total);
        }
    }
    Rows { before, total }
}

impl<A: Accumulator> Rows<A> {
    /// Joins the warps of a tile. One barrier of them, between the writes of their totals and the reads.
    ///
    /// # Safety
    /// Convergent: all `WARPS` warps that share the tile, after [`scan_rows`] with the same `totals`.
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
