//! Numbers that decide the speed of segmented reductions and scans, and no bit of the results. Most comments say when and on which device a
//! number was measured. All measurements are from compute capability 9.0. Other devices use the same numbers.

use crate::contract::WARP_LANES;
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::segments::rings::STEP_ITEMS;
use crate::segments::{chunk_items, shared_bytes, RoomSize, Task, NARROW_CHUNK_ITEMS};

/// Threads of a block if the device can work on all windows at once. If blocks take whole rows, it is enough that the device can work on
/// all blocks at once.
pub const SHORT_BLOCK_THREADS: u32 = 256;

/// Threads of a block of a launch by key that the device can work on at once, if a block's room is small enough for [`bounds`]. A window
/// of 4,096 items has up to 4,351 items. In blocks of 8 warps, a thread takes 16 consecutive items twice; in blocks of 9 warps, once.
///
/// Sums and scans of `f32` with `u32` keys on an H200, in µs (2026-11-27), in runs of 1, of 32 and of 4,096, and in runs by a power law:
///
/// | | 256 threads | 288 threads |
/// |---|---|---|
/// | 2^19, sums | 6.4; 6.6; 6.7; 10.1 | 6.8; 6.3; 6.5; 9.5 |
/// | scans | 5.2; 5.5; 6.6; 10.0 | 5.1; 5.3; 6.5; 9.2 |
/// | 2^20, sums | 8.6; 7.9; 8.0; 11.7 | 8.8; 7.8; 7.9; 11.1 |
/// | scans | 6.0; 6.4; 7.4; 11.2 | 6.3; 6.7; 7.4; 10.7 |
pub const KEYED_BLOCK_THREADS: u32 = 288;

/// Threads of a block in all larger launches. In these launches, most time goes to steps that keep few threads busy: folding nodes and
/// roots, and waiting for other blocks. With fewer threads a block, a multiprocessor works on more windows at once.
///
/// Sums and scans of 2^28 `f32` on an H200, in µs (2026-11-23, `warpfold-bench shapes --only "offsets, segments"`). The titles of the
/// columns give the length of the segments:
///
/// | threads | sums of 32 | 1,024 | 65,536 | scans of 32 | 1,024 | 65,536 |
/// |---|---|---|---|---|---|---|
/// | 128 | 379 | 337 | 314 | 758 | 762 | 816 |
/// | 256 | 388 | 391 | 363 | 906 | 885 | 971 |
///
/// (The row for 256 threads was measured with four blocks on a multiprocessor for sums, and five for scans. Each of these blocks copied one
/// window while it worked on another.)
///
/// In one variant, the launches by key had only as many of these blocks as the device holds at a time, and each block took one window after
/// the other. A block took the ticket for its next window while it still wrote the results of the window before. Probably, blocks of later
/// windows then waited longer for the values of this next window. Scans and sums by key of 2^24 `f32`, in µs (H200, 2026-11-28), in runs of
/// 1, of 32 and of 4,096, and in runs by a power law. Threads of the scans spilled 60 bytes, and those of the sums 8 bytes:
///
/// | | a block for each window | blocks with several windows |
/// |---|---|---|
/// | scans | 58.3; 60.1; 63.5; 79.3 | 61.2; 64.3; 70.0; 95.2 |
/// | sums | 99.3; 59.3; 51.6; 68.7 | 102.4; 64.1; 55.2; 81.6 |
pub const LONG_BLOCK_THREADS: u32 = 128;

