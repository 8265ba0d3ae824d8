//! The far look-back: over large accumulators of large items.
//!
//! A lane that reads a large value by itself issues a load for each of its words, and each load of the warp touches 32 lines. So the lanes
//! read the slots of a group's tiles together, one word after the other, and exchange them through shared memory.
//!
//! Values of several groups' tiles would not fit in registers. So the block that holds the last tile of a group [gathers](Lookback::gather)
//! the group: it publishes the group's aggregate, as soon as all tiles of the group are published. It does so before it looks back for any
//! tile, also for a tile before the last one. Otherwise each aggregate would wait for prefixes, which wait for the aggregates of other
//! groups.
//!
//! A look-back reads the aggregates and the prefixes of up to [`WINDOW`] groups at a time. It folds the aggregates after the nearest known
//! prefix. The prefix has the same bits as in any other look-back.

use crate::contract::WARP_LANES;
use crate::element::{accumulator_of_words, accumulator_word, for_each_word};
use crate::element::{Accumulator, Element, ACCUMULATOR_MAX_WORDS};
use crate::launch::{slot_words, LOOKBACK_SLOTS};
use crate::op::Op;
use crate::thread::for_each_vector;
use crate::{simt, warp};

use super::{is_group_last, place_in_group, Lookback, Slot, GROUP_TILES};

/// Groups whose aggregates and prefixes are read at once.
const WINDOW: u32 = WARP_LANES / 2;

/// The words that a lane has read. A word that was not wanted is 0.
type Loaded = [u64; 32];

/// Where the words of the aggregates of groups are in [`Loaded`], and the words of prefixes.
const AGGREGATES: usize = 16;
const PREFIXES: usize = 24;

/// The slots of the scratch: the tiles of a group, then as many aggregates and prefixes of groups as are read at once. Two more slots keep
/// values of the last tile of a group: the group's aggregate, and the combined aggregates of the group's lower tiles.
const GROUPS: u32 = GROUP_TILES;
const LAST_AGGREGATE: u32 = GROUPS + 2 * WINDOW;
const LAST_LOWER: u32 = LAST_AGGREGATE + 1;

const _: () = assert!(LAST_LOWER as usize + 1 == LOOKBACK_SLOTS);

/// Runs a block for each word of a list in [`Loaded`].
macro_rules! for_each_eighth {
    ($i:ident => $body:block) => {
        for_each_vector!($i in 0 1 2 3 4 5 6 7 => $body)
    };
}

/// The slots that a look-back reads.
#[derive(Clone, Copy)]
struct Wanted {
    /// The tile's group.
    group: u32,
    /// How many tiles of the own group are read, from the group's first on.
    tiles: u32,
    /// The first group whose aggregate is read. The others follow, up to the own group.
    first_aggregate: u32,
    /// The first group whose prefix is read. The others follow, up to and including the own group.
    first_prefix: u32,
}

/// `count` low bits.
#[inline(always)]
fn low_bits(count: u32) -> u32 {
    ((1u64 << count) - 1) as u32
}

/// The bits of the rounds in which the calling lane reads one of `words` words. In a round, each lane reads one word.
#[inline(always)]
fn rounds(words: u32) -> u32 {
    low_bits((words + (WARP_LANES - 1) - simt::lane()) / WARP_LANES)
}

impl Wanted {
    /// The slots for the prefix of `tile`.
    #[inline(always)]
    fn of(tile: u32) -> Self {
        let group = tile / GROUP_TILES;
        Wanted {
            group,
            tiles: match is_group_last(tile) {
                true => 0,
                false => place_in_group(tile),
            },
            first_aggregate: group.saturating_sub(WINDOW),
            first_prefix: Ord::max(group.saturating_sub(WINDOW - 1), 1),
        }
    }

    /// How many aggregates of groups are read.
    #[inline(always)]
    fn aggregates(&self) -> u32 {
        self.group - self.first_aggregate
    }

    /// How many prefixes are read: the prefix of group 0 is not published.
    #[inline(always)]
    fn prefixes(&self) -> u32 {
        self.group + 1 - Ord::min(self.first_prefix, self.group + 1)
    }

    /// The bits of the words that the calling lane reads.
    #[inline(always)]
    fn bits<A: Accumulator>(&self) -> u32 {
        let words = A::WORDS as u32;
        let (aggregates, prefixes) = (self.aggregates() * words, self.prefixes() * words);
        rounds(self.tiles * words) | rounds(aggregates) << AGGREGATES | rounds(prefixes) << PREFIXES
    }
}

