//! What a warp that looks back has seen of the board, and what it makes of it.

use crate::board::{Glance, NEIGHBOURS, OTHER};
use crate::contract::{Tree, WARP_LANES};
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::thread::for_each_vector;
use crate::{simt, warp};

use super::{is_group_last, place_in_group, Lookback, Slot, GROUP_TILES};

/// Runs a block for each of [`NEIGHBOURS`], the nearest first.
macro_rules! for_each_neighbour {
    ($k:ident => $body:block) => {
        for_each_vector!($k in 1 2 3 4 5 6 7 => $body)
    };
}

const _: () = assert!(NEIGHBOURS == 7);

/// The bit of the tiles of a tile's own group. Each lane looks at one: lane `l` at tile `l` of a group, and at the prefix of the group
/// `l` before.
const OWN: u32 = 1;

/// The bit of prefixes.
const PREFIX: u32 = 1 << OTHER;

/// The bits of the nearest groups before a tile's own.
#[inline(always)]
const fn neighbour_bits(groups: u32) -> u32 {
    (2 << groups) - 2
}

/// The lane, for what decides in the loops of a look-back, which have ballots.
#[inline(always)]
fn lane_in_loop() -> u32 {
    simt::in_loop(simt::lane())
}

/// A view of the board from a tile.
pub struct View<'a, O: Op<T>, T: Element> {
    lookback: &'a Lookback,
    tile: u32,
    initial: O::Accumulator,
    /// What the lane last saw: [`OWN`], a bit for each group before, [`PREFIX`].
    seen: Glance<O::Accumulator>,
    /// How many groups lie between the nearest prefix that is known and the tile's; [`WARP_LANES`] if none is.
    distance: u32,
}

impl<'a, O: Op<T>, T: Element> View<'a, O, T> {
    /// Whether any order gives the same bits.
    const IS_FREE: bool = O::EXACT && matches!(O::GROUP_TREE, Tree::Halves);

    /// A view before the first look.
    #[inline(always)]
    pub fn new(lookback: &'a Lookback, tile: u32, initial: O::Accumulator) -> Self {
        View {
            lookback,
            tile,
            initial,
            seen: Glance::nothing(),
            distance: WARP_LANES,
        }
    }

    /// The tile's group.
    #[inline(always)]
    fn group(&self) -> u32 {
        self.tile / GROUP_TILES
    }

    /// Groups before the tile's that can be seen.
    #[inline(always)]
    fn neighbours(&self) -> u32 {
        Ord::min(self.group(), Glance::<O::Accumulator>::NEIGHBOURS)
    }

    /// Whether the lane looks at a tile of the own group: a lower one, or the tile itself, where it is the last.
    #[inline(always)]
    fn has_own_tile(&self) -> bool {
        lane_in_loop() < place_in_group(self.tile) || is_group_last(self.tile)
    }

    /// The bit of the own group, where the lane looks at a tile of it.
    #[inline(always)]
    fn own_bit(&self) -> u32 {
        self.has_own_tile() as u32 * OWN
    }

    /// Whether the lane stands for the beginning: what stands before group 0 nobody publishes.
    #[inline(always)]
    fn has_initial(&self) -> bool {
        let lane = lane_in_loop();
        lane == self.group() && lane <= self.neighbours()
    }

    /// Looks at the group's tiles, at prefixes, and at the tiles of this many groups before.
    ///
    /// # Safety
    /// The slots are the scan's.
    #[inline(always)]
    unsafe fn look(&mut self, groups: u32) {
        let lane = lane_in_loop();
        let group = self.group();
        let has_prefix = lane < group && lane <= self.neighbours();
        let wanted = self.own_bit() | neighbour_bits(groups) | (has_prefix as u32 * PREFIX);
        let own = Slot::Tile(group * GROUP_TILES + lane);
        let prefix = Slot::Prefix(group.wrapping_sub(lane));
        let lookback = self.lookback;
        let board = lookback.board;
        // SAFETY: the caller's.
        self.seen = unsafe { board.glance(lookback.place(own), lookback.place(prefix), wanted) };
    }

