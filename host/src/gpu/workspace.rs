//! The device memory that launches share: workspaces that belong to streams, and workspaces that belong to no stream.
//!
//! A workspace is one allocation, zeroed once. [`warpfold_kernels::workspace`] says what a workspace holds, and why the host never clears
//! it again.
//!
//! Launches that share a workspace must be ordered. Launches on one stream are ordered, so each stream has its own [`Scratch`]. If a launch
//! needs a larger workspace, the stream gets another workspace. The outgrown workspace is kept, since queued work may use it. The part that
//! was too small is at least twice as large in the next workspace. So a stream has few workspaces.
//!
//! For calls by key in two launches, a workspace also has room for the [heads](warpfold_kernels::heads) of the runs, or for their starts.
//! Heads and starts have no tags.
//!
//! The workspaces of [`Workspaces`] belong to no stream:
//!
//! - A *free* workspace is used by no work and is as good as new: the tags of earlier launches are recognised as old.
//! - A captured graph gets its own workspaces, so its launches may run at the same time as other work of the captured stream. The driver
//!   reports when the graph, everything made from it, and all its launches are gone. Then the graph's workspaces are free.
//! - When a stream is gone, nothing reports whether its work is done. Its workspace is *retired*: it is freed later, together with other
//!   workspaces, since freeing memory waits for all work.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use warpfold_kernels::workspace::{STATES_OFFSET, workspace_bytes};

use crate::driver::{self, Address, Capture, DeviceMemory, Stream};
use crate::error::Result;

/// Bytes of the smallest workspace: enough for whole reductions with accumulators of up to three words, and for scans of several hundred
/// MiB with accumulators of one or two words.
const SMALLEST_BYTES: u64 = 128 << 10;

/// State words of the smallest workspace.
const LEAST_STATE_WORDS: u64 = (SMALLEST_BYTES - STATES_OFFSET) / 8;

/// In a workspace, the heads begin at a byte whose number is a multiple of this.
const HEADS_ALIGNMENT: u64 = 256;

/// At most this many free workspaces are kept.
const MOST_FREE: usize = 32;

/// At most this many workspaces stay retired.
const MOST_RETIRED: usize = 64;

/// A workspace. A drop frees its memory.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub span: WorkspaceSpan,
    /// Freed with the workspace.
    _memory: DeviceMemory,
}

/// The addresses and the sizes of a workspace's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WorkspaceSpan {
    /// Address of the control words.
    pub control: Address,
    /// Address of the state words.
    pub states: Address,
    /// The number of state words.
    pub state_words: u64,
    /// Address of the heads of runs.
    pub heads: Address,
    /// The number of bytes for heads.
    pub head_bytes: u64,
}

/// How large the parts of a workspace must be for some launches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need {
    pub state_words: u64,
    /// Bytes for the heads of runs.
    pub head_bytes: u64,
}

impl Need {
    /// Only state words.
    pub fn states(state_words: u64) -> Self {
        Self {
            state_words,
            head_bytes: 0,
        }
    }

    /// Whether a workspace is large enough.
    pub fn is_met(self, span: &WorkspaceSpan) -> bool {
        span.state_words >= self.state_words && span.head_bytes >= self.head_bytes
    }

    /// The sizes of the parts of the workspace that replaces `outgrown`. A part that was too small is at least twice as large as before.
    /// Other parts are as large as before.
    pub fn after(self, outgrown: &WorkspaceSpan) -> Self {
        let grown = |needed: u64, had: u64| match needed > had {
            true => needed.max(2 * had),
            false => had,
        };
        Self {
            state_words: grown(self.state_words, outgrown.state_words),
            head_bytes: grown(self.head_bytes, outgrown.head_bytes),
        }
    }
}

impl Workspace {
    /// Allocates a workspace, and queues its zeroing.
    pub fn allocate(stream: Stream<'_>, need: Need) -> Result<Self> {
        let state_words = need.state_words.max(LEAST_STATE_WORDS);
        let head_bytes = need.head_bytes.next_multiple_of(4);
        let heads_offset = workspace_bytes(state_words).next_multiple_of(HEADS_ALIGNMENT);
        let bytes = heads_offset + head_bytes;
        let memory = DeviceMemory::allocate(bytes)?;
        driver::fill(memory.address(), 0, (bytes / 4) as usize, stream)?;
        Ok(Self {
            span: WorkspaceSpan {
                control: memory.address(),
                states: memory.address() + STATES_OFFSET,
                state_words,
                heads: memory.address() + heads_offset,
                head_bytes,
            },
            _memory: memory,
        })
    }
}

