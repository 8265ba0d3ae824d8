//! Stream capture: the work of streams is recorded as a graph instead of being done.
//!
//! A capture begins in one stream, its origin, and spreads to streams that wait for an event recorded in the capture. Each stream that
//! takes part has a [`Tail`]: the nodes on which the stream's next node depends. Most calls that are not allowed during a capture
//! invalidate the capture. Then the forbidden call and the call that ends the capture both fail with a code from 900 on.

use crate::driver::abi::Handle;
use crate::driver::code::{Code, Outcome};
use crate::driver::launches::call_name;
use crate::driver::objects::context::Context;
use crate::driver::objects::graph::{Graph, Node};
use crate::driver::objects::lock;
use crate::driver::objects::machine::machine;
use crate::driver::objects::stream::{Ordering, Stream};
use crate::driver::objects::threads::ThreadId;
use crate::driver::objects::work::Action;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering as Atomically};
use std::sync::{Arc, Mutex};

/// Which threads must not make potentially unsafe calls during a capture. A thread has a mode too: it says which captures restrict the
/// thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaptureMode {
    /// No thread may make potentially unsafe calls.
    Global,
    /// The thread that began the capture must not make potentially unsafe calls.
    ThreadLocal,
    /// All threads may make potentially unsafe calls.
    Relaxed,
}

impl CaptureMode {
    pub(crate) fn from_number(number: i32) -> Outcome<Self> {
        match number {
            0 => Ok(Self::Global),
            1 => Ok(Self::ThreadLocal),
            2 => Ok(Self::Relaxed),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    pub(crate) fn number(self) -> i32 {
        self as i32
    }
}

/// A capture of one stream or of several.
pub(crate) struct Capture {
    pub(crate) id: u64,
    mode: CaptureMode,
    thread: ThreadId,
    origin: Arc<Stream>,
    /// The capture's graph, if a call has already asked for its handle.
    graph: Mutex<Option<Handle<Graph>>>,
    state: Mutex<State>,
}

struct State {
    status: Status,
    nodes: Vec<Node>,
    streams: Vec<Arc<Stream>>,
}

/// Whether a capture can still become a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Active,
    Void,
    Ended,
}

/// The place in a capture after which a stream adds its next node.
#[derive(Clone)]
pub(crate) struct Tail {
    pub(crate) capture: Arc<Capture>,
    /// The nodes that the stream's next node comes after.
    after: BTreeSet<usize>,
}

/// The captures that are under way.
#[derive(Default)]
pub(crate) struct Captures(Mutex<Vec<Arc<Capture>>>);

thread_local! {
    static THREAD_MODE: Cell<CaptureMode> = const { Cell::new(CaptureMode::Global) };
}

/// Sets which captures restrict the calling thread, and returns the previous mode.
pub(crate) fn exchange_thread_mode(mode: CaptureMode) -> CaptureMode {
    THREAD_MODE.replace(mode)
}

impl Captures {
    /// Begins a capture in a stream.
    pub(crate) fn begin(&self, stream: &Arc<Stream>, mode: CaptureMode) -> Outcome {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        if stream.ordering == Ordering::Legacy {
            return Err(Code::STREAM_CAPTURE_UNSUPPORTED);
        }
        let mut tail = lock(&stream.capture);
        if tail.is_some() {
            return Err(Code::ILLEGAL_STATE);
        }
        let capture = Arc::new(Capture {
            id: NEXT_ID.fetch_add(1, Atomically::Relaxed),
            mode,
            thread: ThreadId::current(),
            origin: Arc::clone(stream),
            graph: Mutex::default(),
            state: Mutex::new(State {
                status: Status::Active,
                nodes: Vec::new(),
                streams: vec![Arc::clone(stream)],
            }),
        });
        lock(&self.0).push(Arc::clone(&capture));
        *tail = Some(Tail {
            capture,
            after: BTreeSet::new(),
        });
        Ok(())
    }

