//! The look-back for a tile's prefix: the number of chosen items before the tile and, for runs, the index of the last head before the tile.
//! The look-back adds up the counts that earlier tiles publish. For runs, each count is published together with the place of the last head.
//!
//! The module [`crate::lookback`] shows why waiting blocks make progress. Each tile publishes its count. The last tile of each group of 32
//! publishes the group's count, and then the prefix of the next group, if there is one. A tile's count is small, so one word holds it.
//! Counts are integers, so the order in which they are added makes no difference. A look-back takes a known prefix, and adds all counts
//! between this prefix and the tile at once.
//!
//! Cost: a look-back takes one warp. If every value is published, it has at most two rounds of loads: the counts of the tile's own group,
//! then all other values. It has 7 shuffles, or 14 for runs. The look-back of a group's last tile has 6 more shuffles, or 11 more for runs.
//! A look-back has no barrier.

use crate::board::Board;
use crate::contract::{SCAN_GROUP_TILES, WARP_LANES};
use crate::element::Accumulator;
use crate::selection::Share;
use crate::{simt, warp};

use super::choice::Prefix;

/// Tiles of a group.
const GROUP_TILES: u32 = SCAN_GROUP_TILES as u32;

/// The most items of a tile. One word holds a tile's share: its count and its `last`, 16 bits each.
const COUNTED_TILE_ITEMS: u32 = 1 << 15;

/// The published values of a selection.
#[derive(Clone, Copy)]
pub struct Lookback {
    /// Each tile's share, in a word.
    tiles: Board,
    /// Each group's share.
    groups: Board,
    /// Each group's prefix.
    prefixes: Board,
    tile_items: u32,
    group_count: u32,
}

/// A published value that a lane needs.
#[derive(Clone, Copy)]
struct Wanted<A> {
    value: A,
    waits: bool,
}

impl<A: Accumulator> Wanted<A> {
    #[inline(always)]
    fn new(waits: bool) -> Self {
        let value = A::zeroed();
        Wanted { value, waits }
    }

    /// Reads the slot once, if the value is still missing.
    ///
    /// # Safety
    /// If the value is still missing (`waits`), the board has the slot.
    #[inline(always)]
    unsafe fn poll(&mut self, board: Board, slot: u32) {
        if self.waits {
            // SAFETY: the board has the slot, since the value is still missing (this function's condition).
            let (read, is_published) = unsafe { board.read(slot) };
            if is_published {
                self.value = read;
                self.waits = false;
            }
        }
    }
}

/// A tile's share, packed into a word.
#[inline(always)]
fn word_of(share: Share) -> u32 {
    share.count | share.last << 16
}

/// Unpacks a tile's share. The result counts places from an origin that lies `before` items before the tile.
#[inline(always)]
fn share_of(word: u32, before: u32) -> Share {
    counted_from(
        Share {
            count: word & 0xffff,
            last: word >> 16,
        },
        before,
    )
}

/// The same share, with places counted from an origin that lies `before` items further back.
#[inline(always)]
fn counted_from(share: Share, before: u32) -> Share {
    Share {
        last: if share.last > 0 {
            before + share.last
        } else {
            0
        },
        ..share
    }
}

/// Two shares as one: the sum of their counts, and the later of their last chosen items. Both shares count places from the same origin.
#[inline(always)]
fn both(left: Share, right: Share) -> Share {
    Share {
        count: left.count + right.count,
        last: Ord::max(left.last, right.last),
    }
}

/// The shares of the lowest `2 * half` lanes, added up; valid on lane 0. `half` is a power of two. The lanes' `last` fields are combined
/// only if the prefix has the index of the last chosen item ([`Prefix::HAS_LAST`]).
///
/// # Safety
/// Convergent: a whole warp.
#[inline(always)]
pub unsafe fn over_lanes<P: Prefix>(mut share: Share, half: u32) -> Share {
    let mut delta = half;
    while delta > 0 {
        // SAFETY: the whole warp calls it (condition of this function), with the same `half`.
        unsafe {
            share.count += simt::shuffle_down(share.count, delta);
            if P::HAS_LAST {
                share.last = Ord::max(share.last, simt::shuffle_down(share.last, delta));
            }
        }
        delta /= 2;
    }
    share
}

impl Lookback {
    /// The published values of a launch that has `tile_count` tiles of `tile_items` items each. `words` is the address of the launch's
    /// state words, and `tag` is the launch's tag.
    #[inline(always)]
    pub fn new<P: Prefix>(words: *mut u64, tag: u32, tile_count: u32, tile_items: u32) -> Self {
        let group_count = tile_count.div_ceil(GROUP_TILES);
        let groups = words.wrapping_add(tile_count as usize);
        let prefixes = groups.wrapping_add(group_count as usize * P::Group::WORDS);
        Lookback {
            tiles: Board::new(words, tag),
            groups: Board::new(groups, tag),
            prefixes: Board::new(prefixes, tag),
            tile_items,
            group_count,
        }
    }

