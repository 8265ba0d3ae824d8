//! Segmented reductions: the order of combination, how the work is divided, and what a launch provides.
//!
//! Segment `s` has the items from `offset[s]` to before `offset[s + 1]`. Offsets ascend; a segment may be empty.
//!
//! # The order, version 1
//!
//! Part of the bit contract, see [`crate::contract`] for the notation. A segment's items are combined by sixteens, counted from the
//! segment's start: each [`FAN`] consecutive values, the last ones perhaps fewer, are left-folded to one; so are each 16
//! of the results; and so on, until one value is left. It is lowered. A segment of no items gives the identity. An item's
//! index, for operators that look at it, counts from the segment's start.
//!
//! So a result depends on the segment's items and their number, and on nothing else: not on where the segment lies, nor
//! on its neighbours. The order of the items is kept, so operators need not commute. All operators have this order.
//!
//! # The work
//!
//! Items and segments' ends, merged in the order of the input, lie on the *diagonals* of Merrill and Garland's merge path: segment
//! `s` begins at diagonal `offset[s] + s`, which ascends strictly. A segment is cut into **chunks** of [`chunk_items`],
//! a power of 16. Block `b` owns the chunks that begin in its **window**, the diagonals from `b·C` to before `(b + 1)·C`, where `C` is
//! the items of a chunk; an empty segment counts as a chunk. So a window has at most one chunk of the segment that began in an
//! earlier one, then segments that begin there, of which the last may be cut. It costs as much as it has items
//! and segments, whatever their lengths.
//!
//! A chunk that is not its segment's last is told to other blocks by the state word of its window, of which there is at
//! most one in each.
//!
//! None of the numbers here but [`FAN`] changes a result.

pub mod entries;

use crate::workspace::words_per_accumulator;

/// Values that are folded to one.
pub const FAN: u32 = 16;

/// Items of a chunk, and diagonals of a window.
pub const fn chunk_items<T>() -> u64 {
    if size_of::<T>() <= 8 {
        FAN.pow(3) as u64
    } else {
        FAN.pow(2) as u64
    }
}

/// Windows of `item_count` items of type `T` in `segment_count` segments: the blocks of a launch.
pub const fn window_count<T>(item_count: u64, segment_count: u64) -> u64 {
    (item_count + segment_count).div_ceil(chunk_items::<T>())
}

/// State words of a launch with accumulators of type `A`.
pub const fn state_words<T, A>(item_count: u64, segment_count: u64) -> u64 {
    window_count::<T>(item_count, segment_count) * words_per_accumulator::<A>()
}

/// Items that a block has room for. Of a window's chunks all but the last have fewer items than a window diagonals. If all of
/// them have no room together, the last is worked on alone.
pub const fn room_items<T>() -> usize {
    (chunk_items::<T>() + chunk_items::<T>() / 4) as usize
}

/// Items of type `T` in a row of shared memory, behind which there is a gap: so lanes that read items 16 apart read from
/// different banks.
pub const fn row_items<T>() -> usize {
    match size_of::<T>() {
        1 => 128,
        2 => 64,
        4 => 32,
        8 => 16,
        12 | 16 => 8,
        _ => 4,
    }
}

/// The place of item `index`, in items.
#[inline(always)]
pub const fn place_of<T>(index: usize) -> usize {
    let gap = match size_of::<T>() {
        1 => 4,
        2 => 2,
        _ => 1,
    };
    index + index / row_items::<T>() * gap
}

/// Where what lies in a block's shared memory, in bytes. First comes a [`Header`].
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// A number for each 16 items.
    pub heads: usize,
    /// A value for each 8 items.
    pub leaves: usize,
    /// A value for each 128 items.
    pub nodes: usize,
    /// The items.
    pub items: usize,
    /// The end. Before it lie the starts of chunks, the first one last.
    pub end: usize,
}

