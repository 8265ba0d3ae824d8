//! Captures of CUDA graphs, by driver calls: `cust` has no calls for a capture.

use std::ffi::{c_int, c_void};
use std::ptr;

use cust::stream::Stream;
use warpfold::cust;

unsafe extern "C" {
    fn cuStreamBeginCapture_v2(stream: *mut c_void, mode: c_int) -> i32;
    fn cuStreamEndCapture(stream: *mut c_void, graph: *mut *mut c_void) -> i32;
    fn cuGraphInstantiateWithFlags(
        executable: *mut *mut c_void,
        graph: *mut c_void,
        flags: u64,
    ) -> i32;
    fn cuGraphLaunch(executable: *mut c_void, stream: *mut c_void) -> i32;
    fn cuGraphGetNodes(graph: *mut c_void, nodes: *mut *mut c_void, count: *mut usize) -> i32;
    fn cuGraphExecDestroy(executable: *mut c_void) -> i32;
    fn cuGraphDestroy(graph: *mut c_void) -> i32;
}

/// The threads on which a capture forbids calls that may wait for work.
#[derive(Debug, Clone, Copy)]
#[allow(dead_code, reason = "each test file uses its part")]
pub enum CaptureMode {
    /// Every thread.
    Global = 0,
    /// The capturing thread only, so tests on other threads are not affected.
    ThreadLocal = 1,
    /// No thread.
    Relaxed = 2,
}

/// A graph that can be launched.
pub struct Graph {
    graph: *mut c_void,
    executable: *mut c_void,
}

impl Graph {
    /// Captures the calls that `work` queues on the stream.
    pub fn capture(stream: &Stream, work: impl FnOnce()) -> Self {
        Self::capture_in(CaptureMode::ThreadLocal, stream, work)
    }

    /// Captures, in this mode, the calls that `work` queues on the stream.
    pub fn capture_in(mode: CaptureMode, stream: &Stream, work: impl FnOnce()) -> Self {
        let (mut graph, mut executable) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the stream lives, and the pointers are to live locals.
        unsafe {
            let begun = cuStreamBeginCapture_v2(handle(stream), mode as c_int);
            assert_eq!(begun, 0);
            work();
            let ended = cuStreamEndCapture(handle(stream), &mut graph);
            assert_eq!(ended, 0, "the capture of mode {mode:?}");
            assert_eq!(cuGraphInstantiateWithFlags(&mut executable, graph, 0), 0);
        }
        Self { graph, executable }
    }

    /// How many launches, copies and other nodes were captured.
    #[allow(dead_code, reason = "each test file uses its part")]
    pub fn node_count(&self) -> usize {
        let mut count = 0;
        // SAFETY: the graph lives. With a null pointer for the nodes, the call only writes their number, to a live local.
        let code = unsafe { cuGraphGetNodes(self.graph, ptr::null_mut(), &mut count) };
        assert_eq!(code, 0);
        count
    }

    /// Queues the graph on the stream.
    ///
    /// # Safety
    ///
    /// - The memory that the graph uses lives until the launch is done.
    pub unsafe fn launch(&self, stream: &Stream) {
        // SAFETY: `self` and `stream` are borrowed, so both handles live. The graph's memory lives: this function's condition.
        assert_eq!(unsafe { cuGraphLaunch(self.executable, handle(stream)) }, 0);
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: this graph owns both handles, and they are not used again.
        unsafe {
            cuGraphExecDestroy(self.executable);
            cuGraphDestroy(self.graph);
        }
    }
}

fn handle(stream: &Stream) -> *mut c_void {
    stream.as_inner().cast()
}
