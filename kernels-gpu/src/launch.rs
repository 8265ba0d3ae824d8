//! What a launch has to provide: shared memory, and the residency that the kernels are compiled for.
//!
//! Unlike the numbers in [`crate::contract`], nothing here changes a result.

use crate::contract::BLOCK_WARPS;

/// Blocks of a reduction that share a multiprocessor: what the compiler fits the registers to.
pub const REDUCE_BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

/// Blocks of a scan that share a multiprocessor: what the compiler fits the registers to.
pub const SCAN_BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

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

/// The shared memory of a scan's block.
#[repr(C)]
pub struct ScanShared<T> {
    /// Scratch of `block::scan`.
    pub totals: WarpTotals<T>,
    /// What stands before the tile that is leaving.
    pub prefix: T,
    /// The block's latest ticket.
    pub next_tile: u32,
    /// The launch's tag.
    pub tag: u32,
}

/// Bytes of dynamic shared memory that a block of a reduction needs.
pub const fn reduce_shared_bytes<T>() -> u32 {
    size_of::<ReduceShared<T>>() as u32
}

/// Bytes of dynamic shared memory that a block of a scan needs.
pub const fn scan_shared_bytes<T>() -> u32 {
    size_of::<ScanShared<T>>() as u32
}