/// How many blocks of [`SHORT_BLOCK_THREADS`] share a multiprocessor; some operators have fewer, see [`reduce_blocks`]. Twice as many
/// blocks of [`LONG_BLOCK_THREADS`] share it, and one or two more if there is room, see [`bounds`]. The compiler limits the registers
/// accordingly. Scans of segments of 32, measured as for [`LONG_BLOCK_THREADS`], took 714 µs with registers for 4 blocks, and 789 µs with
/// registers for 5.
///
/// In one variant, one or two warps of a block found the next window and copied its items while the other warps worked on a window. This
/// was slower on an H200 (2026-11-25; compare the table of [`bounds`]). Shared memory has room for 5 such blocks, with two windows each.
/// Sums of 2^28 `f32` in segments of 32; 1,024; 65,536 took 390; 311; 322 µs with one such warp in blocks of 160 threads, and 376; 354; 359
/// µs with two in blocks of 192. Prefetching a block's next window was slower too (2026-11-26): these sums took 345; 308; 286 µs with the
/// prefetch, and 338; 298; 275 µs without. In another variant, each block prefetched windows at its start, and guessed from its block index
/// which windows it would get. This was slower too: sums of 2^24 `f32` in segments of 65,536 took 27.1 µs with this prefetch, and 24.6 µs
/// without. The prefetch itself seems to be slow: a CUDA C++ program with blocks of this kind read 2^28 `f32` in 240 µs, and in 307 to 332 µs
/// if each block prefetched the first lines of its chunks (2026-11-27).
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

/// For each window of a small launch, the device holds at least this many blocks of [`SHORT_BLOCK_THREADS`] at a time. So with most
/// operators, a small launch has at most one window for each multiprocessor (see [`window_shift`](crate::segments::window_shift)). With
/// smaller windows, more multiprocessors share the work. With long segments, smaller windows do not help, since chunks stay whole.
///
/// Sums and scans of 2^16 and 2^18 `f32` on an H200 with 132 multiprocessors, in µs (2026-11-26, `warpfold-bench shapes`). The titles of
/// the rows give the length of the segments. A column's title is the most windows of a small launch. In the column "large windows", each
/// window has as many diagonals as a full chunk has items, 4,096:
///
/// | | large windows | 66 | 132 | 264 |
/// |---|---|---|---|---|
/// | 2^16, sums of 1 | 4.49 | 3.89 | 3.73 | 4.79 |
/// | sums of 32 | 4.56 | 4.11 | 4.19 | 4.80 |
/// | sums of 1,024 | 4.77 | 3.93 | 4.04 | 4.72 |
/// | sums of 65,536 | 4.88 | 4.95 | 5.05 | 5.29 |
/// | sums, power law | 7.52 | 5.53 | 5.64 | 5.84 |
/// | scans of 32 | 6.08 | 4.99 | 4.96 | 5.11 |
/// | scans of 1,024 | 6.58 | 5.03 | 5.13 | 5.32 |
/// | scans, power law | 10.98 | 8.85 | 8.94 | 9.06 |
/// | 2^18, sums, power law | 8.42 | 8.29 | 7.87 | 7.66 |
/// | scans of 1,024 | 6.64 | 6.50 | 5.75 | 5.40 |
/// | scans, power law | 17.34 | 17.26 | 13.12 | 12.40 |
///
/// (The blocks had the [usual room](crate::segments::RoomSize). The column "large windows" was measured with older kernels, in which one
/// lane loaded the offsets at both ends of a window.)
///
/// Scans of `f32` with `u32` keys, in one launch. An entry's four times are for runs of 1, of 32 and of 4,096, and for runs whose lengths
/// follow a power law (2026-11-27, with blocks of 256 threads):
///
/// | | 132 | 264 |
/// |---|---|---|
/// | 2^16 | 3.9; 4.1; 7.0; 7.3 | 5.1; 4.9; 8.0; 8.1 |
/// | 2^18 | 4.5; 4.7; 7.3; 8.5 | 5.1; 4.9; 8.0; 8.8 |
/// | 2^19 | 5.3; 5.5; 6.6; 10.2 | 4.9; 5.2; 8.3; 9.5 |
pub const BLOCKS_PER_SMALL_WINDOW: u64 = BLOCKS_PER_MULTIPROCESSOR as u64;