impl<A: Accumulator> Lookback<A> {
    /// Waits for the tiles of the group whose last tile is `tile`, and publishes the group's aggregate. Keeps values for the look-back of
    /// `tile` in `scratch`.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds `tile`, once for each last tile of a group, before its look-back. The block has
    /// published the tile's aggregate. A barrier lies between the publication and this call. `scratch` is that of the look-back.
    #[inline(always)]
    pub unsafe fn gather<O: Op<T, Accumulator = A>, T: Element>(
        &self,
        tile: u32,
        scratch: *mut u32,
    ) {
        let group = tile / GROUP_TILES;
        let wanted = Wanted {
            group,
            tiles: GROUP_TILES,
            first_aggregate: group,
            first_prefix: group + 1,
        };
        // SAFETY: the whole warp calls it. The wanted slots are those of this group's tiles; the board has them. No other block publishes
        // the group's aggregate. The warp's barriers order the lanes' accesses to the scratch, which is the warp's.
        unsafe {
            self.load_tiles(&wanted, scratch);
            let own = get(scratch, simt::lane());
            let aggregate = warp::reduce_group::<O, T>(own);
            if simt::lane() == 0 {
                self.publish(Slot::Group(group), aggregate);
                set(scratch, LAST_AGGREGATE, aggregate);
            }
            let lower = match simt::lane() < GROUP_TILES - 1 {
                true => own,
                false => O::identity(),
            };
            let lower = warp::reduce_group::<O, T>(lower);
            if simt::lane() == 0 {
                set(scratch, LAST_LOWER, lower);
            }
            simt::warp_barrier();
        }
    }

    /// [`Lookback::look_back`], whose lanes read the slots together.
    ///
    /// # Safety
    /// - The conditions of that function.
    /// - `scratch` is shared memory of [`crate::launch::scan_scratch_bytes`] that only this warp uses.
    /// - If `tile` is the last of its group, [`Self::gather`] was called.
    #[inline(always)]
    pub unsafe fn look_far_back<O: Op<T, Accumulator = A>, T: Element>(
        &self,
        tile: u32,
        initial: A,
        scratch: *mut u32,
    ) -> A {
        let wanted = Wanted::of(tile);
        let is_last = is_group_last(tile);
        let slot = |slot: u32| scratch.wrapping_add(slot as usize * slot_words(A::WORDS));
        let (groups, prefixes) = (slot(GROUPS), slot(GROUPS + WINDOW));
        // SAFETY: the whole warp calls it, and takes the same branches. The wanted slots are those of lower tiles and groups, and of this
        // group's prefix; the board has them. The prefix published here belongs to the group after `tile`, so no other block publishes it.
        // The warp's barriers order the lanes' accesses to the scratch, which is the warp's.
        unsafe {
            let bits = wanted.bits::<A>();
            let mut seen = self.load_tiles(&wanted, scratch);
            let mut lower = O::identity();
            if is_last {
                lower = get(scratch, LAST_LOWER);
            } else {
                if simt::lane() < wanted.tiles {
                    lower = get(scratch, simt::lane());
                }
                lower = warp::reduce_group::<O, T>(lower);
            }
            let mut known = self.known(&wanted, &seen);
            while known > wanted.group {
                seen = self.load(&wanted, !low_bits(AGGREGATES as u32));
                known = self.known(&wanted, &seen);
            }
            for_each_eighth!(I => {
                if I < A::WORDS.div_ceil(2) {
                    if bits >> (AGGREGATES + I) & 1 != 0 {
                        put::<A>(groups, I, seen[AGGREGATES + I]);
                    }
                    if bits >> (PREFIXES + I) & 1 != 0 {
                        put::<A>(prefixes, I, seen[PREFIXES + I]);
                    }
                }
            });
            simt::warp_barrier();
            let mut prefix = initial;
            if known > 0 {
                prefix = get(prefixes, known - wanted.first_prefix);
            }
            let mut group = known;
            while group < wanted.group {
                let step = simt::opaque_one() as u32;
                prefix = O::combine(prefix, get(groups, group - wanted.first_aggregate));
                group += step;
            }
            if is_last && simt::lane() == 0 && wanted.group + 1 < self.group_count {
                let next = O::combine(prefix, get(scratch, LAST_AGGREGATE));
                self.publish(Slot::Prefix(wanted.group + 1), next);
            }
            O::combine(prefix, lower)
        }
    }

