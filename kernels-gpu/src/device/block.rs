//! One block of [`THREADS`] threads, which exchange values through shared memory.
//!
//! [`barrier`] and [`shared_memory`] are for blocks of any number of threads.
//!
//! # Scratch
//!
//! All other functions take a [`Scratch`]: a place in the block's shared memory. A function may use the whole scratch that it takes, and no
//! other shared memory. Put a [`barrier`] between two uses of one scratch. If two scratches do not overlap, no barrier is needed between a
//! use of one and a use of the other. The launch has to give the block enough dynamic shared memory for all its scratches. The numbers of
//! shuffles below are for a value of 32 bits.

use crate::contract::{BLOCK_THREADS, BLOCK_WARPS, WARP_LANES};
use crate::element::{Accumulator, Element};
use crate::op::{Commutative, Op};
use crate::{block, simt};

use super::{thread, warp};

/// The number of threads of a block that uses a [`Scratch`]: 256.
pub const THREADS: u32 = BLOCK_THREADS;

/// A place in the block's shared memory, with room for one value of each warp.
pub struct Scratch<A> {
    first: *mut A,
}

impl<A: Accumulator> Scratch<A> {
    /// The size of a scratch in bytes: that of 8 values.
    pub const BYTES: u32 = BLOCK_WARPS * size_of::<A>() as u32;

    /// The scratch that begins at byte `byte` of the block's dynamic shared memory.
    ///
    /// # Safety
    /// - `byte` is a multiple of the alignment of `A`.
    /// - The block's dynamic shared memory has [`Self::BYTES`] bytes from that byte on, and these hold nothing else.
    #[inline(always)]
    pub unsafe fn at(byte: u32) -> Self {
        let memory: *mut u8 = shared_memory::<A>().cast();
        Scratch {
            // SAFETY: the block's shared memory goes beyond this byte: condition 2.
            first: unsafe { memory.add(byte as usize) }.cast(),
        }
    }

    /// # Safety
    /// `warp` is less than [`BLOCK_WARPS`], and the calling thread is the only one that uses the warp's place between the barriers before
    /// and after this call.
    #[inline(always)]
    unsafe fn write(&self, warp: u32, value: A) {
        // SAFETY: `at`'s conditions give aligned room for [`BLOCK_WARPS`] values, and `warp` is below this number: this function's
        // condition.
        unsafe { self.first.add(warp as usize).write(value) }
    }

    /// # Safety
    /// `warp` is less than [`BLOCK_WARPS`]. The warp's value was written before a barrier, and the call is after that barrier.
    #[inline(always)]
    unsafe fn read(&self, warp: u32) -> A {
        // SAFETY: `at`'s conditions give aligned room for [`BLOCK_WARPS`] values, and the warp's value is written: this function's
        // condition.
        unsafe { self.first.add(warp as usize).read() }
    }
}

/// The beginning of the block's dynamic shared memory, aligned for items of type `T`. The launch sets the size of this memory.
#[inline(always)]
pub fn shared_memory<T>() -> *mut T {
    simt::shared_memory()
}

/// Waits for all threads of the block. Memory accesses before the barrier come before those after it.
///
/// # Safety
/// Convergent: the whole block.
#[inline(always)]
pub unsafe fn barrier() {
    // SAFETY: the whole block calls it: the same condition as this function's.
    unsafe { simt::barrier() }
}

/// Combines a value of each thread: first by a tree in each warp, then by a tree over the warps' totals.
///
/// All threads call it. The result is valid on thread 0. The call takes one barrier and eight shuffles. If thread `i` has the value `i`,
/// the sum is 32,640.
///
/// # Safety
/// Convergent: the whole block, of [`THREADS`] threads. A barrier lies between the last use of `scratch` and this call.
#[inline(always)]
pub unsafe fn reduce<O: Op<T> + Commutative, T: Element>(
    value: O::Accumulator,
    scratch: &Scratch<O::Accumulator>,
) -> O::Accumulator {
    // SAFETY: the whole block calls it, after a barrier that follows the scratch's last use: this function's conditions. A scratch is in
    // the block's shared memory, and has a place for each warp.
    unsafe { block::reduce::<O, T>(value, scratch.first) }
}