/// A reduction by key has one launch only if it has at most this many items for each resident block of [`SHORT_BLOCK_THREADS`].
/// [`window_shift`](crate::segments::window_shift) decides how many items its windows have.
///
/// Sums of `f32` with `u32` keys on an H200 with 132 multiprocessors, in µs (2026-11-26, `warpfold-bench shapes`). An entry's four times
/// are for runs of 1, of 32 and of 4,096, and for runs whose lengths follow a power law:
///
/// | | two launches | one launch |
/// |---|---|---|
/// | 2^16 | 8.8; 8.8; 8.7; 10.4 | 4.8 to 5.4; 5.2; 6.4; 8.6 |
/// | 2^17 | 8.5; 8.6; 8.9; 11.1 | 5.7; 6.0; 6.9; 10.5 |
/// | 2^18 | 9.0; 8.5; 8.9; 12.3 | 5.8; 6.4; 7.6; 10.9 |
/// | 2^19 | 11.2; 8.9; 9.4; 12.9 | 7.0; 7.3; 8.2; 12.4 |
/// | 2^20 | 15.6; 9.8; 10.1; 14.6 | 9.2; 8.9; 9.8; 14.2 |
///
/// (Both columns were measured with older kernels.)
pub const KEYED_ITEMS_PER_BLOCK: u64 = 2048;

/// The binary logarithm of the fewest diagonals of a window. If neither items nor accumulators are wide, a full chunk and all other chunks
/// of such a small window fit together in one work (see [`room_items`](crate::segments::room_items)).
pub const LEAST_WINDOW_SHIFT: u32 = 8;

/// A scan by key has one launch only if its items are at most this many full chunks for each resident block of [`SHORT_BLOCK_THREADS`]. If
/// there are more windows than resident blocks, the scan's blocks have [`LONG_BLOCK_THREADS`] threads.
///
/// Inclusive scans of `f32` with `u32` keys on an H200 with 528 resident blocks, in µs (2026-11-27, `warpfold-bench shapes`). An entry's
/// four times are for runs of 1, of 32 and of 4,096, and for runs whose lengths follow a power law:
///
/// | | one launch | two launches |
/// |---|---|---|
/// | 2^24 | 59.6; 61.1; 64.3; 89.4 | 66.5; 66.8; 69.0; 87.6 |
/// | 2^28 | 819; 836; 868; 1,251 | 799; 800; 800; 1,081 |
pub const KEYED_CHUNKS_PER_BLOCK: u64 = 8;

/// A block combines the long rows that end in an earlier block: the block whose ticket is less by this number (see `kernel/later.rs`). On
/// an H200 (2026-11-26), reductions took the same times with half this number. At that time, single warps did not combine whole chunks yet.
pub const LATER: u32 = 512;

/// A work is dense if its chunks have at most this many items on average. In a dense work, offsets of 4 bytes are copied in vectors, and
/// each chunk of at most one leaf is taken by one thread.
///
/// 2^28 `f32` on an H200, in µs (2026-11-26). In the rows "offsets one by one", works of up to 8 items a chunk were dense too, but their
/// offsets were not copied in vectors: for each offset, a thread read it and wrote a start. In the last column, lengths are random, and 12
/// on average:
///
/// | | segments of 1 | 2 | 4 | 8 | 16 | random |
/// |---|---|---|---|---|---|---|
/// | sums, offsets one by one | 1,768 | 1,066 | 702 | 501 | 411 | 599 |
/// | copied, up to 8 items | 811 | 583 | 420 | 352 | 395 | |
/// | copied, up to 16 items | | | | | 306 | 678 |
/// | scans, offsets one by one | 1,985 | 1,363 | 1,020 | 766 | 771 | 1,221 |
/// | copied, up to 8 items | 974 | 791 | 686 | 638 | 760 | |
/// | copied, up to 16 items | | | | | 600 | 1,428 |
///
/// With random lengths, 4 on average, most works also have chunks of more than one leaf. Then sums took 1,153 µs with offsets one by one,
/// and 1,046 µs with copied offsets; scans took 1,888 and 1,878 µs.
///
/// With offsets copied in all works, sums and scans of segments of 32 took 338 and 686 µs. In segments of 1,024 they took 298 and 651 µs.
/// With offsets copied in dense works alone, segments of 1,024 took 290 and 620 µs.
pub const DENSE_ITEMS: u32 = 8;