/// What a block's threads tell each other, with accumulators of type `A`: the chunks in hand, the window, values.
#[repr(C, align(16))]
pub struct Header<A> {
    /// The chunks in hand.
    pub work: Work,
    /// The window.
    pub window: Window,
    /// The launch's tag.
    pub tag: u32,
    /// Whether an offset between the chunks is refused.
    pub is_refused: u32,
    /// The value of the chunk of an earlier segment.
    pub tail: A,
    /// The value of the chunk of a segment that is cut.
    pub cut: A,
}

/// Chunks that are worked on at once: consecutive items.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Work {
    /// The first item.
    pub begin: u64,
    /// The segment of the first chunk.
    pub segment: u64,
    /// The index in its segment of the first item.
    pub index: u64,
    /// How many items there are.
    pub item_count: u32,
    /// How many chunks there are.
    pub chunk_count: u32,
    /// Which chunk's value is for the header's `tail`, if any.
    pub tail_chunk: u32,
    /// Which chunk's value is for the header's `cut`, if any.
    pub cut_chunk: u32,
    /// Items of a chunk that is worked on next, if there is one.
    pub next_items: u32,
}

/// What a block knows of its window's chunks that other blocks hear of.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Window {
    /// The first item of the last chunk.
    pub last: u64,
    /// The segment that began in an earlier window.
    pub tail_segment: u64,
    /// Its first item.
    pub tail_begin: u64,
    /// Which of its chunks begins here.
    pub tail_index: u64,
    /// The window's number.
    pub number: u32,
    /// Whether a chunk of such a segment begins here.
    pub has_tail: u32,
    /// Whether it is the segment's last.
    pub tail_is_last: u32,
    /// Whether a segment that begins here has another chunk.
    pub is_cut: u32,
}

impl Work {
    /// No chunks.
    pub const NONE: Self = Work {
        begin: 0,
        segment: 0,
        index: 0,
        item_count: 0,
        chunk_count: 0,
        tail_chunk: NO_CHUNK,
        cut_chunk: NO_CHUNK,
        next_items: 0,
    };
}

impl Window {
    /// Nothing that other blocks hear of.
    pub const NONE: Self = Window {
        last: 0,
        tail_segment: 0,
        tail_begin: 0,
        tail_index: 0,
        number: 0,
        has_tail: 0,
        tail_is_last: 0,
        is_cut: 0,
    };
}

/// No chunk.
pub const NO_CHUNK: u32 = u32::MAX;

impl Layout {
    /// The layout for items of type `T` and accumulators of type `A`.
    pub const fn of<T, A>() -> Self {
        let room = room_items::<T>();
        let heads = size_of::<Header<A>>();
        let leaves = (heads + room / FAN as usize * 2).next_multiple_of(16);
        let nodes = leaves + (room / 8 + 1) * size_of::<A>();
        let items = (nodes + (room / 128 + 1) * size_of::<A>()).next_multiple_of(16);
        let bytes_of_items = (place_of::<T>(room) + 1) * size_of::<T>();
        // Where items are narrow, starts take more room than as many items.
        let bytes_of_starts = (room + 1) * 2;
        let bytes = if bytes_of_items > bytes_of_starts {
            bytes_of_items
        } else {
            bytes_of_starts
        };
        Layout {
            heads,
            leaves,
            nodes,
            items,
            end: (items + bytes + 2).next_multiple_of(16),
        }
    }
}

/// Bytes of dynamic shared memory of a block.
pub const fn shared_bytes<T, A>() -> u32 {
    Layout::of::<T, A>().end as u32
}

/// Blocks that share a multiprocessor: what the compiler fits the registers to.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 6;

const _: () = {
    assert!(chunk_items::<f32>() == 4096 && chunk_items::<[u8; 32]>() == 256);
    // Places are numbers of 16 bits.
    assert!(room_items::<f32>() < u16::MAX as usize);
    assert!(window_count::<f32>(0, 1) == 1 && window_count::<f32>(4096, 0) == 1);
};
