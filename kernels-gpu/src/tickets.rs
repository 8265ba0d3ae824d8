//! Tickets: numbers that blocks take from a counter, with the tag of the launch's call.
//!
//! One atomic word has the epoch and the number of tickets taken so far. So a block gets a number and the tag in one access. Nothing has to
//! be reset before a launch. The block with the last ticket knows that no block will take another ticket, and writes the word for the next
//! launch. Only a launch with the last tag may have to count the blocks that leave: then the last of these writes the word.

use crate::simt;
use crate::workspace::Control;

/// A block's ticket.
#[derive(Clone, Copy)]
pub struct Ticket {
    /// How many tickets were taken before this ticket, since the last [`restart`].
    pub index: u32,
    /// The tag of the launch's call. It is 0 if the call has one tile, and so takes no ticket. Any other tag differs from all tags that
    /// earlier calls have left in state words.
    pub tag: u32,
}

/// A ticket whose atomic access may still be in flight.
#[derive(Clone, Copy)]
pub struct Taken(u64);

impl Taken {
    /// Waits for the ticket. If no ticket was taken, the result must not be used: it is the same as the first ticket of the first launch.
    #[inline(always)]
    pub fn ticket(self) -> Ticket {
        Ticket {
            index: self.0 as u32,
            tag: ((self.0 >> 32) as u32).wrapping_add(1),
        }
    }
}

/// The last tag. The last launch of a call with this tag clears the state words at its end.
pub const LAST_TAG: u32 = u32::MAX;

/// Takes a ticket if `takes` is true and the calling thread is the first lane of its warp. The ticket takes some time to arrive, so do
/// other work in the meantime.
///
/// # Safety
/// `control` belongs to the launch's workspace, in global memory.
#[inline(always)]
pub unsafe fn take_if(control: *mut Control, takes: bool) -> Taken {
    // SAFETY: the word is a field of the workspace's `Control`, so it is in global memory, aligned and writable: this function's condition.
    Taken(unsafe { simt::increment_word_if(&raw mut (*control).tickets, takes) })
}

/// Resets the tickets, and sets the epoch to `epoch`, for the next launch. One thread calls this, after the launch's last ticket is taken.
///
/// # Safety
/// `control` belongs to the launch's workspace, in global memory.
#[inline(always)]
pub unsafe fn restart(control: *mut Control, epoch: u32) {
    // SAFETY: the word is a field of the workspace's `Control`, so it is in global memory, aligned and writable: this function's condition.
    unsafe { simt::store_word(&raw mut (*control).tickets, (epoch as u64) << 32) };
}

/// If `ticket` is the last ticket of a launch in which every block takes one, resets the tickets and advances the epoch, for the next
/// launch. A launch with the last tag resets them at its end instead, when it has cleared the state words.
///
/// # Safety
/// `control` belongs to the launch's workspace, in global memory. The thread that took the ticket calls this.
#[inline(always)]
pub unsafe fn restart_after_last(control: *mut Control, ticket: Ticket) {
    if ticket.index == simt::block_count() - 1 && ticket.tag != LAST_TAG {
        // SAFETY: `control` belongs to the workspace: this function's condition.
        unsafe { restart(control, ticket.tag) };
    }
}
