//! How many items a launch has, which tiles, and who takes them.

use crate::simt;
use crate::tickets::{self, Taken, Ticket, LAST_TAG};
use crate::workspace::Control;

/// How many there are: `most`, or, if there is an `address`, as many as the number there says, up to `most`.
///
/// # Safety
/// Work before the launch is awaited. The address is null or that of a readable number.
#[inline(always)]
pub unsafe fn counted(most: u64, address: *const u64) -> u64 {
    if address.is_null() {
        most
    } else {
        // SAFETY: the caller's.
        Ord::min(most, unsafe { address.read() })
    }
}

/// What a launch's tickets stand for.
#[derive(Clone, Copy)]
pub struct Tiles {
    /// The first tile of the launch.
    first: u32,
    /// The tile after its last.
    pub end: u32,
    /// Whether the launch is its scan's last.
    pub is_final: bool,
    /// Whether a block takes more tickets after its first; not where there is a block for every tile.
    pub tickets_go_on: bool,
    /// The tickets that are taken in all. Where they go on, each block takes one that stands for no tile.
    tickets: u32,
}

impl Tiles {
    /// The tiles of a launch that goes from `first` to before `end`, of `tile_count`.
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

    /// The blocks that take tickets: no more than there are tiles. Others have no part in the launch.
    #[inline(always)]
    pub fn blocks(&self) -> u32 {
        Ord::min(simt::block_count(), self.end - self.first)
    }

    /// The tile of a ticket; at or after the end if the ticket has none.
    #[inline(always)]
    pub fn of_ticket(&self, ticket: u32) -> u32 {
        self.first + ticket
    }

    /// The ticket that was taken. The launch's last makes the tickets fit for the next launch: it moves the epoch on, if this
    /// is its scan's last launch, unless the tags are used up: then whoever leaves last sees to it.
    ///
    /// # Safety
    /// The thread that took the ticket, once; `control` is the launch's.
    #[inline(always)]
    pub unsafe fn receive(&self, control: *mut Control, taken: Taken) -> Ticket {
        // SAFETY: the caller's; nobody takes a ticket after the last.
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
