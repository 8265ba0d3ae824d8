//! The workspaces that belong to no stream: free ones, those of graphs, and those whose streams are gone.
//!
//! - A *free* workspace is used by no work and is as good as new: the tags of earlier launches are recognised as old.
//! - A captured graph gets a workspace of its own. The driver reports when the graph, everything made of it, and all its launches
//!   are gone, and then the workspace is free. So the captured stream's own work and launches of the graph may run at the same time.
//! - When a stream is gone, nothing reports whether its work is done. Its workspace is *retired* and freed later, together with
//!   others: freeing memory waits for all work.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::workspace::{Place, Workspace};
use crate::driver::{Capture, Stream};
use crate::error::Result;

/// The most free workspaces that are kept.
const MOST_FREE: usize = 32;

/// The most retired workspaces.
const MOST_RETIRED: usize = 64;

/// The workspaces of a context that no stream has.
#[derive(Debug, Default)]
pub(super) struct Workspaces {
    shared: Arc<Shared>,
}

/// What the graphs' leases share.
#[derive(Debug, Default)]
struct Shared {
    held: Mutex<Held>,
    /// Whether graphs have given back more workspaces than are kept.
    is_crowded: AtomicBool,
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
    shared: Weak<Shared>,
}

impl Workspaces {
    /// A workspace with at least `state_words` state words, for launches on this stream.
    pub fn take(&self, stream: Stream<'_>, state_words: u64) -> Result<Workspace> {
        self.take_or(state_words, || Workspace::allocate(stream, state_words))
    }

    /// A free workspace, or a new one of `make`. `make` runs without the lock, since it makes driver calls: the driver may be
    /// running the end of a lease meanwhile, which takes the lock, and may block all calls until it is done.
    fn take_or(
        &self,
        state_words: u64,
        make: impl FnOnce() -> Result<Workspace>,
    ) -> Result<Workspace> {
        let free = self.lock().take_free(state_words);
        free.map_or_else(make, Ok)
    }

    /// Leases a workspace with at least `state_words` state words to the graph that the capture makes. It is prepared on `aside`,
    /// which is not captured, before this returns.
    pub fn lease(&self, capture: Capture, aside: Stream<'_>, state_words: u64) -> Result<Place> {
        let workspace = self.take(aside, state_words)?;
        aside.synchronize()?;
        let place = workspace.place();
        let lease = self.enter_lease(workspace);
        capture.keep(Box::new(lease))?;
        Ok(place)
    }

    fn enter_lease(&self, workspace: Workspace) -> Lease {
        let mut held = self.lock();
        held.last_lease += 1;
        let number = held.last_lease;
        held.leased.insert(number, workspace);
        Lease {
            number,
            shared: Arc::downgrade(&self.shared),
        }
    }

    /// Retires workspaces that queued work may still use.
    pub fn retire(&self, workspaces: impl IntoIterator<Item = Workspace>) {
        self.lock().retired.extend(workspaces);
        self.tidy();
    }

    /// Frees workspaces that graphs have given back beyond the bound. Nearly free of cost if there are none.
    pub fn tidy_after_graphs(&self) {
        if self.shared.is_crowded.load(Ordering::Relaxed) {
            self.tidy();
        }
    }

    /// Frees the workspaces beyond the bound.
    fn tidy(&self) {
        let mut held = self.lock();
        self.shared.is_crowded.store(false, Ordering::Relaxed);
        let kept = held.free.len().min(MOST_FREE);
        let mut surplus = held.free.split_off(kept);
        if held.retired.len() > MOST_RETIRED {
            surplus.append(&mut held.retired);
        }
        drop(held);
        // Goes now, while nothing is locked: it may have to wait for work.
        drop(surplus);
    }

    /// Frees all workspaces but those of graphs.
    pub fn trim(&self) {
        let mut held = self.lock();
        let gone = (
            std::mem::take(&mut held.free),
            std::mem::take(&mut held.retired),
        );
        drop(held);
        drop(gone);
    }

    /// Frees all workspaces, those of graphs too.
    pub fn clear(&self) {
        let gone = std::mem::take(&mut self.lock().leased);
        drop(gone);
        self.trim();
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.shared.lock()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// The smallest free workspace with at least `state_words` state words.
    fn take_free(&mut self, state_words: u64) -> Option<Workspace> {
        let fitting = self.free.iter().enumerate();
        let (index, _) = fitting
            .filter(|(_, workspace)| workspace.state_words() >= state_words)
            .min_by_key(|(_, workspace)| workspace.state_words())?;
        Some(self.free.swap_remove(index))
    }
}

impl Drop for Lease {
    /// Called by the driver, on a thread of its own. No driver call may be made here, so nothing is freed. That holds even if this is
    /// the last reference to the shared state: `clear` has taken all workspaces before, so this lease finds none.
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            let mut held = shared.lock();
            let workspace = held.leased.remove(&self.number);
            held.free.extend(workspace);
            if held.free.len() > MOST_FREE {
                shared.is_crowded.store(true, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests;
