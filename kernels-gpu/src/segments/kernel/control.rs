//! What the blocks of a launch tell each other, besides values: that offsets are refused, and that a block departs.

use crate::board::Board;
use crate::element::Element;
use crate::op::Op;
use crate::simt;
use crate::tickets;
use crate::workspace::Control;

use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Whether the block stops, because it or another block has refused the offsets.
    ///
    /// # Safety
    /// The header is written.
    #[inline(always)]
    pub unsafe fn is_refused(&self) -> bool {
        // SAFETY: the field is in shared memory, and written with the header: this function's condition.
        unsafe { simt::read_shared(&raw const (*self.header).is_refused) != 0 }
    }

    /// The launch's board.
    ///
    /// # Safety
    /// The tag is written.
    #[inline(always)]
    pub unsafe fn board(&self) -> Board {
        // SAFETY: the tag is in shared memory, and written: this function's condition.
        Board::new(self.states, unsafe {
            simt::read_shared(&raw const (*self.header).tag)
        })
    }

    /// Refuses the offsets.
    ///
    /// # Safety
    /// The tag is written.
    #[inline(always)]
    pub unsafe fn refuse(&self) {
        // SAFETY: the tag is written (this function's condition), `control` belongs to the workspace (the launch's condition 6), and
        // `report` is null or writable (its condition 7).
        unsafe {
            let tag = simt::read_shared(&raw const (*self.header).tag);
            simt::store_word(&raw mut (*self.control).fault, tag as u64);
            if !self.report.is_null() {
                simt::store_word(self.report, 1);
            }
        }
    }
}

/// Counts the block's departure from a launch that has the last tag. The last block to depart clears the state words and resets the
/// tickets, so that the next launch gets the first tag.
///
/// # Safety
/// Convergent: the whole warp 0 of each block, after the block's last access to the board. `control` belongs to the launch's workspace, and
/// the board has `state_words` words.
#[inline(always)]
pub unsafe fn depart(control: *mut Control, board: Board, state_words: u64) {
    // SAFETY: the whole warp is here, `control` belongs to the workspace and the board has the words: this function's conditions. Only the
    // block that calls `arrive` last reaches the writes below. `arrive` orders all other blocks' accesses before these writes.
    unsafe {
        // Orders the other lanes' accesses before lane 0's call of `arrive`. This call is a release operation, which covers these accesses.
        simt::warp_barrier();
        if simt::lane() != 0 {
            return;
        }
        if simt::arrive(&raw mut (*control).departures) != simt::block_count() - 1 {
            return;
        }
        (*control).departures = 0;
        simt::store_word(&raw mut (*control).fault, 0);
        board.clear(state_words);
        tickets::restart(control, 0);
    }
}
