//! The items and the tiles of a launch, and the blocks that take the tiles.

use crate::simt;
use crate::tickets::{self, Taken, Ticket, LAST_TAG};
use crate::workspace::Control;

/// A number of items, keys or segments: `most` if `address` is null, else the lesser of `most` and the number at `address`.
///
/// # Safety
/// Earlier work has been awaited. The address is null, or points to a readable number.
#[inline(always)]
pub unsafe fn counted(most: u64, address: *const u64) -> u64 {
    if address.is_null() {
        most
    } else {
        // SAFETY: the address is not null, checked above, so it points to a readable number: this function's condition.
        Ord::min(most, unsafe { address.read() })
    }
}

/// The tiles of a launch, and its tickets for them.
#[derive(Clone, Copy)]
pub struct Tiles {
    /// The first tile of the launch.
    first: u32,
    /// One past the launch's last tile.
    pub end: u32,
    /// Whether the launch is the last launch of its call.
    pub is_final: bool,
    /// Whether blocks take more tickets after their first ticket. They do if there are fewer blocks than tiles.
    pub tickets_go_on: bool,
    /// The number of tickets that all blocks together take. If blocks take more tickets after their first, each block's last ticket has no
    /// tile.
    tickets: u32,
}

impl Tiles {
    /// The tiles of a launch, from `first` to before `end`. The call has `tile_count` tiles in all.
    #[inline(always)]
    pub fn of_launch(first: u32, end: u32, tile_count: u32) -> Self {
        let blocks = simt::block_count();
        let tickets_go_on = end - first > blocks;
        let idle = if tickets_go_on { blocks } else { 0 };
        Tiles {
            first,
            end,
            is_final: end == tile_count,
            tickets_go_on,
            tickets: end - first + idle,
        }
    }

    /// The number of blocks that ask for tiles: at most one for each tile.
    #[inline(always)]
    pub fn blocks(&self) -> u32 {
        Ord::min(simt::block_count(), self.end - self.first)
    }

    /// The tile of a ticket; a number at or after the end if the ticket has no tile.
    #[inline(always)]
    pub fn of_ticket(&self, ticket: u32) -> u32 {
        self.first + ticket
    }

    /// Waits for a ticket that was taken. The thread with the launch's last ticket resets the tickets for the next launch. If this is the
    /// call's last launch, that thread also advances the epoch. Exception: if the call's last launch has the tag [`LAST_TAG`], the block
    /// that leaves last resets the tickets, and sets the epoch to 0.
    ///
    /// # Safety
    /// The thread that took the ticket calls this, once. `control` belongs to the launch's workspace, in global memory.
    #[inline(always)]
    pub unsafe fn receive(&self, control: *mut Control, taken: Taken) -> Ticket {
        // SAFETY: `control` belongs to the workspace: this function's condition. No block takes a ticket after the last ticket, so no other
        // thread changes `Control::tickets` now.
        unsafe {
            let ticket = taken.ticket();
            let is_last = ticket.index == self.tickets - 1;
            if is_last && !(self.is_final && ticket.tag == LAST_TAG) {
                let moves_on = self.is_final as u32;
                tickets::restart(control, ticket.tag.wrapping_sub(1 - moves_on));
            }
            ticket
        }
    }
}
