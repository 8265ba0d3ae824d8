//! Tickets: numbers that blocks take from a counter. A block gets the tag of its launch together with the ticket.
//!
//! One atomic word has the epoch and the number of tickets taken so far. So a block gets its ticket and the tag, which is the epoch plus
//! one, in one access. Nothing has to be reset before a launch. The block with the launch's last ticket knows that no block will take
//! another ticket, so it resets the word for the next launch. There is one exception: some launches with the last possible tag,
//! [`LAST_TAG`], count the blocks that leave. In a launch that counts them, the block that leaves last resets the word.

use crate::simt;
use crate::workspace::Control;

/// A block's ticket.
#[derive(Clone, Copy)]
pub struct Ticket {
    /// How many tickets were taken before this ticket, since the last [`restart`].
    pub index: u32,
    /// The tag of the launch's call. It is 0 if the call has only one tile: such a call takes no ticket. Any other tag differs from all
    /// tags that earlier calls have left in state words.
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

/// Takes a ticket if `takes` is true and the calling thread is the first lane of its warp. The ticket takes some time to arrive: the caller
/// should do other work in the meantime.
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

/// For launches in which every block takes exactly one ticket. If `ticket` is the launch's last ticket, resets the tickets and advances the
/// epoch, for the next launch. If the tag is [`LAST_TAG`], does nothing: the launch resets the tickets at its end, after it has cleared the
/// state words.
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