    /// Publishes a tile's share. One thread calls this.
    ///
    /// # Safety
    /// - `tile` is one of the launch's tiles, and [`Self::new`] was given the launch's state words.
    /// - Only the calling thread publishes the tile's share, and only once.
    #[inline(always)]
    pub unsafe fn publish_tile(&self, tile: u32, share: Share) {
        // SAFETY: the board has a slot for each tile of the launch, and no other thread publishes this tile.
        unsafe { self.tiles.publish(tile, word_of(share)) };
    }

    /// The prefix of `tile`; valid on lane 0. For the last tile of a group, also publishes the group's count, and the prefix of the next
    /// group if there is one.
    ///
    /// A patient look-back first waits for the counts of the lower tiles of the tile's group, and only then reads the other values. As a
    /// rule, those counts are published later than the other values.
    ///
    /// # Safety
    /// - Convergent: one whole warp of the block that holds `tile`, once.
    /// - `tile` is one of the launch's tiles, and [`Self::new`] was given the launch's state words.
    #[inline(always)]
    pub unsafe fn look_back<P: Prefix>(&self, tile: u32, is_patient: bool) -> P {
        let lane = simt::lane();
        let (group, place) = (tile / GROUP_TILES, tile % GROUP_TILES);
        let group_items = GROUP_TILES * self.tile_items;
        let speaks = place == GROUP_TILES - 1;
        let mut is_silent = speaks;
        // If the tile is in group g, lane l polls up to four values: the count of tile l of that group (`near`), the prefix of group g − l
        // (`prefix`), the count of group g − l − 1 (`between`), and the count of tile l of group g − 1 (`neighbour`).
        let mut near = Wanted::<u32>::new(lane < place || speaks);
        let mut prefix = Wanted::<P>::new(lane < group);
        let mut between = Wanted::<P::Group>::new(lane < group);
        let mut neighbour = Wanted::<u32>::new(group > 0);
        let mut known_groups;
        let mut nearest;
        // SAFETY: the whole warp reaches each shuffle and vote, since only votes decide when the loop ends. A lane polls only slots of this
        // tile's group, of lower groups and of their tiles, so the board has these slots. Only lane 0 of the one warp that looks back for a
        // group's last tile publishes the group's share and the next group's prefix.
        unsafe {
            loop {
                near.poll(self.tiles, group * GROUP_TILES + lane);
                let is_complete = simt::ballot(near.waits) == 0;
                if is_complete && is_silent {
                    is_silent = false;
                    let share = share_of(near.value, lane * self.tile_items);
                    let share = over_lanes::<P>(share, WARP_LANES / 2);
                    if simt::in_loop(lane) == 0 {
                        self.groups.publish(group, P::group_of(share));
                    }
                }
                if is_patient && !is_complete {
                    continue;
                }
                prefix.poll(self.prefixes, group.wrapping_sub(lane));
                between.poll(self.groups, group.wrapping_sub(lane + 1));
                neighbour.poll(
                    self.tiles,
                    (group * GROUP_TILES + lane).wrapping_sub(GROUP_TILES),
                );

                let has_neighbour = simt::ballot(neighbour.waits) == 0;
                known_groups = simt::ballot(lane < group && !between.waits);
                // The lowest lane that knows a prefix. All counts between that prefix and this group must be known.
                nearest = simt::ballot(!prefix.waits).trailing_zeros();
                let reach = (known_groups | has_neighbour as u32).trailing_ones();
                if is_complete && nearest < WARP_LANES && reach >= nearest {
                    break;
                }
            }
            // Places are counted from the beginning of the 32nd group before this tile's group. That group may lie before item 0, so the
            // arithmetic wraps.
            let mut share = Share { count: 0, last: 0 };
            if lane < place {
                let before = WARP_LANES * group_items + lane * self.tile_items;
                share = share_of(near.value, before);
            }
            if lane < nearest && known_groups >> lane & 1 == 1 {
                let before = (WARP_LANES - 1 - lane) * group_items;
                share = both(share, counted_from(P::share_of(between.value), before));
            }
            if nearest > 0 && known_groups & 1 == 0 {
                let before = (WARP_LANES - 1) * group_items + lane * self.tile_items;
                share = both(share, share_of(neighbour.value, before));
            }
            let share = over_lanes::<P>(share, WARP_LANES / 2);
            let known = warp::shuffle_from(prefix.value, nearest);
            let origin = (group as u64)
                .wrapping_sub(WARP_LANES as u64)
                .wrapping_mul(group_items as u64);
            let prefix = known.and(share, origin);
            if speaks {
                let own = simt::shuffle_from(near.value, WARP_LANES - 1);
                if lane == 0 && group + 1 < self.group_count {
                    let begin = tile as u64 * self.tile_items as u64;
                    let next = prefix.and(share_of(own, 0), begin);
                    self.prefixes.publish(group + 1, next);
                }
            }
            prefix
        }
    }
}

const _: () = {
    use crate::selection::tile_items;
    assert!(tile_items::<u8>() as u32 == COUNTED_TILE_ITEMS);
    // A place that is counted from the 32nd group before the tile's group fits into 32 bits.
    assert!(COUNTED_TILE_ITEMS as u64 * (SCAN_GROUP_TILES * (SCAN_GROUP_TILES + 1)) < 1 << 32);
};
