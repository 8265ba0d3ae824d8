//! Numbers that affect the speed of reductions and scans of columns, but not their bits. Where a number was measured, its comment says when
//! and on which device. All measurements are from compute capability 9.0. Other devices use the same numbers.

use crate::element::{Accumulator, Element};
use crate::op::Op;

/// How many blocks share a multiprocessor. The compiler limits the registers accordingly.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// How many blocks share a multiprocessor in a reduction by `O`, an operator of the table: [`BLOCKS_PER_MULTIPROCESSOR`], with two
/// exceptions. With a program's own operators there are no exceptions.
///
/// - One more for items of up to 4 bytes with accumulators of up to 3 words, which need few registers. On an H200, sums of 2^28 `f32` in
///   1,024 columns took 324 µs with two blocks (46 registers) and 260 µs with three (40 registers) (2026-11-25,
///   `warpfold-bench shapes --only "sums, 1024 columns"`).
/// - Half as many if accumulators have more than 8 words, as with `Statistics`. With two blocks, threads had so few registers that they
///   spilled 1.7 to 3.9 KiB to local memory (`ptxas` of CUDA 13.0, for 9.0; not timed).
pub const fn reduce_blocks<O: Op<T>, T: Element>() -> u32 {
    match (size_of::<T>(), O::Accumulator::WORDS) {
        (1..=4, 1..=3) => BLOCKS_PER_MULTIPROCESSOR + 1,
        (_, 9..) => BLOCKS_PER_MULTIPROCESSOR / 2,
        _ => BLOCKS_PER_MULTIPROCESSOR,
    }
}
