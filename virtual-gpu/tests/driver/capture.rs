//! Stream capture: how it begins, spreads and ends, and what invalidates it.

use crate::raw::*;
use crate::support::*;

const THREAD_LOCAL: i32 = 1;
const RELAXED: i32 = 2;
const CAPTURE_UNMATCHED: i32 = 903;
const CAPTURE_UNJOINED: i32 = 904;
const CAPTURE_ISOLATION: i32 = 905;
const CAPTURE_IMPLICIT: i32 = 906;
const CAPTURED_EVENT: i32 = 907;
const CAPTURE_WRONG_THREAD: i32 = 908;

const NONE: i32 = 0;
const ACTIVE: i32 = 1;
const VOID: i32 = 2;

fn begin(stream: usize) {
    assert_eq!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), 0);
}

fn status(stream: usize) -> i32 {
    let mut status = -1;
    assert_eq!(cuStreamIsCapturing(stream, &mut status), 0);
    status
}

/// Ends a capture. Asserts that there is no graph.
fn end_without_graph(stream: usize) -> i32 {
    let mut graph = 77;
    let code = cuStreamEndCapture(stream, &mut graph);
    assert!(graph == 0 || graph == 77, "no graph, not {graph:#x}");
    code
}

/// A capture of two streams: the second waits for work of the first.
struct Fork {
    origin: usize,
    other: usize,
    join: usize,
    address: u64,
}

impl Fork {
    fn new() -> Self {
        Self {
            origin: stream(1),
            other: stream(1),
            join: event(),
            address: zeros(1),
        }
    }

    fn begin(&self) {
        let fork = event();
        assert_eq!(cuStreamBeginCapture_v2(self.origin, RELAXED), 0);
        assert_eq!(cuMemsetD32Async(self.address, 1, 1, self.origin), 0);
        assert_eq!(cuEventRecord(fork, self.origin), 0);
        assert_eq!(cuStreamWaitEvent(self.other, fork, 0), 0);
        assert_eq!(status(self.other), ACTIVE);
        assert_eq!(cuMemsetD32Async(self.address, 2, 1, self.other), 0);
    }

    fn join(&self) {
        assert_eq!(cuEventRecord(self.join, self.other), 0);
        assert_eq!(cuStreamWaitEvent(self.origin, self.join, 0), 0);
    }
}

#[test]
fn a_capture_extends_to_streams_that_wait_for_its_events() {
    let _context = Context::new();
    let fork = Fork::new();
    fork.begin();
    fork.join();
    let executable = instantiate(end_with_graph(fork.origin));
    assert_eq!(status(fork.other), NONE);
    assert_eq!(cuGraphLaunch(executable, fork.other), 0);
    assert_eq!(cuStreamSynchronize(fork.other), 0);
    assert_eq!(peek(fork.address), 2);
}

#[test]
fn a_captured_event_is_unusable_until_it_is_recorded_again() {
    let _context = Context::new();
    let fork = Fork::new();
    fork.begin();
    fork.join();
    end_with_graph(fork.origin);
    let mut compare = Comparison::default();
    let waited = cuStreamWaitEvent(fork.other, fork.join, 0);
    compare.expect("waiting for it", waited, INVALID_VALUE);
    compare.expect("asking about it", cuEventQuery(fork.join), INVALID_VALUE);
    let synchronised = cuEventSynchronize(fork.join);
    compare.expect("synchronising it", synchronised, INVALID_VALUE);
    assert_eq!(cuEventRecord(fork.join, fork.other), 0);
    assert_eq!(cuEventSynchronize(fork.join), 0, "recorded anew");
}

#[test]
fn a_captured_stream_must_be_joined() {
    let _context = Context::new();
    let fork = Fork::new();
    fork.begin();
    assert_eq!(end_without_graph(fork.origin), CAPTURE_UNJOINED);
    assert_eq!((status(fork.origin), status(fork.other)), (NONE, NONE));
}

#[test]
fn a_capture_ends_in_the_stream_where_it_began() {
    let _context = Context::new();
    let fork = Fork::new();
    fork.begin();
    assert_eq!(end_without_graph(fork.other), CAPTURE_UNMATCHED);
    assert_eq!(end_without_graph(fork.origin), STREAM_CAPTURE_INVALIDATED);
}

#[test]
fn querying_a_captured_event_invalidates_the_capture() {
    let _context = Context::new();
    let fork = Fork::new();
    fork.begin();
    fork.join();
    assert_eq!(cuEventQuery(fork.join), CAPTURED_EVENT);
    assert_eq!(end_without_graph(fork.origin), STREAM_CAPTURE_INVALIDATED);
}

