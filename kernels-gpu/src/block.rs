//! One block: 8 warps combined through shared memory.
//!
//! Every function here is convergent (see [`crate::simt`]): all 256 threads call it.

use crate::contract::{vector_items, BLOCK_WARPS, THREAD_VECTORS, WARP_LANES};
use crate::element::Element;
use crate::launch::WarpTotals;
use crate::op::Op;
use crate::thread::{self, for_each_vector, Part, Vectors};
use crate::{simt, warp};

/// Combines a value of each thread; valid on thread 0. One barrier, between the warps' writes of their
/// totals and warp 0's reads. `scratch` may be used again after another barrier.
///
/// # Safety
/// Convergent: the whole block. `scratch` is the block's own shared memory.
#[inline(always)]
pub unsafe fn reduce<O: Op<T>, T: Element>(value: T, scratch: *mut WarpTotals<T>) -> T {
    let totals: *mut T = scratch.cast();
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
    /// The values of one vector: `before` is what stands before it, `inclusive` its own inclusive scan.
    fn place<O: Op<T>, T: Element>(before: T, inclusive: T::Vector) -> T::Vector;
}

/// Everything up to and including the place.
pub struct Inclusive;

/// Everything before the place.
pub struct Exclusive;

impl Placement for Inclusive {
    #[inline(always)]
    fn place<O: Op<T>, T: Element>(before: T, inclusive: T::Vector) -> T::Vector {
        let mut vector = inclusive;
        let mut i = 0;
        while i < vector_items::<T>() {
            vector.as_mut()[i] = O::combine(before, inclusive.as_ref()[i]);
            i += 1;
        }
        vector
    }
}

impl Placement for Exclusive {
    #[inline(always)]
    fn place<O: Op<T>, T: Element>(before: T, inclusive: T::Vector) -> T::Vector {
        let mut vector = inclusive;
        vector.as_mut()[0] = before;
        let mut i = 1;
        while i < vector_items::<T>() {
            vector.as_mut()[i] = O::combine(before, inclusive.as_ref()[i - 1]);
            i += 1;
        }
        vector
    }
}

/// A thread's part of a tile to scan: a vector in each of its warp's 8 consecutive rows of 32 vectors.
pub type ScanPart<T> = Part<T, WARP_LANES>;

/// The calling thread's part of the tile that begins with item `begin` of an array of `item_count` items.
///
/// # Safety
/// `begin` is an item of the array.
#[inline(always)]
pub unsafe fn scan_part<T: Element>(array: *mut T, item_count: u64, begin: u64) -> ScanPart<T> {
    let vector = simt::warp() * THREAD_VECTORS as u32 * WARP_LANES + simt::lane();
    // SAFETY: the caller's; the rows of 8 warps are the tile's vectors.
    unsafe { Part::new(array, item_count, begin, vector) }
}

/// Scans a tile in place and gives its aggregate, valid on every thread.
///
/// A warp owns 8 consecutive rows of 32 vectors, see [`scan_part`]. Rows are scanned by shuffles, independently
/// of each other; their totals are folded in registers, the warps' totals through shared memory.
/// One barrier, between the warps' writes of their totals and all threads' reads: what a thread wrote to shared
/// memory before the call, the block may read after it. `scratch` may be used again after another barrier.
///
/// # Safety
/// Convergent: the whole block. `scratch` is the block's own shared memory.
#[inline(always)]
pub unsafe fn scan<P: Placement, O: Op<T>, T: Element>(
    vectors: &mut Vectors<T>,
    scratch: *mut WarpTotals<T>,
) -> T {
    let totals: *mut T = scratch.cast();
    let mut before = [O::identity(); THREAD_VECTORS];
    let mut warp_total = O::identity();
    for_each_vector!(ROW => {
        let total = thread::inclusive_scan::<O, T>(&mut vectors[ROW]);
        // SAFETY: the caller's.
        unsafe {
            let inclusive = warp::inclusive_scan::<O, T>(total);
            before[ROW] = O::combine(warp_total, warp::exclusive_of::<O, T>(inclusive));
            let row_total = warp::shuffle_from(inclusive, WARP_LANES - 1);
            warp_total = O::combine(warp_total, row_total);
        }
    });

    let mut warp_prefix = O::identity();
    let mut aggregate = O::identity();
    // SAFETY: the caller's; a warp writes its own total, and the barrier orders the writes before the reads.
    unsafe {
        if simt::lane() == 0 {
            totals.add(simt::warp() as usize).write(warp_total);
        }
        simt::barrier();
        let mut w = 0;
        while w < BLOCK_WARPS {
            if w == simt::warp() {
                warp_prefix = aggregate;
            }
            aggregate = O::combine(aggregate, totals.add(w as usize).read());
            w += 1;
        }
    }

    for_each_vector!(ROW => {
        let before = O::combine(warp_prefix, before[ROW]);
        vectors[ROW] = P::place::<O, T>(before, vectors[ROW]);
    });
    aggregate
}
