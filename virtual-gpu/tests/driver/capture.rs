//! Stream capture and graphs.

use crate::kernels::PTX;
use crate::raw::*;

const THREAD_LOCAL: i32 = 1;
const RELAXED: i32 = 2;
const CAPTURE_UNSUPPORTED: i32 = 900;
const CAPTURE_INVALIDATED: i32 = 901;
const CAPTURE_UNMATCHED: i32 = 903;
const CAPTURE_UNJOINED: i32 = 904;
const CAPTURE_ISOLATION: i32 = 905;
const CAPTURE_IMPLICIT: i32 = 906;
const CAPTURED_EVENT: i32 = 907;
const CAPTURE_WRONG_THREAD: i32 = 908;

fn status(stream: usize) -> i32 {
    let mut status = -1;
    assert_eq!(cuStreamIsCapturing(stream, &mut status), 0);
    status
}

fn end(stream: usize) -> Result<usize, i32> {
    let mut graph = 77;
    match cuStreamEndCapture(stream, &mut graph) {
        0 => Ok(graph),
        code => {
            assert!(graph == 0 || graph == 77);
            Err(code)
        }
    }
}

fn instantiate(graph: usize) -> usize {
    let mut executable = 0;
    assert_eq!(cuGraphInstantiateWithFlags(&mut executable, graph, 0), 0);
    executable
}

#[test]
fn a_captured_stream_does_nothing_until_its_graph_is_launched() {
    let _context = Context::new();
    let (stream, counter, copy) = (stream(0), alloc(1), alloc(1));
    let increment = function(load(PTX), c"increment");
    assert_eq!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), 0);
    assert_eq!(status(stream), 1);
    assert_eq!(cuMemsetD32Async(counter, 10, 1, stream), 0);
    assert_eq!(launch(increment, 2, 32, stream, &[counter]), 0);
    assert_eq!(cuMemcpyDtoDAsync_v2(copy, counter, 4, stream), 0);
    let graph = end(stream).unwrap();
    assert_eq!(status(stream), 0);
    assert_eq!(cuStreamSynchronize(stream), 0);
    assert_eq!((peek(counter), peek(copy)), (0, 0));

    let (mut nodes, mut count) = ([0; 3], 0);
    assert_eq!(cuGraphGetNodes(graph, None, &mut count), 0);
    assert_eq!(count, 3);
    assert_eq!(cuGraphGetNodes(graph, Some(&mut nodes[0]), &mut count), 0);
    let types = nodes.map(|node| {
        let mut node_type = -1;
        assert_eq!(cuGraphNodeGetType(node, &mut node_type), 0);
        node_type
    });
    assert_eq!(types, [2, 0, 1], "fill, kernel, copy");

    let executable = instantiate(graph);
    assert_eq!(cuGraphDestroy(graph), 0);
    assert_eq!(cuGraphNodeGetType(nodes[0], &mut 0), INVALID_VALUE);
    for _ in 0..2 {
        assert_eq!(cuGraphLaunch(executable, stream), 0);
        assert_eq!(cuMemsetD32Async(counter, 1, 1, stream), 0);
        assert_eq!(cuStreamSynchronize(stream), 0);
        assert_eq!((peek(counter), peek(copy)), (1, 74));
    }
    assert_eq!(cuGraphExecDestroy(executable), 0);
    assert_eq!(cuGraphLaunch(executable, stream), INVALID_VALUE);
}