    /// Ends the capture of a stream and returns the capture's graph. If the capture is not relaxed and the calling thread did not begin it,
    /// this call fails, and the capture ends without a graph. Otherwise, if the stream is not the origin, this call fails and invalidates
    /// the capture, but does not end it.
    pub(crate) fn end(&self, stream: &Arc<Stream>) -> Outcome<Handle<Graph>> {
        let tail = stream.tail().ok_or(Code::ILLEGAL_STATE)?;
        let capture = &tail.capture;
        if capture.mode != CaptureMode::Relaxed && capture.thread != ThreadId::current() {
            self.remove(capture);
            return Err(Code::STREAM_CAPTURE_WRONG_THREAD);
        }
        if !Arc::ptr_eq(&capture.origin, stream) {
            capture.make_void();
            return Err(Code::STREAM_CAPTURE_UNMATCHED);
        }
        let status = capture.check();
        let everything_joined = capture.is_joined_by(&tail);
        let graph = match (status, everything_joined) {
            (Ok(()), true) => capture.complete_graph(),
            (Ok(()), false) => Err(Code::STREAM_CAPTURE_UNJOINED),
            (Err(code), _) => Err(code),
        };
        self.remove(capture);
        graph
    }

    /// Ends the captures that began in a context. No graphs are made from these captures.
    pub(crate) fn abandon(&self, context: &Arc<Context>) {
        let all = lock(&self.0).clone();
        for capture in all {
            if Arc::ptr_eq(&capture.origin.context, context) {
                self.remove(&capture);
            }
        }
    }

    /// Invalidates the capture of a destroyed stream, if the stream is capturing. If the stream is the origin, the capture ends without a
    /// graph.
    pub(crate) fn leave(&self, stream: &Arc<Stream>) {
        if let Some(tail) = stream.tail() {
            tail.capture.make_void();
            if Arc::ptr_eq(&tail.capture.origin, stream) {
                self.remove(&tail.capture);
            }
        }
    }

    fn remove(&self, capture: &Arc<Capture>) {
        lock(&self.0).retain(|other| !Arc::ptr_eq(other, capture));
        let streams = {
            let mut state = lock(&capture.state);
            state.status = Status::Ended;
            std::mem::take(&mut state.streams)
        };
        for stream in streams {
            *lock(&stream.capture) = None;
        }
        capture.discard_graph();
    }

    /// If the calling thread must not make potentially unsafe calls because of some captures, invalidates these captures and fails.
    pub(crate) fn check_unsafe_call(&self) -> Outcome {
        let me = ThreadId::current();
        let lets = THREAD_MODE.get();
        let forbids = |capture: &&Arc<Capture>| match lets {
            CaptureMode::Relaxed => false,
            CaptureMode::ThreadLocal => {
                capture.mode != CaptureMode::Relaxed && capture.thread == me
            }
            CaptureMode::Global => match capture.mode {
                CaptureMode::Relaxed => false,
                CaptureMode::ThreadLocal => capture.thread == me,
                CaptureMode::Global => true,
            },
        };
        let captures = lock(&self.0);
        let mut outcome = Ok(());
        for capture in captures.iter().filter(forbids) {
            capture.make_void();
            outcome = Err(Code::STREAM_CAPTURE_UNSUPPORTED);
        }
        outcome
    }

    /// If the legacy stream would have to wait for some captures, invalidates these captures and fails.
    pub(crate) fn check_legacy(&self, context: &Context) -> Outcome {
        let outcome = self.ask_legacy(context);
        for stream in context.blocking_streams() {
            if let Some(tail) = stream.tail() {
                tail.capture.make_void();
            }
        }
        outcome
    }

    /// Fails if the legacy stream would have to wait for a capture. In contrast to [`check_legacy`](Self::check_legacy), the capture stays
    /// valid.
    pub(crate) fn ask_legacy(&self, context: &Context) -> Outcome {
        let streams = context.blocking_streams();
        match streams.iter().any(|stream| stream.tail().is_some()) {
            true => Err(Code::STREAM_CAPTURE_IMPLICIT),
            false => Ok(()),
        }
    }

    /// If some captures that began in the context are under way, invalidates these captures and fails.
    pub(crate) fn check_context(&self, context: &Arc<Context>) -> Outcome {
        let mut outcome = Ok(());
        for capture in lock(&self.0).iter() {
            if Arc::ptr_eq(&capture.origin.context, context) {
                capture.make_void();
                outcome = Err(Code::STREAM_CAPTURE_UNSUPPORTED);
            }
        }
        outcome
    }
}

impl Capture {
    /// The graph that the capture will become.
    pub(crate) fn graph(&self) -> Outcome<Handle<Graph>> {
        let machine = machine()?;
        let mut graph = lock(&self.graph);
        Ok(*graph.get_or_insert_with(|| machine.graphs.insert(Graph::default())))
    }

