//! The far look-back: for scans whose accumulators are large, and whose items or results are large too.
//!
//! If each lane read a large value by itself, word by word, each load of the warp would touch 32 sectors. So the lanes read the slots of a
//! group's tiles together, in the order of the addresses, and exchange the words through shared memory.
//!
//! The values of the tiles of several groups would not fit in registers. So the block that holds the last tile of a group
//! [gathers](Lookback::gather) the group: as soon as all tiles of the group are published, the block publishes the group's aggregate. The
//! block gathers before it looks back for the group's last tile. If the block has delayed the look-back of its previous tile, it gathers
//! before that look-back too. If a block gathered after a look-back, each aggregate would wait for a prefix, and the prefix would wait for
//! the aggregates of other groups.
//!
//! A look-back reads the aggregates of the nearest groups and the prefixes of the nearest groups at once, up to [`WINDOW`] of each. It
//! begins with the last known prefix, and folds the aggregates from that group on. The resulting prefix has the same bits as the prefix
//! that a near look-back returns.

use crate::board::{put, Stripe};
use crate::contract::WARP_LANES;
use crate::element::{accumulator_of_words, accumulator_word, for_each_word};
use crate::element::{Accumulator, Element, ACCUMULATOR_MAX_WORDS};
use crate::launch::{group_slot_words, slot_words, LOOKBACK_GROUP_SLOTS};
use crate::op::Op;
use crate::thread::for_each_vector;
use crate::{simt, warp};

use super::{is_group_last, place_in_group, Lookback, Slot, GROUP_TILES};

/// How many aggregates of groups are read at once, and how many prefixes.
const WINDOW: u32 = WARP_LANES / 2;

/// The words that a lane has read. A word that was not wanted is 0.
type Loaded = [u64; 32];

/// The index in [`Loaded`] of the first word of the groups' aggregates, and of the first word of the prefixes.
const AGGREGATES: usize = 16;
const PREFIXES: usize = 24;

/// In the scratch, the slots of a group's tiles come first, and then the slots of groups. The slots of groups hold the aggregates and the
/// prefixes that are read at once. Two more slots hold values for the look-back of a group's last tile: the group's aggregate, and the
/// combined aggregates of the group's lower tiles.
const GROUP_PREFIXES: u32 = WINDOW;
const LAST_AGGREGATE: u32 = 2 * WINDOW;
const LAST_LOWER: u32 = LAST_AGGREGATE + 1;

const _: () = assert!(LAST_LOWER as usize + 1 == LOOKBACK_GROUP_SLOTS);

/// Runs a block of code for each index from 0 to 7, since a lane reads up to eight words of aggregates, and up to eight words of prefixes.
macro_rules! for_each_eighth {
    ($i:ident => $body:block) => {
        for_each_vector!($i in 0 1 2 3 4 5 6 7 => $body)
    };
}

/// The slots that a warp reads, to gather a group or to look back.
#[derive(Clone, Copy)]
struct Wanted {
    /// The tile's group.
    group: u32,
    /// How many tiles of the group are read, from the group's first tile on.
    tiles: u32,
    /// The first group whose aggregate is read. The aggregates of the following groups are read too, up to but not including `group`. If
    /// this is `group` itself, no aggregate is read.
    first_aggregate: u32,
    /// The first group whose prefix is read. The prefixes of the following groups are read too, up to and including `group`. If this is
    /// greater than `group`, no prefix is read.
    first_prefix: u32,
}

/// A mask of the lowest `count` bits.
#[inline(always)]
fn low_bits(count: u32) -> u32 {
    ((1u64 << count) - 1) as u32
}

/// Whether the lane's word of a round belongs to one of the first [`WINDOW`] slots.
#[inline(always)]
fn is_of_window<A: Accumulator>(stripe: Stripe<A>, round: usize) -> bool {
    let (window, before) = (WINDOW as usize * A::WORDS, round * WARP_LANES as usize);
    window >= before + WARP_LANES as usize || before + (stripe.lane as usize) < window
}

impl Wanted {
    /// The slots that a look-back for `tile` reads.
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

    /// How many prefixes are read. The prefix of group 0 is not among them, since it is not published.
    #[inline(always)]
    fn prefixes(&self) -> u32 {
        self.group + 1 - Ord::min(self.first_prefix, self.group + 1)
    }

    /// The words of [`Loaded`] that the calling lane reads, as a mask: bit `i` for word `i`.
    #[inline(always)]
    fn bits<A: Accumulator>(&self, stripe: Stripe<A>) -> u32 {
        stripe.rounds(self.tiles)
            | stripe.rounds(self.aggregates()) << AGGREGATES
            | stripe.rounds(self.prefixes()) << PREFIXES
    }
}

