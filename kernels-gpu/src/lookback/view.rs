//! A warp's view of the board during a look-back: which slots it reads, and when it has seen enough.
//!
//! A scan and a selection look back alike; they differ in the values that a tile publishes, and in how a prefix is combined from them.

use crate::board::{Glance, NEIGHBOURS, OTHER};
use crate::contract::WARP_LANES;
use crate::element::Accumulator;
use crate::simt;

use super::{is_group_last, place_in_group, GROUP_TILES};

/// Values that tiles and groups have published, in the words of a launch.
pub trait Published {
    /// The value that a tile publishes.
    type Tile: Accumulator;

    /// A group's prefix.
    type Prefix: Accumulator;

    /// Reads the slots of `tile`, of the tiles 32, 64, … before it, and of the prefix of `group`, as far as their bits are set in `wanted`.
    ///
    /// # Safety
    /// The tiles and the group that are wanted exist.
    unsafe fn glance(&self, tile: u32, group: u32, wanted: u32)
        -> Glance<Self::Tile, Self::Prefix>;
}

/// Runs a block for each of [`NEIGHBOURS`], the nearest first.
macro_rules! for_each_neighbour {
    ($k:ident => $body:block) => {
        $crate::thread::for_each_vector!($k in 1 2 3 4 5 6 7 => $body)
    };
}
pub(crate) use for_each_neighbour;

const _: () = assert!(NEIGHBOURS == 7);

/// The bit of the tiles of a tile's own group. Each lane looks at one: lane `l` at tile `l` of a group, and at the prefix of the group
/// `l` before.
const OWN: u32 = 1;

/// The bit of prefixes.
const PREFIX: u32 = OTHER;

/// The bits of the nearest groups before a tile's own.
#[inline(always)]
const fn neighbour_bits(groups: u32) -> u32 {
    (2 << groups) - 2
}

/// The lane, as the conditions of the look-back's loops use it: these have ballots.
#[inline(always)]
fn lane_in_loop() -> u32 {
    simt::in_loop(simt::lane())
}

/// A view of the board from a tile.
pub struct View<'a, L: Published> {
    published: &'a L,
    tile: u32,
    /// The values that the lane read last: [`OWN`], a bit for each group before, [`PREFIX`].
    seen: Glance<L::Tile, L::Prefix>,
    /// How many groups lie between the nearest prefix that is known and the tile's; [`WARP_LANES`] if none is.
    distance: u32,
}

impl<'a, L: Published> View<'a, L> {
    /// Groups before a tile's that can be seen.
    pub const NEIGHBOURS: u32 = Glance::<L::Tile, L::Prefix>::NEIGHBOURS;

    /// A view from a tile that has seen all that the tile's prefix is made of. It waits for that. If it is patient, it first waits for
    /// the group's tiles, which are the last to be published, and then looks at the groups before.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds `tile`. The tile's own value is published, and a barrier lies between.
    #[inline(always)]
    pub unsafe fn complete(published: &'a L, tile: u32, is_patient: bool) -> Self {
        let mut view = View {
            published,
            tile,
            seen: Glance::nothing(),
            distance: WARP_LANES,
        };
        // SAFETY: the caller's; what is waited for are slots of lower tiles and groups, and the tile's own.
        unsafe {
            if is_patient {
                view.await_own_group();
            }
            view.await_prefix(is_patient);
        }
        view
    }

    /// Lane `l`'s values of tile `l` of its own group, and of tile `l` of each group before, up to [`Self::distance`] groups away.
    #[inline(always)]
    pub fn tiles(&self) -> &[L::Tile; NEIGHBOURS + 1] {
        &self.seen.values
    }

    /// The prefix of the group that is as many groups away as the lane's number; no value if that is before group 0.
    #[inline(always)]
    pub fn prefix(&self) -> Option<L::Prefix> {
        if self.has_initial() {
            None
        } else {
            Some(self.seen.other)
        }
    }

    /// How many groups lie between the nearest prefix that is known and the tile's group: 0 if it is the group's own. Lane `distance` knows it.
    #[inline(always)]
    pub fn distance(&self) -> u32 {
        self.distance
    }

    /// Whether the tile is the last of its group.
    #[inline(always)]
    pub fn is_group_last(&self) -> bool {
        is_group_last(self.tile)
    }

    /// Whether the lane saw a tile that is before this one in its group.
    #[inline(always)]
    pub fn has_lower(&self) -> bool {
        simt::lane() < place_in_group(self.tile)
    }

    /// The tile's group.
    #[inline(always)]
    fn group(&self) -> u32 {
        self.tile / GROUP_TILES
    }

    /// Groups before the tile's that can be seen.
    #[inline(always)]
    fn neighbours(&self) -> u32 {
        Ord::min(self.group(), Self::NEIGHBOURS)
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

    /// Whether the lane's group is before group 0, whose prefix no block publishes.
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
        let (own, prefix) = (group * GROUP_TILES + lane, group.wrapping_sub(lane));
        // SAFETY: the caller's.
        self.seen = unsafe { self.published.glance(own, prefix, wanted) };
    }

    /// Waits for the tiles of the own group.
    ///
    /// # Safety
    /// Convergent: the whole warp. The slots are the scan's.
    #[inline(always)]
    unsafe fn await_own_group(&mut self) {
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

    /// Waits for the tiles of the own group, and for those of earlier groups back to the nearest prefix.
    ///
    /// # Safety
    /// Convergent: the whole warp. The slots are the scan's.
    #[inline(always)]
    unsafe fn await_prefix(&mut self, has_looked: bool) {
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
}
