//! The layout of a block's shared memory, and how many items it has room for.

use crate::segments::{chunk_items, Header, Task, NARROW_CHUNK_ITEMS, NODE_ITEMS, VECTOR_BYTES};

/// How much room for items a block has. The size of its dynamic shared memory tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoomSize {
    /// A chunk and little more: the room of a large reduction.
    Small,
    /// A chunk and some more: the room of a large scan.
    Usual,
    /// Two chunks if [`has_double_room`], otherwise as [`RoomSize::Usual`]: the room of a block in a small launch. Only a block that has one
    /// window uses the room for two chunks.
    ///
    /// A small launch has fewer blocks than the device holds at a time, so large blocks take no place from other blocks. With this room, all
    /// chunks of a window fit in one work. With less room, the block takes a second work after the first. Times of `f32` on an H200, in µs
    /// (2026-11-26, `warpfold-bench shapes`), in segments whose lengths follow a power law:
    ///
    /// | | 2^16 | 2^18 | 2^20 |
    /// |---|---|---|---|
    /// | sums by offsets, usual room | 5.9 | 8.1 | 9.3 |
    /// | sums by offsets, double room | 5.9 | 6.7 | 8.0 |
    /// | scans by offsets, usual room | 9.0 | 12.6 | 15.2 |
    /// | scans by offsets, double room | 9.1 | 10.2 | 13.1 |
    ///
    /// Scans by offsets in segments of 32 became slower: 2^20 items took 7.3 µs, and take 7.4 µs.
    Double,
    /// A window and one node more: the room of a block in a launch by key, large or small. All nodes of a window always fit.
    Keyed,
}

impl Task {
    /// The room of a block in a large launch.
    pub const fn room_size(self) -> RoomSize {
        match self {
            Task::Reduce => RoomSize::Small,
            Task::Scan => RoomSize::Usual,
        }
    }
}

/// The number of items for which a block's shared memory has room. A work's items and chunks together are at most this many. If segments
/// start at heads, this limit is for the items alone. Elsewhere, all chunks of a window except the last have together fewer items than the
/// window has diagonals. If the last chunk does not fit beside them, it is the window's second work.
///
/// Beyond the items of one chunk, there is some spare room. It is smaller in two cases: if accumulators have more than 8 bytes, and in a
/// reduction of narrow items with accumulators of at most 4 bytes. In these cases, one more block fits on a multiprocessor
/// ([`bounds`](crate::segments::tuning::bounds) has timings). A scan with narrow accumulators keeps more room: its threads need too many
/// registers for one more block.
pub const fn room_items<T, A>(size: RoomSize) -> usize {
    let is_small = match size {
        RoomSize::Double if has_double_room::<T, A>() => return 2 * chunk_items::<T, A>() as usize,
        RoomSize::Keyed => return (chunk_items::<T, A>() + NODE_ITEMS) as usize,
        RoomSize::Small if size_of::<A>() <= 4 => chunk_items::<T, A>() == NARROW_CHUNK_ITEMS,
        _ => size_of::<A>() > 8,
    };
    let spare = if is_small { 128 } else { 8 };
    (chunk_items::<T, A>() + chunk_items::<T, A>() / spare) as usize
}

/// Whether a block may have [`RoomSize::Double`]: items have at most 4 bytes and are copied in vectors, and accumulators have at most 8
/// bytes. With wider items or accumulators, this room is more than some devices have for a block.
pub const fn has_double_room<T, A>() -> bool {
    has_vectors::<T>() && size_of::<T>() <= 4 && size_of::<A>() <= 8
}

/// The most places of a work. A work's first item may lie inside a row, whose earlier places are then not used.
pub(crate) const fn places<T, A>(size: RoomSize) -> usize {
    room_items::<T, A>(size) + row_items::<T>() as usize
}

/// Whether items are copied in vectors: their size divides a vector's size, and equals their alignment.
pub const fn has_vectors<T>() -> bool {
    matches!(size_of::<T>(), 1 | 2 | 4 | 8 | 16) && align_of::<T>() == size_of::<T>()
}

/// The number of items of type `T` in a vector; 1 if items are not copied in vectors.
pub const fn vector_items<T>() -> u32 {
    if has_vectors::<T>() {
        (VECTOR_BYTES / size_of::<T>()) as u32
    } else {
        1
    }
}

/// The number of items of type `T` in a row of shared memory; 1 if items are not copied in vectors.
pub const fn row_items<T>() -> u32 {
    if has_vectors::<T>() {
        (ROW_BYTES / size_of::<T>()) as u32
    } else {
        1
    }
}

