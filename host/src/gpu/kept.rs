//! What is kept in a device's primary context for calls: compiled kernels, scratch memory, and the streams and lanes of calls that wait.

use super::call_stream::CallStream;
use super::kernels::Kernels;
use super::lanes::Lanes;
use super::shelf::{Limits, Shelf};
use super::streams::Streams;
use super::workspace::Workspaces;

/// Call streams, with the smallest workspace each.
const CALLS: Limits = Limits { most: 64, idle: 16 };

/// What is kept in the context. Each part has a bound.
#[derive(Debug)]
pub(super) struct Kept {
    pub kernels: Kernels,
    pub streams: Streams,
    pub workspaces: Workspaces,
    pub calls: Shelf<CallStream>,
    pub lanes: Lanes,
}

impl Kept {
    pub fn new() -> Self {
        Self {
            kernels: Kernels::default(),
            streams: Streams::default(),
            workspaces: Workspaces::default(),
            calls: Shelf::new(CALLS),
            lanes: Lanes::new(),
        }
    }

    /// Frees everything that no call is using.
    pub fn trim(&self) {
        self.streams.trim(&self.workspaces);
        self.workspaces.trim();
        self.lanes.trim();
        drop(self.calls.clear());
    }
}
