//! A warp's view of the board during a scan's look-back: which slots it reads, and when it has read enough. A selection's look-back does
//! not use this view. The *own group* is the group of the tile that looks back.

use crate::board::{Glance, NEIGHBOURS, OTHER};
use crate::contract::WARP_LANES;
use crate::element::{choose, Accumulator};
use crate::simt;

use super::{is_group_last, place_in_group, GROUP_TILES};

/// The values that the tiles and groups of a launch publish.
pub trait Published {
    /// The value that a tile publishes.
    type Tile: Accumulator;

    /// A group's prefix.
    type Prefix: Accumulator;

    /// Reads the slot of `tile`, the slots of the tiles that lie 32, 64, … places before it, and the slot of the prefix of `group`. Only
    /// slots whose bits are set in `wanted` are read.
    ///
    /// # Safety
    /// The tiles and the group whose bits are set in `wanted` exist.
    unsafe fn glance(&self, tile: u32, group: u32, wanted: u32)
        -> Glance<Self::Tile, Self::Prefix>;
}

/// Runs a block of code for each of the [`NEIGHBOURS`] groups before the own group, the nearest first.
macro_rules! for_each_neighbour {
    ($k:ident => $body:block) => {
        $crate::thread::for_each_vector!($k in 1 2 3 4 5 6 7 => $body)
    };
}
pub(crate) use for_each_neighbour;

const _: () = assert!(NEIGHBOURS == 7);

/// The bit of the own group's tile that the lane reads, in the masks of wanted slots and of published slots. Lane `l` reads tile `l` of
/// each group. It also reads the prefix of the group that lies `l` groups before the own group.
const OWN: u32 = 1;

/// The bit of the prefix that the lane reads, in these masks.
const PREFIX: u32 = OTHER;

/// The bits, in these masks, of the tiles that the lane reads in the nearest `groups` groups before the own group.
#[inline(always)]
const fn neighbour_bits(groups: u32) -> u32 {
    (2 << groups) - 2
}

/// The lane, for conditions in loops that contain ballots.
#[inline(always)]
fn lane_in_loop() -> u32 {
    simt::in_loop(simt::lane())
}

/// The values that a warp has read from the board, to find the prefix of `tile`.
pub struct View<'a, L: Published> {
    published: &'a L,
    tile: u32,
    /// The values that the lane read last. The bits of `seen.published` are [`OWN`], a bit for each of the [`NEIGHBOURS`] groups before the
    /// own group, and [`PREFIX`].
    seen: Glance<L::Tile, L::Prefix>,
    /// The value of [`Self::distance`]; [`WARP_LANES`] if no prefix is known.
    distance: u32,
}

impl<'a, L: Published> View<'a, L> {
    /// The largest number of groups before the own group that a view reads.
    pub const NEIGHBOURS: u32 = Glance::<L::Tile, L::Prefix>::NEIGHBOURS;

    /// Waits for all values that the tile's prefix needs, and returns a view with these values. A patient look-back first waits for the own
    /// group's tiles, which are the last to be published. Then it reads the earlier groups, unless the own group's prefix is known.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds `tile`. The tile's own value is published. A barrier lies between the publication
    /// and this call.
    #[inline(always)]
    pub unsafe fn complete(published: &'a L, tile: u32, is_patient: bool) -> Self {
        let mut view = View {
            published,
            tile,
            seen: Glance::nothing(),
            distance: WARP_LANES,
        };
        // SAFETY: the whole warp calls it: this function's condition. The view reads only the slots of tiles up to this tile, and of the
        // prefixes of groups up to this tile's group. The scan has all of these.
        unsafe {
            if is_patient {
                view.await_own_group();
            }
            view.await_prefix(is_patient);
        }
        view
    }

    /// On lane `l`, the values of tile `l` of the own group and of each of the [`Self::distance`] groups before it.
    #[inline(always)]
    pub fn tiles(&self) -> &[L::Tile; NEIGHBOURS + 1] {
        &self.seen.values
    }

    /// On lane `l`, the prefix of the group that lies `l` groups before the own group. The prefix of group 0, which no block publishes, is
    /// `initial`. If the lane has read no published prefix, the value has no meaning.
    #[inline(always)]
    pub fn prefix(&self, initial: L::Prefix) -> L::Prefix {
        choose(self.has_initial(), initial, self.seen.other)
    }

