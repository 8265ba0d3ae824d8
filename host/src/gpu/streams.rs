//! What is known of each stream that calls came on, and the scratch memory of its launches.
//!
//! Launches that share a [`Workspace`] must be ordered, and those on one stream are; so a workspace belongs to a
//! stream, is allocated on its first call, and a lock on it is held while a call is queued.
//!
//! Six things that are easy to get wrong:
//!
//! - **Growth.** A larger scan needs more state words. The outgrown workspace is kept until the [`Gpu`](super::Gpu) goes:
//!   queued work may use it, and a captured graph holds its address. Each is at least twice as large as
//!   the one before, so all of them together are less than twice the last.
//! - **Failures.** A call that is cut into several launches and fails between them leaves a workspace in the middle of
//!   its tickets. The next call gets another.
//! - **Captures.** Allocating would break a capture, so a call that would need to is refused.
//! - **Streams that come and go.** The driver gives a new stream the handle of a destroyed one, whose work may
//!   still run. The driver's stream number, which never comes back, shows that. The workspace is then used
//!   again when the context has come to rest, or kept aside if a graph holds its address. So a program that
//!   makes a stream for each task does not collect workspaces.
//! - **Foreign streams.** Which context a stream belongs to is asked when its number is new, and not again.
//! - **Foreign memory.** To ask the driver for an address's owner takes longer than the rest of a call but for its
//!   launch. So a call that only queues asks once for each address, and remembers.
//!
//! Not covered: a stream that is captured before any other call on it, and that has the handle of a destroyed one
//! whose work still runs; the driver does not tell a stream's number during a capture. And a graph that is launched
//! at the same time as other work of the stream that it was captured from. The two share a workspace and need an
//! order, as the public functions' documentation says.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::Capture;
use super::context::PrimaryContext;
use super::workspace::{INITIAL_STATE_WORDS, Workspace};
use crate::driver::{self, Address, Stream};
use crate::error::{Argument, Error, Result, WarmUp};

/// All streams that calls came on, by their handles.
#[derive(Debug, Default)]
pub(super) struct Streams {
    by_handle: RwLock<HashMap<usize, Arc<Mutex<KnownStream>>>>,
}

impl Streams {
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `work` with what is known of the stream, once it is known to be the context's. Calls on the same
    /// stream wait for each other here.
    pub fn with<R>(
        &self,
        stream: Stream<'_>,
        capture: Capture,
        context: &PrimaryContext,
        work: impl FnOnce(&mut KnownStream) -> Result<R>,
    ) -> Result<R> {
        let known = self.find(stream.key());
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        known.recognise(stream, capture, context)?;
        work(&mut known)
    }

    fn find(&self, key: usize) -> Arc<Mutex<KnownStream>> {
        let found = {
            let streams = self
                .by_handle
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            streams.get(&key).map(Arc::clone)
        };
        found.unwrap_or_else(|| {
            let mut streams = self
                .by_handle
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            Arc::clone(streams.entry(key).or_default())
        })
    }

    /// Frees all workspaces.
    pub fn clear(&mut self) {
        self.by_handle
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

/// Who has a handle now, and the scratch memory of the streams that had it, one after the other.
#[derive(Debug, Default)]
pub(crate) struct KnownStream {
    /// The number of the stream that has the handle; unknown at first, and with a driver that has no numbers.
    id: Option<u64>,
    workspace: Option<Workspace>,
    /// Whether a graph may hold the workspace's address.
    captured: bool,
    /// How far the launches of the last call came.
    progress: Progress,
    /// Workspaces that are not handed out again.
    retired: Vec<Workspace>,
    seen: SeenAddresses,
}

/// How far the launches of a call have come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All are queued.
    #[default]
    Complete,
    /// Some may be queued, others are not.
    Halfway,
}

impl KnownStream {
    /// Finds out whether this is the stream of the last call, and if it is not, whether it may be used.
    fn recognise(
        &mut self,
        stream: Stream<'_>,
        capture: Capture,
        context: &PrimaryContext,
    ) -> Result<()> {
        match capture {
            // Nobody can destroy it, and it is that of whatever context is current.
            Capture::Off if stream.is_default() => Ok(()),
            Capture::Off => {
                let id = stream.id()?;
                if id.is_some() && id == self.id {
                    return Ok(());
                }
                check_context(stream, context)?;
                self.pass_on(id)
            }
            // To ask for the number would break the capture.
            Capture::On if self.workspace.is_some() => Ok(()),
            Capture::On => check_context(stream, context),
        }
    }

