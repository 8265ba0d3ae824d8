//! A tile's prefix: look-back over the aggregates of the tiles before it, in a fixed order.
//!
//! The method is that of Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back* (2016), with another order of
//! combination. In their method each tile publishes its aggregate and then its prefix, and a look-back folds whatever values it finds. So
//! the order, and the bits of a float result, change from launch to launch. Here the order is fixed:
//!
//! 1. Every tile publishes its aggregate. The last tile of every group of 32 also publishes the prefix of the next group, if there is one.
//! 2. A tile's prefix combines two values: its group's prefix, and the aggregates of the group's lower tiles, combined by a fixed tree.
//! 3. A group's prefix is a left fold of the aggregates of all earlier groups. The same tree combines a group's tiles to the group's
//!    aggregate. So a warp that reads a published prefix gets the same bits as a warp that folds this prefix itself, from the prefix of an
//!    earlier group and the aggregates of the tiles in between.
//!
//! There are two sorts of look-back: far look-backs, for some scans with large accumulators (the module `far`), and near look-backs, for
//! all other scans. If the running blocks hold all tiles of a launch at once, look-backs begin before any prefix is published. Then a warp
//! with a near look-back reads the aggregates of tiles of its own group and of up to [seven groups](crate::board::NEIGHBOURS) before it,
//! and folds these aggregates itself. So in the first few groups such a warp waits only for aggregates of tiles, and not for a prefix that
//! another block folds. A look-back spends most of its time on the latency of one warp's instructions. So a look-back has few instructions.
//!
//! **Progress.** A warp that waits for a value of tile `u` waits for the block that holds `u`. That block waits only for values of tiles
//! below `u`, and for the copies of its own tiles to shared memory. The copies depend on no other block. Only running blocks take tiles, in
//! increasing order. So the lowest unfinished tile always gets finished, with any schedule and any number of resident blocks.
//!
//! A look-back takes one warp, and no barrier of the block. If the values that it needs are published, it takes one round of loads. Even
//! then it takes two rounds if it is [patient](Manner::is_patient) and folds earlier groups.
//!
//! A near look-back takes these shuffles of accumulators:
//!
//! - If the values may be combined in any order: a tree of 5 shuffles.
//! - Otherwise, if no earlier group is folded: the tree, and one more shuffle, which gives all lanes the known prefix.
//! - Otherwise, with a wide accumulator, or if the operator's [`Op::GROUP_TREE`] combines neighbours first: the tree, the shuffle of the
//!   known prefix, and 5 more shuffles for each folded group.
//! - Otherwise: the shuffle of the known prefix, 9 shuffles that take the place of the tree, and 7 more, which give all lanes the
//!   aggregates of the earlier groups.
//!
//! The last tile of a group takes up to 5 shuffles more for the next group's prefix, and 5 more if it also publishes its group's aggregate.

mod far;
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

/// The published values of a scan with accumulators of type `A`.
#[derive(Clone, Copy)]
pub struct Lookback<A> {
    board: Board,
    tile_count: u32,
    group_count: u32,
    accumulator: PhantomData<A>,
}

/// A slot of the board, named after the published value that it has.
#[derive(Clone, Copy)]
enum Slot {
    /// The aggregate of a tile.
    Tile(u32),
    /// The aggregate of a group. Two sorts of launches publish it: those that [store no results](crate::launch::SCAN_PUBLISHES_ONLY), and
    /// those that look far back.
    Group(u32),
    /// The prefix of a group.
    Prefix(u32),
}

/// A tile's place in its group.
#[inline(always)]
fn place_in_group(tile: u32) -> u32 {
    tile % GROUP_TILES
}

/// Whether a tile is the last of its group. Such a tile publishes the prefix of the next group, if there is one.
#[inline(always)]
pub fn is_group_last(tile: u32) -> bool {
    place_in_group(tile) == WARP_LANES - 1
}

