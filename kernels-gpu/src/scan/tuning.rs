//! Numbers that affect the speed of scans, but no bit of a result. Where a number was measured, its comment says when and on which device.
//! All measurements are from compute capability 9.0. Other devices use the same numbers.

use crate::contract::{scan_tiles, ScanTiles, Wider};
use crate::element::Element;
use crate::op::Op;

/// The number of blocks of a long scan that share a multiprocessor. The compiler limits the registers accordingly. The [`TURNS`] tiles of
/// one block fill the shared memory.
///
/// With two blocks, threads would have 56 registers, which are enough for most operators. Four blocks of a short scan would then share a
/// multiprocessor, with two tiles each. Inclusive sums on an H200, in µs (2026-11-23), with one block and with two:
///
/// | | 8 MiB | 16 MiB | 1 GiB |
/// |---|---|---|---|
/// | `u32` | 5.98, 6.33 | 9.39, 10.88 | 511, 522 |
/// | `u64` | 6.50, 6.58 | 9.98, 11.01 | 514, 514 |
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 1;

/// The number of tiles that a block holds at once, if they fit.
pub const TURNS: usize = 4;

/// The tiles of an exact operator's scans. Any tiles give the same bits. The function returns the tiles of the
/// [contract](crate::contract::scan_tiles), since all other tiles that were measured were slower at some sizes. Inclusive sums of `u64` on
/// an H200, in µs, for each number of rows of a short scan's tile (2026-11-23,
/// `warpfold-bench measure --kinds inclusive_sum --types u64 --sizes 10-22`):
///
/// | rows | 2^10 | 2^13 | 2^16 | 2^18 | 2^19 | 2^20 | 2^21 |
/// |---|---|---|---|---|---|---|---|
/// | 3 | 3.06 | 2.97 | 3.30 | 4.09 | 5.06 | 6.96 | 10.78 |
/// | 4 | 2.96 | 2.97 | 3.47 | 4.00 | 5.07 | 6.95 | 10.98 |
/// | 5 | 2.88 | 3.33 | 3.42 | 4.05 | 4.91 | 6.73 | 9.90 |
/// | 7 | | | 3.74 | 4.34 | 5.31 | 6.52 | 9.84 |
///
/// Three changes took more time: 7 rows for up to 2^22 items that are narrower than `u64`; long tiles in scans of 2 MiB and more; and short
/// tiles in scans of up to 128 MiB.
pub const fn exact_tiles<T>() -> ScanTiles {
    scan_tiles::<T>()
}

/// The tiles of scans of items of type `T` by `O`: [`exact_tiles`] if the operator is exact, else the contract's tiles.
pub const fn tiles<O: Op<T>, T: Element>() -> ScanTiles {
    if O::EXACT {
        exact_tiles::<Wider<T, O::Output>>()
    } else {
        scan_tiles::<Wider<T, O::Output>>()
    }
}

/// If a scan is in place and has up to this many bytes, the L2 cache evicts lines by its default policy. From compute capability 9.0 on,
/// all other scans copy their items with the `EvictionPolicy` `evict_last`. Inclusive sums of `f32`, in µs, without `evict_last` and with
/// it (2026-11-22):
///
/// | | 48 MiB | 96 MiB | 256 MiB | 1 GiB |
/// |---|---|---|---|---|
/// | H200 | 29.2, 28.6 | 53.8, 52.1 | 134.1, 130.4 | 525.9, 508.4 |
/// | H200, in place | 27.4, 28.1 | 53.5, 53.5 | 134.3, 132.1 | 524.4, 508.9 |
/// | H100 | 36.9, 36.4 | 70.3, 69.4 | 182.8, 180.1 | 721.1, 709.2 |
/// | H100, in place | 35.1, 36.0 | 70.5, 71.1 | 182.7, 181.8 | 720.4, 710.9 |
pub const IN_PLACE_CACHED_BYTES: u64 = 96 << 20;
