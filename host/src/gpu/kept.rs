//! The resources that are kept in a device's primary context for calls: compiled kernels, workspaces, and the streams and transfer lanes of
//! calls that wait.

use super::call_stream::CallStream;
use super::kernels::Kernels;
use super::shelf::{Limits, Shelf};
use super::streams::Streams;
use super::transfer_lanes::TransferLanes;
use super::workspace::Workspaces;

/// The bounds on call streams.
const CALLS: Limits = Limits { most: 64, idle: 16 };

/// The resources that are kept in the context. All of them are bounded in number, except kernels and the workspaces of graphs.
#[derive(Debug)]
pub(super) struct Kept {
    pub kernels: Kernels,
    pub streams: Streams,
    pub workspaces: Workspaces,
    pub calls: Shelf<CallStream>,
    pub lanes: TransferLanes,
}

impl Kept {
    pub fn new() -> Self {
        Self {
            kernels: Kernels::default(),
            streams: Streams::default(),
            workspaces: Workspaces::default(),
            calls: Shelf::new(CALLS),
            lanes: TransferLanes::new(),
        }
    }

    /// Frees everything that no call is using, except kernels and the workspaces of graphs.
    pub fn trim(&self) {
        self.streams.trim(&self.workspaces);
        self.workspaces.trim();
        self.lanes.trim();
        drop(self.calls.clear());
    }
}
