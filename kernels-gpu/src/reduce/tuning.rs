//! Numbers that decide the speed of reductions, and no bit of the results. Each number says where it was measured and when. All are of
//! compute capability 9.0; devices of others run with the same ones.

/// Blocks that share a multiprocessor. The compiler limits the registers accordingly. 768 threads with 8 loads of 16 bytes each under way
/// are more than an H200 needs to be kept busy (48 KiB a multiprocessor).
///
/// `f64` on an H200, in µs (2026-11-21; with 4 blocks, threads have 64 registers and spill some):
///
/// | blocks | 2^24 | 2^27 |
/// |---|---|---|
/// | 3 | 36.3 | 240.7 |
/// | 4 | 38.9 | 242.9 |
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 3;

/// The same of an operator whose threads hold [`MANY_WORDS`], such as a wide sum of `f32`: eight `f64` at a time beside the items.
/// 2^28 items on an H200 (2026-11-21): 2 blocks 238.8 µs, 3 blocks 240.1, 4 blocks 255.9.
pub const WIDE_BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// Words of accumulators that a thread holds at a time, from which on it has the registers of
/// [`WIDE_BLOCKS_PER_MULTIPROCESSOR`]. A wide sum of `f32` has 24, moments 30, and other sums at most 20.
pub const MANY_WORDS: usize = 21;

/// Words that a thread holds of an operator that combines items of 4 bytes pairwise, up to which it has the registers of
/// [`BLOCKS_PER_MULTIPROCESSOR`]: moments. Its issue slots bind it. A few words are spilled, none of them in the loop over
/// tiles. 2^28 `f32` on an H200 (2026-11-23): 2 blocks 254.1 µs, 3 blocks 244.6.
pub const MOST_PAIRED_WORDS: usize = 30;

/// The same as [`BLOCKS_PER_MULTIPROCESSOR`], of an operator with two folds of items of 4 bytes whose threads hold [`SOME_WORDS`]: the
/// extremes and their places. Issue slots bind it. 2^28 `f32` on an H200 (2026-11-23): 3 blocks 254.6 µs, 4 blocks 243.1.
pub const BUSY_BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

/// Words of accumulators that a thread holds at a time, from which on it has the registers of
/// [`BUSY_BLOCKS_PER_MULTIPROCESSOR`]. Both extremes of items of 4 bytes have 18.
pub const SOME_WORDS: usize = 18;

/// Bytes of the largest input that the caches are to keep, in case it is read again. A larger one that passes by them is read
/// faster. Of `f32` on an H200 (2026-11-22).
pub const CACHED_BYTES: u64 = 32 << 20;
