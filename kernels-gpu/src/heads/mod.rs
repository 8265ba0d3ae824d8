//! The heads of runs of equal keys, as bits in memory. A launch on the keys marks the heads, and then a scan or a reduction by key reads
//! them.
//!
//! An item is a **head** if it begins a run. The items are numbered in the direction of the work. So in a backward scan item 0 is the last
//! one in memory, and the head of a run is its last item in memory.
//!
//! A **tile** is [`TILE_ITEMS`] items. A **range** is a number of consecutive tiles that one block marks: a power of two, or fewer in the
//! last range. There are at most [`MOST_RANGES`] ranges. The last head before a tile is either in the tile's range or before the range. The
//! heads before a tile are the heads of the range that precede the tile, and the heads before the range. So the memory has two numbers for
//! each tile and two for each range: the place after the last preceding head, and the count of the preceding heads.
//!
//! ```text
//! byte 0     Summary
//! byte 16    BeforeRange    for each range
//!            BeforeTile     for each tile
//!            bits           a bit for each item of each tile, in words of 32
//! ```

#[macro_use]
mod arguments;
mod entry;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) mod kind;

#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
#[doc(hidden)]
pub mod kernel;
#[cfg(all(
    any(target_arch = "nvptx64", feature = "cuda_std"),
    feature = "skeletons"
))]
mod skeletons;

pub use arguments::*;

use crate::contract::{leading_zeros, WARP_LANES};

/// Items of a tile.
pub const TILE_ITEMS: u64 = 4096;

/// Words of bits of a tile.
pub const TILE_WORDS: u64 = TILE_ITEMS / u32::BITS as u64;

/// Threads of a block that marks heads.
pub const BLOCK_THREADS: u32 = 256;

/// Warps of a block that marks heads.
pub const WARPS: u32 = BLOCK_THREADS / WARP_LANES;

/// Bytes of shared memory of a block that marks heads.
pub const SHARED_BYTES: u32 = WARPS * TILE_WORDS as u32 * 4 + 256;

/// The most ranges.
pub const MOST_RANGES: u64 = 2048;

/// The number of items, for the scan or the reduction by key; and a counter, for the launch that marks the heads.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy)]
pub struct Summary {
    /// How many items there are.
    pub item_count: u64,
    /// How many blocks have marked their range; 0 when no launch runs.
    pub arrivals: u32,
}

/// The heads before a range. Until the last block has arrived, this struct has the heads of the range itself instead.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy)]
pub struct BeforeRange {
    /// One more than the index of the last head; 0 if there is no head.
    pub end: u64,
    /// How many heads there are.
    pub count: u64,
}

/// The heads before a tile, in the tile's range.
#[repr(C, align(8))]
#[derive(Debug, Clone, Copy)]
pub struct BeforeTile {
    /// One more than the last head's place in the range; 0 if there is no head.
    pub end: u32,
    /// How many heads there are.
    pub count: u32,
}

/// How the memory of the heads is divided. Offsets are in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// The binary logarithm of the number of tiles of a range.
    pub range_shift: u32,
    /// How many ranges there are.
    pub range_count: u64,
    /// The offset of the first [`BeforeTile`].
    pub tiles: u64,
    /// The offset of the first word of bits.
    pub bits: u64,
    /// How many bytes there are in all.
    pub bytes: u64,
}

impl Layout {
    /// The offset of the first [`BeforeRange`].
    pub const RANGES: u64 = size_of::<Summary>() as u64;

    /// The layout for up to `item_count` items. `item_count` is at least 1.
    #[inline(always)]
    pub const fn of(item_count: u64) -> Self {
        let tile_count = item_count.div_ceil(TILE_ITEMS);
        // The least shift with at most `MOST_RANGES` ranges.
        let range_shift = u64::BITS - leading_zeros((tile_count - 1) / MOST_RANGES);
        let range_count = ((tile_count - 1) >> range_shift) + 1;
        let tiles = Self::RANGES + range_count * size_of::<BeforeRange>() as u64;
        // Bits are read in vectors of 16 bytes.
        let bits = (tiles + tile_count * size_of::<BeforeTile>() as u64).next_multiple_of(16);
        Layout {
            range_shift,
            range_count,
            tiles,
            bits,
            bytes: bits + tile_count * TILE_WORDS * size_of::<u32>() as u64,
        }
    }

    /// The number of tiles of `item_count` items.
    #[inline(always)]
    pub const fn tile_count(item_count: u64) -> u64 {
        item_count.div_ceil(TILE_ITEMS)
    }
}

/// The heads, in global memory.
#[derive(Clone, Copy)]
pub struct Heads {
    memory: *mut u8,
    /// How the memory is divided.
    pub layout: Layout,
}

impl Heads {
    /// The heads at `memory`, with room for up to `item_count` items.
    #[inline(always)]
    pub fn new(memory: *mut u8, item_count: u64) -> Self {
        Heads {
            memory,
            layout: Layout::of(item_count),
        }
    }

    /// The address of the summary.
    #[inline(always)]
    pub fn summary(&self) -> *mut Summary {
        self.memory.cast()
    }

    /// The address of the heads before a range.
    #[inline(always)]
    pub fn range(&self, range: u64) -> *mut BeforeRange {
        let ranges: *mut BeforeRange = self.memory.wrapping_add(Layout::RANGES as usize).cast();
        ranges.wrapping_add(range as usize)
    }

    /// The address of the heads before a tile.
    #[inline(always)]
    pub fn tile(&self, tile: u64) -> *mut BeforeTile {
        let tiles: *mut BeforeTile = self.memory.wrapping_add(self.layout.tiles as usize).cast();
        tiles.wrapping_add(tile as usize)
    }

    /// The address of a word of bits.
    #[inline(always)]
    pub fn word(&self, word: u64) -> *mut u32 {
        let bits: *mut u32 = self.memory.wrapping_add(self.layout.bits as usize).cast();
        bits.wrapping_add(word as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_few_ranges_and_all_tiles_are_in_one() {
        for tiles in [1, 2, 2047, 2048, 2049, 4096, 4097, 65_536, 1 << 30] {
            for items in [(tiles - 1) * TILE_ITEMS + 1, tiles * TILE_ITEMS] {
                let layout = Layout::of(items);
                assert!(layout.range_count <= MOST_RANGES, "{layout:?}");
                assert!(
                    layout.range_count << layout.range_shift >= tiles,
                    "{layout:?}"
                );
                assert!(
                    (layout.range_count - 1) << layout.range_shift < tiles,
                    "{layout:?}"
                );
                assert!(layout.range_shift == 0 || tiles > MOST_RANGES);
                assert!(layout.bits.is_multiple_of(16));
            }
        }
        assert_eq!(Layout::of(1 << 28).range_shift, 5);
    }
}
