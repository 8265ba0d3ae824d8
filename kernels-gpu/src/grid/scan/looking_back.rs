//! The warp that looks back.

use crate::board::Board;
use crate::element::Element;
use crate::lookback::Lookback;
use crate::op::Op;
use crate::simt;
use crate::tickets::{self, LAST_TAG};
use crate::workspace::Control;

use super::Launch;

impl<O: Op<T, Output = T>, T: Element, const WARPS: u32, const ROWS: usize>
    Launch<O, T, WARPS, ROWS>
{
    /// The part of the warp that looks back.
    ///
    /// # Safety
    /// That of [`super::scan()`]: the warp of a block behind those that scan, whole.
    #[inline(always)]
    pub unsafe fn look_back(&self, state_words: u64) {
        let lookback = Lookback::new::<T>(self.board, self.array.item_count);
        let mut turn = 0;
        // SAFETY: the caller's. All lanes see the same tiles, so they stay together.
        unsafe {
            loop {
                let tile = self.await_tile(turn);
                if tile >= self.tiles.end {
                    break;
                }
                let prefix = lookback.look_back::<O, T>(tile);
                self.tell_prefix(turn, prefix);
                turn += 1;
            }
            if self.board.tag() == LAST_TAG && self.tiles.is_final {
                depart(self.control, self.board, state_words);
            }
        }
    }
}

/// Leaves a scan that uses up the tags. The last block to leave clears the state words and begins with the tags anew.
///
/// # Safety
/// Convergent: one whole warp of each block, the one that looks back, after its last access to the board.
#[inline(always)]
unsafe fn depart(control: *mut Control, board: Board, state_words: u64) {
    // SAFETY: the caller's; `arrive` orders the other blocks' accesses before what follows.
    unsafe {
        // Orders the warp's accesses before lane 0's news of them.
        simt::warp_barrier();
        if simt::lane() != 0 {
            return;
        }
        let departed = simt::arrive(&raw mut (*control).departures);
        if departed != simt::block_count() - 1 {
            return;
        }
        (*control).departures = 0;
        board.clear(state_words);
        tickets::restart(control, 0);
    }
}