/// The size of a chunk's start in bytes.
pub(crate) const START_BYTES: u32 = size_of::<u32>() as u32;

/// How many starts a vector has.
pub(crate) const VECTOR_STARTS: u32 = VECTOR_BYTES as u32 / START_BYTES;

/// How many starts a row has.
pub(crate) const ROW_STARTS: u32 = ROW_BYTES as u32 / START_BYTES;

/// The size in bytes of a row of shared memory: a word in each bank. It is also the size of a line of the caches.
///
/// A warp copies 512 bytes at a time to shared memory. All of these copies should begin at lines and at rows. A CUDA C++ program read 2^28
/// `f32` through rings on an H200 (2026-11-27). It took 234 µs if all copies began at lines and rows. If they began inside lines, inside
/// rows, or inside both, it took 240 to 303 µs, mostly more than 270.
pub(crate) const ROW_BYTES: usize = 128;

/// How many items of type `T` lie between two gaps of one item in shared memory, if items are not copied in vectors. Because of the gaps,
/// lanes that read items 16 apart read from different banks.
const fn items_between_gaps<T>() -> usize {
    match size_of::<T>() {
        12 => 8,
        _ => 4,
    }
}

/// Where the item at place `index` lies in the items' memory: its offset in bytes.
///
/// The vectors of a row of 128 bytes are permuted: vector `v` of row `r` lies at `v ^ (r % 8)`. So lanes that read vectors 16 items apart
/// read from different banks. Items that are not copied in vectors have gaps instead.
#[inline(always)]
pub const fn offset_of<T>(index: usize) -> usize {
    if has_vectors::<T>() {
        let offset = index * size_of::<T>();
        let row = offset / ROW_BYTES;
        offset ^ (row % (ROW_BYTES / VECTOR_BYTES) * VECTOR_BYTES)
    } else {
        (index + index / items_between_gaps::<T>()) * size_of::<T>()
    }
}

/// The offset in bytes of vector `vector` of 16 consecutive places, of which a vector begins at the first. `offset` is the offset of the
/// first place, which is a multiple of 16. All of these vectors are in one row, so they are permuted alike.
#[inline(always)]
pub const fn offset_in_sixteen(offset: u32, vector: u32) -> u32 {
    offset ^ (vector * VECTOR_BYTES as u32)
}

/// The offset in bytes of the vector that lies `32 · vector` vectors after the vector at `offset`. 32 vectors are four rows, so every other
/// of these vectors is permuted alike.
#[inline(always)]
pub const fn offset_of_turn(offset: u32, vector: u32) -> u32 {
    (offset ^ (vector % 2 * (ROW_BYTES / 2) as u32)) + vector * 4 * ROW_BYTES as u32
}

/// The layout of a block's shared memory, as offsets in bytes. The memory begins with a [`Header`]. Items and starts come last, and take
/// [`Layout::item_bytes`]. Only the offsets of nodes and items depend on the block's room. The other offsets are constants, which cost no
/// instructions.
///
/// There are two areas for bits, two for counts and two words of flags. Consecutive works that have slots use them in turn. With
/// [`RoomSize::Double`], a block has one work. The work uses both areas as one. With [`RoomSize::Keyed`], there are no slots, and the
/// [words of a window](Self::word_bytes) take their place.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// A bit for each slot, in words of 32 bits.
    pub bits: usize,
    /// For each word of bits, how many bits are set in the words before it.
    pub counts: usize,
    /// Flags about the chunks.
    pub flags: usize,
    /// The leaves' values. There is room for one value for each 8 items.
    pub leaves: usize,
    /// The nodes' values. There is room for one value for each 128 items.
    pub nodes: usize,
    /// The items. The chunks' starts lie after them, at the end.
    pub items: usize,
}

impl Layout {
    /// The layout for items of type `T` and accumulators of type `A`.
    pub const fn of<T, A>(size: RoomSize) -> Self {
        let places = match size {
            RoomSize::Small | RoomSize::Usual => places::<T, A>(RoomSize::Usual),
            RoomSize::Double | RoomSize::Keyed => places::<T, A>(size),
        };
        let bits = size_of::<Header<A>>();
        let counts = bits + 2 * 4 * Self::bit_words::<T, A>();
        let flags = counts + 2 * 4 * Self::bit_words::<T, A>();
        let leaves = match size {
            RoomSize::Keyed => bits + Self::word_bytes::<T, A>(),
            _ => flags + 2 * 4,
        };
        let leaves = leaves.next_multiple_of(16);
        let nodes = leaves + (places / 8 + 1) * size_of::<A>();
        let items = (nodes + (places / 128 + 1) * size_of::<A>()).next_multiple_of(ROW_BYTES);
        Layout {
            bits,
            counts,
            flags,
            leaves,
            nodes,
            items,
        }
    }