/// The inclusive scan of the threads' values, and their total. A thread's result combines its own value and the values of all threads
/// before it.
///
/// All threads call it. Both results are valid on every thread. The call takes one barrier and five shuffles. If thread `i` has the value
/// `i`, the sum on thread 100 is 5,050, and the total is 32,640 on all threads.
///
/// # Safety
/// Convergent: the whole block, of [`THREADS`] threads. A barrier lies between the last use of `scratch` and this call.
#[inline(always)]
pub unsafe fn inclusive_scan<O: Op<T>, T: Element>(
    value: O::Accumulator,
    scratch: &Scratch<O::Accumulator>,
) -> (O::Accumulator, O::Accumulator) {
    // SAFETY: the whole block calls it, with a free scratch: this function's conditions. So whole warps call the warp's scan.
    unsafe {
        let lanes = warp::inclusive_scan::<O, T>(value);
        let (before, total) = join::<O, T>(lanes, scratch);
        (O::combine(before, lanes), total)
    }
}

/// The exclusive scan of the threads' values, and their total. A thread's result combines the values of all threads before it.
///
/// All threads call it. Both results are valid on every thread; thread 0 has the identity. The call takes one barrier and six shuffles. If
/// thread `i` has the value `i`, the sum on thread 100 is 4,950.
///
/// # Safety
/// Convergent: the whole block, of [`THREADS`] threads. A barrier lies between the last use of `scratch` and this call.
#[inline(always)]
pub unsafe fn exclusive_scan<O: Op<T>, T: Element>(
    value: O::Accumulator,
    scratch: &Scratch<O::Accumulator>,
) -> (O::Accumulator, O::Accumulator) {
    // SAFETY: the whole block calls it, with a free scratch: this function's conditions. So whole warps call the warp's functions.
    unsafe {
        let lanes = warp::inclusive_scan::<O, T>(value);
        let below = crate::warp::exclusive_of::<O, T>(lanes);
        let (before, total) = join::<O, T>(lanes, scratch);
        (O::combine(before, below), total)
    }
}

/// The prefix of the calling thread's warp, and the total of all warps. `lanes` is this lane's result of the warp's inclusive scan.
///
/// # Safety
/// The same as for [`inclusive_scan`].
#[inline(always)]
unsafe fn join<O: Op<T>, T: Element>(
    lanes: O::Accumulator,
    scratch: &Scratch<O::Accumulator>,
) -> (O::Accumulator, O::Accumulator) {
    let (mut before, mut total) = (O::identity(), O::identity());
    // SAFETY: `THREADS` threads make `BLOCK_WARPS` warps (this function's condition), so each index of a warp is less than `BLOCK_WARPS`.
    // The last lane of each warp writes the warp's own place. All threads get to the barrier, which orders the writes before the reads.
    unsafe {
        if thread::lane() == WARP_LANES - 1 {
            scratch.write(thread::warp(), lanes);
        }
        barrier();
        let mut warp = 0;
        while warp < BLOCK_WARPS {
            if warp == thread::warp() {
                before = total;
            }
            total = O::combine(total, scratch.read(warp));
            warp += 1;
        }
    }
    (before, total)
}

/// Gives the value of thread 0 to all threads.
///
/// All threads call it. The result is valid on every thread. The call takes one barrier. If thread `i` has the value `i`, all threads get
/// 0.
///
/// # Safety
/// Convergent: the whole block. A barrier lies between the last use of `scratch` and this call.
#[inline(always)]
pub unsafe fn broadcast<A: Accumulator>(value: A, scratch: &Scratch<A>) -> A {
    // SAFETY: index 0 is less than `BLOCK_WARPS`, and only thread 0 writes the place of warp 0. All threads get to the barrier (this
    // function's condition), which orders the write before the reads.
    unsafe {
        if thread::index() == 0 {
            scratch.write(0, value);
        }
        barrier();
        scratch.read(0)
    }
}