    /// Makes what a destroyed stream has left fit for the one that has its handle now.
    fn pass_on(&mut self, id: Option<u64>) -> Result<()> {
        if id != self.id && self.workspace.is_some() {
            if self.captured {
                self.retire();
            } else {
                driver::synchronize_context()?;
            }
        }
        self.seen = SeenAddresses::default();
        self.id = id;
        Ok(())
    }

    /// Begins a call: whatever a failed one has left halfway is not used again.
    pub fn begin_call(&mut self, capture: Capture) -> Result<()> {
        if self.progress == Progress::Halfway {
            capture.forbids(WarmUp::Scratch)?;
            self.progress = Progress::Complete;
            match self.captured {
                true => self.retire(),
                // Freeing waits for the work.
                false => self.workspace = None,
            }
        }
        Ok(())
    }

    /// Notes how far a call has come.
    pub fn set_progress(&mut self, progress: Progress) {
        self.progress = progress;
    }

    /// The stream's workspace, with at least so many state words.
    pub fn workspace(
        &mut self,
        stream: Stream<'_>,
        capture: Capture,
        state_words: u64,
    ) -> Result<&Workspace> {
        let workspace = match self.workspace.take() {
            Some(workspace) if workspace.state_words() >= state_words => workspace,
            outgrown => {
                let doubled = outgrown.as_ref().map_or(0, |old| 2 * old.state_words());
                let state_words = state_words.max(doubled).max(INITIAL_STATE_WORDS);
                let grown = capture
                    .forbids(WarmUp::Scratch)
                    .and_then(|()| Workspace::allocate(stream, state_words));
                self.workspace = outgrown;
                let grown = grown?;
                self.retire();
                grown
            }
        };
        self.captured |= capture == Capture::On;
        Ok(self.workspace.insert(workspace))
    }

    fn retire(&mut self) {
        self.retired.extend(self.workspace.take());
        self.captured = false;
    }

    /// Checks that memory which starts at `address` belongs to the context, unless a call has done so before.
    pub(super) fn check_memory_once(
        &mut self,
        context: &PrimaryContext,
        argument: Argument,
        address: Address,
    ) -> Result<()> {
        if !self.seen.holds(address) {
            check_memory(context, argument, address)?;
            self.seen.insert(address);
        }
        Ok(())
    }
}

/// Checks that memory which starts at `address` belongs to the context.
pub(super) fn check_memory(
    context: &PrimaryContext,
    argument: Argument,
    address: Address,
) -> Result<()> {
    match driver::is_memory_of(address, context.handle(), context.device())? {
        true => Ok(()),
        false => Err(Error::ForeignMemory { argument, address }),
    }
}

fn check_context(stream: Stream<'_>, context: &PrimaryContext) -> Result<()> {
    match stream.is_of(context.handle())? {
        true => Ok(()),
        false => Err(Error::ForeignStream),
    }
}

/// Addresses that were seen, as many as fit: one that comes to another's place takes it.
#[derive(Debug)]
struct SeenAddresses([Address; Self::PLACES]);

impl Default for SeenAddresses {
    fn default() -> Self {
        // No memory starts at address 0.
        Self([0; Self::PLACES])
    }
}

impl SeenAddresses {
    const PLACES: usize = 64;

    /// Spread by the golden ratio, since addresses share their low bits.
    fn place(address: Address) -> usize {
        (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - Self::PLACES.ilog2())) as usize
    }

    fn holds(&self, address: Address) -> bool {
        self.0[Self::place(address)] == address
    }

    fn insert(&mut self, address: Address) {
        self.0[Self::place(address)] = address;
    }
}

#[cfg(test)]
mod tests;
