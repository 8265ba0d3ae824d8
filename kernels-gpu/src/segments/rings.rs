//! The rings of a block's warps: where they lie in shared memory, which launches have rings, and how many windows the blocks of these
//! launches have. `kernel/rings.rs` explains what a ring, its slots and its steps are.

use crate::contract::{is_power_of_two, trailing_zeros, WARP_LANES};
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::segments::tuning::{BLOCKS_PER_SMALL_WINDOW, LONG_BLOCK_THREADS, SHORT_BLOCK_THREADS};
use crate::segments::{chunk_items, has_vectors, shared_bytes, window_count, windows_per_block};
use crate::segments::{Header, RoomSize, FAN, MOST_WINDOWS, NARROW_CHUNK_ITEMS, ROW_BYTES};

/// The most leaves of a step: one for each lane.
pub const STEP_LEAVES: u32 = WARP_LANES;

/// The most items of a step.
pub const STEP_ITEMS: u32 = STEP_LEAVES * FAN;

/// The binary logarithm of [`STEP_ITEMS`].
pub const STEP_SHIFT: u32 = STEP_ITEMS.trailing_zeros();

/// How many slots a ring has.
pub const SLOTS: u32 = 2;

/// The most warps of a block that have a ring, except in short blocks that take whole rows (see [`row_warps`]).
pub const RING_WARPS: u32 = LONG_BLOCK_THREADS / WARP_LANES;

/// How many leaves a full chunk has.
pub const CHUNK_LEAVES: u32 = NARROW_CHUNK_ITEMS as u32 / FAN;

/// The place of value `number` in the memory for the values of a chunk's leaves. A gap of one value follows each sixteen values.
pub const fn value_place(number: u32) -> u32 {
    number + number / FAN
}

/// The size of a slot in bytes: room for a step's items, and one more row of shared memory. If a step does not begin at the start of a
/// vector, it has one vector more, which lies in this row.
pub const fn slot_bytes<T>() -> usize {
    STEP_ITEMS as usize * size_of::<T>() + ROW_BYTES
}

/// The size in bytes of a warp's room in shared memory: the warp's ring, and the values of a chunk's leaves.
const fn ring_bytes<T, A>() -> usize {
    SLOTS as usize * slot_bytes::<T>() + value_bytes::<A>()
}

/// The size in bytes of the values of a chunk's leaves.
const fn value_bytes<A>() -> usize {
    value_place(CHUNK_LEAVES) as usize * size_of::<A>()
}

/// Where the ring of warp `warp` lies in a block's shared memory, and where the values of the warp's leaves lie. The rooms of two warps are
/// together a multiple of a row. First come both rings, then the values of both. So all rings begin at rows (see `ROW_BYTES`).
#[inline(always)]
pub const fn ring_and_values<T, A>(warp: u32) -> [u32; 2] {
    let (pair, second) = (warp / 2, warp % 2);
    let ring = const { SLOTS as usize * slot_bytes::<T>() } as u32;
    let values = const { value_bytes::<A>() } as u32;
    let first = const { first_ring::<A>() } as u32 + pair * 2 * (ring + values);
    [first + second * ring, first + 2 * ring + second * values]
}

/// Where the warps' rooms begin in a block's shared memory: after the header.
const fn first_ring<A>() -> usize {
    size_of::<Header<A>>().next_multiple_of(ROW_BYTES)
}

/// Where the rooms of `warps` warps end in a block's shared memory.
const fn end_of_rings<T, A>(warps: u32) -> usize {
    first_ring::<A>() + warps as usize * ring_bytes::<T, A>()
}

/// How many warps of a short block have a ring, if the block takes whole rows. If the rooms of all warps fit in the 48 KiB that every block
/// may have: all warps. Otherwise [`RING_WARPS`].
pub const fn row_warps<T, A>() -> u32 {
    const WARPS: u32 = SHORT_BLOCK_THREADS / WARP_LANES;
    if end_of_rings::<T, A>(WARPS) <= 48 << 10 {
        WARPS
    } else {
        RING_WARPS
    }
}

/// The least size in bytes of the dynamic shared memory of short blocks that take whole rows.
pub const fn row_bytes<T, A>() -> u32 {
    end_of_rings::<T, A>(row_warps::<T, A>()) as u32
}

/// The most chunks of a block that takes whole rows. The chunks' values take the header's place in shared memory.
const BLOCK_CHUNKS: usize = 2 * FAN as usize;

/// The most windows of a block that takes whole rows.
pub const MOST_ROW_WINDOWS: u32 = FAN;

/// Whether rows of `row_items` items have whole chunks: a row has at most [`FAN`] chunks, all chunks have equally many items, and this
/// number is a power of two and at least [`FAN`]. A full chunk has `chunk_items` items.
pub const fn has_whole_chunks(row_items: u64, chunk_items: u64) -> bool {
    if row_items < chunk_items {
        row_items >= FAN as u64 && is_power_of_two(row_items)
    } else {
        row_items.is_multiple_of(chunk_items) && row_items <= FAN as u64 * chunk_items
    }
}