impl<A: Accumulator> Lookback<A> {
    /// Waits for the tiles of the group whose last tile is `tile`, and publishes the group's aggregate. Keeps two values in `scratch` for
    /// the look-back of `tile`.
    ///
    /// # Safety
    /// Convergent: one whole warp of the block that holds `tile`. The tile is the last of its group. This is called once for each such
    /// tile, before the tile's look-back. The block has published the tile's aggregate. A barrier lies between the publication and this
    /// call. `scratch` is the look-back's scratch.
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
        // SAFETY: the whole warp calls it. The wanted slots are the slots of this group's tiles; the board has them. No other block
        // publishes the group's aggregate. The warp's barriers order the lanes' accesses to the scratch, which is the warp's.
        unsafe {
            let stripe = Stripe::of_lane();
            self.load_tiles(&wanted, stripe, scratch);
            let own = stripe.get(scratch);
            let aggregate = warp::reduce_group::<O, T>(own);
            if stripe.lane == 0 {
                self.publish(Slot::Group(group), aggregate);
                set(group_slot::<A>(scratch, LAST_AGGREGATE), aggregate);
            }
            let lower = match stripe.lane < GROUP_TILES - 1 {
                true => own,
                false => O::identity(),
            };
            let lower = warp::reduce_group::<O, T>(lower);
            if stripe.lane == 0 {
                set(group_slot::<A>(scratch, LAST_LOWER), lower);
            }
            simt::warp_barrier();
        }
    }

    /// The same as [`Lookback::look_back`], but the lanes read the slots together.
    ///
    /// # Safety
    /// - The conditions of [`Lookback::look_back`].
    /// - `scratch` has [`crate::launch::scan_scratch_bytes`] of shared memory. Only this warp uses it.
    /// - If `tile` is the last of its group, [`Self::gather`] was called for it, with this `scratch`.
    #[inline(always)]
    pub unsafe fn look_far_back<O: Op<T, Accumulator = A>, T: Element>(
        &self,
        tile: u32,
        initial: A,
        scratch: *mut u32,
    ) -> A {
        let wanted = Wanted::of(tile);
        let is_last = is_group_last(tile);
        // SAFETY: the whole warp calls it, and all lanes take the same branches around warp functions. The wanted slots hold the aggregates
        // of this group's lower tiles, the aggregates of earlier groups, and the prefixes of groups up to this one. The board has these
        // slots. Only lane 0 in the block with a group's last tile publishes the next group's prefix. The warp's barriers order the lanes'
        // accesses to the scratch, which is the warp's.
        unsafe {
            let stripe = Stripe::of_lane();
            let mut seen = self.load_tiles(&wanted, stripe, scratch);
            let mut lower = O::identity();
            if is_last {
                lower = get_together(group_slot::<A>(scratch, LAST_LOWER));
            } else {
                if stripe.lane < wanted.tiles {
                    lower = stripe.get(scratch);
                }
                lower = warp::reduce_group::<O, T>(lower);
            }
            let mut known = self.known(&wanted, stripe, &seen);
            while known > wanted.group {
                seen = self.load(&wanted, stripe, !low_bits(AGGREGATES as u32));
                known = self.known(&wanted, stripe, &seen);
            }
            for_each_eighth!(I => {
                if is_of_window(stripe, I) {
                    let place = stripe.place(I, group_slot_words(A::WORDS));
                    put(group_slot::<A>(scratch, 0), place, seen[AGGREGATES + I]);
                    put(group_slot::<A>(scratch, GROUP_PREFIXES), place, seen[PREFIXES + I]);
                }
            });
            simt::warp_barrier();
            let mut prefix = initial;
            if known > 0 {
                let place = GROUP_PREFIXES + (known - wanted.first_prefix);
                prefix = get_together(group_slot::<A>(scratch, place));
            }
            let mut group = known;
            while group < wanted.group {
                let step = simt::opaque_one() as u32;
                let aggregate = group_slot::<A>(scratch, group - wanted.first_aggregate);
                prefix = O::combine(prefix, get_together(aggregate));
                group += step;
            }
            if is_last && stripe.lane == 0 && wanted.group + 1 < self.group_count {
                let aggregate = get_together(group_slot::<A>(scratch, LAST_AGGREGATE));
                let next = O::combine(prefix, aggregate);
                self.publish(Slot::Prefix(wanted.group + 1), next);
            }
            O::combine(prefix, lower)
        }
    }

    /// Publishes the aggregate of `tile`. The lane with `has_aggregate` writes the aggregate's words to `room`. Then lane `l` publishes
    /// word `l`. So the warp publishes the aggregate by one store.
    ///
    /// # Safety
    /// - Convergent: a whole warp. The calling block holds `tile`, and publishes it only once.
    /// - `room` is in shared memory, and only this warp uses it. Exactly one lane has `has_aggregate`.
    #[inline(always)]
    pub unsafe fn publish_tile_together(
        &self,
        tile: u32,
        aggregate: A,
        has_aggregate: bool,
        room: *mut A,
    ) {
        let lane = simt::lane();
        // SAFETY: the room is the warp's (condition 2), and the warp's barrier orders the write before the reads. The board has the tile's
        // words, and no other thread publishes the lane's word (condition 1).
        unsafe {
            if has_aggregate {
                room.write(aggregate);
            }
            simt::warp_barrier();
            if lane < A::WORDS as u32 {
                let word = simt::read_shared(room.cast::<u32>().add(lane as usize));
                self.board
                    .publish_word::<A>(self.place(Slot::Tile(tile)), lane, word);
            }
        }
    }

    /// Reads the wanted slots until all wanted tiles are published. Puts the tiles' aggregates into `scratch`.
    ///
    /// # Safety
    /// Convergent: the whole warp that looks back. The board has the slots. The scratch is the warp's.
    #[inline(always)]
    unsafe fn load_tiles(&self, wanted: &Wanted, stripe: Stripe<A>, scratch: *mut u32) -> Loaded {
        let bits = wanted.bits(stripe);
        // SAFETY: the conditions of `load` and `put` are this function's. The warp's barriers order the lanes' accesses to the scratch.
        unsafe {
            let mut seen;
            loop {
                seen = self.load(wanted, stripe, u32::MAX);
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
                if I < A::WORDS {
                    stripe.put(scratch, I, seen[I]);
                }
            });
            simt::warp_barrier();
            seen
        }
    }

    /// Reads those words of the wanted slots whose bits are set in `among`.
    ///
    /// # Safety
    /// The board has these slots.
    #[inline(always)]
    unsafe fn load(&self, wanted: &Wanted, stripe: Stripe<A>, among: u32) -> Loaded {
        let first = |slot: Slot| {
            let address = self.board.address::<A>(self.place(slot));
            address.wrapping_add(stripe.lane as usize).cast_const()
        };
        // SAFETY: only words of wanted slots are loaded, and the board has them: this function's condition.
        unsafe {
            simt::load_rows(
                first(Slot::Tile(wanted.group * GROUP_TILES)),
                first(Slot::Group(wanted.first_aggregate)),
                first(Slot::Prefix(wanted.first_prefix)),
                wanted.bits(stripe) & among,
            )
        }
    }

    /// The last group whose prefix is known, if all wanted aggregates from that group on are known too; else `u32::MAX`. The prefix of
    /// group 0 counts as known only if `first_prefix` is 1.
    ///
    /// # Safety
    /// Convergent: the whole warp.
    #[inline(always)]
    unsafe fn known(&self, wanted: &Wanted, stripe: Stripe<A>, seen: &Loaded) -> u32 {
        let bits = wanted.bits(stripe);
        let mut unpublished = 0;
        for_each_eighth!(I => {
            if is_of_window(stripe, I) {
                let misses = |word: usize| {
                    bits >> word & (self.board.is_other(seen[word]) as u32)
                };
                let missed = misses(AGGREGATES + I) | misses(PREFIXES + I) << WINDOW;
                unpublished |= missed << stripe.slot(I);
            }
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

/// The address of a group's slot in the scratch.
#[inline(always)]
fn group_slot<A: Accumulator>(scratch: *mut u32, slot: u32) -> *mut u32 {
    scratch
        .wrapping_add(GROUP_TILES as usize * slot_words(A::WORDS))
        .wrapping_add(slot as usize * group_slot_words(A::WORDS))
}

/// The value in a group's slot. The calling lanes read the same slot: 16 bytes at a time, and then the remaining words.
///
/// # Safety
/// The slot is in shared memory, and written.
#[inline(always)]
unsafe fn get_together<A: Accumulator>(slot: *const u32) -> A {
    let mut words = [0; ACCUMULATOR_MAX_WORDS];
    for_each_vector!(PART in 0 1 2 3 => {
        if 4 * PART + 4 <= A::WORDS {
            // SAFETY: the slot's words are in shared memory, and written: this function's condition. Slots of groups are aligned to 16
            // bytes.
            let [a, b, c, d] = unsafe { simt::read_vector(slot.add(4 * PART)) };
            words[4 * PART] = a;
            words[4 * PART + 1] = b;
            words[4 * PART + 2] = c;
            words[4 * PART + 3] = d;
        }
    });
    for_each_word!(W of A => {
        if A::WORDS - W <= A::WORDS % 4 {
            // SAFETY: as above.
            words[W] = unsafe { simt::read_shared(slot.add(W)) };
        }
    });
    accumulator_of_words(words)
}

/// Writes a value to a group's slot.
///
/// # Safety
/// The slot is in shared memory, and no other thread uses it.
#[inline(always)]
unsafe fn set<A: Accumulator>(slot: *mut u32, value: A) {
    for_each_word!(W of A => {
        // SAFETY: the slot's words are in shared memory and this thread's: this function's condition.
        unsafe { slot.add(W).write(accumulator_word(value, W)) };
    });
}
