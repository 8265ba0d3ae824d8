//! The number of items chosen before a tile: look-back over the counts that earlier tiles have published.
//!
//! As [`crate::lookback`], whose header argues for progress: tiles publish their counts. The last tile of each group of 32 publishes the
//! group's count, and then the next group's prefix. But counts are exact and small: one word holds a tile's count, and all counts between a
//! known prefix and the tile are added up at once, in any order.
//!
//! Cost of a look-back: one warp, one round of loads if all is there (two of a patient one), 5 to 10 shuffles; no barrier.

use crate::board::Board;
use crate::contract::{SCAN_GROUP_TILES, WARP_LANES};
use crate::element::Accumulator;
use crate::selection::Share;
use crate::{simt, warp};

use super::choice::Prefix;

/// Tiles of a group.
const GROUP_TILES: u32 = SCAN_GROUP_TILES as u32;

/// The most items of a tile whose count fits into one word, as numbers of 16 bits.
const TOLD_TILE_ITEMS: u32 = 1 << 15;

/// The published values of a selection.
#[derive(Clone, Copy)]
pub struct Lookback {
    /// A word for each tile: its count.
    tiles: Board,
    /// Each group's count.
    groups: Board,
    /// Each group's prefix.
    prefixes: Board,
    tile_items: u32,
    group_count: u32,
}

/// A value that is looked for.
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

    /// Looks for it, if it is waited for.
    ///
    /// # Safety
    /// The board has the slot, where it is waited for.
    #[inline(always)]
    unsafe fn poll(&mut self, board: Board, slot: u32) {
        if self.waits {
            // SAFETY: the caller's.
            let (read, is_published) = unsafe { board.read(slot) };
            if is_published {
                self.value = read;
                self.waits = false;
            }
        }
    }
}

/// A tile's share in a word.
#[inline(always)]
fn word_of(share: Share) -> u32 {
    share.count | share.last << 16
}

/// The share in a word, its last item counted from a place `before` the tile.
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

/// The share, its last item counted from a place `before` that from which it was counted.
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

/// Both together.
#[inline(always)]
fn both(left: Share, right: Share) -> Share {
    Share {
        count: left.count + right.count,
        last: Ord::max(left.last, right.last),
    }
}

/// The sum of the counts of `2 * half` lanes, where `half` is a power of two; valid on lane 0. Counts alone, if the last item is not
/// needed.
///
/// # Safety
/// Convergent: a whole warp.
#[inline(always)]
pub unsafe fn over_lanes<P: Prefix>(mut share: Share, half: u32) -> Share {
    let mut delta = half;
    while delta > 0 {
        // SAFETY: the caller's.
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
    /// The published values of a launch of this many tiles, each of this many items, in words that carry this tag.
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

    /// Publishes a tile's count. One thread calls it.
    ///
    /// # Safety
    /// The calling block holds the tile, and this is its only call for it.
    #[inline(always)]
    pub unsafe fn publish_tile(&self, tile: u32, share: Share) {
        // SAFETY: the caller's.
        unsafe { self.tiles.publish(tile, word_of(share)) };
    }

    /// The prefix of `tile`; valid on lane 0. If the tile is the last of its group, it publishes the group's count and the next group's
    /// prefix.
    ///
    /// If it is patient, it first waits for the counts of the group's tiles, which are published last, and reads all else afterwards.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds `tile`, once.
    #[inline(always)]
    pub unsafe fn look_back<P: Prefix>(&self, tile: u32, is_patient: bool) -> P {
        let lane = simt::lane();
        let (group, place) = (tile / GROUP_TILES, tile % GROUP_TILES);
        let group_items = GROUP_TILES * self.tile_items;
        let speaks = place == GROUP_TILES - 1;
        let mut is_silent = speaks;
        // As in a scan: lane l waits for tile l of the group, for the prefix of the group l before this one, for the group before
        // that one, and for tile l of the group before this one.
        let mut near = Wanted::<u32>::new(lane < place || speaks);
        let mut prefix = Wanted::<P>::new(lane < group);
        let mut between = Wanted::<P::Group>::new(lane < group);
        let mut neighbour = Wanted::<u32>::new(group > 0);
        let mut known_groups;
        let mut nearest;
        // SAFETY: the caller's; the slots that are waited for are those of this tile, and of lower ones and their groups.
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
                // The lowest lane that knows a prefix. All counts between it and this group must be known.
                nearest = simt::ballot(!prefix.waits).trailing_zeros();
                let reach = (known_groups | has_neighbour as u32).trailing_ones();
                if is_complete && nearest < WARP_LANES && reach >= nearest {
                    break;
                }
            }
            // Places are counted from the beginning of the 32nd group before this one, which may lie before all items.
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
    assert!(tile_items::<u8>() as u32 == TOLD_TILE_ITEMS);
    // Places from the 32nd group before on are numbers of 32 bits.
    assert!(TOLD_TILE_ITEMS as u64 * (SCAN_GROUP_TILES * (SCAN_GROUP_TILES + 1)) < 1 << 32);
};
