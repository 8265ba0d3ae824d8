//! What a launch has to provide: shared memory, and the residency that the kernels are compiled for.
//!
//! Unlike the numbers in [`crate::contract`], nothing here changes a result.

use crate::contract::{
    BLOCK_THREADS, BLOCK_WARPS, SCAN_ROWS, THREAD_VECTORS, VECTOR_BYTES, WARP_LANES,
};

/// Blocks of a reduction that share a multiprocessor: what the compiler fits the registers to.
pub const REDUCE_BLOCKS_PER_MULTIPROCESSOR: u32 = 4;

/// Blocks of a scan that share a multiprocessor: what the compiler fits the registers to.
pub const SCAN_BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// Threads of a scan's block: those that scan, and a warp that looks back.
pub const SCAN_BLOCK_THREADS: u32 = BLOCK_THREADS + WARP_LANES;

/// A total for each warp of a block.
#[repr(C)]
pub struct WarpTotals<A>([A; BLOCK_WARPS as usize]);

/// `ROWS` vectors of each thread of a block.
#[repr(C, align(16))]
pub struct Tile<const ROWS: usize>([[u8; BLOCK_THREADS as usize * VECTOR_BYTES]; ROWS]);

/// The shared memory of a reduction's block, with accumulators of type `A`.
#[repr(C)]
pub struct ReduceShared<A> {
    /// A tile that is not made of whole, aligned vectors.
    pub tile: Tile<THREAD_VECTORS>,
    /// Scratch of `block::reduce`.
    pub totals: WarpTotals<A>,
    /// Whether this block took the last ticket.
    pub is_last: u32,
    /// The launch's tag.
    pub tag: u32,
}

/// What the warps of a scan's block tell each other in a turn.
#[repr(C)]
pub struct Hand<A> {
    /// Scratch of `block::scan`.
    pub totals: WarpTotals<A>,
    /// What stands before the tile that is leaving.
    pub prefix: A,
    /// The ticket of the next tile.
    pub ticket: u32,
}

/// The shared memory of a scan's block, with accumulators of type `A`.
#[repr(C)]
pub struct ScanShared<A, const BUFFERS: usize> {
    /// The tile that leaves, the one that arrives and, where copies are asynchronous, the one that is being copied; they
    /// change places every turn.
    pub tiles: [Tile<SCAN_ROWS>; BUFFERS],
    /// What the block's warps tell each other in turns of even and of odd number: while some still read what was written in
    /// one turn, others may write what is for the next. The first ticket goes with the odd ones.
    pub hands: [Hand<A>; 2],
    /// The launch's tag.
    pub tag: u32,
}

/// Bytes of dynamic shared memory that a block of a reduction with accumulators of type `A` needs.
pub const fn reduce_shared_bytes<A>() -> u32 {
    size_of::<ReduceShared<A>>() as u32
}

/// Bytes of dynamic shared memory that a block of a scan with accumulators of type `A` needs. More than the 48 KiB that a kernel may use without
/// being allowed to, where copies are asynchronous.
pub const fn scan_shared_bytes<A>(copies: Copies) -> u32 {
    match copies {
        Copies::Synchronous => {
            size_of::<ScanShared<A, { Copies::Synchronous.scan_buffers() }>>() as u32
        }
        Copies::Asynchronous => {
            size_of::<ScanShared<A, { Copies::Asynchronous.scan_buffers() }>>() as u32
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
            Copies::Asynchronous => 3,
        }
    }
}
