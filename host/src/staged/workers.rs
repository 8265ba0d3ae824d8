//! Threads that copy between a program's slices and page-locked memory. They also make the pages of new results. One thread alone is slower
//! than the bus.
//!
//! There is one set of threads in a process. The first call that needs them starts them, and they sleep between calls. They take tasks from
//! one queue, in order, and no task waits for another task. Tasks come in bursts, such as all strips of a piece. Waking a thread takes
//! longer than copying a strip, so a thread without a task spins for a while before it sleeps.
//!
//! - A caller that waits for its tasks sleeps until they are done. Unlike a thread of a general pool, it runs no other tasks meanwhile. So
//!   it may hold locks, and it may itself be a thread of a general pool.
//! - Workers make no driver call. The outcome of a job goes to the thread that submitted the job, and is dropped on that thread, even if
//!   the call has already failed.

use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::hint;
use std::marker::PhantomData;
use std::mem;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// A job for a worker.
pub(super) trait Job: Send {
    type Outcome: Send;

    /// Runs the job. Not every job has an outcome.
    fn perform(self) -> Option<Self::Outcome>;
}

/// Submits jobs, and receives their outcomes in any order.
pub(super) struct Workers<'scope, 'data, J: Job> {
    scope: &'scope Scope<'data>,
    sender: Sender<J::Outcome>,
    outcomes: &'scope Receiver<J::Outcome>,
}

/// Passes the workers to `work`, and waits for the jobs that `work` submits to them.
pub(super) fn with_workers<'data, J: Job<Outcome: 'data> + 'data, R>(
    work: impl FnOnce(&Workers<'_, 'data, J>) -> R,
) -> R {
    // The channel outlives the jobs, so that no worker drops an outcome.
    let (sender, outcomes) = mpsc::channel();
    scope(|scope| {
        work(&Workers {
            scope,
            sender,
            outcomes: &outcomes,
        })
    })
}

/// Lets the workers process the parts, and waits until all parts are done.
pub(super) fn for_each<P: Send>(parts: impl Iterator<Item = P>, work: impl Fn(P) + Sync) {
    let work = &work;
    scope(|scope| {
        scope.give(parts.map(|part| move || work(part)));
    });
}

impl<'data, J: Job<Outcome: 'data> + 'data> Workers<'_, 'data, J> {
    /// Submits jobs. The workers take them in order.
    pub fn give(&self, jobs: impl Iterator<Item = J>) {
        self.scope.give(jobs.map(|job| {
            let sender = self.sender.clone();
            move || {
                if let Some(outcome) = job.perform() {
                    let sent = sender.send(outcome);
                    debug_assert!(sent.is_ok());
                }
            }
        }));
    }

    /// Waits for the next outcome.
    pub fn take_outcome(&self) -> Option<J::Outcome> {
        self.outcomes.recv().ok()
    }

    /// An outcome that has arrived, if there is one.
    pub fn try_outcome(&self) -> Option<J::Outcome> {
        self.outcomes.try_recv().ok()
    }
}

/// A scope in which a caller submits tasks, which may borrow data of the lifetime `'data`.
struct Scope<'data> {
    /// `None` if no thread could be started. Tasks then run on the calling thread.
    threads: Option<&'static Threads>,
    latch: Arc<Latch>,
    /// Makes `'data` invariant.
    data: PhantomData<Cell<&'data ()>>,
}

/// Runs `work`, and waits for the tasks that it submitted. Panics if a task panicked.
fn scope<'data, R>(work: impl FnOnce(&Scope<'data>) -> R) -> R {
    /// Waits, even if `work` panics.
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
    if let Some(panic) = scope.latch.lock().take() {
        resume_unwind(panic);
    }
    result
}

impl<'data> Scope<'data> {
    fn give<W: FnOnce() + Send + 'data>(&self, works: impl Iterator<Item = W>) {
        match self.threads {
            Some(threads) => threads.give(works.map(|work| self.task(Box::new(work)))),
            None => works.for_each(|work| work()),
        }
    }

    /// Makes a task for any thread. This scope does not end before the task is done.
    fn task(&self, work: Box<dyn FnOnce() + Send + 'data>) -> Task {
        // SAFETY: only the lifetime changes. The function `scope` owns this `Scope`, lends it to `work`, and neither returns nor unwinds
        // before the latch says that all tasks are done and dropped. `'data` is a parameter of that function and is invariant here, so it
        // outlives the call.
        let work: Box<dyn FnOnce() + Send + 'static> = unsafe { mem::transmute(work) };
        Task {
            work: Some(work),
            latch: self.latch.begin_task(),
        }
    }
}

