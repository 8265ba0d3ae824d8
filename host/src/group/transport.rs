//! The transport between ranks: a small interface.

use std::fmt::Debug;
use std::time::Duration;

use super::post::Post;
use crate::driver::{Address, Stream};
use crate::error::Result;
use crate::gpu::Entered;

/// Memory of the calling rank's device: it is sent to another rank, or takes what the other rank sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parcel {
    /// The other rank.
    pub peer: usize,
    pub address: Address,
    pub bytes: u64,
}

/// The resources of the calling rank that a transport may use.
#[derive(Clone, Copy)]
pub(super) struct Local<'a> {
    /// The device, whose context is current.
    pub entered: Entered<'a>,
    /// A stream that only this call uses. When a method of the transport returns, the transport's work on the stream is done or aborted.
    pub stream: Stream<'a>,
    /// How long to wait for other ranks.
    pub limit: Duration,
}

/// The transport between the ranks of a group. All ranks call [`all_gather`](Self::all_gather) and [`exchange`](Self::exchange) in the same
/// order.
///
/// A failure of the transport leaves ranks out of step, so it ends the group. Before the transport reports a failure, it ends the group as
/// [`abort`](Self::abort) does. After that, every later [`all_gather`](Self::all_gather) of any rank fails within the time limit.
pub(super) trait Transport: Send + Debug {
    fn rank(&self) -> usize;

    fn size(&self) -> usize;

    /// Sends the outgoing message to all ranks, after the work that is queued on the stream. The body of the message has `body_bytes` bytes
    /// on all ranks. Waits for the queued work without a limit, and then for the other ranks' messages.
    ///
    /// Also fails, on all ranks, if a rank makes the call after another rank has given up. A rank gives up when it has waited as long as
    /// its limit.
    fn all_gather(&mut self, local: Local<'_>, post: &mut Post, body_bytes: usize) -> Result<()>;

    /// Copies memory from rank to rank. Parcels from one rank to another are received in the order in which they are sent, and have equal
    /// lengths on both sides. Memory to be sent must be complete at the call, and may be reused after the call. Received memory is complete
    /// after the call. Only the next [`all_gather`](Self::all_gather) shows that a peer has received its parcels.
    fn exchange(&mut self, local: Local<'_>, sends: &[Parcel], receives: &[Parcel]) -> Result<()>;

    /// Ends the group, since this rank is out of step.
    fn abort(&mut self);
}