/// The workspaces of a context that belong to no stream.
#[derive(Debug, Default)]
pub(super) struct Workspaces {
    /// Whether graphs have given back more workspaces than are kept. If so, the next call [tidies](Self::tidy) at its end.
    pub is_crowded: Arc<AtomicBool>,
    held: Arc<Mutex<Held>>,
}

#[derive(Debug, Default)]
struct Held {
    free: Vec<Workspace>,
    retired: Vec<Workspace>,
    /// The workspaces of graphs, by the numbers of their leases.
    leased: HashMap<u64, Workspace>,
    last_lease: u64,
}

/// A graph's right to a workspace.
#[derive(Debug)]
struct Lease {
    number: u64,
    held: Weak<Mutex<Held>>,
    is_crowded: Arc<AtomicBool>,
}

impl Workspaces {
    /// A large enough workspace for launches on this stream.
    pub fn take(&self, stream: Stream<'_>, need: Need) -> Result<Workspace> {
        self.take_or(need, || Workspace::allocate(stream, need))
    }

    /// A free workspace, or a new one from `make`. `make` makes driver calls, so it runs without the lock. If it held the lock, it could
    /// wait forever: the driver may be dropping a [`Lease`] at that time. That drop waits for the lock, and the driver may block all calls
    /// until the drop is done.
    fn take_or(&self, need: Need, make: impl FnOnce() -> Result<Workspace>) -> Result<Workspace> {
        let free = self.lock().take_free(need);
        free.map_or_else(make, Ok)
    }

    /// Leases a workspace to the graph of the capture. The workspace is large enough. A new workspace is zeroed before this returns, on the
    /// stream `aside`, which is not captured.
    pub fn lease(&self, capture: Capture, aside: Stream<'_>, need: Need) -> Result<WorkspaceSpan> {
        let workspace = self.take(aside, need)?;
        aside.synchronize()?;
        let span = workspace.span;
        let lease = self.enter_lease(workspace);
        capture.keep(Box::new(lease))?;
        Ok(span)
    }

    fn enter_lease(&self, workspace: Workspace) -> Lease {
        let mut held = self.lock();
        held.last_lease += 1;
        let number = held.last_lease;
        held.leased.insert(number, workspace);
        Lease {
            number,
            held: Arc::downgrade(&self.held),
            is_crowded: Arc::clone(&self.is_crowded),
        }
    }

    /// Retires workspaces. Work that is still queued may use them.
    pub fn retire(&self, workspaces: impl IntoIterator<Item = Workspace>) {
        self.lock().retired.extend(workspaces);
        self.tidy();
    }

    /// Frees the free workspaces beyond their bound. If too many workspaces are retired, also frees all retired workspaces.
    #[cold]
    pub fn tidy(&self) {
        let mut held = self.lock();
        self.is_crowded.store(false, Ordering::Relaxed);
        let kept = held.free.len().min(MOST_FREE);
        let mut surplus = held.free.split_off(kept);
        if held.retired.len() > MOST_RETIRED {
            surplus.append(&mut held.retired);
        }
        drop(held);
        // Dropped only here, without a lock: freeing may wait for work.
        drop(surplus);
    }

    /// Frees the free and the retired workspaces.
    pub fn trim(&self) {
        let mut held = self.lock();
        let gone = (
            std::mem::take(&mut held.free),
            std::mem::take(&mut held.retired),
        );
        drop(held);
        drop(gone);
    }

    /// Frees the free and the retired workspaces, and the workspaces of graphs.
    pub fn clear(&self) {
        let gone = std::mem::take(&mut self.lock().leased);
        drop(gone);
        self.trim();
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// The smallest free workspace that is large enough.
    fn take_free(&mut self, need: Need) -> Option<Workspace> {
        let fitting = self.free.iter().enumerate();
        let (index, _) = fitting
            .filter(|(_, workspace)| need.is_met(&workspace.span))
            .min_by_key(|(_, Workspace { span, .. })| 8 * span.state_words + span.head_bytes)?;
        Some(self.free.swap_remove(index))
    }
}

impl Drop for Lease {
    /// The driver calls this on one of its threads, where no driver call may be made. So nothing is freed here. If the upgraded reference
    /// is the last reference to the shared state, the state is dropped here. That frees no workspace either, since `clear` has already
    /// taken all workspaces.
    fn drop(&mut self) {
        if let Some(held) = self.held.upgrade() {
            let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
            let workspace = held.leased.remove(&self.number);
            held.free.extend(workspace);
            if held.free.len() > MOST_FREE {
                self.is_crowded.store(true, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests;
