//! One block of [`THREADS`] threads, which exchange values through shared memory.
//!
//! [`barrier`] and [`shared_memory`] are for blocks of any number of threads.
//!
//! # Scratch
//!
//! Each other function takes a [`Scratch`], a place in the block's shared memory, and uses all of it. A scratch may be used again
//! after a [`barrier`] that stands after its last use; two scratches that do not overlap need none between them. The launch
//! has to give the block as many bytes of dynamic shared memory as its scratches take.

use crate::contract::{BLOCK_THREADS, BLOCK_WARPS, WARP_LANES};
use crate::element::{Accumulator, Element};
use crate::op::{Commutative, Op};
use crate::{block, simt};

use super::{thread, warp};

/// The threads of a block that calls these functions: 256.
pub const THREADS: u32 = BLOCK_THREADS;

/// A place in the block's shared memory for a value of each warp.
pub struct Scratch<A> {
    first: *mut A,
}

impl<A: Accumulator> Scratch<A> {
    /// The bytes that it takes: 8 values.
    pub const BYTES: u32 = BLOCK_WARPS * size_of::<A>() as u32;

    /// The scratch that begins at this byte of the block's dynamic shared memory.
    ///
    /// # Safety
    /// The byte is a multiple of the value's alignment. The block has been given [`Self::BYTES`] bytes of dynamic shared
    /// memory from there on, and nothing else is kept in them.
    #[inline(always)]
    pub unsafe fn at(byte: u32) -> Self {
        let memory: *mut u8 = shared_memory::<A>().cast();
        Scratch {
            // SAFETY: the caller's.
            first: unsafe { memory.add(byte as usize) }.cast(),
        }
    }

    /// # Safety
    /// There is a warp of this index; no other thread writes there.
    #[inline(always)]
    unsafe fn write(&self, warp: u32, value: A) {
        // SAFETY: the caller's, and that of `at`.
        unsafe { self.first.add(warp as usize).write(value) }
    }

    /// # Safety
    /// There is a warp of this index; its value is written, and a barrier lies between.
    #[inline(always)]
    unsafe fn read(&self, warp: u32) -> A {
        // SAFETY: the caller's, and that of `at`.
        unsafe { self.first.add(warp as usize).read() }
    }
}

/// The block's dynamic shared memory, of as many bytes as the launch gives it; aligned for items of type `T`.
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
    // SAFETY: the caller's.
    unsafe { simt::barrier() }
}

/// Combines a value of each thread, along a tree in each warp and then over the warps' totals.
///
/// All threads call it. The result is valid on thread 0. One barrier, eight shuffles. If thread `i` has `i`, the sum is 32,640.
///
/// # Safety
/// Convergent: the whole block, of [`THREADS`] threads.
#[inline(always)]
pub unsafe fn reduce<O: Op<T> + Commutative, T: Element>(
    value: O::Accumulator,
    scratch: &Scratch<O::Accumulator>,
) -> O::Accumulator {
    // SAFETY: the caller's.
    unsafe { block::reduce::<O, T>(value, scratch.first) }
}

/// Combines the values of each thread and all threads before it. The second result combines those of all threads.
///
/// All threads call it. Both results are valid on every thread. One barrier, five shuffles. If thread `i` has `i`, the sum on
/// thread 100 is 5,050, and the second result is 32,640 on all of them.
///
/// # Safety
/// Convergent: the whole block, of [`THREADS`] threads.
#[inline(always)]
pub unsafe fn inclusive_scan<O: Op<T>, T: Element>(
    value: O::Accumulator,
    scratch: &Scratch<O::Accumulator>,
) -> (O::Accumulator, O::Accumulator) {
    // SAFETY: the caller's.
    unsafe {
        let lanes = warp::inclusive_scan::<O, T>(value);
        let (before, total) = join::<O, T>(lanes, scratch);
        (O::combine(before, lanes), total)
    }
}

/// Combines the values of all threads before each thread. The second result combines those of all threads.
///
/// All threads call it. Both results are valid on every thread; thread 0 has the identity. One barrier, six shuffles. If
/// thread `i` has `i`, the sum on thread 100 is 4,950.
///
/// # Safety
/// Convergent: the whole block, of [`THREADS`] threads.
#[inline(always)]
pub unsafe fn exclusive_scan<O: Op<T>, T: Element>(
    value: O::Accumulator,
    scratch: &Scratch<O::Accumulator>,
) -> (O::Accumulator, O::Accumulator) {
    // SAFETY: the caller's.
    unsafe {
        let lanes = warp::inclusive_scan::<O, T>(value);
        let below = crate::warp::exclusive_of::<O, T>(lanes);
        let (before, total) = join::<O, T>(lanes, scratch);
        (O::combine(before, below), total)
    }
}

/// The prefix of the calling thread's warp, and the total of all warps. The lanes are scanned already.
///
/// # Safety
/// The same as for [`inclusive_scan`].
#[inline(always)]
unsafe fn join<O: Op<T>, T: Element>(
    lanes: O::Accumulator,
    scratch: &Scratch<O::Accumulator>,
) -> (O::Accumulator, O::Accumulator) {
    let (mut before, mut total) = (O::identity(), O::identity());
    // SAFETY: the caller's; each warp writes its own total, and the barrier orders the writes before the reads.
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

/// The value of thread 0.
///
/// All threads call it. The result is valid on every thread. One barrier. If thread `i` has `i`, all get 0.
///
/// # Safety
/// Convergent: the whole block.
#[inline(always)]
pub unsafe fn broadcast<A: Accumulator>(value: A, scratch: &Scratch<A>) -> A {
    // SAFETY: the caller's; the barrier orders the write before the reads.
    unsafe {
        if thread::index() == 0 {
            scratch.write(0, value);
        }
        barrier();
        scratch.read(0)
    }
}