    /// Reads the wanted slots until all wanted tiles are published. Puts the tiles' aggregates into `scratch`.
    ///
    /// # Safety
    /// Convergent: the whole warp that looks back. The board has the slots. The scratch is the warp's.
    #[inline(always)]
    unsafe fn load_tiles(&self, wanted: &Wanted, scratch: *mut u32) -> Loaded {
        let bits = wanted.bits::<A>();
        // SAFETY: the conditions of `load` and `put` are this function's. The warp's barriers order the lanes' accesses to the scratch.
        unsafe {
            let mut seen;
            loop {
                seen = self.load(wanted, u32::MAX);
                let mut unpublished = 0;
                for_each_vector!(I in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
                    unpublished |= (self.board.is_other(seen[I]) as u32) << I;
                });
                let misses = unpublished & bits & low_bits(AGGREGATES as u32) != 0;
                if simt::ballot(misses) == 0 {
                    break;
                }
            }
            simt::warp_barrier();
            for_each_vector!(I in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
                if I < A::WORDS && bits >> I & 1 != 0 {
                    put::<A>(scratch, I, seen[I]);
                }
            });
            simt::warp_barrier();
            seen
        }
    }

    /// Reads the words of the wanted slots whose bits are set in `among`.
    ///
    /// # Safety
    /// The board has these slots.
    #[inline(always)]
    unsafe fn load(&self, wanted: &Wanted, among: u32) -> Loaded {
        let first = |slot: Slot| {
            let address = self.board.address::<A>(self.place(slot));
            address.wrapping_add(simt::lane() as usize).cast_const()
        };
        // SAFETY: only words of wanted slots are loaded, and the board has them: this function's condition.
        unsafe {
            simt::load_rows(
                first(Slot::Tile(wanted.group * GROUP_TILES)),
                first(Slot::Group(wanted.first_aggregate)),
                first(Slot::Prefix(wanted.first_prefix)),
                wanted.bits::<A>() & among,
            )
        }
    }

    /// The last group whose prefix is known, if the aggregates of all groups from it on are known too; else a group after the own group.
    ///
    /// # Safety
    /// Convergent: the whole warp.
    #[inline(always)]
    unsafe fn known(&self, wanted: &Wanted, seen: &Loaded) -> u32 {
        let bits = wanted.bits::<A>();
        let mut unpublished = 0;
        for_each_eighth!(I => {
            let slot = (I as u32 * WARP_LANES + simt::lane()) / A::WORDS as u32;
            let misses = |word: usize| self.board.is_other(seen[word]) && bits >> word & 1 != 0;
            unpublished |= (misses(AGGREGATES + I) as u32) << slot;
            unpublished |= (misses(PREFIXES + I) as u32) << WINDOW << slot;
        });
        // SAFETY: the whole warp shuffles: this function's condition.
        let unpublished = unsafe { warp::or(unpublished) };
        let known = !(unpublished >> WINDOW) & low_bits(wanted.prefixes());
        let last = match known {
            0 if wanted.first_prefix == 1 => 0,
            0 => return u32::MAX,
            known => wanted.first_prefix + (u32::BITS - 1 - known.leading_zeros()),
        };
        let needed = low_bits(wanted.aggregates()) & !low_bits(last - wanted.first_aggregate);
        match unpublished & needed {
            0 => last,
            _ => u32::MAX,
        }
    }
}

/// Writes the value's word that the calling lane read in a round to its place.
///
/// # Safety
/// The lanes' places in `values` are in shared memory, and no other thread uses them.
#[inline(always)]
unsafe fn put<A: Accumulator>(values: *mut u32, round: usize, word: u64) {
    let index = round * WARP_LANES as usize + simt::lane() as usize;
    let (slot, place) = (index / A::WORDS, index % A::WORDS);
    // SAFETY: the place is in shared memory and this thread's: this function's condition.
    unsafe {
        values
            .add(slot * slot_words(A::WORDS) + place)
            .write(word as u32)
    };
}

/// A value that the lanes have put.
///
/// # Safety
/// The value's slot is in shared memory, and written.
#[inline(always)]
unsafe fn get<A: Accumulator>(values: *const u32, slot: u32) -> A {
    let mut words = [0; ACCUMULATOR_MAX_WORDS];
    for_each_word!(W of A => {
        // SAFETY: the slot's words are in shared memory, and written: this function's condition.
        words[W] = unsafe { simt::read_shared(values.add(slot as usize * slot_words(A::WORDS) + W)) };
    });
    accumulator_of_words(words)
}

/// Writes a value to its slot.
///
/// # Safety
/// The slot is in shared memory, and no other thread uses it.
#[inline(always)]
unsafe fn set<A: Accumulator>(values: *mut u32, slot: u32, value: A) {
    for_each_word!(W of A => {
        // SAFETY: the slot's words are in shared memory and this thread's: this function's condition.
        unsafe { values.add(slot as usize * slot_words(A::WORDS) + W).write(accumulator_word(value, W)) };
    });
}
