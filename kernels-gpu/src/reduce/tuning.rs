//! Numbers that affect the speed of reductions, but no bit of a result. Where a number was measured, its comment says when and on which
//! device. All measurements are from compute capability 9.0. Other devices use the same numbers.

/// The number of blocks that share a multiprocessor. The compiler limits the registers accordingly. To keep its memory busy, an H200 needs
/// 48 KiB of loads in flight on each multiprocessor. Three blocks have 96 KiB: 768 threads with 8 loads of 16 bytes each.
///
/// `f64` on an H200, in µs (2026-11-21; with 4 blocks, threads have 64 registers and spill some):
///
/// | blocks | 2^24 | 2^27 |
/// |---|---|---|
/// | 3 | 36.3 | 240.7 |
/// | 4 | 38.9 | 242.9 |
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 3;

/// The number of blocks that share a multiprocessor, if a thread holds at least [`MANY_WORDS`] words of accumulators at a time. For
/// example, a thread of a wide sum of `f32` holds twelve `f64` at a time besides the items. On an H200, the wide sum of 2^28 `f32` took
/// 238.8 µs with 2 blocks, 240.1 µs with 3, and 255.9 µs with 4 (2026-11-21). [`MOST_PAIRED_WORDS`] names an exception.
pub const WIDE_BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// If a thread holds at least this many words of accumulators at a time, [`WIDE_BLOCKS_PER_MULTIPROCESSOR`] applies. [`MOST_PAIRED_WORDS`]
/// names an exception. A wide sum of `f32` holds 24 words, moments 30, and sums in the items' type at most 20.
pub const MANY_WORDS: usize = 21;

/// If an operator combines items of 4 bytes pairwise, and a thread holds up to this many words of accumulators at a time,
/// [`BLOCKS_PER_MULTIPROCESSOR`] applies. `Moments` is such an operator. Issue slots limit its speed. A few words are spilled, but none in
/// the loop over tiles. On an H200, 2^28 `f32` took 254.1 µs with 2 blocks, and 244.6 µs with 3 (2026-11-23).
pub const MOST_PAIRED_WORDS: usize = 30;

/// The number of blocks that share a multiprocessor, for reductions that meet three conditions. Items have 4 bytes. A thread has two folds.
/// A thread holds at least [`SOME_WORDS`] but fewer than [`MANY_WORDS`] words of accumulators at a time. A reduction of items of 4 bytes by
/// `ArgMinMax` meets the conditions. Issue slots limit its speed. On an H200, 2^28 `f32` took 254.6 µs with 3 blocks, and 243.1 µs with 4
/// (2026-11-23).
pub const BUSY_BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

/// The least number of words of accumulators in the third condition of [`BUSY_BLOCKS_PER_MULTIPROCESSOR`]. `ArgMinMax` of items of 4 bytes
/// holds 18 words.
pub const SOME_WORDS: usize = 18;

/// Bytes of the largest input that the caches are to keep, in case it is read again. A larger input is read faster without L1 allocation.
/// Measured with `f32` on an H200 (2026-11-22).
pub const CACHED_BYTES: u64 = 32 << 20;