/// The number of windows of each block, for rows that [have whole chunks](has_whole_chunks) in a launch with rings. The launch has `rows`
/// rows of `row_chunks` chunks, and `window_count` windows. The device holds `short` short blocks at a time, or `long` long ones.
///
/// If the result is at least `row_chunks`, blocks take whole rows. If rows have several chunks but there are few rows, the result is 1, and
/// blocks share a row, as in launches without rings. If rows have one chunk each, and there are at most `short` windows, the launch has at
/// most one block for each [`BLOCKS_PER_SMALL_WINDOW`] short blocks that the device holds. It has more blocks only if a block would
/// otherwise need more than [`MOST_WINDOWS`] windows.
///
/// Sums of `f32` in rows of 1,024 on an H200, in µs (2026-11-26): 2^20 items took 3.61 with 1 window a block, 3.35 with 2 and 5.04 with 4.
/// 2^24 items took 19.1 with 1, and 20.0 with 2. 16 rows of 65,536 took 5.28 with 1, and 7.05 with 2.
pub const fn row_windows(
    rows: u64,
    row_chunks: u64,
    window_count: u64,
    [short, long]: [u64; 2],
) -> u64 {
    let small = short / BLOCKS_PER_SMALL_WINDOW;
    if row_chunks > 1 {
        if rows < small {
            return 1;
        }
        let windows = least(window_count / (4 * long), MOST_ROW_WINDOWS as u64);
        // The result is a multiple of `row_chunks`, so that a block takes whole rows: at least one.
        let row_count = windows / row_chunks;
        return if row_count == 0 {
            row_chunks
        } else {
            row_count * row_chunks
        };
    }
    if small == 0 || window_count > short {
        windows_per_block(window_count, long)
    } else {
        least(window_count.div_ceil(small), MOST_WINDOWS as u64)
    }
}

/// Whether segments are long on average: `segments` of them have `item_count` items together. Then most blocks probably have long chunks.
pub const fn are_long(item_count: u64, segments: u64) -> bool {
    segments <= item_count >> STEP_SHIFT
}

/// The most windows of a span.
pub const MOST_SPAN_WINDOWS: u32 = 1 << MOST_SPAN_SHIFT;

const MOST_SPAN_SHIFT: u32 = 3;

/// The binary logarithm of the number of windows of a span, for a launch with `segments` segments of `item_count` items together, by an
/// operator that has rings. The device holds `resident_blocks` blocks at a time. 0 if the launch has no spans: its windows have as many
/// diagonals as a chunk has items, or fewer. See `kernel/long.rs`.
pub const fn span_shift(item_count: u64, segments: u64, resident_blocks: u64) -> u32 {
    let windows = window_count(
        item_count + segments,
        const { trailing_zeros(NARROW_CHUNK_ITEMS) },
    );
    if segments > item_count / NARROW_CHUNK_ITEMS || windows <= resident_blocks {
        0
    } else if windows < 2 * resident_blocks {
        MOST_SPAN_SHIFT - 1
    } else {
        MOST_SPAN_SHIFT
    }
}

/// The number of windows of each block, for a launch of `window_count` windows with long segments and with rings, on a device that holds
/// `resident_blocks` blocks at a time. The result is at least that of [`windows_per_block`]. Each warp of a block takes whole chunks, so a
/// block should have chunks for all of its warps.
///
/// Sums of 2^24 `f32` on an H200, in µs (2026-11-26): in segments of 1,024 they took 24.9 with 1 window a block, 24.1 with 2, and 23.8 with
/// 3. In segments of 65,536 they took 24.7, 24.6 and 24.2.
pub const fn windows_of_long(window_count: u64, resident_blocks: u64) -> u64 {
    let windows = least(window_count / resident_blocks, MOST_WINDOWS as u64);
    if windows == 0 {
        1
    } else {
        windows
    }
}

const fn least(a: u64, b: u64) -> u64 {
    if a < b {
        a
    } else {
        b
    }
}

/// Whether warps may copy whole chunks through rings in a reduction by `O`. The operator must fold from the left, accumulators must not be
/// wide, items must have 4 or 8 bytes and be copied in vectors, a full chunk must have `NARROW_CHUNK_ITEMS` items, and a block's shared
/// memory must have room for the rings. With narrower items, a step would have few vectors.
pub const fn has_rings<O: Op<T>, T: Element>() -> bool {
    let end = end_of_rings::<T, O::Accumulator>(RING_WARPS);
    !O::PAIRS_SIXTEENS
        && !O::Accumulator::IS_WIDE
        && has_vectors::<T>()
        && matches!(size_of::<T>(), 4 | 8)
        && chunk_items::<T, O::Accumulator>() == NARROW_CHUNK_ITEMS
        && end <= shared_bytes::<T, O::Accumulator>(RoomSize::Small) as usize
}

const _: () = {
    // A block that takes whole rows has at most this many chunks: the number of its windows plus the number of a row's chunks.
    assert!((MOST_ROW_WINDOWS + FAN) as usize <= BLOCK_CHUNKS);
    assert!((2 * value_bytes::<u32>()).is_multiple_of(ROW_BYTES));
    assert!(has_rings::<crate::op::Sum, f32>() && has_rings::<crate::op::Sum, f64>());
    assert!(BLOCK_CHUNKS * size_of::<u64>() <= size_of::<Header<u64>>());
    assert!(BLOCK_CHUNKS * size_of::<u32>() <= size_of::<Header<u32>>());
};
