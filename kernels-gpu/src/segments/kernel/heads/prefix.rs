//! The prefixes of nodes in a scan: those of the tail's nodes depend on the values that earlier windows have published.

use crate::contract::WARP_LANES;
use crate::element::{accumulator_of_words, Accumulator, Element, ACCUMULATOR_MAX_WORDS};
use crate::op::Op;
use crate::segments::{Work, FAN};
use crate::simt;

use super::super::downsweep::Downsweep;
use super::super::items::Room;
use super::super::leaves::{Node, Step};
use super::super::Launch;
use super::runs::HAS_ROOTS;
use super::shared::Shared;

/// How many bits of a node's index a pair of levels takes. A look back reads the values of two levels at once: the lower half of the warp
/// reads those of the lower level, and the upper half those of the upper level.
const PAIR_BITS: u32 = 2 * LEVEL_BITS;
const LEVEL_BITS: u32 = FAN.trailing_zeros();

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// What warp 0 does in a scan between the upsweep and the results: folds the nodes of the chunks of at least 256 items, publishes
    /// the values of the shared chunks, and replaces the totals of nodes and of their leaves by prefixes. If there is a tail, waits for its
    /// prefix, and writes it to the header.
    ///
    /// # Safety
    /// Convergent: the whole warp 0 of the block, once. The header, the words and the leaves' totals are written. `work` is the window's
    /// work, and `flags` are its flags. No other thread uses the values of the tail, of nodes, and of the leaves of these chunks.
    #[inline(always)]
    pub unsafe fn place_long(&self, work: &Work, room: Room<T, O::Accumulator>, flags: u32) {
        let mut node = None;
        // SAFETY: the whole warp is here, and the header, the words and the totals are written: this function's conditions. All lanes have
        // the same flags. The warp's barriers order each step's writes before the next step's reads. Each node has one lane, and no other
        // warp uses its leaves' values.
        unsafe {
            if flags & HAS_ROOTS != 0 {
                node = self.stored_node(work, room);
                if let Some(node) = &node {
                    self.fold_stored(room, node);
                }
                simt::warp_barrier();
            }
            self.place_shared(work, room, &node);
            if flags & HAS_ROOTS != 0 {
                simt::warp_barrier();
                if let Some(node) = node {
                    Downsweep::run(self, work, room, node);
                }
            }
        }
    }

    /// Publishes the values of the shared chunks. Replaces the totals of stored nodes by prefixes. `node` is the calling lane's stored
    /// node. If there is a tail, waits for its prefix, and writes it to the header.
    ///
    /// # Safety
    /// The conditions of [`Self::place_long`]. The totals of the stored nodes are written.
    #[inline(always)]
    unsafe fn place_shared(&self, work: &Work, room: Room<T, O::Accumulator>, node: &Option<Node>) {
        let lane = simt::lane();
        // SAFETY: the whole warp is here, and all that is read is written: this function's conditions. All lanes have the same chunks, so
        // they take the same branches around shuffles. The nodes before the first chunk are in earlier windows. All lanes have read the
        // totals before prefixes replace them. A chunk's first node has one lane. Lanes 0 and 1 write the prefixes of different nodes of
        // the tail.
        unsafe {
            let shared = self.shared(work, room);
            // Orders the lanes' reads of the totals before the writes that replace them.
            simt::warp_barrier();
            let mut look = Look::nothing();
            let mut all = O::identity();
            if let Some(shared) = &shared {
                self.publish_nodes(shared);
                look = self.look(shared, 0);
                // A sixteen is published before the wait for the prefix. Otherwise each block of a long run would wait for the block before
                // it.
                if shared.completes_first() || shared.completes_second() {
                    self.await_look(&mut look, FAN);
                    all = self.complete(shared, look.value);
                }
            }
            if let Some(node) = node {
                let chunk = node.chunk;
                if node.number == 0 && chunk.number != work.tail_chunk {
                    let nodes = room.node(chunk.start, 0);
                    self.place_values(nodes, chunk.node_count(), O::identity());
                }
            }
            let (Some(shared), 0) = (shared, work.tail_chunk) else {
                return;
            };
            let prefix = self.prefix(&shared, look);
            // The prefix of the sixteen after the first chunk's first sixteen. It is not used if that sixteen is not complete.
            let after = O::combine(prefix.of_next, all);
            if lane == 0 {
                self.tail(0).write(prefix.value);
            }
            if lane < 2 && shared.is_stored {
                let of_first = Ord::min(shared.count, shared.left());
                let (node, count, before) = match lane {
                    0 => (0, of_first, prefix.value),
                    _ => (of_first, shared.count - of_first, after),
                };
                self.place_values(room.node(shared.start, node), count, before);
            }
        }
    }

    /// The prefix of the first chunk, which is a tail. `look` is a look at the lowest two levels.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments except `look`. The tag is written.
    #[inline(always)]
    unsafe fn prefix(
        &self,
        shared: &Shared<O::Accumulator>,
        lowest: Look<O::Accumulator>,
    ) -> Prefix<O::Accumulator> {
        // The level of the group that ends with the first chunk's sixteen, if this sixteen is complete. Above this level, all nodes of the
        // first chunk have the same prefix.
        let mut level = 1;
        let mut sixteen = shared.index / FAN as u64;
        while sixteen % FAN as u64 == FAN as u64 - 1 {
            sixteen /= FAN as u64;
            level += simt::opaque_one() as u32;
        }
        let mut prefix = Prefix {
            value: O::identity(),
            of_next: O::identity(),
            level,
        };
        let mut bits = 0;
        while shared.index >> bits >> PAIR_BITS != 0 {
            bits += PAIR_BITS * simt::opaque_one() as u32;
        }
        loop {
            let step = simt::opaque_one() as u32;
            let mut look = lowest;
            // SAFETY: the whole warp is here, with the same `bits`, and the tag is written: this function's conditions.
            unsafe {
                if bits > 0 {
                    look = self.look(shared, bits);
                }
                self.await_look(&mut look, WARP_LANES);
                // The upper level comes first.
                let mut left = 2;
                while left > 0 {
                    left -= step;
                    Self::add_level(&mut prefix, look.value, shared, bits + left * LEVEL_BITS);
                }
            }
            if bits == 0 {
                return prefix;
            }
            bits -= PAIR_BITS * step;
        }
    }

    /// Looks at the published values of two levels of the tree of the first chunk's run: the values that come before the chunk, in its
    /// group of each level. A node's index without its `bits` lowest bits is the number of its group of the lower level. Lane `l` looks at
    /// value `l` of the lower level, and lane `16 + l` at value `l` of the upper level.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments. The tag is written.
    #[inline(always)]
    unsafe fn look(&self, shared: &Shared<O::Accumulator>, bits: u32) -> Look<O::Accumulator> {
        let lane = simt::lane();
        let bits = bits + lane / FAN * LEVEL_BITS;
        let place = shared.index >> bits;
        let before = (place % FAN as u64) as u32;
        let is_wanted = lane % FAN < before;
        let mut node = 0;
        if is_wanted {
            node = ((place - before as u64 + (lane % FAN) as u64 + 1) << bits) - 1;
        }
        let slot = self.slot_of(shared.long, node);
        // SAFETY: the tag is written (this function's condition). The node is the run's first one, or one before the chunk, so it is in one
        // of the launch's windows, and the board has its slot.
        let (value, is_published) = unsafe { self.board().read::<O::Accumulator>(slot) };
        Look {
            slot,
            is_missing: is_wanted && !is_published,
            value,
        }
    }

    /// Looks again until the values that the first `lanes` lanes want are published.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same `lanes`. The tag is written, and `look` is the result of [`Self::look`].
    #[inline(always)]
    unsafe fn await_look(&self, look: &mut Look<O::Accumulator>, lanes: u32) {
        // SAFETY: the tag is written, and the board has the slot: this function's conditions. The whole warp votes, since all lanes leave
        // the loop together.
        unsafe {
            let board = self.board();
            while simt::ballot(look.is_missing && simt::lane() < lanes) != 0 {
                let (value, is_published) = board.read::<O::Accumulator>(look.slot);
                if look.is_missing {
                    look.value = value;
                    look.is_missing = !is_published;
                }
            }
        }
    }

    /// Combines a prefix with the values of one level, which begins at bit `bits` of a node's index. `values` has the values of this level
    /// and of the other level of its pair.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments except `values`.
    #[inline(always)]
    unsafe fn add_level(
        prefix: &mut Prefix<O::Accumulator>,
        values: O::Accumulator,
        shared: &Shared<O::Accumulator>,
        bits: u32,
    ) {
        let count = (shared.index >> bits) as u32 % FAN;
        let first = bits / LEVEL_BITS % 2 * FAN;
        // SAFETY: the whole warp is here, with the same `count`: this function's condition.
        prefix.value = unsafe { Self::combine_with_lanes(prefix.value, values, first, count) };
        if bits == prefix.level * LEVEL_BITS {
            prefix.of_next = prefix.value;
        }
    }
}

/// A look at the published values of two levels, on all lanes of a warp.
#[derive(Clone, Copy)]
struct Look<A> {
    /// The slot at which the lane looks.
    slot: u32,
    /// Whether the lane wants the value, and it is not published yet.
    is_missing: bool,
    value: A,
}

impl<A: Accumulator> Look<A> {
    /// A look at nothing.
    #[inline(always)]
    fn nothing() -> Self {
        Look {
            slot: 0,
            is_missing: false,
            value: accumulator_of_words([0; ACCUMULATOR_MAX_WORDS]),
        }
    }
}

/// The prefix of the first chunk's first node, while the levels of the tree are added to it, the highest first.
struct Prefix<A> {
    value: A,
    /// The prefix of the group that ends with the first chunk's sixteen: the prefix after level `level` was added.
    of_next: A,
    level: u32,
}
