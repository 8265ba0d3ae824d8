//! Computes the prefix of a tile. The prefix is combined from published values, each of which has a slot on a board.

use std::iter;
use std::ops::Range;

use warpfold_kernels::contract::{SCAN_GROUP_TILES, ScanTiles};

/// Names a published value: its sort, and the number of its tile or tile group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// The aggregate of a tile.
    Tile(u64),
    /// The aggregate of a tile group.
    Group(u64),
    /// The prefix of a tile group.
    Prefix(u64),
}

/// The layout of the values on the board of a scan.
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

/// The aggregates of these tiles that other ranks need: one for each whole tile group, and one for each tile that is in no whole tile
/// group.
pub(super) fn aggregates_of(tiles: Range<u64>) -> impl Iterator<Item = Slot> {
    let whole = whole_groups(&tiles);
    let before = tiles.start..whole.start.saturating_mul(SCAN_GROUP_TILES).min(tiles.end);
    let after = before.end.max(whole.end * SCAN_GROUP_TILES)..tiles.end;
    let groups = whole.map(Slot::Group);
    before
        .map(Slot::Tile)
        .chain(groups)
        .chain(after.map(Slot::Tile))
}

/// The number of aggregates that [`aggregates_of`] lists. They are counted without the list, since the number of tiles comes from a peer
/// and may be huge.
pub(super) fn aggregate_count(tiles: Range<u64>) -> u64 {
    let whole = whole_groups(&tiles);
    let groups = whole.end - whole.start;
    (tiles.end - tiles.start) - groups * (SCAN_GROUP_TILES - 1)
}

/// The tile groups that consist of these tiles only.
fn whole_groups(tiles: &Range<u64>) -> Range<u64> {
    let first = tiles.start.div_ceil(SCAN_GROUP_TILES);
    first..first.max(tiles.end / SCAN_GROUP_TILES)
}

/// A tile's prefix, while it is computed.
pub(super) struct Before<A> {
    /// The prefix of the tile's tile group.
    prefix: A,
    /// The aggregates of the tile group's earlier tiles, and identities for its other tiles.
    tiles: [A; SCAN_GROUP_TILES as usize],
}

impl<A: Copy> Before<A> {
    pub fn new(identity: A) -> Self {
        Self {
            prefix: identity,
            tiles: [identity; SCAN_GROUP_TILES as usize],
        }
    }

    /// Adds the next published value.
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

    /// The slots and values that the first of these tiles looks for: the prefix of its tile group, and the aggregates of the earlier tiles
    /// of that tile group.
    pub fn seeds(&self, tiles: &Range<u64>, places: &Places) -> Vec<(u64, A)> {
        let group = tiles.start / SCAN_GROUP_TILES;
        let lower = group * SCAN_GROUP_TILES..tiles.start;
        let prefix = (places.of(Slot::Prefix(group)), self.prefix);
        let lower = iter::zip(lower, self.tiles);
        let lower = lower.map(|(tile, aggregate)| (places.of(Slot::Tile(tile)), aggregate));
        iter::once(prefix).chain(lower).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aggregates_cover_the_tiles_once_and_in_order() {
        let group = SCAN_GROUP_TILES;
        for start in [0, 1, group - 1, group, group + 1] {
            for end in [0, 1, group, 2 * group - 1, 2 * group, 3 * group + 5] {
                let tiles = start..end.max(start);
                let mut next = start;
                let mut count = 0;
                for slot in aggregates_of(tiles.clone()) {
                    let (first, tile_count) = match slot {
                        Slot::Tile(tile) => (tile, 1),
                        Slot::Group(group) => (group * SCAN_GROUP_TILES, SCAN_GROUP_TILES),
                        Slot::Prefix(_) => panic!("a prefix"),
                    };
                    assert_eq!(first, next, "{tiles:?}");
                    next += tile_count;
                    count += 1;
                }
                assert_eq!((next, count), (tiles.end, aggregate_count(tiles)));
            }
        }
        assert_eq!(aggregate_count(1..u64::MAX), (u64::MAX >> 5) + 2 * 31 - 1);
    }
}
