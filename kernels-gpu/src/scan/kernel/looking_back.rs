//! The warp that looks back.

use crate::block::Shape;
use crate::board::Board;
use crate::element::Element;
use crate::lookback::{is_group_last, Lookback, Manner};
use crate::op::Op;
use crate::scan::tuning;
use crate::scan::ScanArguments;
use crate::simt;
use crate::tickets::{self, LAST_TAG};
use crate::workspace::Control;

use super::{initial, leaves_later, Launch};

impl<O: Op<T>, T: Element, S: Shape> Launch<O, T, S> {
    /// Whether look-backs are patient, as in long scans. The values that a tile needs are published soon after the tile arrives. A
    /// look-back that begins earlier polls again and again, and slows down the memory that all blocks poll. Of 2^28 `f32` on an H200,
    /// impatient look-backs took 541 µs and these 527. A short scan is over before that memory is busy.
    const IS_PATIENT: bool = S::IS_LONG;

    /// The part of the warp that looks back.
    ///
    /// # Safety The same as for [`super::scan()`]. The whole warp that follows the scanning warps calls it.
    #[inline(always)]
    pub unsafe fn look_back(&self, arguments: &ScanArguments<T, O::Output>) {
        let lookback = Lookback::new(self.board, tuning::tiles::<O, T>(), self.array.item_count);
        // A prefix is used two turns after its tile arrived: enough to begin one turn after. The last tile of a group begins at once, since
        // the next group waits for it. So does the block's first tile: it may be the only one, and `compute-sanitizer`'s `racecheck`
        // expects that a writer has waited at fewer barriers than its reader.
        let has_time = Self::IS_PATIENT && leaves_later(self.buffers());
        let manner = Manner {
            is_patient: Self::IS_PATIENT,
            tells_group: !self.stores,
        };
        let mut turn = 0;
        // SAFETY: the caller's. All lanes see the same tiles, so they stay together.
        unsafe {
            let mut tile = self.await_tile(turn);
            while tile < self.tiles.end {
                let waits = has_time && turn > 0 && !is_group_last(tile);
                let mut next = tile;
                if waits {
                    next = self.await_tile(turn + 1);
                }
                // If nothing is stored, no block needs the prefix. The last tile of a group publishes the group's aggregate meanwhile.
                let mut prefix = O::identity();
                if self.stores || is_group_last(tile) {
                    // Asked for each time: in registers it would displace others.
                    let initial = initial::<O, T>(arguments);
                    prefix = lookback.look_back::<O, T>(tile, initial, manner);
                }
                self.tell_prefix(turn, prefix);
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

/// Leaves a launch of this many blocks, the one that uses up the tags. The last block to leave clears the state words and begins with the tags anew.
///
/// # Safety
/// Convergent: one whole warp of each block, the one that looks back, after its last access to the board.
#[inline(always)]
pub(crate) unsafe fn depart(control: *mut Control, board: Board, state_words: u64, blocks: u32) {
    // SAFETY: the caller's; `arrive` orders the other blocks' accesses before what follows.
    unsafe {
        // Orders the warp's accesses before lane 0's news of them.
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
