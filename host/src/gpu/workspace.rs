//! Scratch memory: one workspace for each stream, allocated and zeroed on the stream's first use.
//!
//! What a workspace holds and why it need not be cleared again: [`warpfold_kernels::workspace`]. Launches
//! that share one must be ordered, and those on one stream are; so a workspace belongs to a stream, and a lock
//! on it is held while a call is queued.
//!
//! Three things that are easy to get wrong:
//!
//! - **Growth.** A larger scan needs more state words. The outgrown workspace is kept until the [`Gpu`](super::Gpu) goes:
//!   queued work may use it, and a captured graph holds its address. Each is at least twice as large as
//!   the one before, so all of them together are less than twice the last.
//! - **Captures.** Allocating would break a capture, so a call that would need to is refused.
//! - **Streams that come and go.** The driver gives a new stream the handle of a destroyed one, whose work may
//!   still run. The driver's stream number, which never comes back, shows that. The workspace is then used
//!   again when the context has come to rest, or kept aside if a graph holds its address. So a program that
//!   makes a stream for each task does not collect workspaces.
//!
//! Not covered: a stream that is captured before any other call on it, and that has the handle of a destroyed one
//! whose work still runs; the driver does not tell a stream's number during a capture. And a graph that is launched at the same time as other work of the stream that it was captured
//! from. The two share a workspace and need an order, as the public functions' documentation says.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use warpfold_kernels::workspace::{PARTIALS_OFFSET, STATES_OFFSET, workspace_bytes};

use super::{Capture, DeviceMemory};
use crate::driver::{self, Address, Stream};
use crate::error::{Result, WarmUp};

/// Bytes of a stream's first workspace, its result slot included.
const INITIAL_BYTES: u64 = 1 << 20;

/// Bytes behind the state words for the result of a synchronous reduction.
const RESULT_BYTES: u64 = 8;

/// State words of a stream's first workspace.
const INITIAL_STATE_WORDS: u64 = (INITIAL_BYTES - STATES_OFFSET - RESULT_BYTES) / 8;

/// The workspaces of all streams, by the stream's handle.
#[derive(Debug, Default)]
pub(super) struct Workspaces {
    streams: Mutex<HashMap<usize, Arc<Mutex<StreamScratch>>>>,
}

impl Workspaces {
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `work` with the stream's workspace, which has at least `state_words`.
    pub fn with<R>(
        &self,
        stream: Stream<'_>,
        capture: Capture,
        state_words: u64,
        work: impl FnOnce(&Workspace) -> Result<R>,
    ) -> Result<R> {
        let scratch = {
            let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(streams.entry(stream.key()).or_default())
        };
        let mut scratch = scratch.lock().unwrap_or_else(PoisonError::into_inner);
        work(scratch.workspace(stream, capture, state_words)?)
    }

    /// Frees all workspaces.
    pub fn clear(&mut self) {
        self.streams
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

/// The scratch memory of the streams that had one handle, one after the other.
#[derive(Debug, Default)]
struct StreamScratch {
    stream_id: Option<u64>,
    current: Option<Workspace>,
    /// Whether a graph may hold the current workspace's address.
    captured: bool,
    /// Workspaces that are not handed out again.
    retired: Vec<Workspace>,
}

impl StreamScratch {
    fn workspace(
        &mut self,
        stream: Stream<'_>,
        capture: Capture,
        state_words: u64,
    ) -> Result<&Workspace> {
        let stream_id = match capture {
            Capture::Off => stream.id()?,
            // To ask would break the capture.
            Capture::On => self.stream_id,
        };
        if stream_id != self.stream_id {
            self.pass_on()?;
            self.stream_id = stream_id;
        }
        let workspace = match self.current.take() {
            Some(workspace) if workspace.state_words >= state_words => workspace,
            outgrown => {
                let doubled = outgrown.as_ref().map_or(0, |old| 2 * old.state_words);
                let state_words = state_words.max(doubled).max(INITIAL_STATE_WORDS);
                let grown = capture
                    .forbids(WarmUp::Scratch)
                    .and_then(|()| Workspace::allocate(stream, state_words));
                self.current = outgrown;
                let grown = grown?;
                self.retire();
                grown
            }
        };
        self.captured |= capture == Capture::On;
        Ok(self.current.insert(workspace))
    }

    /// Makes the workspace of a destroyed stream fit for a new one.
    fn pass_on(&mut self) -> Result<()> {
        if self.current.is_none() {
            return Ok(());
        }
        if self.captured {
            self.retire();
        } else {
            driver::synchronize_context()?;
        }
        Ok(())
    }

    fn retire(&mut self) {
        self.retired.extend(self.current.take());
        self.captured = false;
    }
}

/// The scratch memory of one stream's launches.
#[derive(Debug)]
pub(crate) struct Workspace {
    memory: DeviceMemory,
    state_words: u64,
}

impl Workspace {
    /// Allocates, and queues the zeroing.
    fn allocate(stream: Stream<'_>, state_words: u64) -> Result<Self> {
        let bytes = workspace_bytes(state_words) + RESULT_BYTES;
        let memory = DeviceMemory::allocate(bytes)?;
        driver::fill(memory.address(), 0, (bytes / 4) as usize, stream)?;
        Ok(Self {
            memory,
            state_words,
        })
    }

    /// Where the counters are.
    pub fn control(&self) -> Address {
        self.memory.address()
    }

    /// Where the partials of a reduction go.
    pub fn partials(&self) -> Address {
        self.memory.address() + PARTIALS_OFFSET
    }

    /// Where the state words of a scan are.
    pub fn states(&self) -> Address {
        self.memory.address() + STATES_OFFSET
    }

    /// How many state words there are.
    pub fn state_words(&self) -> u64 {
        self.state_words
    }

    /// Where a synchronous reduction puts its result.
    pub fn result(&self) -> Address {
        self.memory.address() + workspace_bytes(self.state_words)
    }
}

#[cfg(test)]
mod tests;
