//! A tile's prefix: look-back over the aggregates of the tiles before it, in a fixed order.
//!
//! After Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back* (2016), with two
//! departures. Their tiles publish prefixes, and a tile folds whatever it finds: the order, and so the bits of
//! a float result, change from run to run. Here
//!
//! 1. every tile publishes its aggregate, the last tile of every group of 32 the next group's prefix;
//! 2. a tile's prefix is its group's prefix and a fixed tree over the aggregates of the group's lower tiles;
//! 3. the group's prefix is a left fold of group aggregates, each the same tree over the group's tiles. So it has the same bits whether it
//!    is read, or folded from the prefix of an earlier group and the tiles after it.
//!
//! Where all tiles are under way at once, no prefix is known yet. A warp reads the aggregates of its group's tiles and of those of [seven
//! groups](crate::board::NEIGHBOURS) before at once, and folds them itself: it waits for the tiles, and for no other block's fold. A single
//! warp is slow: a look-back's time is mostly that of its instructions, one after another. So it has few instructions.
//!
//! **Progress.** A wait for a value of tile `u` is a wait for the block that holds `u`. That block waits only for values of tiles below
//! `u`, or for the copy of its own next tile, which depends on no block. Tiles are handed out in increasing order to blocks that run. So
//! the lowest unfinished tile never waits for ever, whatever the schedule and however few blocks are resident.
//!
//! Cost of a look-back: one warp, one round of loads if all is there (two of a patient one), a tree of 5 shuffles; where an operator
//! rounds and groups are folded, 9 shuffles more and one for each group. No barrier.

mod fold;
mod view;

use core::marker::PhantomData;

use crate::board::{Board, Glance};
use crate::contract::{ScanTiles, SCAN_GROUP_TILES, WARP_LANES};
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::simt;

pub use self::view::{Published, View};

use self::fold::Fold;

/// Tiles of a group.
pub const GROUP_TILES: u32 = SCAN_GROUP_TILES as u32;

/// The published values of a scan, accumulators of type `A`.
#[derive(Clone, Copy)]
pub struct Lookback<A> {
    board: Board,
    tile_count: u32,
    group_count: u32,
    accumulator: PhantomData<A>,
}

/// A published value.
#[derive(Clone, Copy)]
enum Slot {
    /// The aggregate of a tile.
    Tile(u32),
    /// The slot of a group's aggregate, if it is published.
    Group(u32),
    /// The prefix of a group.
    Prefix(u32),
}

/// A tile's place in its group.
#[inline(always)]
fn place_in_group(tile: u32) -> u32 {
    tile % GROUP_TILES
}

/// Whether a tile is the last of its group, and so speaks for it.
#[inline(always)]
pub fn is_group_last(tile: u32) -> bool {
    place_in_group(tile) == WARP_LANES - 1
}

impl<A: Accumulator> Lookback<A> {
    /// The published values, on `board`, of a scan of `item_count` items, divided into these tiles.
    #[inline(always)]
    pub fn new(board: Board, tiles: ScanTiles, item_count: u64) -> Self {
        Lookback {
            board,
            tile_count: tiles.count(item_count) as u32,
            group_count: tiles.group_count(item_count) as u32,
            accumulator: PhantomData,
        }
    }

    /// Where a value is on the board.
    #[inline(always)]
    fn place(&self, slot: Slot) -> u32 {
        match slot {
            Slot::Tile(tile) => tile,
            Slot::Group(group) => self.tile_count + group,
            Slot::Prefix(group) => self.tile_count + self.group_count + group,
        }
    }

    /// Publishes a value, as one thread.
    ///
    /// # Safety
    /// The slot is the scan's, and no other thread publishes it.
    #[inline(always)]
    unsafe fn publish(&self, slot: Slot, value: A) {
        // SAFETY: the board has a place for each of the scan's slots.
        unsafe { self.board.publish(self.place(slot), value) };
    }

    /// Publishes the aggregate of `tile`, as one thread.
    ///
    /// # Safety
    /// The calling block holds `tile`, and this is its only call for it.
    #[inline(always)]
    pub unsafe fn publish_tile(&self, tile: u32, aggregate: A) {
        // SAFETY: the caller's.
        unsafe { self.publish(Slot::Tile(tile), aggregate) };
    }

    /// Whether a tile is the scan's last.
    #[inline(always)]
    pub fn is_last(&self, tile: u32) -> bool {
        tile == self.tile_count - 1
    }

    /// The aggregate of a tile of the calling block's own, which is published.
    ///
    /// # Safety
    /// The calling block has published the tile, and a barrier lies between.
    #[inline(always)]
    pub unsafe fn published_tile(&self, tile: u32) -> A {
        // SAFETY: the caller's.
        unsafe { self.board.read(self.place(Slot::Tile(tile))).0 }
    }

    /// The prefix of `tile`, which begins with `initial`; valid on lane 0. If `tile` is the last of its group, publishes the next group's
    /// prefix.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds `tile`, once. The tile's aggregate is published, and a barrier lies between.
    #[inline(always)]
    pub unsafe fn look_back<O: Op<T, Accumulator = A>, T: Element>(
        &self,
        tile: u32,
        initial: A,
        manner: Manner,
    ) -> A {
        // SAFETY: the caller's; what is waited for are slots of lower tiles and groups, and the tile's own.
        unsafe {
            let view = View::complete(self, tile, manner.is_patient);
            let fold = Fold::<O, T> { view, initial };
            let (prefix, next) = fold.prefixes();
            if is_group_last(tile) {
                let group = tile / GROUP_TILES;
                if simt::lane() == 0 && group + 1 < self.group_count {
                    self.publish(Slot::Prefix(group + 1), next);
                }
                if manner.tells_group {
                    let aggregate = fold.own_group();
                    if simt::lane() == 0 {
                        self.publish(Slot::Group(group), aggregate);
                    }
                }
            }
            prefix
        }
    }
}

impl<A: Accumulator> Published for Lookback<A> {
    type Tile = A;
    type Prefix = A;

    #[inline(always)]
    unsafe fn glance(&self, tile: u32, group: u32, wanted: u32) -> Glance<A, A> {
        let (tile, prefix) = (Slot::Tile(tile), Slot::Prefix(group));
        // SAFETY: the caller's.
        unsafe {
            self.board
                .glance(self.place(tile), self.board, self.place(prefix), wanted)
        }
    }
}

/// How a warp looks back.
#[derive(Clone, Copy)]
pub struct Manner {
    /// Whether it first waits for its group's tiles, which are published last, and then reads the groups before. That is one read more, but
    /// far fewer reads find nothing.
    pub is_patient: bool,
    /// Whether the last tile of a group publishes the group's aggregate. No look-back asks for it.
    pub tells_group: bool,
}
