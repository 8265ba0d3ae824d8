//! A context: streams on one device, and the error that has poisoned the context, if any.

use crate::checks::Clock;
use crate::driver::abi::Handle;
use crate::driver::code::{Code, Outcome};
use crate::driver::launches::Enqueuer;
use crate::driver::objects::lock;
use crate::driver::objects::machine::Device;
use crate::driver::objects::stream::{Ordering as StreamOrdering, Stream};
use crate::driver::objects::threads::ThreadId;
use crate::driver::objects::work::{Action, Work};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// How a context was made, which decides how it is destroyed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Retained and released.
    Primary,
    /// Created and destroyed.
    Created,
}

/// A context.
pub(crate) struct Context {
    pub(crate) device: &'static Device,
    pub(crate) handle: Handle<Context>,
    pub(crate) kind: Kind,
    pub(crate) id: u64,
    /// The number of uses: 1 at first. `cuCtxAttach` raises it, and `cuCtxDetach` lowers it.
    pub(crate) uses: AtomicU32,
    flags: AtomicU32,
    fault: OnceLock<Code>,
    streams: Mutex<Streams>,
    /// Held while work is enqueued, so that ticket numbers increase along each queue.
    order: Mutex<()>,
    /// Values set by `cuCtxSetLimit` and similar calls. They are only stored and returned, except for
    /// [`PENDING_LAUNCHES`].
    preferences: Mutex<BTreeMap<Preference, usize>>,
}

/// CUDA's number for the limit on grids that were launched by kernels and have not begun.
pub(crate) const PENDING_LAUNCHES: i32 = 4;

/// A setting of a context.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Preference {
    Limit(i32),
    Cache,
    SharedBank,
}

#[derive(Default)]
struct Streams {
    legacy: Option<Arc<Stream>>,
    per_thread: HashMap<ThreadId, Arc<Stream>>,
    created: Vec<Arc<Stream>>,
    /// Two vector clocks that cover the work of destroyed streams. The first clock covers blocking streams, and the second covers all other
    /// streams.
    departed: [Clock; 2],
}

impl Streams {
    fn all(&self) -> impl Iterator<Item = &Arc<Stream>> {
        let default = self.legacy.iter().chain(self.per_thread.values());
        default.chain(&self.created)
    }
}

