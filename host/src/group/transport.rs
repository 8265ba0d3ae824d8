//! What ranks need of each other: a small interface, with two implementations.

use std::fmt::Debug;
use std::time::Duration;

use super::post::Post;
use crate::driver::{Address, Stream};
use crate::error::Result;
use crate::gpu::Entered;

/// Memory of the calling rank's device that goes to another rank, or comes from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parcel {
    /// The other rank.
    pub peer: usize,
    pub address: Address,
    pub bytes: u64,
}

/// What a transport may use of the calling rank's.
#[derive(Clone, Copy)]
pub(super) struct Local<'a> {
    /// The device, whose context is current.
    pub entered: Entered<'a>,
    /// A stream of the call's own. Whatever a transport queues on it is done when it returns, or aborted.
    pub stream: Stream<'a>,
    /// How long to wait for other ranks.
    pub limit: Duration,
}

/// The way between the ranks of a group. All ranks call the same methods in the same order.
///
/// A failure here leaves ranks out of step. So it dissolves the group: the transport has aborted when it reports one, and every
/// later call of any rank fails within the limit.
pub(super) trait Transport: Send + Debug {
    fn rank(&self) -> usize;

    fn size(&self) -> usize;

    /// Hands the outgoing message, whose body has `body_bytes` bytes on all ranks, to all: after what is queued on the stream. Waits for
    /// that, as long as it takes, and then for the other ranks' messages.
    ///
    /// Fails also if this rank comes so late that another no longer waits: by more than its limit later than it, counted from the
    /// last time.
    fn all_gather(&mut self, local: Local<'_>, post: &mut Post, body_bytes: usize) -> Result<()>;

    /// Carries memory from rank to rank: of the parcels from one to another the first sent is the first received, and they are
    /// equally long. What is sent is complete in memory when this is called, and may be used anew when it returns; what is received
    /// has come. That a peer has received what was sent is known after the next [`all_gather`](Self::all_gather).
    fn exchange(&mut self, local: Local<'_>, sends: &[Parcel], receives: &[Parcel]) -> Result<()>;

    /// Dissolves the group, since this rank is out of step.
    fn abort(&mut self);
}
