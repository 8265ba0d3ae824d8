//! What a launch has to provide: shared memory, and the residency that the kernels are compiled for.
//!
//! Unlike the numbers in [`crate::contract`], nothing here changes a result.

use crate::contract::{BLOCK_WARPS, TILE_BYTES};

/// Blocks of a reduction that share a multiprocessor: what the compiler fits the registers to.
pub const REDUCE_BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

/// Blocks of a scan that share a multiprocessor: what the compiler fits the registers to.
pub const SCAN_BLOCKS_PER_MULTIPROCESSOR: u32 = 3;

/// A total for each warp of a block.
#[repr(C)]
pub struct WarpTotals<T>([T; BLOCK_WARPS as usize]);

/// The shared memory of a reduction's block.
#[repr(C)]
pub struct ReduceShared<T> {
    /// Scratch of `block::reduce`.
    pub totals: WarpTotals<T>,
    /// Whether this block is the last to arrive.
    pub is_last: u32,
}

/// A tile's bytes.
#[repr(C, align(16))]
pub struct Tile([u8; TILE_BYTES]);

/// The shared memory of a scan's block.
#[repr(C)]
pub struct ScanShared<T, const BUFFERS: usize> {
    /// The tile that waits for its prefix and, where there is a second buffer, the one that is being copied; they
    /// change places every turn.
    pub tiles: [Tile; BUFFERS],
    /// Scratch of `block::scan`.
    pub totals: WarpTotals<T>,
    /// What stands before the tile that is leaving, in turns of even and of odd number: while some warps still read
    /// the prefix of one turn, the first may find that of the next.
    pub prefixes: [T; 2],
    /// The block's latest ticket.
    pub next_tile: u32,
    /// The launch's tag.
    pub tag: u32,
}

/// Bytes of dynamic shared memory that a block of a reduction needs.
pub const fn reduce_shared_bytes<T>() -> u32 {
    size_of::<ReduceShared<T>>() as u32
}

/// Bytes of dynamic shared memory that a block of a scan needs. More than the 48 KiB that a kernel may use without
/// being allowed to, where copies are asynchronous.
pub const fn scan_shared_bytes<T>(copies: Copies) -> u32 {
    match copies {
        Copies::Synchronous => {
            size_of::<ScanShared<T, { Copies::Synchronous.scan_buffers() }>>() as u32
        }
        Copies::Asynchronous => {
            size_of::<ScanShared<T, { Copies::Asynchronous.scan_buffers() }>>() as u32
        }
    }
}

/// Whether kernels copy from global to shared memory while they do something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copies {
    /// They cannot: compute capability below 8.0.
    Synchronous,
    /// They do: PTX for compute capability 8.0 and above.
    Asynchronous,
}

impl Copies {
    /// What kernels compiled for a compute capability with this major number do.
    pub const fn of_capability(major: u32) -> Self {
        if major >= 8 {
            Copies::Asynchronous
        } else {
            Copies::Synchronous
        }
    }

    /// Tiles that a block of a scan keeps in shared memory.
    pub const fn scan_buffers(self) -> usize {
        match self {
            Copies::Synchronous => 1,
            Copies::Asynchronous => 2,
        }
    }
}
