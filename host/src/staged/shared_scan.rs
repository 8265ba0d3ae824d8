//! A scan that n GPUs share: piece p of the slice goes to GPU p mod n, over that GPU's own bus.
//!
//! ```text
//! piece p arrives      its tiles are read: the kernel publishes the aggregates of their tile groups
//! piece p leaves       the aggregates go to all GPUs; wait for the prefix of piece p; scan its tiles with it
//! ```
//!
//! So a piece is copied once in each direction, and waits on its device until the earlier pieces, on all devices, have been read.
//!
//! Each GPU has two boards, which are zeroed once. All launches on them have the tag 1. On the first board, the launches for arriving
//! pieces publish aggregates: they take the identity as each piece's prefix. On the second board, the launches for leaving pieces scan with
//! the true prefixes.

use std::iter;
use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

use warpfold_kernels::contract::{SCAN_GROUP_TILES, ScanTiles};
use warpfold_kernels::element::{Accumulator, accumulator_word};
use warpfold_kernels::workspace::{STATES_OFFSET, scan_state_words, workspace_bytes};

use super::carry::{Piece, Step, Ways, carry_in_steps};
use super::chain::{Broken, Chain};
use super::cut::Cut;
use super::results::Results;
use super::{Items, lanes};
use crate::driver::{self, DeviceMemory, PinnedMemory, Stream};
use crate::error::Fault;
use crate::error::{Error, Result};
use crate::gpu::{BusyTransferLane, Call, Entered, WorkspaceSpan};
use crate::kernel::kind::Kind;
use crate::kernel::{Item, Kernel};
use crate::launch::Queue;
use crate::launch::states::{from_states, state_bytes};

/// At most this many later pieces of a rank arrive before a piece leaves. By then, the host usually has the piece's aggregates.
const BETWEEN: usize = 4;

/// The tag of all launches on the boards.
const TAG: u32 = 1;

impl From<Broken> for Error {
    fn from(Broken(rank): Broken) -> Self {
        Fault::RankFailed { rank }.into()
    }
}

/// Runs a scan that `ranks` ranks share. There is at least one item. `run` must let each rank scan its share.
pub(crate) fn scan_shared<'items, K: Kind, O: Kernel<K, T>, T: Item>(
    items: &'items [T],
    ranks: usize,
    run: impl FnOnce(Vec<Share<'items, '_, T>>, &Chain<O::Accumulator>) -> Result<()>,
) -> Result<Vec<O::Output>> {
    let mut results = Results::<O::Output>::new(items.len())?;
    results.make_pages();
    let cut = Cut::of_scan(O::row(), items.len()).in_groups();
    let bytes: &[u8] = bytemuck::cast_slice(items);
    let result_bytes = cut.piece_items() * size_of::<O::Output>();
    let mut shares: Vec<_> = (0..ranks)
        .map(|rank| Share {
            items,
            cut,
            rank,
            ranks,
            pieces: Vec::new(),
        })
        .collect();
    let pieces = iter::zip(
        bytes.chunks(cut.piece_bytes()),
        results.bytes().chunks_mut(result_bytes),
    );
    for (index, (from, to)) in pieces.enumerate() {
        shares[index % ranks].pieces.push(Piece { from, to });
    }
    run(shares, &Chain::new(O::identity(), O::combine))?;
    // SAFETY: `run` returned no error, so every rank has written the results of all its pieces, and the destinations of the pieces together
    // are all of the memory.
    Ok(unsafe { results.written() })
}

/// A rank's pieces.
pub(crate) struct Share<'items, 'results, T> {
    items: &'items [T],
    cut: Cut,
    rank: usize,
    ranks: usize,
    pieces: Vec<Piece<'results>>,
}

