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
//!    folded from any earlier group's prefix that happens to be known. The aggregate of the group just before may itself
//!    be folded, from its tiles', where these are known and it is not.
//!
//! **Progress.** Whoever waits for something of tile `u` waits for the block that holds `u`, and that block
//! only ever waits for something of tiles below `u`, or for its own next tile to arrive, which waits for nobody. Tiles are handed out in increasing order to blocks that
//! run. So the lowest unfinished tile never waits for ever, whatever the schedule and however few blocks are
//! resident.
//!
//! Cost of a look-back: one warp, one round of loads if all is there (two of a patient one), 6 shuffles and a step for each
//! group between the known prefix and the tile's group (31 at most); no barrier.

use crate::board::Board;
use crate::contract::{ScanTiles, SCAN_GROUP_TILES, WARP_LANES};
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
    /// The published values, on `board`, of a scan of `item_count` items, divided into these tiles.
    #[inline(always)]
    pub fn new(board: Board, tiles: ScanTiles, item_count: u64) -> Self {
        Lookback {
            board,
            tile_count: tiles.count(item_count) as u32,
            group_count: tiles.group_count(item_count) as u32,
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

    /// Looks for a value, if it is waited for, and ends the waiting if it is published.
    ///
    /// # Safety
    /// The slot is the scan's where it is waited for.
    #[inline(always)]
    unsafe fn poll<A: Accumulator>(&self, slot: Slot, value: &mut A, waits: &mut bool) {
        if *waits {
            // SAFETY: the board has a place for each of the scan's slots.
            let (read, is_published) = unsafe { self.board.read(self.place(slot)) };
            if is_published {
                *value = read;
                *waits = false;
            }
        }
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
    pub unsafe fn published_tile<A: Accumulator>(&self, tile: u32) -> A {
        // SAFETY: the caller's.
        unsafe { self.board.read(self.place(Slot::Tile(tile))).0 }
    }

    /// Publishes the aggregate of a group, and gives it (valid on lane 0). Waits for the aggregates of the group's tiles.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds the group's last tile, once.
    #[inline(always)]
    unsafe fn publish_group<O: Op<T>, T: Element>(&self, group: u32) -> O::Accumulator {
        let lane = simt::lane();
        // SAFETY: the caller's; the slots are those of the group's tiles.
        unsafe {
            let mut value = O::identity();
            let mut waits = true;
            while simt::ballot(waits) != 0 {
                self.poll(
                    Slot::Tile(group * GROUP_TILES + lane),
                    &mut value,
                    &mut waits,
                );
            }
            let total = warp::reduce_group::<O, T>(value);
            if lane == 0 {
                self.publish(Slot::Group(group), total);
            }
            total
        }
    }

    /// What stands before `tile`, where `initial` stands before the first item; valid on lane 0. If `tile` is the last of its group, publishes the group's aggregate
    /// and the next group's prefix.
    ///
    /// It looks for everything at once; or, if it is patient, first waits for the group's tiles, which are the last to be
    /// published, and then looks for the rest: one more read, of which far fewer are in vain.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds `tile`, once.
    #[inline(always)]
    pub unsafe fn look_back<O: Op<T>, T: Element>(
        &self,
        tile: u32,
        initial: O::Accumulator,
        is_patient: bool,
    ) -> O::Accumulator {
        let lane = simt::lane();
        let place = place_in_group(tile);
        let group = tile / GROUP_TILES;
        let mut group_aggregate = O::identity();
        if is_group_last(tile) {
            // SAFETY: the caller's.
            group_aggregate = unsafe { self.publish_group::<O, T>(group) };
        }

        // Lane l waits for the aggregate of the group's tile l. In the same rounds it looks at the prefix of the
        // group l before this one, at the aggregate of the group before that one, and at tile l of the group before
        // this one, whose aggregate may not be published yet. The rounds end when some prefix is there and with it the
        // aggregates of all groups from it to this one.
        let mut lower = O::identity();
        let mut lower_waits = lane < place;
        // That of group 0 nobody publishes.
        let mut prefix = initial;
        let mut prefix_waits = lane < group;
        let mut between = O::identity();
        let mut between_waits = lane < group;
        let mut neighbour = O::identity();
        let mut neighbour_waits = group > 0;
        let mut known_groups;
        let mut nearest;
        // SAFETY: the caller's; the slots that are waited for are those of lower tiles and groups.
        unsafe {
            loop {
                let slot = Slot::Tile(group * GROUP_TILES + lane);
                self.poll(slot, &mut lower, &mut lower_waits);
                let is_complete = simt::ballot(lower_waits) == 0;
                if is_patient && !is_complete {
                    continue;
                }
                let slot = Slot::Prefix(group.wrapping_sub(lane));
                self.poll(slot, &mut prefix, &mut prefix_waits);
                let slot = Slot::Group(group.wrapping_sub(lane + 1));
                self.poll(slot, &mut between, &mut between_waits);
                let slot = Slot::Tile((group * GROUP_TILES + lane).wrapping_sub(GROUP_TILES));
                self.poll(slot, &mut neighbour, &mut neighbour_waits);

                let has_neighbour = simt::ballot(neighbour_waits) == 0;
                known_groups = simt::ballot(lane < group && !between_waits);
                // The lowest lane that knows a prefix; what lies between it and this group must be known.
                nearest = simt::ballot(!prefix_waits).trailing_zeros();
                let reach = (known_groups | has_neighbour as u32).trailing_ones();
                if is_complete && nearest < WARP_LANES && reach >= nearest {
                    break;
                }
            }

            let mut group_prefix = warp::shuffle_from(prefix, nearest);
            while nearest > 0 {
                nearest -= 1;
                let aggregate = if known_groups >> nearest & 1 == 1 {
                    warp::shuffle_from(between, nearest)
                } else {
                    warp::reduce_group::<O, T>(neighbour)
                };
                group_prefix = O::combine(group_prefix, aggregate);
            }
            if lane == 0 && is_group_last(tile) && group + 1 < self.group_count {
                let next = O::combine(group_prefix, group_aggregate);
                self.publish(Slot::Prefix(group + 1), next);
            }
            let lower = warp::reduce_group::<O, T>(lower);
            O::combine(group_prefix, lower)
        }
    }
}
