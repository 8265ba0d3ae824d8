//! Numbers that decide the speed of reductions and scans of columns, and no bit of the results. Where a number was measured, its comment
//! says when and on which device. All measurements are from compute capability 9.0. Other devices use the same numbers.

use crate::element::{Accumulator, Element};
use crate::op::Op;

/// How many blocks share a multiprocessor. The compiler limits the registers accordingly.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// How many blocks share a multiprocessor in a reduction by `O`, compared with [`BLOCKS_PER_MULTIPROCESSOR`]:
///
/// - One more for narrow items with small accumulators, which need few registers. Sums of 1,024 columns, of 2^28 `f32` in all, took 324 µs
///   with two blocks (46 registers) and 260 µs with three (40 registers), on an H200 (2026-11-25,
///   `warpfold-bench shapes --only "sums, 1024 columns"`).
/// - Half as many if accumulators have more than 8 words, as with `Statistics`. With the full number, threads had so few registers that
///   they spilled 1.7 to 3.9 KiB to local memory (`ptxas` of CUDA 13.0, for 9.0; not timed).
pub const fn reduce_blocks<O: Op<T>, T: Element>() -> u32 {
    match (size_of::<T>(), O::Accumulator::WORDS) {
        (1..=4, 1..=3) => BLOCKS_PER_MULTIPROCESSOR + 1,
        (_, 9..) => BLOCKS_PER_MULTIPROCESSOR / 2,
        _ => BLOCKS_PER_MULTIPROCESSOR,
    }
}
