//! Streams: queues of work that is done lazily, at the latest when its effect must be visible.
//!
//! A thread that waits for work does the work: [`Ticket::finish`] takes work from the front of a queue and does it on the calling thread.
//! If the work depends on work of other streams, the work of the other streams is done first. A stream does one piece of work at a time. No
//! lock of a stream is held while work is done, so threads that use different streams run in parallel.
//!
//! A real device, too, may do work this late. The later work is done, the more mistakes of a program come to light. One consequence is that
//! only driver calls start work. A host thread that polls pinned memory waits forever if no thread makes a driver call.

pub(crate) use crate::StreamKind as Ordering;
use crate::StreamName;
use crate::checks::Clock;
use crate::driver::abi::Handle;
use crate::driver::code::{Code, Outcome};
use crate::driver::default_stream;
use crate::driver::objects::capture::Tail;
use crate::driver::objects::context::{Context, Ticket};
use crate::driver::objects::current::current;
use crate::driver::objects::lock;
use crate::driver::objects::machine::machine;
use crate::driver::objects::work::Work;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering as Atomically};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The greatest length of a stream's queue. A call that makes the queue longer does work until the queue has this length again. A real
/// driver, too, makes the host wait when a queue is full.
const QUEUE_LIMIT: usize = 1024;

/// The handle that always stands for the legacy default stream. The null handle stands for this stream or for the calling thread's default
/// stream. The symbol of the called function decides which of the two.
const LEGACY: usize = 1;
/// The handle that stands for the calling thread's default stream.
const PER_THREAD: usize = 2;

/// A stream.
pub(crate) struct Stream {
    pub(crate) context: Arc<Context>,
    pub(crate) ordering: Ordering,
    pub(crate) priority: i32,
    pub(crate) id: u64,
    /// The capture that the stream takes part in, if any.
    pub(crate) capture: Mutex<Option<Tail>>,
    queue: Mutex<Queue>,
    idle: Condvar,
    /// The number and the clock of the work enqueued last.
    last: Mutex<(u64, Arc<Clock>)>,
    /// Number of the work done last.
    done: AtomicU64,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Work>,
    turn: Turn,
}

#[derive(Default, PartialEq, Eq)]
enum Turn {
    #[default]
    Free,
    /// A thread is doing a piece of the stream's work.
    Taken,
}

/// Whether the work up to a ticket is done.
#[derive(PartialEq, Eq)]
pub(crate) enum Progress {
    Done,
    NotYet,
}

enum Front {
    Done,
    Busy,
    Waits(Ticket),
    Ready(Work),
}

