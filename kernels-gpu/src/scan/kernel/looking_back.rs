//! The warp that looks back.

use crate::block::Shape;
use crate::board::Board;
use crate::element::Element;
use crate::launch::looks_far_back;
use crate::lookback::{is_group_last, Lookback, Manner};
use crate::op::Op;
use crate::scan::tuning;
use crate::scan::ScanArguments;
use crate::simt;
use crate::tickets::{self, LAST_TAG};
use crate::workspace::Control;

use super::{initial, leaves_later, Launch};

impl<O: Op<T>, T: Element, S: Shape> Launch<O, T, S> {
    /// Whether look-backs are [patient](Manner::is_patient). They are patient in long scans only. The values that a tile needs are
    /// published soon after the tile arrives. A look-back that begins before they are published polls again and again, and slows down the
    /// memory that all blocks poll. On an H200, 2^28 `f32` took 541 µs with impatient look-backs, and 527 µs with patient look-backs. A
    /// short scan ends before that memory is busy.
    const IS_PATIENT: bool = S::IS_LONG;

    /// Whether the lanes read published values together: see `lookback::far`.
    const IS_FAR: bool = looks_far_back::<O::Accumulator>(S::SHAPE);

    /// Runs the warp that looks back.
    ///
    /// # Safety
    /// The conditions of [`super::scan()`]. The whole warp with number `S::WARPS` calls this.
    #[inline(always)]
    pub unsafe fn look_back(&self, arguments: &ScanArguments<T, O::Output>) {
        let lookback = Lookback::new(self.board, tuning::tiles::<O, T>(), self.array.item_count);
        // If a tile is stored two turns after it arrived, its look-back can begin one turn after the arrival. Long scans delay the
        // look-back in this way, with two exceptions. For the last tile of a group, the look-back begins at once, since the next group
        // waits for its result. For the block's first tile, the look-back also begins at once, for two reasons: there may be no other tile,
        // and `compute-sanitizer`'s `racecheck` expects that a writer has waited at fewer barriers than the reader.
        let has_time = Self::IS_PATIENT && leaves_later(self.buffers());
        let manner = Manner {
            is_patient: Self::IS_PATIENT,
            publishes_group: !self.stores,
        };
        let mut turn = 0;
        let mut gathered = self.tiles.end;
        // SAFETY: the whole warp is here (this function's condition), and all lanes receive the same tiles, so they stay together. A tile
        // is awaited once for each turn, and a prefix is sent once for each turn, both in order. A tile is published before it is sent, so
        // a barrier lies between its publication and the look-back. `total` is null or writable (condition 4 of `scan`); one lane writes
        // it. After the loop, no thread of the block uses the board any more, except for the departure.
        unsafe {
            let mut tile = self.await_tile(turn);
            while tile < self.tiles.end {
                let waits = has_time && turn > 0 && !is_group_last(tile);
                let mut next = tile;
                if waits {
                    next = self.await_tile(turn + 1);
                }
                // A far look-back publishes a group's aggregate before it waits for a prefix, because other blocks wait for the aggregate.
                let latest = if waits { next } else { tile };
                let gathers = is_group_last(latest) && latest < self.tiles.end;
                if Self::IS_FAR && gathers && latest != gathered {
                    lookback.gather::<O, T>(latest, self.scratch());
                    gathered = latest;
                }
                // If nothing is stored, no block needs prefixes. Then only the last tile of a group looks back, and publishes the group's
                // aggregate.
                let mut prefix = O::identity();
                if self.stores || is_group_last(tile) {
                    // The initial value is read again for each look-back. If it stayed in registers, it would displace other values.
                    let initial = initial::<O, T>(arguments);
                    prefix = if Self::IS_FAR {
                        lookback.look_far_back::<O, T>(tile, initial, self.scratch())
                    } else {
                        lookback.look_back::<O, T>(tile, initial, manner)
                    };
                }
                self.send_prefix(turn, prefix);
                if !arguments.total.is_null() && lookback.is_last(tile) {
                    let aggregate = lookback.published_tile(tile);
                    if simt::lane() == 0 {
                        let total = O::combine(prefix, aggregate);
                        arguments.total.write(O::lower(total));
                    }
                }
                if !waits {
                    next = self.await_tile(turn + 1);
                }
                tile = next;
                turn += 1;
            }
            if self.board.tag() == LAST_TAG && self.tiles.is_final {
                let state_words = arguments.state_words;
                depart(self.control, self.board, state_words, self.tiles.blocks());
            }
        }
    }
}

/// Leaves a launch that has the last tag. `blocks` blocks call this. The last block to leave clears the state words and resets the epoch.
///
/// # Safety
/// - Convergent: one whole warp of each of these blocks, after the block's last access to the board. No other block uses the board.
/// - `control` and `board`, of `state_words` words, belong to the launch's workspace.
#[inline(always)]
pub(crate) unsafe fn depart(control: *mut Control, board: Board, state_words: u64, blocks: u32) {
    // SAFETY: the whole warp calls it: condition 1. The workspace is the launch's: condition 2. `arrive` orders the other blocks' accesses
    // before the last block's accesses. Only the last block clears the board.
    unsafe {
        // Orders the warp's accesses before lane 0's arrival.
        simt::warp_barrier();
        if simt::lane() != 0 {
            return;
        }
        let departed = simt::arrive(&raw mut (*control).departures);
        if departed != blocks - 1 {
            return;
        }
        (*control).departures = 0;
        board.clear(state_words);
        tickets::restart(control, 0);
    }
}