/// A forbidden call invalidates the capture, and later calls report that the capture is invalid.
#[test]
fn forbidden_calls_invalidate_a_capture() {
    let _context = Context::new();
    let (stream, recorded, address) = (stream(0), event(), alloc(1));
    assert_eq!(cuEventRecord(recorded, stream), 0);
    assert_eq!(cuEventSynchronize(recorded), 0);
    let forbidden: [(&str, i32, &dyn Fn() -> i32); 8] = [
        ("synchronising it", STREAM_CAPTURE_UNSUPPORTED, &|| {
            cuStreamSynchronize(stream)
        }),
        ("asking about it", STREAM_CAPTURE_UNSUPPORTED, &|| {
            cuStreamQuery(stream)
        }),
        ("its number", STREAM_CAPTURE_UNSUPPORTED, &|| {
            cuStreamGetId(stream, &mut 0)
        }),
        (
            "synchronising the context",
            STREAM_CAPTURE_UNSUPPORTED,
            &|| cuCtxSynchronize(),
        ),
        ("allocating", STREAM_CAPTURE_UNSUPPORTED, &|| {
            cuMemAlloc_v2(Some(&mut 0), 4)
        }),
        ("the legacy stream", CAPTURE_IMPLICIT, &|| {
            cuEventRecord(recorded, 0)
        }),
        ("a plain fill", CAPTURE_IMPLICIT, &|| {
            cuMemsetD32_v2(address, 1, 1)
        }),
        ("work from outside", CAPTURE_ISOLATION, &|| {
            cuStreamWaitEvent(stream, recorded, 0)
        }),
    ];
    let mut compare = Comparison::default();
    for (what, code, call) in forbidden {
        let mut expect = |step: &str, seen, expected| {
            compare.expect(&format!("{what}: {step}"), seen, expected);
        };
        begin(stream);
        expect("the call", call(), code);
        expect("status", status(stream), VOID);
        let late = cuEventRecord(event(), stream);
        expect("recording", late, STREAM_CAPTURE_INVALIDATED);
        let late = cuMemsetD32Async(address, 0, 1, stream);
        expect("filling", late, STREAM_CAPTURE_INVALIDATED);
        expect("end", end_without_graph(stream), STREAM_CAPTURE_INVALIDATED);
        expect("status at the end", status(stream), NONE);
    }
}

#[test]
fn stream_ordered_allocations_in_a_capture_are_refused() {
    if virtual_only("a real driver makes a node of it") {
        return;
    }
    let _context = Context::new();
    let stream = stream(0);
    begin(stream);
    let refused = cuMemAllocAsync(&mut 0, 4, stream);
    assert_eq!(refused, STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(end_without_graph(stream), STREAM_CAPTURE_INVALIDATED);
}

#[test]
fn wrong_begins_and_ends_of_captures_are_refused() {
    let _context = Context::new();
    let stream = stream(0);
    assert_eq!(
        cuStreamBeginCapture_v2(0, THREAD_LOCAL),
        STREAM_CAPTURE_UNSUPPORTED
    );
    assert_eq!(cuStreamBeginCapture_v2(stream, 3), INVALID_VALUE);
    assert_eq!(end_without_graph(stream), ILLEGAL_STATE);
}

#[test]
fn a_second_capture_of_a_stream_is_refused() {
    let _context = Context::new();
    let stream = stream(0);
    begin(stream);
    let again = cuStreamBeginCapture_v2(stream, THREAD_LOCAL);
    assert_eq!(again, ILLEGAL_STATE);
    let mut compare = Comparison::default();
    compare.expect("the capture", status(stream), ACTIVE);
    compare.expect("its end", cuStreamEndCapture(stream, &mut 0), 0);
}

#[test]
fn a_capture_ended_on_another_thread_gives_no_graph() {
    let context = Context::new();
    let stream = stream(0);
    begin(stream);
    let handle = context.0;
    let elsewhere = std::thread::spawn(move || {
        assert_eq!(cuCtxSetCurrent(handle), 0);
        let allocated = cuMemAlloc_v2(Some(&mut 0), 4);
        assert_eq!(allocated, 0, "another thread is free to");
        end_without_graph(stream)
    });
    assert_eq!(elsewhere.join().unwrap(), CAPTURE_WRONG_THREAD);
    let mut compare = Comparison::default();
    compare.expect("the capture", status(stream), NONE);
    let ended = end_without_graph(stream);
    compare.expect("its end", ended, ILLEGAL_STATE);
}

#[test]
fn a_relaxed_capture_permits_calls_outside_its_stream() {
    let _context = Context::new();
    let stream = stream(1);
    assert_eq!(cuStreamBeginCapture_v2(stream, RELAXED), 0);
    let address = alloc(1);
    assert_eq!(upload(address, &[3]), 0);
    assert_eq!(peek(address), 3);
    assert_eq!(cuStreamEndCapture(stream, &mut 0), 0);
}

#[test]
fn memory_whose_free_is_refused_stays_allocated() {
    let _context = Context::new();
    let blocking = stream(0);
    let mut address = 0;
    assert_eq!(cuMemAllocAsync(&mut address, 4, blocking), 0);
    begin(blocking);
    let mut compare = Comparison::default();
    let refused = cuMemFreeAsync(address, 0);
    compare.expect("a free in the legacy stream", refused, CAPTURE_IMPLICIT);
    end_without_graph(blocking);
    compare.expect("the same free afterwards", cuMemFreeAsync(address, 0), 0);
    assert_eq!(cuStreamSynchronize(0), 0);
}