/// Counts the unfinished tasks of a scope.
#[derive(Default)]
struct Latch {
    /// Submitted tasks that are not done.
    pending: AtomicUsize,
    /// The payload of the first panic of a task.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    all_done: Condvar,
}

impl Latch {
    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        self.panic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin_task(self: &Arc<Self>) -> Arc<Self> {
        self.pending.fetch_add(1, Ordering::Relaxed);
        Arc::clone(self)
    }

    /// Reports the end of a task. Everything that the task did happens before [`Self::wait`] returns.
    fn end_task(&self) {
        if self.pending.fetch_sub(1, Ordering::AcqRel) == 1 {
            // A waiting thread reads `pending` while it holds the lock. If it read `pending` before this thread takes the lock, it already
            // waits for the notification. Otherwise it reads 0.
            let _locked = self.lock();
            self.all_done.notify_all();
        }
    }

    fn wait(&self) {
        let is_pending = |_: &mut _| self.pending.load(Ordering::Acquire) > 0;
        let done = self.all_done.wait_while(self.lock(), is_pending);
        drop(done.unwrap_or_else(PoisonError::into_inner));
    }
}

/// A task of a scope. It reports its end to the scope.
struct Task {
    work: Option<Box<dyn FnOnce() + Send>>,
    latch: Arc<Latch>,
}

impl Task {
    /// Does the work.
    fn run(mut self) {
        if let Some(work) = self.work.take()
            && let Err(panic) = catch_unwind(AssertUnwindSafe(work))
        {
            self.latch.lock().get_or_insert(panic);
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        // What the work borrows is released before the task's end is reported.
        drop(self.work.take());
        self.latch.end_task();
    }
}

/// The process's threads, and the queue of tasks.
#[derive(Default)]
struct Threads {
    queue: Mutex<Queue>,
    /// The length of the queue, readable without the lock.
    waiting: AtomicUsize,
    given: Condvar,
}

#[derive(Default)]
struct Queue {
    tasks: VecDeque<Task>,
    /// The number of sleeping threads.
    asleep: usize,
}

impl Threads {
    /// At most this many threads are started. More threads do not copy faster.
    const MOST: usize = 16;

    /// How many times a thread without a task polls before it sleeps. All polls together take about 100 µs.
    const LOOKS: usize = 100;

    /// The threads, which the first call starts; `None` if no thread could be started.
    fn started() -> Option<&'static Self> {
        static THREADS: OnceLock<Threads> = OnceLock::new();
        static STARTED: OnceLock<usize> = OnceLock::new();
        let threads = THREADS.get_or_init(Self::default);
        let started = STARTED.get_or_init(|| {
            let processors = thread::available_parallelism().map_or(1, NonZero::get);
            // With two processors or more, at least one is left to the thread that makes the driver calls.
            let wanted = processors.saturating_sub(1).clamp(1, Self::MOST);
            let start = |index| {
                let thread = thread::Builder::new().name(format!("warpfold {index}"));
                thread.spawn(|| threads.work()).is_ok()
            };
            (0..wanted).take_while(|&index| start(index)).count()
        });
        (*started > 0).then_some(threads)
    }

    fn give(&self, tasks: impl Iterator<Item = Task>) {
        let mut queue = self.lock();
        queue.tasks.extend(tasks);
        self.waiting.store(queue.tasks.len(), Ordering::Relaxed);
        let woken = queue.asleep.min(queue.tasks.len());
        drop(queue);
        for _ in 0..woken {
            self.given.notify_one();
        }
    }

    fn work(&self) {
        loop {
            self.next().run();
        }
    }

    /// Waits for a task.
    fn next(&self) -> Task {
        for _ in 0..Self::LOOKS {
            if self.waiting.load(Ordering::Relaxed) > 0
                && let Some(task) = self.take(&mut self.lock())
            {
                return task;
            }
            (0..8).for_each(|_| hint::spin_loop());
            thread::yield_now();
        }
        let mut queue = self.lock();
        loop {
            if let Some(task) = self.take(&mut queue) {
                return task;
            }
            queue.asleep += 1;
            let woken = self.given.wait(queue);
            queue = woken.unwrap_or_else(PoisonError::into_inner);
            queue.asleep -= 1;
        }
    }

    fn take(&self, queue: &mut Queue) -> Option<Task> {
        let task = queue.tasks.pop_front();
        self.waiting.store(queue.tasks.len(), Ordering::Relaxed);
        task
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
