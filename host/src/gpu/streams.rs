//! Records of the program's streams on which requests were queued.
//!
//! Five things that are easy to get wrong:
//!
//! - **Streams that come and go.** The driver may give a new stream the handle of a destroyed stream, whose work may still run. The driver
//!   never reuses a stream's number, so a different number shows that the handle belongs to a new stream. Then the workspace of the
//!   destroyed stream is *retired*: it is freed later.
//! - **Many streams.** Nothing reports that a stream was destroyed. So the number of records is bounded. Beyond the bound, the least
//!   recently used streams are forgotten, and their workspaces are retired. Forgetting a live stream does no harm.
//! - **Captures.** A captured call uses a workspace that belongs to its graph ([`Workspaces::lease`]). The calls of one capture on one
//!   stream share a workspace, until a call needs a larger one. Asking for a captured stream's number would end the capture.
//! - **Foreign streams.** The driver is asked for a stream's context when the stream's number is new or missing, and for every captured
//!   call.
//! - **Locks.** A stream's lock is held while a call is queued. The lock of the map of all records is held only while the map is read or
//!   changed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::call_stream::Scratch;
use super::workspace::{Need, Workspace, WorkspaceSpan, Workspaces};
use crate::driver::{Capture, PrimaryContext, Stream};
use crate::error::{Error, Result};

/// If this many streams are known, old ones are forgotten before a new stream is recorded.
const MOST_STREAMS: usize = 256;

/// The streams on which requests were queued, by their keys ([`Stream::key`]).
#[derive(Debug, Default)]
pub(super) struct Streams {
    by_handle: RwLock<BTreeMap<usize, Arc<StreamSlot>>>,
    /// The number of calls on these streams so far.
    calls: AtomicU64,
}

/// The record of a stream, and when the stream was last used.
#[derive(Debug, Default)]
pub(crate) struct StreamSlot {
    /// The number of the last call on the stream.
    last_call: AtomicU64,
    known: Mutex<KnownStream>,
}

/// The record of a slot's stream.
#[derive(Debug, Default)]
pub(crate) struct KnownStream {
    /// The stream's number. `None` at first, and if the driver has no stream numbers.
    id: Option<u64>,
    pub scratch: Scratch,
    captured: Option<Captured>,
}

/// The workspace that the calls of a capture on one stream share.
#[derive(Debug, Clone, Copy)]
struct Captured {
    /// The capture's number.
    id: u64,
    workspace: WorkspaceSpan,
}

impl Streams {
    /// The slot of the stream with this key.
    pub fn find(&self, key: usize, workspaces: &Workspaces) -> Arc<StreamSlot> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let found = {
            let streams = self
                .by_handle
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            streams.get(&key).map(Arc::clone)
        };
        let entry = found.unwrap_or_else(|| self.enter(key, workspaces));
        entry.last_call.store(call, Ordering::Relaxed);
        entry
    }

    /// Makes a new slot. If the map is full, the least recently used half of the streams is forgotten first.
    #[cold]
    fn enter(&self, key: usize, workspaces: &Workspaces) -> Arc<StreamSlot> {
        let mut streams = self
            .by_handle
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let mut given_up = Vec::new();
        if streams.len() >= MOST_STREAMS {
            let mut calls: Vec<u64> = streams.values().map(|entry| entry.last_call()).collect();
            let (_, &mut median, _) = calls.select_nth_unstable(MOST_STREAMS / 2);
            given_up = forget(&mut streams, |entry| entry.last_call() < median);
        }
        let entry = Arc::clone(streams.entry(key).or_default());
        drop(streams);
        // Retiring may wait for work, so no lock is held.
        workspaces.retire(given_up);
        entry
    }

    /// Forgets all streams on which no call is being queued.
    pub fn trim(&self, workspaces: &Workspaces) {
        let mut streams = self
            .by_handle
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let given_up = forget(&mut streams, |_| true);
        drop(streams);
        workspaces.retire(given_up);
    }
}

impl StreamSlot {
    /// Locks the record of the stream, and checks that the stream belongs to the context. `capture` is the stream's capture, if there is
    /// one. While one call holds the lock, other calls on the same stream wait in this function.
    pub(super) fn lock(
        &self,
        stream: Stream<'_>,
        capture: Option<Capture>,
        context: &PrimaryContext,
        workspaces: &Workspaces,
    ) -> Result<MutexGuard<'_, KnownStream>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match capture {
            Some(_) => check_context(stream, context)?,
            None => known.recognise(stream, context, workspaces)?,
        }
        Ok(known)
    }

    fn last_call(&self) -> u64 {
        self.last_call.load(Ordering::Relaxed)
    }
}

/// Forgets the streams for which `goes` is true, unless a call is using them. Returns their workspaces. The map is locked, so no call
/// begins to use a stream meanwhile.
fn forget(
    streams: &mut BTreeMap<usize, Arc<StreamSlot>>,
    goes: impl Fn(&StreamSlot) -> bool,
) -> Vec<Workspace> {
    let mut given_up = Vec::new();
    streams.retain(|_, entry| match Arc::get_mut(entry) {
        Some(entry) if goes(entry) => {
            let known = entry
                .known
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            given_up.extend(known.scratch.give_up());
            false
        }
        _ => true,
    });
    given_up
}

impl KnownStream {
    /// Does nothing if the record has the number of `stream`. Otherwise checks the context of `stream`, and makes this the record of
    /// `stream`.
    fn recognise(
        &mut self,
        stream: Stream<'_>,
        context: &PrimaryContext,
        workspaces: &Workspaces,
    ) -> Result<()> {
        let id = stream.id()?;
        match id.is_some() && id == self.id {
            true => Ok(()),
            false => self.begin(id, stream, context, workspaces),
        }
    }

    /// Checks the stream's context. If the stream's number is not that of the record, starts a new record.
    #[cold]
    fn begin(
        &mut self,
        id: Option<u64>,
        stream: Stream<'_>,
        context: &PrimaryContext,
        workspaces: &Workspaces,
    ) -> Result<()> {
        check_context(stream, context)?;
        if id != self.id {
            workspaces.retire(self.scratch.give_up());
            self.captured = None;
            self.id = id;
        }
        Ok(())
    }

    /// The workspace for calls of this capture. Leases a workspace if the record has none of this capture, or a workspace that is too
    /// small. In the new workspace, a part that was too small is at least twice as large as before, and no part is smaller than before. So
    /// a capture has few workspaces.
    pub(super) fn captured_workspace(
        &mut self,
        capture: Capture,
        need: Need,
        lease: impl FnOnce(Need) -> Result<WorkspaceSpan>,
    ) -> Result<WorkspaceSpan> {
        let workspace = match self.captured {
            Some(Captured { id, workspace }) if id == capture.id => match need.is_met(&workspace) {
                true => workspace,
                false => lease(need.after(&workspace))?,
            },
            _ => lease(need)?,
        };
        self.captured = Some(Captured {
            id: capture.id,
            workspace,
        });
        Ok(workspace)
    }
}

fn check_context(stream: Stream<'_>, context: &PrimaryContext) -> Result<()> {
    match stream.is_of(context.handle())? {
        true => Ok(()),
        false => Err(Error::ForeignStream),
    }
}

#[cfg(test)]
mod tests;