impl<A: Accumulator> Lookback<A> {
    /// The values that a scan publishes on `board`. The scan has `item_count` items, and `tiles` divides them into tiles.
    #[inline(always)]
    pub fn new(board: Board, tiles: ScanTiles, item_count: u64) -> Self {
        Lookback {
            board,
            tile_count: tiles.count(item_count) as u32,
            group_count: tiles.group_count(item_count) as u32,
            accumulator: PhantomData,
        }
    }

    /// The number of the slot on the board.
    #[inline(always)]
    fn place(&self, slot: Slot) -> u32 {
        match slot {
            Slot::Tile(tile) => tile,
            Slot::Group(group) => self.tile_count + group,
            Slot::Prefix(group) => self.tile_count + self.group_count + group,
        }
    }

    /// Publishes a value. One thread calls this.
    ///
    /// # Safety
    /// The scan has the slot's tile or group, the scan's board has room for all slots of the scan, and no other thread publishes the slot.
    #[inline(always)]
    unsafe fn publish(&self, slot: Slot, value: A) {
        // SAFETY: the board has a place for each of the scan's slots, and no other thread publishes this slot: this function's conditions.
        unsafe { self.board.publish(self.place(slot), value) };
    }

    /// Publishes the aggregate of `tile`. One thread calls this.
    ///
    /// # Safety
    /// The calling block holds `tile`, and publishes it only once.
    #[inline(always)]
    pub unsafe fn publish_tile(&self, tile: u32, aggregate: A) {
        // SAFETY: only the block that holds a tile publishes it, and it does so once: this function's condition.
        unsafe { self.publish(Slot::Tile(tile), aggregate) };
    }

    /// Whether a tile is the scan's last.
    #[inline(always)]
    pub fn is_last(&self, tile: u32) -> bool {
        tile == self.tile_count - 1
    }

    /// The published aggregate of one of the calling block's own tiles.
    ///
    /// # Safety
    /// The calling block has published the tile. A barrier lies between the publication and this call.
    #[inline(always)]
    pub unsafe fn published_tile(&self, tile: u32) -> A {
        // SAFETY: the tile is published (this function's condition), so the board has its slot.
        unsafe { self.board.read(self.place(Slot::Tile(tile))).0 }
    }

    /// The prefix of `tile`, valid on lane 0. The scan begins with `initial`. If `tile` is the last of its group, this function also
    /// publishes the prefix of the next group, if there is one.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds `tile`, once for each tile. The block has published the tile's aggregate. A
    /// barrier lies between the publication and this call.
    #[inline(always)]
    pub unsafe fn look_back<O: Op<T, Accumulator = A>, T: Element>(
        &self,
        tile: u32,
        initial: A,
        manner: Manner,
    ) -> A {
        // SAFETY: the conditions of `complete` are this function's. The fold requires a complete view, and `View::complete` returns one.
        // All lanes take the same branches around warp functions. Only the block with a group's last tile publishes the group's aggregate
        // and the next group's prefix, so no other block publishes these slots.
        unsafe {
            let view = View::complete(self, tile, manner.is_patient);
            let fold = Fold::<O, T> { view, initial };
            let (prefix, next) = fold.prefixes();
            if is_group_last(tile) {
                let group = tile / GROUP_TILES;
                if simt::lane() == 0 && group + 1 < self.group_count {
                    self.publish(Slot::Prefix(group + 1), next);
                }
                if manner.publishes_group {
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
        // SAFETY: the wanted tiles and group exist (this function's condition), so the board has their slots.
        unsafe {
            self.board
                .glance(self.place(tile), self.board, self.place(prefix), wanted)
        }
    }
}

/// How a warp looks back.
#[derive(Clone, Copy)]
pub struct Manner {
    /// Whether the warp first waits for its own group's tiles, which are published last, and then reads the earlier groups. If such a
    /// look-back folds earlier groups, it reads the board once more than it would otherwise. But fewer of its reads find a value that is
    /// not published yet.
    pub is_patient: bool,
    /// Whether the last tile of a group also publishes the group's aggregate. The host reads it, and no look-back of this launch does.
    pub publishes_group: bool,
}