    /// Waits for the tiles of the own group.
    ///
    /// # Safety
    /// Convergent: the whole warp. The slots are the scan's.
    #[inline(always)]
    pub unsafe fn await_own_group(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            loop {
                self.look(0);
                let waits = self.has_own_tile() && self.seen.published & OWN == 0;
                if simt::ballot(waits) == 0 {
                    return;
                }
            }
        }
    }

    /// Waits for the tiles of the own group, and for those of the groups before, as far as there is no prefix.
    ///
    /// # Safety
    /// Convergent: the whole warp. The slots are the scan's.
    #[inline(always)]
    pub unsafe fn await_prefix(&mut self, has_looked: bool) {
        let mut looks = !has_looked;
        // SAFETY: the caller's.
        unsafe {
            loop {
                if looks {
                    self.look(Ord::min(self.neighbours(), self.distance));
                }
                if self.has_all() {
                    return;
                }
                looks = true;
            }
        }
    }

    /// Whether enough was seen.
    ///
    /// # Safety
    /// Convergent: the whole warp.
    #[inline(always)]
    unsafe fn has_all(&mut self) -> bool {
        let published = self.seen.published;
        let has_prefix = self.has_initial() || published & PREFIX != 0;
        // SAFETY: the caller's.
        unsafe {
            self.distance = simt::ballot(has_prefix).trailing_zeros();
            if self.distance == WARP_LANES {
                return false;
            }
            let needed = neighbour_bits(self.distance) | self.own_bit();
            simt::ballot(!published & needed != 0) == 0
        }
    }

    /// What the lane saw of the own group, if it is there for the tile's prefix.
    #[inline(always)]
    fn lower(&self) -> O::Accumulator {
        if simt::lane() < place_in_group(self.tile) {
            self.seen.values[0]
        } else {
            O::identity()
        }
    }

    /// The aggregate of the own group, whose last tile this is; valid on lane 0.
    ///
    /// # Safety
    /// Convergent: the whole warp, once [`Self::has_all`].
    #[inline(always)]
    pub unsafe fn own_group(&self) -> O::Accumulator {
        // SAFETY: the caller's.
        unsafe { warp::reduce_group::<O, T>(self.seen.values[0]) }
    }

    /// What stands before the tile; and, if it is its group's last, what stands before the next group. Valid on lane 0.
    ///
    /// # Safety
    /// Convergent: the whole warp, once [`Self::has_all`].
    #[inline(always)]
    pub unsafe fn prefixes(&self) -> (O::Accumulator, O::Accumulator) {
        let mut next = O::identity();
        // SAFETY: the caller's.
        unsafe {
            if Self::IS_FREE {
                let prefix = warp::reduce_group::<O, T>(self.share());
                if is_group_last(self.tile) {
                    let own = warp::shuffle_from(self.seen.values[0], WARP_LANES - 1);
                    next = O::combine(prefix, own);
                }
                return (prefix, next);
            }
            let (group_prefix, lower) = self.fold();
            if is_group_last(self.tile) {
                next = O::combine(group_prefix, self.own_group());
            }
            (O::combine(group_prefix, lower), next)
        }
    }

    /// The lane's share of what stands before the tile, in any order.
    #[inline(always)]
    fn share(&self) -> O::Accumulator {
        let mut share = self.lower();
        if simt::lane() == self.distance {
            share = O::combine(share, self.known_prefix());
        }
        for_each_neighbour!(K => {
            if K as u32 <= self.distance {
                share = O::combine(share, self.seen.values[K]);
            }
        });
        share
    }

    /// The prefix that the lane knows.
    #[inline(always)]
    fn known_prefix(&self) -> O::Accumulator {
        if self.has_initial() {
            self.initial
        } else {
            self.seen.values[OTHER]
        }
    }

    /// The group's prefix, a left fold, and what the lower tiles combine to. Valid on lane 0.
    ///
    /// # Safety
    /// Convergent: the whole warp, once [`Self::has_all`].
    #[inline(always)]
    unsafe fn fold(&self) -> (O::Accumulator, O::Accumulator) {
        let values = self.seen.values;
        // SAFETY: the caller's.
        unsafe {
            let mut prefix = warp::shuffle_from(self.known_prefix(), self.distance);
            if self.distance == 0 {
                return (prefix, warp::reduce_group::<O, T>(self.lower()));
            }
            if O::Accumulator::IS_WIDE || matches!(O::GROUP_TREE, Tree::Neighbours) {
                for_each_neighbour!(K => {
                    const GROUP: usize = NEIGHBOURS + 1 - K;
                    let can_be_seen = GROUP as u32 <= Glance::<O::Accumulator>::NEIGHBOURS;
                    if can_be_seen && GROUP as u32 <= self.distance {
                        let aggregate = warp::reduce_group::<O, T>(values[GROUP]);
                        prefix = O::combine(prefix, aggregate);
                    }
                });
                return (prefix, warp::reduce_group::<O, T>(self.lower()));
            }
            let [_, a, b, c, d, e, f, g, _] = values;
            let all = warp::reduce_eight::<O, T>([self.lower(), a, b, c, d, e, f, g]);
            for_each_neighbour!(K => {
                const GROUP: u32 = (NEIGHBOURS + 1 - K) as u32;
                let aggregate = warp::shuffle_from(all, warp::lane_of_eighth(GROUP));
                if GROUP <= self.distance {
                    prefix = O::combine(prefix, aggregate);
                }
            });
            (prefix, all)
        }
    }
}