impl Context {
    pub(crate) fn new(
        device: &'static Device,
        handle: Handle<Context>,
        kind: Kind,
        flags: u32,
    ) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        Self {
            device,
            handle,
            kind,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            uses: AtomicU32::new(1),
            flags: AtomicU32::new(flags),
            fault: OnceLock::new(),
            streams: Mutex::default(),
            order: Mutex::default(),
            preferences: Mutex::default(),
        }
    }

    /// The sticky error that work of the context has left, if any.
    pub(crate) fn check(&self) -> Outcome {
        self.fault.get().map_or(Ok(()), |code| Err(*code))
    }

    /// From now on, calls fail with `code` if they need this context to be usable. If the context is already poisoned, the first code
    /// stays.
    pub(crate) fn poison(&self, code: Code) {
        self.fault.get_or_init(|| code);
    }

    pub(crate) fn flags(&self) -> u32 {
        self.flags.load(Ordering::Relaxed)
    }

    pub(crate) fn set_flags(&self, flags: u32) {
        self.flags.store(flags, Ordering::Relaxed);
    }

    pub(crate) fn preference(&self, which: Preference) -> Option<usize> {
        lock(&self.preferences).get(&which).copied()
    }

    pub(crate) fn set_preference(&self, which: Preference, value: usize) {
        lock(&self.preferences).insert(which, value);
    }

    /// The legacy default stream.
    pub(crate) fn legacy(self: &Arc<Self>) -> Arc<Stream> {
        let mut streams = lock(&self.streams);
        let legacy = streams
            .legacy
            .get_or_insert_with(|| Arc::new(Stream::new(self, StreamOrdering::Legacy, 0)));
        Arc::clone(legacy)
    }

    /// The default stream of the calling thread.
    pub(crate) fn per_thread(self: &Arc<Self>) -> Arc<Stream> {
        let mut streams = lock(&self.streams);
        let own = streams
            .per_thread
            .entry(ThreadId::current())
            .or_insert_with(|| Arc::new(Stream::new(self, StreamOrdering::Blocking, 0)));
        Arc::clone(own)
    }

    pub(crate) fn add_stream(&self, stream: &Arc<Stream>) {
        lock(&self.streams).created.push(Arc::clone(stream));
    }

    pub(crate) fn remove_stream(&self, stream: &Arc<Stream>) {
        let mut streams = lock(&self.streams);
        streams.created.retain(|other| !Arc::ptr_eq(other, stream));
        let [blocking, others] = &mut streams.departed;
        let departed = match stream.ordering {
            StreamOrdering::NonBlocking => others,
            StreamOrdering::Blocking | StreamOrdering::Legacy => blocking,
        };
        departed.join(&stream.last().clock);
        self.device.orders.trim(departed);
    }

    /// Drops the context's references to its streams. This ends a reference cycle, because the streams refer to the context.
    pub(crate) fn forget_streams(&self) {
        *lock(&self.streams) = Streams::default();
    }

    /// The streams of this context that the legacy default stream waits for, and that wait for it.
    pub(crate) fn blocking_streams(&self) -> Vec<Arc<Stream>> {
        let streams = lock(&self.streams);
        let all = streams.all();
        all.filter(|stream| stream.ordering == StreamOrdering::Blocking)
            .cloned()
            .collect()
    }

    /// Puts work at the end of a stream's queue.
    pub(crate) fn enqueue(
        self: &Arc<Self>,
        stream: &Arc<Stream>,
        action: Action,
        mut after: Vec<Ticket>,
        by: Enqueuer,
    ) -> Ticket {
        let ticket = {
            let _order = lock(&self.order);
            let mut departed = Clock::default();
            match stream.ordering {
                StreamOrdering::NonBlocking => {}
                StreamOrdering::Blocking => after.push(self.legacy().last()),
                StreamOrdering::Legacy => {
                    after.extend(self.blocking_streams().iter().map(|other| other.last()));
                    departed.clone_from(&lock(&self.streams).departed[0]);
                }
            }
            let number = new_ticket_number();
            let before = stream.last();
            let known = after.iter().chain([&before]).map(|ticket| &*ticket.clock);
            let clock = self
                .device
                .orders
                .enqueue((stream.id, number), known.chain([&departed]));
            after.retain(|ticket| !ticket.is_done());
            stream.push(Work {
                number,
                clock: Arc::clone(&clock),
                after,
                action,
                by,
            });
            Ticket {
                stream: Arc::clone(stream),
                number,
                clock,
            }
        };
        stream.relieve();
        ticket
    }

    /// Finishes all work of the context, and records that the host knows that this work is done.
    pub(crate) fn drain(&self) {
        let (streams, departed) = {
            let streams = lock(&self.streams);
            let all: Vec<_> = streams.all().cloned().collect();
            (all, streams.departed.clone())
        };
        for stream in streams {
            let last = stream.last();
            last.finish();
            last.tell();
        }
        for clock in &departed {
            self.device.orders.told(clock);
        }
    }
}

/// A position in a stream's queue. The ticket is done when the stream has done all work up to this position.
#[derive(Clone)]
pub(crate) struct Ticket {
    pub(crate) stream: Arc<Stream>,
    pub(crate) number: u64,
    /// Covers the work up to this position, and all work of other streams that is ordered before that work.
    pub(crate) clock: Arc<Clock>,
}

/// Ticket numbers increase over all streams of all contexts, and work waits only for tickets with lower
/// numbers. So no two pieces of work wait for each other.
fn new_ticket_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
