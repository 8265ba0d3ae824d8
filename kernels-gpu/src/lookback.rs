//! What stands before a tile: look-back over the aggregates of the tiles before it, in a fixed order.
//!
//! After Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back* (2016), with two
//! departures. Their tiles publish prefixes, and a tile folds whatever it finds: the order, and so the bits of
//! a float result, change from run to run. Here
//!
//! 1. every tile publishes its aggregate, the last tile of every group of 32 the group's aggregate and then the
//!    next group's prefix;
//! 2. a tile's prefix is its group's prefix and a fixed tree over the aggregates of the group's lower tiles;
//! 3. the group's prefix is a left fold of group aggregates, so it has the same bits whether it is read, or
//!    folded from any earlier group's prefix that happens to be known.
//!
//! **Progress.** Whoever waits for something of tile `u` waits for the block that holds `u`, and that block
//! only ever waits for something of tiles below `u`. Tiles are handed out in increasing order to blocks that
//! run. So the lowest unfinished tile never waits for ever, whatever the schedule and however few blocks are
//! resident.
//!
//! Cost of a look-back: one warp, one round of loads if all is there, 6 shuffles and a step for each
//! group between the known prefix and the tile's group (31 at most); no barrier.

use crate::board::Board;
use crate::contract::{scan_group_count, scan_tile_count, SCAN_GROUP_TILES, WARP_LANES};
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::{simt, warp};

/// Tiles of a group.
const GROUP_TILES: u32 = SCAN_GROUP_TILES as u32;

/// The published values of a scan.
#[derive(Clone, Copy)]
pub struct Lookback {
    board: Board,
    tile_count: u32,
    group_count: u32,
}

/// A published value.
#[derive(Clone, Copy)]
enum Slot {
    /// The aggregate of a tile.
    Tile(u32),
    /// The aggregate of a group.
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

impl Lookback {
    /// The published values, on `board`, of a scan of `item_count` items of type `T`.
    #[inline(always)]
    pub fn new<T: Element>(board: Board, item_count: u64) -> Self {
        Lookback {
            board,
            tile_count: scan_tile_count::<T>(item_count) as u32,
            group_count: scan_group_count::<T>(item_count) as u32,
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
    /// The slot is the scan's, and nobody else publishes it.
    #[inline(always)]
    unsafe fn publish<A: Accumulator>(&self, slot: Slot, value: A) {
        // SAFETY: the board has a place for each of the scan's slots.
        unsafe { self.board.publish(self.place(slot), value) };
    }

    /// Reads a value, and whether it is published yet.
    ///
    /// # Safety
    /// The slot is the scan's.
    #[inline(always)]
    unsafe fn read<A: Accumulator>(&self, slot: Slot) -> (A, bool) {
        // SAFETY: the board has a place for each of the scan's slots.
        unsafe { self.board.read(self.place(slot)) }
    }

    /// Publishes the aggregate of `tile`, as one thread.
    ///
    /// # Safety
    /// The calling block holds `tile`, and this is its only call for it.
    #[inline(always)]
    pub unsafe fn publish_tile<A: Accumulator>(&self, tile: u32, aggregate: A) {
        // SAFETY: the caller's.
        unsafe { self.publish(Slot::Tile(tile), aggregate) };
    }

    /// Publishes the aggregate of the group that ends with `tile`, and gives it (valid on lane 0).
    /// Waits for the aggregates of the group's other tiles.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds `tile`, once. [`is_group_last`] holds for it.
    #[inline(always)]
    pub unsafe fn publish_group<O: Op<T>, T: Element>(
        &self,
        tile: u32,
        aggregate: O::Accumulator,
    ) -> O::Accumulator {
        let lane = simt::lane();
        let first = tile - (GROUP_TILES - 1);
        // SAFETY: the caller's; the slots are those of the group's tiles.
        unsafe {
            let mut value = aggregate;
            let mut waiting = lane < WARP_LANES - 1;
            while simt::ballot(waiting) != 0 {
                if waiting {
                    let (read, published) = self.read(Slot::Tile(first + lane));
                    value = read;
                    waiting = !published;
                }
            }
            let total = warp::reduce::<O, T, WARP_LANES>(value);
            if lane == 0 {
                self.publish(Slot::Group(tile / GROUP_TILES), total);
            }
            total
        }
    }

    /// What stands before `tile`; valid on lane 0. If `tile` is the last of its group, publishes the next
    /// group's prefix; `group_aggregate` is then what [`Self::publish_group`] gave.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds `tile`, once.
    #[inline(always)]
    pub unsafe fn look_back<O: Op<T>, T: Element>(
        &self,
        tile: u32,
        group_aggregate: O::Accumulator,
    ) -> O::Accumulator {
        let lane = simt::lane();
        let place = place_in_group(tile);
        let group = tile / GROUP_TILES;

        // Lane l waits for the aggregate of the group's tile l. In the same rounds it looks at the prefix of the
        // group l before this one and at the aggregate of the group before that one: the rounds end when
        // some prefix is there and with it the aggregates of all groups from it to this one.
        let mut lower = O::identity();
        let mut prefix = O::identity();
        let mut between = O::identity();
        let mut lower_waits = lane < place;
        let mut prefix_known = lane >= group;
        let mut between_known = false;
        let mut nearest;
        // SAFETY: the caller's; the slots are those of lower tiles and groups.
        unsafe {
            loop {
                if lower_waits {
                    let (read, published) = self.read(Slot::Tile(group * GROUP_TILES + lane));
                    if published {
                        lower = read;
                        lower_waits = false;
                    }
                }
                if lane < group {
                    if !prefix_known {
                        let (read, published) = self.read(Slot::Prefix(group - lane));
                        if published {
                            prefix = read;
                            prefix_known = true;
                        }
                    }
                    if !between_known {
                        let (read, published) = self.read(Slot::Group(group - 1 - lane));
                        if published {
                            between = read;
                            between_known = true;
                        }
                    }
                }
                let complete = simt::ballot(lower_waits) == 0;
                let known = simt::ballot(prefix_known);
                let missing = simt::ballot(!between_known);
                // The lowest lane that knows a prefix; every lane below it must know what lies between.
                nearest = known.trailing_zeros();
                if complete && known != 0 && missing.trailing_zeros() >= nearest {
                    break;
                }
            }

            let mut group_prefix = warp::shuffle_from(prefix, nearest);
            while nearest > 0 {
                nearest -= 1;
                group_prefix = O::combine(group_prefix, warp::shuffle_from(between, nearest));
            }
            if lane == 0 && is_group_last(tile) && group + 1 < self.group_count {
                let next = O::combine(group_prefix, group_aggregate);
                self.publish(Slot::Prefix(group + 1), next);
            }
            let lower = warp::reduce::<O, T, WARP_LANES>(lower);
            O::combine(group_prefix, lower)
        }
    }
}