impl<'items: 'results, 'results, T: Item> Share<'items, 'results, T> {
    /// Scans the pieces on a GPU.
    pub fn scan<K: Kind, O: Kernel<K, T>>(
        self,
        entered: Entered<'_>,
        chain: &Chain<O::Accumulator>,
    ) -> Result<()> {
        let link = chain.link(self.rank);
        let (cut, items, row) = (self.cut, Items::from(self.items), O::row());
        let results_at = cut.results_at();
        let ways = Ways::ThereAndBack { results_at };
        let (mut conductor, own_lanes) =
            link.in_turn(|| Ok::<_, Error>((entered.call()?, lanes(entered, ways, cut)?)))?;
        conductor.begin();
        let boards = Boards::<O::Accumulator>::new(
            entered,
            &conductor,
            O::row().division.scan_tiles,
            self.items.len(),
            cut,
        )?;
        let piece_of = |index: usize| self.rank + index * self.ranks;
        let last = cut.piece_count() - 1;
        let mut first = Queue::on_board(entered, &conductor, boards.first.place);
        let mut second = Queue::on_board(entered, &conductor, boards.second.place);
        carry_in_steps(
            own_lanes,
            ways,
            self.pieces.into_iter(),
            BETWEEN,
            |step, lane, index| {
                let piece = piece_of(index);
                let tiles = cut.units(piece);
                let groups = groups_of(&tiles);
                let input =
                    |address: u64| items.at(address.wrapping_sub(cut.offset(items.item, piece)));
                match step {
                    Step::Arrive if piece == last => Ok(lane),
                    Step::Arrive => lane.lend(&conductor, |address| {
                        let stream = conductor.stream();
                        boards
                            .first
                            .publish_prefix(groups.start, O::identity(), stream)?;
                        // SAFETY:
                        // - the lane's memory starts with the items of these tiles, and is lent to the conductor's stream until the work
                        //   is done (condition 1);
                        // - the lane's memory is aligned to 256 bytes, and the piece's offset in the slice is a multiple of an item's size
                        //   (condition 2);
                        // - the piece's first tile begins a tile group, so no tile of this group is before the piece. The prefix of this
                        //   group is published above (condition 3).
                        unsafe { first.publish_piece(row, input(address), tiles) }?;
                        boards.take(groups, index, stream)
                    }),
                    Step::Leave => {
                        if piece != last {
                            link.publish(piece, boards.taken(&lane, groups.clone(), index)?);
                        }
                        let prefix = link.prefix(piece)?;
                        lane.lend(&conductor, |address| {
                            boards.second.publish_prefix(
                                groups.start,
                                prefix,
                                conductor.stream(),
                            )?;
                            let offset = cut.offset(row.result, piece);
                            let output = (address + results_at as u64).wrapping_sub(offset);
                            // SAFETY:
                            // - the lane's memory still has the items of these tiles. If items and results have the same type, the results
                            //   replace the items; otherwise there is room for the results after the items. The memory is lent to the
                            //   conductor's stream until the work is done (condition 1);
                            // - in the lane's memory, items and results start at multiples of 256 bytes. The offset that is subtracted from
                            //   each address is a multiple of the size of an item or a result (condition 2);
                            // - the first tile begins a tile group, whose prefix is published above, so no earlier tile is needed.
                            unsafe { second.scan_piece(row, input(address), output, tiles) }
                        })
                    }
                }
            },
        )?;
        drop((first, second));
        conductor.wait()?;
        link.end();
        Ok(())
    }
}

fn groups_of(tiles: &Range<u64>) -> Range<u64> {
    tiles.start / SCAN_GROUP_TILES..tiles.end.div_ceil(SCAN_GROUP_TILES)
}

/// A GPU's two boards, and host memory for the aggregates from the first board.
struct Boards<A> {
    first: Board<A>,
    second: Board<A>,
    taken: PinnedMemory,
    /// Bytes of a slot of `taken`. A slot holds the aggregates of a piece's tile groups.
    slot_bytes: usize,
}

/// A GPU's board, with state words for all tiles of the scan.
struct Board<A> {
    _memory: DeviceMemory,
    place: WorkspaceSpan,
    tile_count: u64,
    group_count: u64,
    values: PhantomData<A>,
}