#[test]
fn a_capture_spreads_by_events_and_must_be_joined() {
    let _context = Context::new();
    let (origin, other, fork, join, address) = (stream(1), stream(1), event(), event(), alloc(1));
    let capture_with_fork = || {
        assert_eq!(cuStreamBeginCapture_v2(origin, RELAXED), 0);
        assert_eq!(cuMemsetD32Async(address, 1, 1, origin), 0);
        assert_eq!(cuEventRecord(fork, origin), 0);
        assert_eq!(cuStreamWaitEvent(other, fork, 0), 0);
        assert_eq!(status(other), 1);
        assert_eq!(cuMemsetD32Async(address, 2, 1, other), 0);
    };
    capture_with_fork();
    assert_eq!(end(origin), Err(CAPTURE_UNJOINED));
    assert_eq!((status(origin), status(other)), (0, 0));

    capture_with_fork();
    assert_eq!(end(other), Err(CAPTURE_UNMATCHED));
    assert_eq!(end(origin), Err(CAPTURE_INVALIDATED));

    capture_with_fork();
    assert_eq!(cuEventRecord(join, other), 0);
    assert_eq!(cuStreamWaitEvent(origin, join, 0), 0);
    assert_eq!(cuEventQuery(join), CAPTURED_EVENT);
    assert_eq!(
        end(origin),
        Err(CAPTURE_INVALIDATED),
        "the question made it void"
    );

    capture_with_fork();
    assert_eq!(cuEventRecord(join, other), 0);
    assert_eq!(cuStreamWaitEvent(origin, join, 0), 0);
    let executable = instantiate(end(origin).unwrap());
    assert_eq!(status(other), 0);
    assert_eq!(
        cuStreamWaitEvent(other, join, 0),
        CAPTURED_EVENT,
        "the capture has ended"
    );
    assert_eq!(cuGraphLaunch(executable, other), 0);
    assert_eq!(cuStreamSynchronize(other), 0);
    assert_eq!(peek(address), 2);
}

/// The calls that a capture forbids make it void, and say so from then on.
#[test]
fn forbidden_calls_make_a_capture_void() {
    let _context = Context::new();
    let (stream, recorded) = (stream(0), event());
    assert_eq!(cuEventRecord(recorded, stream), 0);
    let forbidden: [(&str, i32, &dyn Fn() -> i32); 7] = [
        ("synchronising it", CAPTURE_UNSUPPORTED, &|| {
            cuStreamSynchronize(stream)
        }),
        ("asking about it", CAPTURE_UNSUPPORTED, &|| {
            cuStreamQuery(stream)
        }),
        ("synchronising the context", CAPTURE_UNSUPPORTED, &|| {
            cuCtxSynchronize()
        }),
        ("allocating", CAPTURE_UNSUPPORTED, &|| {
            cuMemAlloc_v2(Some(&mut 0), 4)
        }),
        ("allocating in its order", CAPTURE_UNSUPPORTED, &|| {
            cuMemAllocAsync(&mut 0, 4, stream)
        }),
        ("the legacy stream", CAPTURE_IMPLICIT, &|| {
            cuEventRecord(recorded, 0)
        }),
        ("work from outside", CAPTURE_ISOLATION, &|| {
            cuStreamWaitEvent(stream, recorded, 0)
        }),
    ];
    for (what, code, call) in forbidden {
        assert_eq!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), 0, "{what}");
        assert_eq!(call(), code, "{what}");
        assert_eq!(status(stream), 2, "{what}");
        assert_eq!(cuEventRecord(event(), stream), 0, "{what}");
        assert_eq!(cuMemsetD32Async(0, 0, 0, stream), 0, "{what}");
        assert_eq!(end(stream), Err(CAPTURE_INVALIDATED), "{what}");
        assert_eq!(status(stream), 0, "{what}");
    }
}

#[test]
fn captures_begin_and_end_once_and_where_they_may() {
    let context = Context::new();
    let stream = stream(0);
    assert_eq!(
        cuStreamBeginCapture_v2(0, THREAD_LOCAL),
        CAPTURE_UNSUPPORTED
    );
    assert_eq!(cuStreamBeginCapture_v2(stream, 3), INVALID_VALUE);
    assert_eq!(end(stream), Err(ILLEGAL_STATE));
    assert_eq!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), 0);
    assert_eq!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), ILLEGAL_STATE);
    let handle = context.0;
    let elsewhere = std::thread::spawn(move || {
        assert_eq!(cuCtxSetCurrent(handle), 0);
        assert_eq!(
            cuMemAlloc_v2(Some(&mut 0), 4),
            0,
            "another thread is free to"
        );
        end(stream)
    });
    assert_eq!(elsewhere.join().unwrap(), Err(CAPTURE_WRONG_THREAD));
    assert!(end(stream).is_ok());
}

#[test]
fn a_relaxed_capture_forbids_nothing_but_its_own_stream() {
    let _context = Context::new();
    let stream = stream(1);
    assert_eq!(cuStreamBeginCapture_v2(stream, RELAXED), 0);
    let address = alloc(1);
    assert_eq!(upload(address, &[3]), 0);
    assert_eq!(peek(address), 3);
    assert!(end(stream).is_ok());
}
