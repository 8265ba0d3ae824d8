//! User objects: the destructor is called when neither the program, a graph nor a queued launch refers to the object any more.

use crate::kernels::PTX;
use crate::raw::*;
use crate::support::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const THREAD_LOCAL: i32 = 1;
const CAPTURING: i32 = 1;
const NO_DESTRUCTOR_SYNC: u32 = 1;
const MOVE: u32 = 1;

/// Lets one test run at a time. One test uses the handle of a destroyed object, and a parallel test's new object could get the same handle.
fn one_at_a_time() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new counter: how often an object's destructor was called. The counter is never freed, as a real driver may destroy the object late.
fn ended() -> &'static AtomicU32 {
    Box::leak(Box::default())
}

/// An object to which the program holds this many references.
fn object(ended: &'static AtomicU32, references: u32) -> usize {
    unsafe extern "C" fn destructor(data: *mut c_void) {
        // SAFETY: `data` is the address of a counter that is never freed (see `ended`).
        let ended = unsafe { &*data.cast::<AtomicU32>() };
        ended.fetch_add(1, Ordering::SeqCst);
    }
    let (mut object, data) = (0, (&raw const *ended).cast_mut().cast());
    // SAFETY: the destructor takes `data`, the address of a counter that is never freed.
    let made = unsafe {
        cuUserObjectCreate(
            &mut object,
            data,
            Some(destructor),
            references,
            NO_DESTRUCTOR_SYNC,
        )
    };
    assert_eq!(made, 0);
    object
}

/// The graph that a stream's capture will become.
fn graph_of(stream: usize) -> usize {
    let (mut status, mut id, mut graph) = (0, 0, 0);
    let asked = cuStreamGetCaptureInfo_v2(stream, &mut status, &mut id, &mut graph, 0, 0);
    assert_eq!((asked, status), (0, CAPTURING));
    assert_ne!(graph, 0);
    graph
}

/// Whether the destructor is called within the time that a real driver may take.
fn ends(ended: &AtomicU32) -> bool {
    let begun = Instant::now();
    while on_real_device()
        && ended.load(Ordering::SeqCst) == 0
        && begun.elapsed() < Duration::from_secs(5)
    {
        thread::sleep(Duration::from_millis(1));
    }
    ended.load(Ordering::SeqCst) == 1
}

fn lives(ended: &AtomicU32) -> bool {
    if on_real_device() {
        thread::sleep(Duration::from_millis(50));
    }
    ended.load(Ordering::SeqCst) == 0
}

#[test]
fn an_object_lives_as_long_as_its_captured_graph() {
    let _turn = one_at_a_time();
    let _context = Context::new();
    let (stream, counter, ended) = (stream(0), zeros(1), ended());
    let increment = function(load(PTX), c"increment");
    assert_eq!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), 0);
    assert_eq!(launch(increment, 1, 32, stream, &[counter]), 0);
    let under_capture = graph_of(stream);
    assert_eq!(graph_of(stream), under_capture);
    let object = object(ended, 1);
    assert_eq!(cuGraphRetainUserObject(under_capture, object, 1, MOVE), 0);
    let graph = end_with_graph(stream);
    assert_eq!(graph, under_capture);

    let executable = instantiate(graph);
    assert_eq!(cuGraphDestroy(graph), 0);
    assert!(lives(ended), "the executable graph needs it");
    let gate = Gate::closed(stream);
    assert_eq!(cuGraphLaunch(executable, stream), 0);
    assert_eq!(cuGraphExecDestroy(executable), 0);
    assert!(lives(ended), "a queued launch needs it");
    gate.open();
    assert_eq!(cuStreamSynchronize(stream), 0);
    assert_eq!(peek(counter), 32);
    assert!(ends(ended));
}

#[test]
fn an_object_ends_with_a_capture_that_gives_no_graph() {
    let _turn = one_at_a_time();
    let _context = Context::new();
    let broken = stream(0);
    for destroy in [false, true] {
        let (stream, ended) = (if destroy { stream(0) } else { broken }, ended());
        assert_eq!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), 0);
        let object = object(ended, 1);
        assert_eq!(
            cuGraphRetainUserObject(graph_of(stream), object, 1, MOVE),
            0
        );
        if destroy {
            assert_eq!(cuStreamDestroy_v2(stream), 0);
        } else {
            assert_eq!(cuCtxSynchronize(), STREAM_CAPTURE_UNSUPPORTED);
            assert_eq!(
                cuStreamEndCapture(stream, &mut 0),
                STREAM_CAPTURE_INVALIDATED
            );
        }
        assert!(ends(ended), "stream destroyed: {destroy}");
    }
}

#[test]
fn references_are_counted() {
    let _turn = one_at_a_time();
    let _context = Context::new();
    let (stream, ended) = (stream(0), ended());
    let object = object(ended, 2);
    assert_eq!(cuUserObjectRetain(object, 1), 0);
    assert_eq!(cuUserObjectRelease(object, 2), 0);
    assert_eq!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), 0);
    assert_eq!(cuGraphRetainUserObject(graph_of(stream), object, 3, 0), 0);
    let graph = end_with_graph(stream);
    assert_eq!(cuUserObjectRelease(object, 1), 0);
    assert!(lives(ended), "the graph has references of its own");
    assert_eq!(cuGraphDestroy(graph), 0);
    assert!(ends(ended));
    if virtual_only("a real driver follows any handle, wherever it leads") {
        return;
    }
    assert_eq!(cuUserObjectRetain(object, 1), INVALID_VALUE);
}

#[test]
fn an_object_without_a_destructor_is_refused() {
    let _turn = one_at_a_time();
    let _context = Context::new();
    let mut object = 0;
    // SAFETY: the call refuses a missing destructor, so nothing is ever called.
    let made = unsafe { cuUserObjectCreate(&mut object, std::ptr::null_mut(), None, 1, 1) };
    assert_eq!((made, object), (INVALID_VALUE, 0));
}
