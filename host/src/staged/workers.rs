//! Threads that copy between a slice of the program's and page-locked memory: one thread alone is slower than the bus.
//!
//! They make no driver call. Jobs come back to the thread that gave them out, also when it has lost interest in them:
//! whatever they hold is dropped there.

use std::num::NonZero;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// Something for a worker to do.
pub(super) trait Job: Send {
    fn perform(&mut self);
}

/// Where jobs are given out, and come back in whatever order they are done.
pub(super) struct Workers<'scope, J> {
    to_do: Sender<J>,
    done: Sender<J>,
    finished: &'scope Receiver<J>,
    threads: usize,
}

/// Runs `work` with at most so many workers. Without any, jobs are done where they are given out.
pub(super) fn with_workers<J: Job, R>(
    count: usize,
    work: impl FnOnce(&mut Workers<'_, J>) -> R,
) -> R {
    let (to_do, jobs) = mpsc::channel();
    let (done, finished) = mpsc::channel();
    let jobs = Mutex::new(jobs);
    thread::scope(|scope| {
        let mut threads = 0;
        for _ in 0..count {
            let (jobs, done) = (&jobs, done.clone());
            let started = thread::Builder::new().spawn_scoped(scope, move || serve(jobs, &done));
            threads += usize::from(started.is_ok());
        }
        // Its end closes the queue, and with that the threads end.
        work(&mut Workers {
            to_do,
            done,
            finished: &finished,
            threads,
        })
    })
}

/// How many workers are worth their start on this machine: they leave a processor to the thread that queues.
pub(super) fn useful_workers() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    let processors =
        PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get));
    processors.saturating_sub(1).max(1)
}

/// Does jobs until there will be no more.
fn serve<J: Job>(jobs: &Mutex<Receiver<J>>, done: &Sender<J>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(mut job) = job else {
            return;
        };
        job.perform();
        if done.send(job).is_err() {
            return;
        }
    }
}

impl<J: Job> Workers<'_, J> {
    /// Gives a job out.
    pub fn give(&self, mut job: J) {
        // The queues' other ends live as long as this, so a job that comes back was not sent for want of threads.
        let result = match self.threads {
            0 => {
                job.perform();
                self.done.send(job)
            }
            _ => self.to_do.send(job),
        };
        debug_assert!(result.is_ok());
    }

    /// Waits for a job that was given out and did not come back yet.
    pub fn take_done(&self) -> Option<J> {
        self.finished.recv().ok()
    }
}
