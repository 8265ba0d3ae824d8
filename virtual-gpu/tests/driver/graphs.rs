//! Graphs of captured work.

use crate::kernels::PTX;
use crate::raw::*;
use crate::support::*;

const THREAD_LOCAL: i32 = 1;
const KERNEL: i32 = 0;
const COPY: i32 = 1;
const FILL: i32 = 2;

/// Captures a fill that sets a counter to 10, a kernel that increments the counter 64 times, and a copy of the counter to the next word.
pub fn capture(stream: usize, counter: u64) -> usize {
    let increment = function(load(PTX), c"increment");
    assert_eq!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), 0);
    assert_eq!(cuMemsetD32Async(counter, 10, 1, stream), 0);
    assert_eq!(launch(increment, 2, 32, stream, &[counter]), 0);
    assert_eq!(cuMemcpyDtoDAsync_v2(counter + 4, counter, 4, stream), 0);
    end_with_graph(stream)
}

fn node_types(graph: usize) -> [i32; 3] {
    let (mut nodes, mut count) = ([0; 3], 0);
    assert_eq!(cuGraphGetNodes(graph, None, &mut count), 0);
    assert_eq!(count, 3);
    assert_eq!(cuGraphGetNodes(graph, Some(&mut nodes[0]), &mut count), 0);
    nodes.map(|node| {
        let mut node_type = -1;
        assert_eq!(cuGraphNodeGetType(node, &mut node_type), 0);
        node_type
    })
}

/// On the virtual device, the graph of a capture has no nodes until the capture ends.
#[test]
fn a_graph_that_was_asked_for_during_its_capture_gets_its_nodes() {
    if virtual_only("a real device shows the nodes captured so far") {
        return;
    }
    let _context = Context::new();
    let (stream, counter) = (stream(0), zeros(1));
    assert_eq!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), 0);
    assert_eq!(cuMemsetD32Async(counter, 10, 1, stream), 0);
    assert_eq!(cuMemsetD32Async(counter, 11, 1, stream), 0);
    let (mut status, mut id, mut graph, mut count) = (0, 0, 0, 9);
    let asked = cuStreamGetCaptureInfo_v2(stream, &mut status, &mut id, &mut graph, 0, 0);
    assert_eq!(asked, 0);
    assert_eq!(cuGraphGetNodes(graph, None, &mut count), 0);
    assert_eq!(count, 0);
    assert_eq!(end_with_graph(stream), graph);
    assert_eq!(cuGraphGetNodes(graph, None, &mut count), 0);
    assert_eq!(count, 2);
    assert_eq!(cuGraphGetEdges(graph, None, None, &mut count), 0);
    assert_eq!(count, 1);
}

#[test]
fn captured_work_runs_when_its_graph_is_launched() {
    let _context = Context::new();
    let (stream, counter) = (stream(0), zeros(2));
    let graph = capture(stream, counter);
    assert_eq!(cuStreamSynchronize(stream), 0);
    assert_eq!((peek(counter), peek(counter + 4)), (0, 0));
    let executable = instantiate(graph);
    assert_eq!(cuGraphDestroy(graph), 0);
    for _ in 0..2 {
        assert_eq!(cuGraphLaunch(executable, stream), 0);
        assert_eq!(cuMemsetD32Async(counter, 1, 1, stream), 0);
        assert_eq!(cuStreamSynchronize(stream), 0);
        assert_eq!((peek(counter), peek(counter + 4)), (1, 74));
    }
    assert_eq!(cuGraphExecDestroy(executable), 0);
}

#[test]
fn a_graph_has_a_node_for_each_piece_of_work() {
    let _context = Context::new();
    let graph = capture(stream(0), zeros(2));
    assert_eq!(node_types(graph), [FILL, KERNEL, COPY]);
    assert_eq!(cuGraphDestroy(graph), 0);
}
