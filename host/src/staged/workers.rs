//! Threads that copy between a slice of the program's and page-locked memory: one thread alone is slower than the bus.
//!
//! They are the process's, started by the first call that needs them, and sleep between calls. They make no driver call.
//! Jobs come back to the thread that gave them out, also when it has lost interest in them: whatever they hold is dropped
//! there.

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

/// Something for a worker to do.
pub(super) trait Job: Send {
    fn perform(&mut self);
}

/// Where jobs are given out, and come back in whatever order they are done.
pub(super) struct Workers<'pool, 'scope, J> {
    /// Where there are no threads, jobs are done where they are given out.
    threads: Option<&'pool Scope<'scope>>,
    done: Sender<J>,
    finished: &'pool Receiver<J>,
}

/// Runs `work` with the workers, and waits for the jobs that it gave out.
pub(super) fn with_workers<'scope, J: Job + 'scope, R>(
    work: impl FnOnce(&Workers<'_, 'scope, J>) -> R,
) -> R {
    let (done, finished) = mpsc::channel();
    match pool() {
        Some(pool) => pool.in_place_scope(|threads| {
            work(&Workers {
                threads: Some(threads),
                done,
                finished: &finished,
            })
        }),
        None => work(&Workers {
            threads: None,
            done,
            finished: &finished,
        }),
    }
}

/// How many workers are worth their start on this machine: they leave a processor to the thread that queues.
pub(super) fn useful_workers() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    let processors =
        PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get));
    processors.saturating_sub(1).clamp(1, MOST_WORKERS)
}

/// More do not copy faster.
const MOST_WORKERS: usize = 16;

/// The threads; none if they could not be started.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let start = || {
        let threads = ThreadPoolBuilder::new().num_threads(useful_workers());
        threads
            .thread_name(|index| format!("warpfold {index}"))
            .build()
            .ok()
    };
    POOL.get_or_init(start).as_ref()
}

impl<'scope, J: Job + 'scope> Workers<'_, 'scope, J> {
    /// Gives a job out.
    pub fn give(&self, mut job: J) {
        let done = self.done.clone();
        let perform = move || {
            job.perform();
            // The queue's other end lives as long as the jobs.
            let sent = done.send(job);
            debug_assert!(sent.is_ok());
        };
        match self.threads {
            Some(threads) => threads.spawn(|_| perform()),
            None => perform(),
        }
    }

    /// Waits for a job that was given out and did not come back yet.
    pub fn take_done(&self) -> Option<J> {
        self.finished.recv().ok()
    }
}
