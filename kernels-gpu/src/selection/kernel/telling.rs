//! The exchange between the warps that share a tile and the warp that looks back: tiles one way, prefixes the other.
//!
//! As a scan does it. Each turn has a slot of shared memory and a barrier for each direction. The sender writes the slot, arrives at the
//! barrier and goes on. The receiver waits at the barrier, and reads.
//!
//! A tile's slot is written atomically, which the barrier does not need: `compute-sanitizer`'s `racecheck` orders accesses
//! by how many barriers each warp has waited at, and the warp that looks back has waited at fewer.
//!
//! **A slot is free again in time.** Slots and barriers serve again after [`TURNS`] turns. A tile leaves one turn after that in which it
//! arrived, or in the same. So when the last warp sends the tile of turn t + 4, or the end in its stead, it has received the prefix of turn
//! t. So the tile of turn t was read. When the other warp sends the prefix of turn t + 4, it has received that turn's tile. All warps had
//! asked for the prefix of turn t + 1 before that, so they had read the prefix of turn t.

use crate::scan::tuning::TURNS;
use crate::selection::tuning::WARPS;
use crate::simt;

/// The first of the barriers for tiles.
const TILE_BARRIERS: u32 = 2;
/// The first of the barriers for prefixes.
const PREFIX_BARRIERS: u32 = TILE_BARRIERS + TURNS as u32;

/// The last warp that shares the tiles and the one that looks back.
const TOLD_A_TILE: u32 = 2;

/// The warps that share the tiles and the one that looks back.
const TOLD_A_PREFIX: u32 = WARPS + 1;

/// The slot of a turn.
#[inline(always)]
fn slot(turn: u32) -> u32 {
    turn % TURNS as u32
}

/// The slots for tiles, in the block's own shared memory.
pub type Tiles = *mut [u32; TURNS];
/// The slots for prefixes of type `A`, in the block's own shared memory.
pub type Prefixes<A> = *mut [A; TURNS];

/// Sends the tile of a turn, or the end, to the warp that looks back.
///
/// # Safety
/// Convergent: at least the last warp that shares the tiles, whose first thread published the tile. Once for each turn, in
/// order.
#[inline(always)]
pub unsafe fn tell_tile(tiles: Tiles, turn: u32, tile: u32) {
    if simt::warp() != WARPS - 1 {
        return;
    }
    // SAFETY: the caller's; the slot's last tile has been read.
    unsafe {
        if simt::lane() == 0 {
            let slot = &raw mut (*tiles)[slot(turn) as usize];
            simt::store_shared_atomically(slot, tile);
        }
        simt::arrive_at_barrier(TILE_BARRIERS + slot(turn), TOLD_A_TILE);
    }
}

/// The tile of a turn, or the end of the tiles for none.
///
/// # Safety
/// Convergent: the warp that looks back. Once for each turn, in order.
#[inline(always)]
pub unsafe fn await_tile(tiles: Tiles, turn: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe {
        simt::wait_at_barrier(TILE_BARRIERS + slot(turn), TOLD_A_TILE);
        (*tiles)[slot(turn) as usize]
    }
}

/// Tells the warps that share the tiles the prefix, valid on lane 0, of the tile of a turn.
///
/// # Safety
/// Convergent: the warp that looks back. Once for each turn, in order.
#[inline(always)]
pub unsafe fn tell_prefix<A>(prefixes: Prefixes<A>, turn: u32, prefix: A) {
    // SAFETY: the caller's; the slot's last prefix has been read.
    unsafe {
        if simt::lane() == 0 {
            (&raw mut (*prefixes)[slot(turn) as usize]).write(prefix);
        }
        simt::arrive_at_barrier(PREFIX_BARRIERS + slot(turn), TOLD_A_PREFIX);
    }
}

/// The prefix of the tile of a turn.
///
/// # Safety
/// Convergent: all warps that share the tiles. Once for each turn, in order.
#[inline(always)]
pub unsafe fn await_prefix<A: Copy>(prefixes: Prefixes<A>, turn: u32) -> A {
    // SAFETY: the caller's.
    unsafe {
        simt::wait_at_barrier(PREFIX_BARRIERS + slot(turn), TOLD_A_PREFIX);
        (*prefixes)[slot(turn) as usize]
    }
}