    /// The number of groups from the own group back to the nearest group with a known prefix; 0 if the own group's prefix is known. Lane
    /// `distance` has that prefix.
    #[inline(always)]
    pub fn distance(&self) -> u32 {
        self.distance
    }

    /// Whether the tile is the last of its group.
    #[inline(always)]
    pub fn is_group_last(&self) -> bool {
        is_group_last(self.tile)
    }

    /// Whether the lane's tile of the own group is below the tile that looks back.
    #[inline(always)]
    pub fn has_lower(&self) -> bool {
        simt::lane() < place_in_group(self.tile)
    }

    /// The tile's group.
    #[inline(always)]
    fn group(&self) -> u32 {
        self.tile / GROUP_TILES
    }

    /// How many of the groups before the own group can be read: all of them, but at most [`Self::NEIGHBOURS`].
    #[inline(always)]
    fn neighbours(&self) -> u32 {
        Ord::min(self.group(), Self::NEIGHBOURS)
    }

    /// Whether the lane reads a tile of the own group. Lane `l` reads tile `l` if that tile is below the tile that looks back, or if the
    /// tile that looks back is the last of the group.
    #[inline(always)]
    fn has_own_tile(&self) -> bool {
        lane_in_loop() < place_in_group(self.tile) || is_group_last(self.tile)
    }

    /// [`OWN`] if the lane reads a tile of the own group, else 0.
    #[inline(always)]
    fn own_bit(&self) -> u32 {
        self.has_own_tile() as u32 * OWN
    }

    /// Whether the lane's prefix is the prefix of group 0. No block publishes this prefix: it is the scan's initial value.
    #[inline(always)]
    fn has_initial(&self) -> bool {
        let lane = lane_in_loop();
        lane == self.group() && lane <= self.neighbours()
    }

    /// Reads the tiles of the own group and of `groups` groups before it. Also reads the prefixes of the own group and of up to
    /// [`Self::NEIGHBOURS`] groups before it.
    ///
    /// # Safety
    /// The scan has the view's tile, and at least `groups` groups before the tile's group.
    #[inline(always)]
    unsafe fn look(&mut self, groups: u32) {
        let lane = lane_in_loop();
        let group = self.group();
        let has_prefix = lane < group && lane <= self.neighbours();
        let wanted = self.own_bit() | neighbour_bits(groups) | (has_prefix as u32 * PREFIX);
        let (own, prefix) = (group * GROUP_TILES + lane, group.wrapping_sub(lane));
        // SAFETY: the scan has the own group's tiles up to `tile`, and `groups` whole groups before the own group: this function's
        // condition. If `tile` is the group's last, these are all tiles of the own group. The scan also has a prefix for each group from
        // group 1 to the own group. `wanted` has no bits of other slots.
        self.seen = unsafe { self.published.glance(own, prefix, wanted) };
    }

    /// Waits for the tiles of the own group that [the warp reads](Self::has_own_tile).
    ///
    /// # Safety
    /// Convergent: the whole warp. The scan has the view's tile.
    #[inline(always)]
    unsafe fn await_own_group(&mut self) {
        // SAFETY: the scan has the tile, and the whole warp votes: this function's conditions. All lanes leave the loop together.
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

    /// Waits for the tiles of the own group that [the warp reads](Self::has_own_tile), and for the tiles of earlier groups back to the
    /// nearest known prefix.
    ///
    /// # Safety
    /// Convergent: the whole warp. The scan has the view's tile.
    #[inline(always)]
    unsafe fn await_prefix(&mut self, has_looked: bool) {
        let mut looks = !has_looked;
        // SAFETY: the scan has the tile, and the whole warp votes: this function's conditions. At least `neighbours` groups lie before the
        // tile's group. All lanes leave the loop together.
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

    /// Whether all values that the prefix needs have been read.
    ///
    /// # Safety
    /// Convergent: the whole warp.
    #[inline(always)]
    unsafe fn has_all(&mut self) -> bool {
        let published = self.seen.published;
        let has_prefix = self.has_initial() || published & PREFIX != 0;
        // SAFETY: the whole warp votes: this function's condition. The first ballot's result is the same on all lanes, so all lanes return
        // together.
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
