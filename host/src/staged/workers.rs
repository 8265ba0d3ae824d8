//! Threads that copy between a slice of the program's and page-locked memory: one thread alone is slower than the bus.
//!
//! They are the process's, started by the first call that needs them, and sleep between calls. They take tasks from one queue, in
//! order, and never wait for one another.
//!
//! - A caller that waits for its tasks sleeps until they are done. It runs nobody else's meanwhile, as it would in a general
//!   pool of threads: it may hold locks, or be a task of such a pool itself.
//! - Workers make no driver call. What comes of a job goes to the thread that gave it out, and is dropped there, even if the
//!   call has failed by then.

use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::mem;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// Something for a worker to do.
pub(super) trait Job: Send {
    type Outcome: Send;

    /// Does it. Not every job has an outcome.
    fn perform(self) -> Option<Self::Outcome>;
}

/// Where jobs are given out, and where their outcomes arrive, in whatever order they are done.
pub(super) struct Workers<'scope, 'data, J: Job> {
    scope: &'scope Scope<'data>,
    sender: Sender<J::Outcome>,
    outcomes: &'scope Receiver<J::Outcome>,
}

/// Runs `work` with the workers, and waits for the jobs that it gave out.
pub(super) fn with_workers<'data, J: Job<Outcome: 'data> + 'data, R>(
    work: impl FnOnce(&Workers<'_, 'data, J>) -> R,
) -> R {
    // Outlives the jobs, so that no outcome is dropped by a worker.
    let (sender, outcomes) = mpsc::channel();
    scope(|scope| {
        work(&Workers {
            scope,
            sender,
            outcomes: &outcomes,
        })
    })
}

/// Has the workers do something with each of the parts, and waits for that.
pub(super) fn for_each<P: Send>(parts: impl Iterator<Item = P>, work: impl Fn(P) + Sync) {
    let work = &work;
    scope(|scope| {
        for part in parts {
            scope.give(move || work(part));
        }
    });
}

impl<'data, J: Job<Outcome: 'data> + 'data> Workers<'_, 'data, J> {
    /// Gives a job out. The workers begin with what is given out first.
    pub fn give(&self, job: J) {
        let sender = self.sender.clone();
        self.scope.give(move || {
            if let Some(outcome) = job.perform() {
                let sent = sender.send(outcome);
                debug_assert!(sent.is_ok());
            }
        });
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

/// Where a caller gives its tasks out, which may borrow what lives for `'data`.
struct Scope<'data> {
    /// None if they could not be started: tasks are done where they are given out then.
    threads: Option<&'static Threads>,
    latch: Arc<Latch>,
    /// Neither a longer nor a shorter life will do.
    data: PhantomData<Cell<&'data ()>>,
}

/// Runs `work`, and waits for the tasks that it gave out. If one of them panicked, so does this.
fn scope<'data, R>(work: impl FnOnce(&Scope<'data>) -> R) -> R {
    /// Waits, also where `work` panics.
    struct Wait<'latch>(&'latch Latch);

    impl Drop for Wait<'_> {
        fn drop(&mut self) {
            self.0.wait();
        }
    }

    let scope = Scope {
        threads: Threads::started(),
        latch: Arc::default(),
        data: PhantomData,
    };
    let waiting = Wait(&scope.latch);
    let result = work(&scope);
    drop(waiting);
    if let Some(panic) = scope.latch.lock().panic.take() {
        resume_unwind(panic);
    }
    result
}

impl<'data> Scope<'data> {
    fn give(&self, work: impl FnOnce() + Send + 'data) {
        let Some(threads) = self.threads else {
            return work();
        };
        let work: Box<dyn FnOnce() + Send + 'data> = Box::new(work);
        // SAFETY: only the lifetime changes. The function `scope` has this scope, lends it out for the time of its call, and does
        // not return, nor unwind, before the latch says that all tasks are done and dropped. And `'data`, which is a parameter of
        // that function and is invariant here, outlives its call.
        let work: Box<dyn FnOnce() + Send + 'static> = unsafe { mem::transmute(work) };
        self.latch.lock().pending += 1;
        threads.give(Task {
            work,
            latch: Arc::clone(&self.latch),
        });
    }
}

/// Tells when the tasks of a scope are done.
#[derive(Default)]
struct Latch {
    state: Mutex<LatchState>,
    all_done: Condvar,
}

#[derive(Default)]
struct LatchState {
    /// Tasks that are given out and not done.
    pending: usize,
    /// What the first task that panicked said.
    panic: Option<Box<dyn Any + Send>>,
}

impl Latch {
    fn lock(&self) -> MutexGuard<'_, LatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) {
        let done = self
            .all_done
            .wait_while(self.lock(), |state| state.pending > 0);
        drop(done.unwrap_or_else(PoisonError::into_inner));
    }
}

/// A task of some scope.
struct Task {
    work: Box<dyn FnOnce() + Send>,
    latch: Arc<Latch>,
}

impl Task {
    /// Does and drops the work, and then tells its scope.
    fn run(self) {
        let panic = catch_unwind(AssertUnwindSafe(self.work)).err();
        let mut state = self.latch.lock();
        state.pending -= 1;
        if state.panic.is_none() {
            state.panic = panic;
        }
        if state.pending == 0 {
            self.latch.all_done.notify_all();
        }
    }
}

/// The process's threads, by the tasks that wait for them.
#[derive(Default)]
struct Threads {
    tasks: Mutex<VecDeque<Task>>,
    given: Condvar,
}

impl Threads {
    /// More do not copy faster.
    const MOST: usize = 16;

    /// The threads, as many as the system has let start; nothing if that is none.
    fn started() -> Option<&'static Self> {
        static THREADS: OnceLock<Threads> = OnceLock::new();
        static STARTED: OnceLock<usize> = OnceLock::new();
        let threads = THREADS.get_or_init(Self::default);
        let started = STARTED.get_or_init(|| {
            let processors = thread::available_parallelism().map_or(1, NonZero::get);
            // One is left to the thread that queues.
            let wanted = processors.saturating_sub(1).clamp(1, Self::MOST);
            let start = |index| {
                let thread = thread::Builder::new().name(format!("warpfold {index}"));
                thread.spawn(|| threads.work()).is_ok()
            };
            (0..wanted).take_while(|&index| start(index)).count()
        });
        (*started > 0).then_some(threads)
    }

    fn give(&self, task: Task) {
        self.lock().push_back(task);
        self.given.notify_one();
    }

    /// What each of the threads does for ever.
    fn work(&self) {
        loop {
            let waiting = self.given.wait_while(self.lock(), |tasks| tasks.is_empty());
            let task = waiting.unwrap_or_else(PoisonError::into_inner).pop_front();
            if let Some(task) = task {
                task.run();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Task>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
