//! Programmatic launches: whether a thread has waited for the preceding launches.
//!
//! A programmatic launch may begin while earlier work on its stream still runs, but must not access global memory before that work has
//! ended. On the virtual device, the launches of a stream run one after the other, so a missing wait gives no wrong values. Instead every
//! access to global memory is checked: its thread must have waited. A thread has waited if
//!
//! 1. it executed `griddepcontrol.wait`, or
//! 2. it passed a barrier of its block or a `bar.warp.sync` together with a thread that had waited before.
//!
//! So it is enough that every thread waits first, or that one warp waits and a barrier of the block
//! follows. An asynchronous copy counts as an access by the thread that begins it, at the time when it
//! begins. Named constants, parameters, memory other than global, and printed texts may be accessed at
//! any time.
//!
//! In a launch that is not programmatic, and in a grid that a kernel launched, all threads count as having waited from the start.
//!
//! Not modelled: waits that are passed on by an mbarrier, a flag in memory or a shuffle. A thread that relies on such a wait must execute
//! `griddepcontrol.wait` itself. Memory that only this launch uses is checked like any other memory.

use super::machine::{Finding, Machine};
use super::memory::{Group, Wish};
use super::warp::Warp;
use crate::config::Dependence;
use crate::fault::FaultKind;
use crate::program::{ALL_LANES, AddressSpace};

impl<O> Machine<'_, O> {
    /// The lanes of a new warp that count as having waited.
    pub(super) fn waited_at_start(&self) -> u32 {
        match (self.options.dependence, self.task.number) {
            (Dependence::Programmatic, 0) => 0,
            _ => ALL_LANES,
        }
    }
}

impl Warp {
    /// Fails if lanes that access global memory have not waited.
    #[inline(always)]
    pub(super) fn check_waited(&self, wish: &Wish, group: &Group) -> Result<(), Finding> {
        match group.mask & !self.waited {
            0 => Ok(()),
            early => too_early(wish, group, early),
        }
    }
}

#[cold]
fn too_early(wish: &Wish, group: &Group, early: u32) -> Result<(), Finding> {
    if group.space != AddressSpace::Global || wish.address.space == AddressSpace::Constant {
        return Ok(());
    }
    let lane = early.trailing_zeros() as usize;
    let kind = FaultKind::TooEarly {
        access: wish.kind,
        address: group.addresses[lane],
        bytes: wish.bytes,
    };
    Err(Finding { kind, lane })
}