    /// Moves the captured nodes to the graph, and returns the graph's handle.
    fn complete_graph(&self) -> Outcome<Handle<Graph>> {
        let handle = self.graph()?;
        let graph = machine()?.graphs.get(handle)?;
        graph.complete(std::mem::take(&mut lock(&self.state).nodes));
        *lock(&self.graph) = None;
        Ok(handle)
    }

    /// Destroys the capture's graph, if a call has asked for its handle and the capture has not completed it.
    fn discard_graph(&self) {
        let graph = lock(&self.graph).take();
        if let Some(graph) = graph
            && let Ok(machine) = machine()
        {
            // Removing fails only if the program has destroyed the graph, which is not allowed during a capture.
            let _ = machine.graphs.remove(graph);
        }
    }

    pub(crate) fn status(&self) -> Status {
        lock(&self.state).status
    }

    pub(crate) fn make_void(&self) {
        let mut state = lock(&self.state);
        if state.status == Status::Active {
            state.status = Status::Void;
        }
    }

    /// Fails if the capture is invalid or has ended. A capture that has ended can still be reached, through an event that was recorded in
    /// the capture.
    pub(crate) fn check(&self) -> Outcome {
        match self.status() {
            Status::Active => Ok(()),
            Status::Void => Err(Code::STREAM_CAPTURE_INVALIDATED),
            Status::Ended => Err(Code::INVALID_VALUE),
        }
    }

    /// Whether a node that is added at `tail` comes after all nodes of all streams of the capture.
    fn is_joined_by(&self, tail: &Tail) -> bool {
        let streams = lock(&self.state).streams.clone();
        let others: Vec<Tail> = streams.iter().filter_map(|stream| stream.tail()).collect();
        let state = lock(&self.state);
        let mut before = tail.after.clone();
        let mut unvisited: Vec<usize> = before.iter().copied().collect();
        while let Some(node) = unvisited.pop() {
            let earlier = state.nodes.get(node).map(|node| &node.after);
            for &node in earlier.into_iter().flatten() {
                if before.insert(node) {
                    unvisited.push(node);
                }
            }
        }
        others.iter().all(|other| other.after.is_subset(&before))
    }
}

impl Stream {
    /// The stream's tail in its capture. `None` if the stream is not capturing.
    pub(crate) fn tail(&self) -> Option<Tail> {
        lock(&self.capture).clone()
    }

    /// Adds a node to the stream's capture, if the stream is capturing.
    pub(crate) fn capture_node(&self, action: &Action) -> Outcome<Captured> {
        let mut place = lock(&self.capture);
        let Some(tail) = &mut *place else {
            return Ok(Captured::No);
        };
        tail.capture.check()?;
        let mut state = lock(&tail.capture.state);
        let index = state.nodes.len();
        let after = std::mem::replace(&mut tail.after, BTreeSet::from([index]));
        state.nodes.push(Node {
            action: action.clone(),
            call: call_name(),
            after,
        });
        Ok(Captured::Yes)
    }

    /// Makes this stream's next node depend on `other`, the tail of another stream. From then on this stream takes part in the other
    /// stream's capture.
    pub(crate) fn join_capture(self: &Arc<Self>, other: &Tail) -> Outcome {
        if self.ordering == Ordering::Legacy {
            other.capture.make_void();
            return Err(Code::STREAM_CAPTURE_IMPLICIT);
        }
        let mut place = lock(&self.capture);
        match &mut *place {
            Some(own) if Arc::ptr_eq(&own.capture, &other.capture) => {
                own.capture.check()?;
                own.after.extend(&other.after);
            }
            Some(own) => {
                own.capture.make_void();
                other.capture.make_void();
                return Err(Code::STREAM_CAPTURE_MERGE);
            }
            None => {
                other.capture.check()?;
                lock(&other.capture.state).streams.push(Arc::clone(self));
                *place = Some(other.clone());
            }
        }
        Ok(())
    }

    /// If the stream is capturing, invalidates the capture and fails.
    pub(crate) fn check_not_capturing(&self) -> Outcome {
        match self.tail() {
            None => Ok(()),
            Some(tail) => {
                tail.capture.make_void();
                Err(Code::STREAM_CAPTURE_UNSUPPORTED)
            }
        }
    }
}

/// Whether work became a node of a capture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Captured {
    Yes,
    No,
}
