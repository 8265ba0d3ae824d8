//! Threads that copy between a slice of the program's and page-locked memory: one thread alone is slower than the bus.
//!
//! They are the process's, started by the first call that needs them, and sleep between calls. They make no driver call:
//! what comes of their jobs goes to the thread that gave these out, also when it has lost interest, and is dropped there.

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

/// Something for a worker to do.
pub(super) trait Job: Send {
    type Outcome: Send;

    /// Does it. Not every job has an outcome.
    fn perform(self) -> Option<Self::Outcome>;
}

/// Where jobs are given out, and where their outcomes arrive, in whatever order they are done.
pub(super) struct Workers<'pool, 'scope, J: Job> {
    /// Where there are no threads, jobs are done where they are given out.
    threads: Option<&'pool Scope<'scope>>,
    sender: Sender<J::Outcome>,
    outcomes: &'pool Receiver<J::Outcome>,
}

/// Runs `work` with the workers, and waits for the jobs that it gave out.
pub(super) fn with_workers<'scope, J: Job + 'scope, R>(
    work: impl FnOnce(&Workers<'_, 'scope, J>) -> R,
) -> R {
    let (sender, outcomes) = mpsc::channel();
    match pool() {
        Some(pool) => pool.in_place_scope(|threads| {
            work(&Workers {
                threads: Some(threads),
                sender,
                outcomes: &outcomes,
            })
        }),
        None => work(&Workers {
            threads: None,
            sender,
            outcomes: &outcomes,
        }),
    }
}

/// Has the workers do something with each of the parts, and waits for that.
pub(super) fn for_each<P: Send>(parts: impl Iterator<Item = P>, work: impl Fn(P) + Sync) {
    match pool() {
        Some(pool) => pool.in_place_scope(|threads| {
            for part in parts {
                threads.spawn(|_| work(part));
            }
        }),
        None => parts.for_each(work),
    }
}

/// More workers do not copy faster.
const MOST_WORKERS: usize = 16;

/// The threads; none if they could not be started.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let start = || {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        // One is left to the thread that queues.
        let workers = processors.saturating_sub(1).clamp(1, MOST_WORKERS);
        let threads = ThreadPoolBuilder::new().num_threads(workers);
        threads
            .thread_name(|index| format!("warpfold {index}"))
            .build()
            .ok()
    };
    POOL.get_or_init(start).as_ref()
}

impl<'scope, J: Job + 'scope> Workers<'_, 'scope, J> {
    /// Gives a job out. The workers begin with what is given out first.
    pub fn give(&self, job: J) {
        let sender = self.sender.clone();
        let perform = move || {
            if let Some(outcome) = job.perform() {
                // The queue's other end lives as long as the jobs.
                let sent = sender.send(outcome);
                debug_assert!(sent.is_ok());
            }
        };
        match self.threads {
            Some(threads) => threads.spawn(|_| perform()),
            None => perform(),
        }
    }

    /// Waits for an outcome that did not arrive yet.
    pub fn take_outcome(&self) -> Option<J::Outcome> {
        self.outcomes.recv().ok()
    }

    /// An outcome that has arrived.
    pub fn try_outcome(&self) -> Option<J::Outcome> {
        self.outcomes.try_recv().ok()
    }
}
