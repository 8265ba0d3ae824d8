//! How much is chosen before a tile: look-back over what the tiles before have published.
//!
//! What is waited for, and how, is [`crate::lookback`]'s, whose header argues for progress: tiles publish what they add, the last of
//! each group of 32 publishes what is before the next group. But what is added is exact and small: one word tells it for a
//! tile, and all that lies between a known prefix and the tile is added up at once, in any order.
//!
//! Cost of a look-back: one warp, one round of loads if all is there (two of a patient one), 5 to 10 shuffles; no barrier.

use core::marker::PhantomData;

use crate::board::{Board, Glance, NEIGHBOURS};
use crate::contract::{SCAN_GROUP_TILES, WARP_LANES};
use crate::lookback::{for_each_neighbour, Published, View, GROUP_TILES};
use crate::selection::Share;
use crate::{simt, warp};

use super::choice::Prefix;

/// Items of a tile whose counts are published in one word: each count has 16 bits.
const TOLD_TILE_ITEMS: u32 = 1 << 15;

/// The groups from whose beginning on places are counted: the tile's own, and those before it that are seen.
const COUNTED_GROUPS: u32 = NEIGHBOURS as u32 + 1;

/// The published values of a selection, prefixes of type `P`.
#[derive(Clone, Copy)]
pub struct Lookback<P> {
    /// A word for each tile: what it adds.
    tiles: Board,
    /// What is before each group.
    prefixes: Board,
    tile_items: u32,
    group_count: u32,
    prefix: PhantomData<P>,
}

/// A tile's share in a word.
#[inline(always)]
fn word_of(share: Share) -> u32 {
    share.count | share.last << 16
}

/// The share in a word, its last item counted from the tile's beginning.
#[inline(always)]
fn share_of(word: u32) -> Share {
    Share {
        count: word & 0xffff,
        last: word >> 16,
    }
}

/// What twice as many lanes as `half`, a power of two, add; valid on lane 0. Counts alone, if nobody asks for the last item.
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

impl<P: Prefix> Published for Lookback<P> {
    type Tile = u32;
    type Prefix = P;

    #[inline(always)]
    unsafe fn glance(&self, tile: u32, group: u32, wanted: u32) -> Glance<u32, P> {
        // SAFETY: the caller's.
        unsafe { self.tiles.glance(tile, self.prefixes, group, wanted) }
    }
}

impl<P: Prefix> Lookback<P> {
    /// The published values of a launch of this many tiles, each of this many items, in words that carry this tag.
    #[inline(always)]
    pub fn new(words: *mut u64, tag: u32, tile_count: u32, tile_items: u32) -> Self {
        Lookback {
            tiles: Board::new(words, tag),
            prefixes: Board::new(words.wrapping_add(tile_count as usize), tag),
            tile_items,
            group_count: tile_count.div_ceil(GROUP_TILES),
            prefix: PhantomData,
        }
    }

    /// Publishes what a tile adds, as one thread.
    ///
    /// # Safety
    /// The calling block holds the tile, and this is its only call for it.
    #[inline(always)]
    pub unsafe fn publish_tile(&self, tile: u32, share: Share) {
        // SAFETY: the caller's.
        unsafe { self.tiles.publish(tile, word_of(share)) };
    }

    /// What is before `tile`; valid on lane 0. If the tile is the last of its group, publishes what is before the next one.
    ///
    /// If it is patient, it looks for what the group's tiles add before it looks for all else: that is published last.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds `tile`, once. The tile is published, and a barrier lies between.
    #[inline(always)]
    pub unsafe fn look_back(&self, tile: u32, is_patient: bool) -> P {
        // SAFETY: the caller's.
        unsafe {
            let view = View::complete(self, tile, is_patient);
            let share = over_lanes::<P>(self.share(&view), WARP_LANES / 2);
            let known = view.prefix().unwrap_or(P::zeroed());
            let known = warp::shuffle_from(known, view.distance());
            let group = tile / GROUP_TILES;
            let prefix = known.and(share, self.place_of(group.wrapping_sub(NEIGHBOURS as u32)));
            if view.is_group_last() {
                let own = simt::shuffle_from(view.tiles()[0], WARP_LANES - 1);
                if simt::lane() == 0 && group + 1 < self.group_count {
                    let begin = tile as u64 * self.tile_items as u64;
                    let next = prefix.and(share_of(own), begin);
                    self.prefixes.publish(group + 1, next);
                }
            }
            prefix
        }
    }

    /// The index of a group's first item; below zero, modulo 2^64, for a group before the first.
    #[inline(always)]
    fn place_of(&self, group: u32) -> u64 {
        let group_items = GROUP_TILES * self.tile_items;
        (group as i32 as i64 as u64).wrapping_mul(group_items as u64)
    }

    /// What the calling lane's tiles between the nearest known prefix and the tile add. Its last item is counted from the beginning of
    /// the farthest group that is seen, which may lie before all items.
    #[inline(always)]
    fn share(&self, view: &View<'_, Self>) -> Share {
        let group_items = GROUP_TILES * self.tile_items;
        let first = simt::lane() * self.tile_items;
        let mut share = Share { count: 0, last: 0 };
        // The farthest first: the last item of a nearer tile is the later one.
        for_each_neighbour!(K => {
            const GROUP: usize = NEIGHBOURS + 1 - K;
            if GROUP as u32 <= view.distance() {
                let before = (NEIGHBOURS - GROUP) as u32 * group_items + first;
                share = share.and::<P>(share_of(view.tiles()[GROUP]), before);
            }
        });
        if view.has_lower() {
            let before = NEIGHBOURS as u32 * group_items + first;
            share = share.and::<P>(share_of(view.tiles()[0]), before);
        }
        share
    }
}

impl Share {
    /// The same, and a later share, whose last item is counted from `before` the place that this one's is.
    #[inline(always)]
    fn and<P: Prefix>(self, later: Self, before: u32) -> Self {
        let has_last = P::HAS_LAST && later.last > 0;
        Share {
            count: self.count + later.count,
            last: if has_last {
                before + later.last
            } else {
                self.last
            },
        }
    }
}

const _: () = {
    use crate::selection::tile_items;
    assert!(tile_items::<u8>() as u32 == TOLD_TILE_ITEMS);
    // Places from the farthest group on are numbers of 32 bits.
    assert!(TOLD_TILE_ITEMS as u64 * SCAN_GROUP_TILES * (COUNTED_GROUPS as u64) < 1 << 32);
};
