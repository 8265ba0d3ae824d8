//! Tickets: which blocks run, and under which tag.
//!
//! One atomic word says both how many tickets of a launch are taken and the launch's epoch, so a block learns its place and its tag in one
//! access, and nothing has to be set up before a launch or counted at its end: the block that takes the last ticket knows that no block
//! will take another, and writes the word for the next launch.

use crate::simt;
use crate::workspace::Control;

/// A block's ticket.
#[derive(Clone, Copy)]
pub struct Ticket {
    /// How many tickets were taken before.
    pub index: u32,
    /// The launch's tag: not zero, and not that of any word that an earlier launch left.
    pub tag: u32,
}

/// A ticket that is perhaps still on its way.
#[derive(Clone, Copy)]
pub struct Taken(u64);

impl Taken {
    /// The ticket, which is waited for; ticket 0 of no launch, if none was taken.
    #[inline(always)]
    pub fn ticket(self) -> Ticket {
        Ticket {
            index: self.0 as u32,
            tag: ((self.0 >> 32) as u32).wrapping_add(1),
        }
    }
}

/// The tag after which there are no more.
pub const LAST_TAG: u32 = u32::MAX;

/// Takes a ticket on a warp's first lane, if `takes`. The ticket takes some time to arrive: other work can be done meanwhile.
///
/// # Safety
/// `control` is the launch's.
#[inline(always)]
pub unsafe fn take_if(control: *mut Control, takes: bool) -> Taken {
    // SAFETY: the caller's.
    Taken(unsafe { simt::increment_word_if(&raw mut (*control).tickets, takes) })
}

/// Writes the word for a launch with the epoch `epoch`, as the thread that took the last ticket.
///
/// # Safety
/// `control` is the launch's.
#[inline(always)]
pub unsafe fn restart(control: *mut Control, epoch: u32) {
    // SAFETY: the caller's.
    unsafe { simt::store_word(&raw mut (*control).tickets, (epoch as u64) << 32) };
}