impl<A: Accumulator> Board<A> {
    fn new(
        entered: Entered<'_>,
        stream: Stream<'_>,
        tiles: ScanTiles,
        items: usize,
    ) -> Result<Self> {
        let item_count = items as u64;
        let state_words = scan_state_words::<A>(tiles, item_count);
        let bytes = workspace_bytes(state_words);
        let memory = entered.with_room(|| DeviceMemory::allocate(bytes))?;
        driver::fill(memory.address(), 0, (bytes / 4) as usize, stream)?;
        let place = WorkspaceSpan {
            control: memory.address(),
            states: memory.address() + STATES_OFFSET,
            state_words,
            heads: 0,
            head_bytes: 0,
        };
        Ok(Self {
            _memory: memory,
            place,
            tile_count: tiles.count(item_count),
            group_count: tiles.group_count(item_count),
            values: PhantomData,
        })
    }

    /// The address of a tile group's aggregate. The aggregates of all tile groups are followed by the prefixes of all tile groups.
    fn aggregate(&self, group: u64) -> u64 {
        self.place.states + (self.tile_count + group) * state_bytes::<A>() as u64
    }

    /// Queues the publishing of a tile group's prefix.
    fn publish_prefix(&self, group: u64, prefix: A, stream: Stream<'_>) -> Result<()> {
        let slot = self.aggregate(self.group_count + group);
        for (word, address) in (0..A::WORDS).zip((slot..).step_by(8)) {
            driver::fill(address, accumulator_word(prefix, word), 1, stream)?;
            driver::fill(address + 4, TAG, 1, stream)?;
        }
        Ok(())
    }
}

impl<A: Accumulator> Boards<A> {
    fn new(
        entered: Entered<'_>,
        conductor: &Call<'_>,
        tiles: ScanTiles,
        items: usize,
        cut: Cut,
    ) -> Result<Self> {
        let board = || Board::new(entered, conductor.stream(), tiles, items);
        let groups = groups_of(&cut.units(0));
        let slot_bytes = (groups.end - groups.start) as usize * state_bytes::<A>();
        Ok(Self {
            first: board()?,
            second: board()?,
            taken: entered.with_room(|| PinnedMemory::allocate((BETWEEN + 1) * slot_bytes))?,
            slot_bytes,
        })
    }

    /// Queues the copy of these tile groups' aggregates to the host.
    fn take(&self, groups: Range<u64>, index: usize, stream: Stream<'_>) -> Result<()> {
        let from = self.first.aggregate(groups.start);
        let bytes = (groups.end - groups.start) as usize * state_bytes::<A>();
        let at = index % (BETWEEN + 1) * self.slot_bytes;
        debug_assert!(
            bytes <= self.slot_bytes && at + self.slot_bytes <= (BETWEEN + 1) * self.slot_bytes
        );
        // SAFETY: the slot lies in `self.taken`, which has `BETWEEN + 1` slots, and at most one slot's bytes are copied (condition 1).
        // Nobody uses the slot before the piece leaves. Then [`Self::taken`] waits for this copy, and reads the slot. The piece that had
        // this slot before has left (condition 2).
        unsafe {
            let to = self.taken.start().add(at);
            driver::queue_copy_to_host(to, from, bytes.min(self.slot_bytes), stream)
        }?;
        Ok(())
    }

    /// Waits for the copy that [`Self::take`] queued, and returns the aggregates.
    fn taken(
        &self,
        lane: &BusyTransferLane<'_>,
        groups: Range<u64>,
        index: usize,
    ) -> Result<Vec<A>> {
        lane.call().stream().synchronize()?;
        let at = index % (BETWEEN + 1) * self.slot_bytes;
        let bytes = (groups.end - groups.start) as usize * state_bytes::<A>();
        // SAFETY: the slot lies in `self.taken`, for the same reason as in `take`. The lane's stream runs after the copy of these bytes,
        // and `synchronize` waited for that stream, so the bytes are written. No other copy to the slot is queued before the piece has
        // left.
        let states = unsafe {
            slice::from_raw_parts(
                self.taken.start().add(at).as_ptr(),
                bytes.min(self.slot_bytes),
            )
        };
        Ok(from_states(states).collect())
    }
}

#[cfg(test)]
mod tests;
