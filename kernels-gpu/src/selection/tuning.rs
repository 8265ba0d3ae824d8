//! What decides the speed of selections and no bit. Each number says where it was measured and when. All are of compute capability
//! 9.0; devices of others run with the same ones.

/// Warps of a block that share a tile.
pub const WARPS: u32 = 16;

/// Blocks that share a multiprocessor: what the compiler fits the registers to.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// The most tiles that a block has in hand: one that arrives, one that has arrived, and one that waits for its prefix.
pub const BUFFERS: u32 = 3;