/// Each warp of a scan takes whole chunks of a work only if the work's chunks have at least this many items on average. With fewer, many
/// lanes of a step have no leaf.
pub const LEAST_SCANNED_ITEMS: u32 = 256;

/// Whether each warp may take whole chunks in a scan of `segments` segments of `item_count` items together. The kernel's text knows this, so
/// launches with other segments do not have the code for it. The launch has windows of 2^`window_shift` diagonals. `is_small` says whether its
/// blocks are short.
///
/// Inclusive sums of `f32` on an H200, in µs (2026-11-28). The titles of the columns give the lengths of the segments:
///
/// | | 256 | 300 | 320 | 400 |
/// |---|---|---|---|---|
/// | 2^16, the block takes a work | 5.29 | 5.57 | 5.14 | 5.14 |
/// | each warp takes chunks | 4.06 | 4.85 | 4.24 | 4.26 |
/// | 2^20, the block takes a work | 6.43 | 8.88 | 7.18 | 7.37 |
/// | each warp takes chunks | 6.07 | 7.12 | 6.40 | 6.78 |
/// | 2^24, the block takes a work | 44.5 | 55.2 | 44.3 | 45.5 |
/// | each warp takes chunks | 47.7 | 55.0 | 48.6 | 47.4 |
pub const fn warps_scan(item_count: u64, segments: u64, window_shift: u32, is_small: bool) -> bool {
    let (least, threads) = match is_small {
        true => (LEAST_SCANNED_ITEMS, SHORT_BLOCK_THREADS),
        false => (2 * LEAST_SCANNED_ITEMS, LONG_BLOCK_THREADS),
    };
    let most = (2 << window_shift) / (threads / WARP_LANES) as u64;
    let is_step = segments >= item_count / STEP_ITEMS as u64;
    segments <= item_count / least as u64 && (is_step || segments >= item_count / most)
}

/// If no leaf of a warp has more items than this, the warp reads its leaves item by item. Vectors are slower then.
pub const SHORT_LEAF: u32 = 4;

/// How many vectors a thread moves before it checks again for the end of the work.
pub const VECTORS_AT_ONCE: u32 = 4;

/// How many blocks of [`SHORT_BLOCK_THREADS`] share a multiprocessor in a reduction by `O`. If accumulators have more than 8 words and
/// chunks have 4,096 items, as with `Statistics` of narrow items, the number is half of [`BLOCKS_PER_MULTIPROCESSOR`]. Otherwise, if shared
/// memory has room for at most 6 long blocks, the number is 3, since 3 blocks have as many threads as 6 long blocks. Then threads have more
/// registers: `Moments` of `f32` spills 44 bytes with 80 registers, and 172 with 64.
///
/// `Statistics` of 2^28 bytes on an H200, in µs (2026-11-26). Offsets give the segments. An entry's four times are for segments of 4, 32,
/// 1,024 and 65,536 items. With 4 blocks, threads spill 1.7 to 3.9 KiB to local memory:
///
/// | blocks | `f32` | `f64`, whose chunks have 256 items |
/// |---|---|---|
/// | 2 | 377; 343; 217; 209 | 853; 1,658; 1,631; 1,171 |
/// | 3 | 514; 421; 276; 250 | 762; 1,381; 1,322; 959 |
/// | 4 | 708; 506; 303; 275 | 835; 1,179; 1,101; 839 |
///
/// In the same segments, sums of items of 48 bytes by a program's own operator took 137; 302; 201; 191 µs with 4 blocks, and 161; 420; 275;
/// 265 µs with 2. The kernels of a program's own operators are always compiled for [`BLOCKS_PER_MULTIPROCESSOR`] blocks, whatever the
/// accumulator.
pub const fn reduce_blocks<O: Op<T>, T: Element>() -> u32 {
    let bytes = shared_bytes::<T, O::Accumulator>(RoomSize::Small) + BLOCK_BYTES;
    let is_narrow = chunk_items::<T, O::Accumulator>() == NARROW_CHUNK_ITEMS;
    if O::Accumulator::WORDS > 8 && is_narrow {
        BLOCKS_PER_MULTIPROCESSOR / 2
    } else if MULTIPROCESSOR_BYTES / bytes < 2 * BLOCKS_PER_MULTIPROCESSOR - 1 {
        BLOCKS_PER_MULTIPROCESSOR - 1
    } else {
        BLOCKS_PER_MULTIPROCESSOR
    }
}

