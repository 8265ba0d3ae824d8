//! Selection: the ways to choose items, the division of the work into tiles, and the arguments and memory of a launch.
//!
//! Some of an input's items are **chosen**: by flags in a second array, by a [`Predicate`], or as **heads**, the first items of runs of
//! equal items ([`Equality`]). A selection writes the number of chosen items, and any of these outputs: the chosen items in their order,
//! their indices, the lengths of the runs that they begin, and the items that are not chosen, in their order. All results are exact: they
//! do not depend on the order of the work.
//!
//! A **tile** is [`rows`] vectors for each thread of [`WARPS`] warps; a warp owns consecutive rows of 32 vectors. A warp writes its items
//! **chunk** by chunk. If a vector has up to four items, a chunk is all rows of the warp. Otherwise, a chunk is one row.

#[macro_use]
mod arguments;
mod entry;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) mod kind;
pub mod tuning;

#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
#[doc(hidden)]
pub mod kernel;
#[cfg(all(
    any(target_arch = "nvptx64", feature = "cuda_std"),
    feature = "skeletons"
))]
mod skeletons;

mod equality;
mod predicate;

pub use arguments::*;
pub use equality::{Equal, Equality};
pub use predicate::{NonZero, NotNan, Predicate};

use crate::contract::{vector_bytes, vector_items, SCAN_GROUP_TILES, VECTOR_BYTES, WARP_LANES};
use crate::launch::Copies;
use crate::scan::tuning::TURNS;
use crate::selection::tuning::{BUFFERS, WARPS};
use crate::workspace::words_per_accumulator;

/// Threads of a block: the warps that share a tile, and one more warp that looks back.
pub const BLOCK_THREADS: u32 = (WARPS + 1) * WARP_LANES;

/// Vectors of a thread in a tile of items of type `T`.
pub const fn rows<T>() -> usize {
    match vector_bytes::<T>() {
        0..=VECTOR_BYTES => 4,
        bytes if bytes <= 32 => 2,
        _ => 1,
    }
}

/// Rows of a chunk.
pub const fn chunk_rows<T>() -> usize {
    if vector_items::<T>() <= 4 {
        rows::<T>()
    } else {
        1
    }
}

/// Items of a row: a vector for each lane of a warp.
pub const fn row_items<T>() -> usize {
    WARP_LANES as usize * vector_items::<T>()
}

/// Items of a warp in a tile.
pub const fn warp_items<T>() -> usize {
    rows::<T>() * row_items::<T>()
}

/// Items of a tile.
pub const fn tile_items<T>() -> usize {
    WARPS as usize * warp_items::<T>()
}

/// Bytes of a tile.
pub const fn tile_bytes<T>() -> usize {
    tile_items::<T>() * size_of::<T>()
}

/// Items of a chunk.
pub const fn chunk_items<T>() -> usize {
    chunk_rows::<T>() * row_items::<T>()
}

/// Tiles of an input of `item_count` items.
pub const fn tile_count<T>(item_count: u64) -> u64 {
    item_count.div_ceil(tile_items::<T>() as u64)
}

/// State words of a launch whose prefixes have type `A`. Each tile has one word, for its share. Each group of tiles has a share, and a
/// prefix that takes twice as many words.
pub const fn state_words<T, A>(item_count: u64) -> u64 {
    let tiles = tile_count::<T>(item_count);
    let value = words_per_accumulator::<A>();
    tiles + tiles.div_ceil(SCAN_GROUP_TILES) * (value / 2 + value)
}

/// The type that the table of kernels has for items of 16 bytes.
pub type Bytes16 = [u64; 2];

/// The prefix of an item or a tile: the number of chosen items before it.
pub type Before = u64;

/// If heads of runs are chosen: the prefix of an item or a tile. The first number is the number of heads before the item or the tile. The
/// second number is one more than the index of the last of these heads; 0 if there are none.
pub type BeforeRun = [u64; 2];

/// How many of some items are chosen, and where the last chosen one is. The items are those of a lane, of a warp, of a tile, of a group of
/// tiles, or of several of these.
#[repr(C, align(8))]
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// How many items are chosen.
    pub count: u32,
    /// One more than the place of the last chosen item; 0 if there is none. Unless another origin is named, the share of a group counts
    /// places from the group's beginning, and other shares count them from the tile's beginning.
    pub last: u32,
}

/// The beginning of a block's shared memory. Prefixes have type `A`. The warps' lists follow the header, and the tiles follow the lists.
/// The first list and each tile begin at a multiple of 128 bytes.
#[repr(C, align(128))]
pub struct Header<A> {
    /// The warps' shares, for even and for odd turns.
    pub shares: [[Share; WARPS as usize]; 2],
    /// The ticket taken in an even turn, and the ticket taken in an odd turn. Before the first turn, the second element is the block's
    /// first ticket.
    pub tickets: [u32; 2],
    /// The number of each turn's tile, sent to the warp that looks back.
    pub tiles: [u32; TURNS],
    /// The prefix of each turn's tile, sent by the warp that looks back.
    pub prefixes: [A; TURNS],
    /// The launch's tag.
    pub tag: u32,
}

/// Bytes of a warp's list: for each item of a chunk, 16 bits for the item's place among the warp's items.
pub const fn list_bytes<T>() -> usize {
    chunk_items::<T>() * size_of::<u16>()
}

/// Bytes of shared memory before the tiles: the header and the lists.
pub const fn fixed_bytes<T, A>() -> usize {
    (size_of::<Header<A>>() + WARPS as usize * list_bytes::<T>()).next_multiple_of(128)
}

/// Bytes of dynamic shared memory of a block that holds `buffers` tiles at once.
pub const fn shared_bytes<T, A>(buffers: u32) -> u32 {
    (fixed_bytes::<T, A>() + buffers as usize * tile_bytes::<T>()) as u32
}

/// How many tiles a block should hold at once in `available` bytes of shared memory. With synchronous copies, this is one tile. With
/// asynchronous copies, it is three tiles, or two if three do not fit. `None` if `available` is too small.
pub const fn buffers<T, A>(copies: Copies, available: u32) -> Option<u32> {
    let (most, least) = match copies {
        Copies::Synchronous => (1, 1),
        Copies::Asynchronous => (BUFFERS, 2),
    };
    if shared_bytes::<T, A>(most) <= available {
        Some(most)
    } else if shared_bytes::<T, A>(least) <= available {
        Some(least)
    } else {
        None
    }
}

/// An option of a launch: the output for indices also gets the number of the input's items, in the place after the last index.
pub const WRITES_END: u64 = 1;

const _: () = {
    // Any place among a warp's items fits into the 16 bits of a list's entry.
    assert!(warp_items::<u8>() <= 1 << 16);
    // Two tiles fit into 99 KiB, which every device with asynchronous copies can give a block. One tile fits into 64 KiB, which all other
    // devices can give a block.
    assert!(shared_bytes::<u32, BeforeRun>(2) <= 99 << 10);
    assert!(shared_bytes::<[u64; 2], BeforeRun>(2) <= 99 << 10);
    assert!(shared_bytes::<[u8; 32], BeforeRun>(2) <= 99 << 10);
    assert!(shared_bytes::<u8, BeforeRun>(1) <= 64 << 10);
};
