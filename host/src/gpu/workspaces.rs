//! The workspaces that no stream has: free ones, ones that graphs have, and ones whose streams are gone.
//!
//! - A *free* one is not used by any work, and is as good as new: what earlier launches have left there is seen to be old.
//! - A graph that is captured gets one of its own, and the driver tells when the graph has gone, with all that was made of it and
//!   all its launches: the workspace is free then. So work of the stream that was captured and launches of the graph may run at
//!   the same time.
//! - When a stream has gone, nothing tells whether its work is done. Its workspace is *retired*, and freed with others: freeing
//!   memory waits for all work.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::workspace::{Place, Workspace};
use crate::driver::{Capture, Stream};
use crate::error::Result;

/// The most workspaces that lie free for the next call.
const MOST_FREE: usize = 32;

/// The most workspaces that wait for work that may use them.
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
    /// Whether graphs have given back more than is kept.
    is_crowded: AtomicBool,
}

#[derive(Debug, Default)]
struct Held {
    free: Vec<Workspace>,
    retired: Vec<Workspace>,
    /// Those that graphs have, by the numbers of their leases.
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

    /// A free workspace, or the one that `make` makes: with nothing locked, since it makes driver calls. The driver may be running the end
    /// of a lease meanwhile, which takes the lock, and let no call go on before that.
    fn take_or(
        &self,
        state_words: u64,
        make: impl FnOnce() -> Result<Workspace>,
    ) -> Result<Workspace> {
        let free = self.lock().take_free(state_words);
        free.map_or_else(make, Ok)
    }

    /// A workspace with at least `state_words` state words for the graph that the capture will be. What has to be queued to prepare it
    /// is done on `aside`, which is not captured, when this returns.
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

    /// Takes workspaces back that queued work may use.
    pub fn retire(&self, workspaces: impl IntoIterator<Item = Workspace>) {
        self.lock().retired.extend(workspaces);
        self.tidy();
    }

    /// Frees what graphs have given back and is too much. Costs next to nothing where they have not.
    pub fn tidy_after_graphs(&self) {
        if self.shared.is_crowded.load(Ordering::Relaxed) {
            self.tidy();
        }
    }

    /// Frees what is too much.
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

    /// Frees all that no graph has.
    pub fn trim(&self) {
        let mut held = self.lock();
        let gone = (
            std::mem::take(&mut held.free),
            std::mem::take(&mut held.retired),
        );
        drop(held);
        drop(gone);
    }

    /// Frees all, those of graphs too.
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
    /// Called by the driver, on a thread of its own: no driver call may be made here, so nothing is freed. Not either where this has the
    /// last reference to what is shared, since the workspaces are going: `clear` has taken all of them before, and a lease that it
    /// has taken the workspace of finds none.
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