/// The launch bounds for blocks with this room: the threads of a block, and the number of blocks on a multiprocessor. They are needed if a
/// multiprocessor's shared memory has room for 9 or 10 long blocks, which is one or two more than twice [`BLOCKS_PER_MULTIPROCESSOR`].
/// Otherwise the result is `None`. The bounds name [`BLOCKS_PER_MULTIPROCESSOR`] blocks, which together have as many threads as these 9 or 10
/// long blocks. So the compiler leaves registers for all the long blocks.
///
/// Sums of 2^28 `f32` on an H200, in µs (2026-11-26), either with 9 blocks on a multiprocessor, or with 10 blocks and less room for each
/// window:
///
/// | | segments of 32 | 1,024 | 65,536 | power law |
/// |---|---|---|---|---|
/// | 9 blocks | 331 | 290 | 267 | 461 |
/// | 10 blocks | 320 | 278 | 259 | 449 |
///
/// The threads of scans need too many registers for 10 blocks. Also, with less room, the chunks of a window fit in one
/// [`Work`](crate::segments::Work) less often, and a second work takes more time. Scans of 2^16 items, in segments whose lengths follow a
/// power law, took 14.0 µs with less room, and 11.5 µs with more.
///
/// Sums and scans by key of 2^28 `f32` on an H200, in µs (2026-11-27), in runs of 1, of 32 and of 4,096, and in runs by a power law. With
/// 10 blocks, the threads of reductions by key spill 32 bytes, so these reductions have 9:
///
/// | | 9 blocks | 10 blocks |
/// |---|---|---|
/// | sums | 1,331; 714; 596; 833 | 1,362; 722; 593; 831 |
/// | scans | 800; 799; 810; 1,083 | 803; 801; 803; 1,075 |
pub const fn bounds<T, A>(task: Task, size: RoomSize) -> Option<(u32, u32)> {
    const LONG_BLOCKS: u32 = 2 * BLOCKS_PER_MULTIPROCESSOR;
    let mut blocks = MULTIPROCESSOR_BYTES / (shared_bytes::<T, A>(size) + BLOCK_BYTES);
    if matches!((task, size), (Task::Reduce, RoomSize::Keyed)) && blocks == LONG_BLOCKS + 2 {
        blocks -= 1;
    }
    // If there is room for still more blocks, chunks are short. Then more registers for each thread help more than further blocks.
    if blocks <= LONG_BLOCKS || blocks > LONG_BLOCKS + 2 {
        return None;
    }
    let threads = blocks * LONG_BLOCK_THREADS / BLOCKS_PER_MULTIPROCESSOR;
    Some((threads, BLOCKS_PER_MULTIPROCESSOR))
}

/// The size in bytes of a multiprocessor's shared memory, and of the part that CUDA reserves in it for each block, for compute capability
/// 9.0.
const MULTIPROCESSOR_BYTES: u32 = 228 << 10;
const BLOCK_BYTES: u32 = 1 << 10;

const _: () = {
    assert!(matches!(
        bounds::<f32, f32>(Task::Reduce, RoomSize::Small),
        Some((320, 4))
    ));
    assert!(matches!(
        bounds::<f32, f32>(Task::Scan, RoomSize::Usual),
        Some((288, 4))
    ));
    assert!(matches!(
        bounds::<f32, f32>(Task::Reduce, RoomSize::Keyed),
        Some((288, 4))
    ));
    assert!(matches!(
        bounds::<f32, f32>(Task::Scan, RoomSize::Keyed),
        Some((320, 4))
    ));
    assert!(bounds::<[u8; 32], f32>(Task::Reduce, RoomSize::Small).is_none());
};