impl Stream {
    pub(crate) fn new(context: &Arc<Context>, ordering: Ordering, priority: i32) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        Self {
            context: Arc::clone(context),
            ordering,
            priority,
            id: NEXT_ID.fetch_add(1, Atomically::Relaxed),
            capture: Mutex::default(),
            queue: Mutex::default(),
            idle: Condvar::new(),
            last: Mutex::default(),
            done: AtomicU64::new(0),
        }
    }

    /// The ticket of the work enqueued last.
    pub(crate) fn last(self: &Arc<Self>) -> Ticket {
        let (number, clock) = lock(&self.last).clone();
        Ticket {
            stream: Arc::clone(self),
            number,
            clock,
        }
    }

    /// How reports name the stream.
    pub(crate) fn name(&self) -> StreamName {
        StreamName {
            id: self.id,
            kind: self.ordering,
        }
    }

    /// Puts work at the end of the queue. Only the context calls this function, because the context numbers the work.
    pub(crate) fn push(&self, work: Work) {
        let mut queue = lock(&self.queue);
        *lock(&self.last) = (work.number, Arc::clone(&work.clock));
        queue.waiting.push_back(work);
    }

    /// Does work while the queue is too long.
    pub(crate) fn relieve(self: &Arc<Self>) {
        while let Some(ticket) = self.overdue() {
            ticket.finish();
        }
    }

    fn overdue(self: &Arc<Self>) -> Option<Ticket> {
        let queue = lock(&self.queue);
        let first = queue.waiting.front()?;
        (queue.waiting.len() > QUEUE_LIMIT).then(|| Ticket {
            stream: Arc::clone(self),
            number: first.number,
            clock: Arc::clone(&first.clock),
        })
    }

    fn take(&self, until: u64) -> Front {
        let mut queue = lock(&self.queue);
        if self.done.load(Atomically::Acquire) >= until {
            return Front::Done;
        }
        if queue.turn == Turn::Taken {
            return Front::Busy;
        }
        let Some(work) = queue.waiting.front() else {
            return Front::Done;
        };
        if let Some(awaited) = work.after.iter().find(|ticket| !ticket.is_done()) {
            return Front::Waits(awaited.clone());
        }
        queue.turn = Turn::Taken;
        queue.waiting.pop_front().map_or(Front::Done, Front::Ready)
    }

    /// Records that the work with this number is done, and lets other threads work on the stream.
    pub(crate) fn finished(&self, number: u64) {
        let mut queue = lock(&self.queue);
        queue.turn = Turn::Free;
        self.context.device.orders.done(number);
        self.done.store(number, Atomically::Release);
        self.idle.notify_all();
    }

    fn wait_for_turn(&self) {
        let queue = lock(&self.queue);
        let free = self
            .idle
            .wait_while(queue, |queue| queue.turn == Turn::Taken);
        drop(free.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Ticket {
    pub(crate) fn is_done(&self) -> bool {
        self.stream.done.load(Atomically::Acquire) >= self.number
    }

    /// Records that the host knows that the work up to this ticket is done.
    pub(crate) fn tell(&self) {
        self.stream.context.device.orders.told(&self.clock);
    }

    /// Does the work up to this ticket, or waits for the thread that does it. A driver call from which the host learns
    /// that the work is done must call [`tell`](Self::tell) afterwards.
    pub(crate) fn finish(&self) {
        while self.step() == Progress::NotYet {}
    }

    /// Does one piece of the remaining work up to this ticket, unless another thread is doing a piece. A host function may wait for the
    /// calling thread. So if the piece calls a host function, a new thread does the piece, and `nudge` returns at once.
    pub(crate) fn nudge(&self) {
        let mut ticket = self.clone();
        loop {
            match ticket.stream.take(ticket.number) {
                Front::Done | Front::Busy => return,
                Front::Waits(awaited) => ticket = awaited,
                Front::Ready(work) => {
                    let stream = Arc::clone(&ticket.stream);
                    if work.action.calls_the_program() {
                        work.perform_elsewhere(stream);
                    } else {
                        work.perform(&stream);
                        stream.finished(work.number);
                    }
                    return;
                }
            }
        }
    }

    /// Does one piece of the remaining work up to this ticket. If another thread is doing a piece, waits for that thread first.
    pub(crate) fn step(&self) -> Progress {
        let mut ticket = self.clone();
        loop {
            match ticket.stream.take(ticket.number) {
                Front::Done if self.is_done() => return Progress::Done,
                Front::Done => return Progress::NotYet,
                Front::Busy => ticket.stream.wait_for_turn(),
                Front::Waits(awaited) => ticket = awaited,
                Front::Ready(work) => {
                    work.perform(&ticket.stream);
                    ticket.stream.finished(work.number);
                    break;
                }
            }
        }
        if self.is_done() {
            return Progress::Done;
        }
        Progress::NotYet
    }
}

/// The stream that the null handle stands for in the current call.
pub(crate) fn default_stream(context: &Arc<Context>) -> Arc<Stream> {
    if default_stream::is_of_thread() {
        return context.per_thread();
    }
    context.legacy()
}

/// The stream of a handle. Fails if the stream's context is not usable. The context need not be current.
///
/// If `handle` is in fact the handle of an event, this function fails with `CONTEXT_IS_DESTROYED`, as the real driver does.
pub(crate) fn resolve(handle: Handle<Stream>) -> Outcome<Arc<Stream>> {
    let stream = match handle.key() {
        0 => default_stream(&current()?),
        LEGACY => current()?.legacy(),
        PER_THREAD => current()?.per_thread(),
        key => {
            let machine = machine()?;
            machine.streams.get(handle).map_err(|missing| {
                match machine.events.get(Handle::from_key(key)) {
                    Ok(_) => Code::CONTEXT_IS_DESTROYED,
                    Err(_) => missing,
                }
            })?
        }
    };
    stream.context.check()?;
    Ok(stream)
}
