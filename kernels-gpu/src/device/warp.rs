//! One warp: 32 lanes, which exchange registers. No function here uses shared memory; [`barrier`] is for kernels that use shared memory.
//!
//! The numbers of shuffles below are for a value of 32 bits. A longer value takes this number of shuffles for each of its words of 32 bits.

use crate::contract::THREAD_VECTORS;
use crate::element::Element;
use crate::op::Op;
use crate::{simt, warp};

pub use crate::warp::{shuffle_down, shuffle_from, shuffle_up};

/// Waits for all lanes of the warp. Memory accesses before the barrier come before those after it.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn barrier() {
    // SAFETY: the whole warp calls it: the same condition as this function's.
    unsafe { simt::warp_barrier() }
}

/// Combines a value of each lane, by a tree of five levels. The tree combines halves first for the operators `All`, `And`, `Any`,
/// `LogSumExp`, `Max`, `MaxNum`, `Min`, `MinNum`, `Or`, `Product`, `Sum`, `WideSum` and `Xor`, also if they are [mapped](crate::mapped!).
/// For all other operators, the tree combines neighbours first, and so keeps the order of the lanes.
///
/// All 32 lanes call it. The result is valid on lane 0. The call takes five shuffles. If lane `i` has the value `i`, the sum on lane 0 is
/// 496.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn reduce<O: Op<T>, T: Element>(value: O::Accumulator) -> O::Accumulator {
    // SAFETY: the whole warp calls it: the same condition as this function's.
    unsafe { warp::reduce_group::<O, T>(value) }
}

/// The inclusive scan of the lanes' values: a lane's result combines its own value and the values of all lanes below it. The method is that
/// of Kogge and Stone (1973).
///
/// All 32 lanes call it. The result is valid on every lane. The call takes five shuffles. If lane `i` has the value `i`, the sum on lane 3
/// is 0 + 1 + 2 + 3 = 6, and on lane 31 it is 496.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn inclusive_scan<O: Op<T>, T: Element>(value: O::Accumulator) -> O::Accumulator {
    let mut values = [O::identity(); THREAD_VECTORS];
    values[0] = value;
    // SAFETY: the whole warp calls it: the same condition as this function's.
    unsafe { warp::inclusive_scans::<O, T>(&mut values, 1) };
    values[0]
}

/// The exclusive scan of the lanes' values: a lane's result combines the values of all lanes below it.
///
/// All 32 lanes call it. The result is valid on every lane; lane 0 has the identity. The call takes six shuffles. If lane `i` has the value
/// `i`, the sum on lane 3 is 0 + 1 + 2 = 3.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn exclusive_scan<O: Op<T>, T: Element>(value: O::Accumulator) -> O::Accumulator {
    // SAFETY: the whole warp calls both functions: the same condition as this function's.
    unsafe {
        let inclusive = inclusive_scan::<O, T>(value);
        warp::exclusive_of::<O, T>(inclusive)
    }
}
