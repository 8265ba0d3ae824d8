//! What stands before a tile: which published values tell it, where they are on a board, and how they combine.

use std::iter;
use std::ops::Range;

use warpfold_kernels::contract::{SCAN_GROUP_TILES, ScanTiles};

/// A published value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// The aggregate of a tile.
    Tile(u64),
    /// The aggregate of a group of tiles.
    Group(u64),
    /// The prefix of a group.
    Prefix(u64),
}

/// Where the values are on the board of a scan.
pub(super) struct Places {
    tile_count: u64,
    group_count: u64,
}

impl Places {
    pub fn new(tiles: ScanTiles, item_count: u64) -> Self {
        Self {
            tile_count: tiles.count(item_count),
            group_count: tiles.group_count(item_count),
        }
    }

    pub fn of(&self, slot: Slot) -> u64 {
        match slot {
            Slot::Tile(tile) => tile,
            Slot::Group(group) => self.tile_count + group,
            Slot::Prefix(group) => self.tile_count + self.group_count + group,
        }
    }
}

/// The aggregates by which others know what these tiles add: of whole groups, and of the tiles of others.
pub(super) fn aggregates_of(tiles: Range<u64>) -> Vec<Slot> {
    let mut slots = Vec::new();
    let mut tile = tiles.start;
    while tile < tiles.end {
        let is_whole =
            tile.is_multiple_of(SCAN_GROUP_TILES) && tile + SCAN_GROUP_TILES <= tiles.end;
        let (slot, count) = match is_whole {
            true => (Slot::Group(tile / SCAN_GROUP_TILES), SCAN_GROUP_TILES),
            false => (Slot::Tile(tile), 1),
        };
        slots.push(slot);
        tile += count;
    }
    slots
}

/// What stands before a tile, in the making.
pub(super) struct Before<A> {
    /// The prefix of its group.
    prefix: A,
    /// The aggregates of the group's tiles; those that stand before it, and identities.
    tiles: [A; SCAN_GROUP_TILES as usize],
}

impl<A: Copy> Before<A> {
    pub fn new(identity: A) -> Self {
        Self {
            prefix: identity,
            tiles: [identity; SCAN_GROUP_TILES as usize],
        }
    }

    /// Adds what comes next.
    pub fn add(
        &mut self,
        slot: Slot,
        value: A,
        identity: A,
        combine: impl Fn(A, A) -> A,
        combine_group: impl Fn(&[A; SCAN_GROUP_TILES as usize]) -> A,
    ) {
        match slot {
            Slot::Tile(tile) => {
                let place = tile % SCAN_GROUP_TILES;
                self.tiles[place as usize] = value;
                if place + 1 == SCAN_GROUP_TILES {
                    self.prefix = combine(self.prefix, combine_group(&self.tiles));
                    self.tiles.fill(identity);
                }
            }
            Slot::Group(_) => self.prefix = combine(self.prefix, value),
            Slot::Prefix(_) => self.prefix = value,
        }
    }

    /// The same as the first of these tiles looks for it.
    pub fn seeds(&self, tiles: &Range<u64>, places: &Places) -> Vec<(u64, A)> {
        let group = tiles.start / SCAN_GROUP_TILES;
        let lower = group * SCAN_GROUP_TILES..tiles.start;
        let prefix = (places.of(Slot::Prefix(group)), self.prefix);
        let lower = iter::zip(lower, self.tiles);
        let lower = lower.map(|(tile, aggregate)| (places.of(Slot::Tile(tile)), aggregate));
        iter::once(prefix).chain(lower).collect()
    }
}