    /// The size in bytes of the memory for items and starts together.
    ///
    /// They share the room: the more chunks a work has, the fewer items it may have. The first row of items may be used in part, and so may
    /// the last vector of items and the last row of starts.
    pub const fn item_bytes<T, A>(size: RoomSize) -> usize {
        let places = places::<T, A>(size);
        let bytes_of_items = if has_vectors::<T>() {
            places * size_of::<T>()
        } else {
            offset_of::<T>(places) + size_of::<T>()
        };
        if matches!(size, RoomSize::Keyed) {
            return bytes_of_items.next_multiple_of(ROW_BYTES);
        }
        let bytes_of_starts = room_items::<T, A>(size) * START_BYTES as usize + ROW_BYTES;
        let bytes = if bytes_of_items > bytes_of_starts {
            bytes_of_items
        } else {
            bytes_of_starts
        };
        // The rest of the items' last vector, the end of the last chunk, and the rest of the last row of starts.
        (bytes + VECTOR_BYTES + ROW_BYTES).next_multiple_of(ROW_BYTES)
    }

    /// The size in bytes of the words, the flags, and the counts or the lists of a window of a launch by key (see `kernel/heads/words.rs`).
    /// For each 32 items of a window, and once more, there are 8 bytes for the word. After 8 bytes for flags, there are 4 bytes for each
    /// word's count. The lists take the place of the counts: for each of up to 9 warps, they have 2 bytes for each of 33 numbers.
    pub const fn word_bytes<T, A>() -> usize {
        let words = chunk_items::<T, A>() as usize / 32 + 1;
        (words * 8 + 8) + (words * 4 + 80)
    }

    /// The number of words of an area for bits. It is even, so the words are cleared two at a time. There is at most one slot more than
    /// places.
    pub const fn bit_words<T, A>() -> usize {
        (places::<T, A>(RoomSize::Usual) / 32 + 2).next_multiple_of(2)
    }
}

/// The size in bytes of a block's dynamic shared memory.
pub const fn shared_bytes<T, A>(size: RoomSize) -> u32 {
    (Layout::of::<T, A>(size).items + Layout::item_bytes::<T, A>(size)) as u32
}

const _: () = {
    let mut vector = 0;
    while vector < 8 {
        // Items of 2 bytes have 8 to a vector.
        let first = offset_of::<u16>(7 * 8) as u32;
        assert!(
            offset_of_turn(first, vector)
                == offset_of::<u16>((7 + 32 * vector as usize) * 8) as u32
        );
        if vector < 2 {
            let first = offset_of::<u16>(5 * 16) as u32;
            assert!(
                offset_in_sixteen(first, vector)
                    == offset_of::<u16>(5 * 16 + vector as usize * 8) as u32
            );
        }
        vector += 1;
    }
    // Places fit in 16 bits.
    assert!(places::<u8, f32>(RoomSize::Double) < u16::MAX as usize);
    // A window's chunks fit in one work.
    assert!(room_items::<f32, f32>(RoomSize::Double) == 2 * 4096);
    // Two areas for bits have a bit for each slot of its work.
    assert!(places::<u8, f32>(RoomSize::Double) / 32 + 2 <= 2 * Layout::bit_words::<u8, f32>());
    // Every supported device has this much shared memory for a block.
    assert!(shared_bytes::<u32, u64>(RoomSize::Double) <= 64 << 10);
    assert!(shared_bytes::<u64, u64>(RoomSize::Double) <= 64 << 10);
    assert!(shared_bytes::<u32, [u32; 16]>(RoomSize::Double) <= 64 << 10);
    assert!(shared_bytes::<[u32; 16], [u32; 16]>(RoomSize::Double) <= 64 << 10);
    assert!(shared_bytes::<u64, u64>(RoomSize::Keyed) <= 64 << 10);
    assert!(shared_bytes::<u32, [u32; 16]>(RoomSize::Keyed) <= 64 << 10);
    assert!(shared_bytes::<[u32; 16], [u32; 16]>(RoomSize::Keyed) <= 64 << 10);
};
