//! Streams: queues of work that is done lazily, at the latest when somebody must see its effect.
//!
//! Whoever waits drives: [`Ticket::finish`] takes the work in front of a queue, and the work of
//! other streams that it must come after, and does it on the calling thread. A stream does one
//! piece of work at a time, and no lock is held meanwhile, so threads with streams of their own
//! work side by side.
//!
//! Laziness is one of the schedules that a real device may show, and the one that shows most
//! mistakes. It also means that work proceeds only inside driver calls: a host that spins on pinned
//! memory waits forever.

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

/// A stream with more work than this does some of it when more is added, as a full queue of a real
/// device makes the host wait.
const QUEUE_LIMIT: usize = 1024;

/// The handle that stands for the legacy default stream, beside null.
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
    /// The work enqueued last: its number, and what is known when it is done.
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
    /// A thread does a piece of the stream's work.
    Taken,
}

/// How far one step has led.
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

    /// The place of the work enqueued last.
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

    /// Called by the context alone, which gives out the numbers.
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

    /// Takes note that the work of this number is done, and gives up the turn.
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

    /// Takes note that the host has been told that the work up to here is done.
    pub(crate) fn tell(&self) {
        self.stream.context.device.orders.told(&self.clock);
    }

    /// Does the work up to here, or waits for the thread that does. Who waits because the host asked for
    /// it, [tells](Self::tell) the host then.
    pub(crate) fn finish(&self) {
        while self.step() == Progress::NotYet {}
    }

    /// Does one piece of the work that is left up to here, unless another thread does it. What may wait for the calling
    /// thread, as host functions do, is left to a thread of its own. So this returns in any case.
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

    /// Does one piece of the work that is left up to here, or waits for the thread that does.
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

/// The stream that the handle zero stands for in the call that the calling thread is inside of.
pub(crate) fn default_stream(context: &Arc<Context>) -> Arc<Stream> {
    if default_stream::is_of_thread() {
        return context.per_thread();
    }
    context.legacy()
}

/// The stream that a handle stands for, and whose context can be worked in, be it current or not.
///
/// An event in a stream's place is taken for a stream whose context has gone, as by the real
/// driver.
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
