//! A stale handle is an error, until a new object of its kind gets the same handle.
//!
//! Other tests make objects of the same kinds at the same time, so the tests of this file run in separate processes.

use crate::graphs::capture;
use crate::kernels::PTX;
use crate::linking::linker;
use crate::raw::*;
use crate::support::*;

/// Whether this process skips a test: on a real driver, or because another process runs it.
fn skipped(test: &str) -> bool {
    virtual_only("a real driver follows any handle, wherever it leads")
        || !in_a_process_of_its_own(&format!("handles::{test}"))
}

#[test]
fn handles_of_destroyed_objects_are_refused() {
    if skipped("handles_of_destroyed_objects_are_refused") {
        return;
    }
    let _context = Context::new();
    let (stream, event) = (stream(0), event());
    assert_eq!(cuStreamDestroy_v2(stream), 0);
    assert_eq!(cuStreamDestroy_v2(stream), INVALID_HANDLE);
    assert_eq!(cuStreamSynchronize(stream), INVALID_HANDLE);
    assert_eq!(cuEventDestroy_v2(event), 0);
    assert_eq!(cuEventRecord(event, 0), INVALID_HANDLE);
    let module = load(PTX);
    let function = function(module, c"trap");
    assert_eq!(cuModuleUnload(module), 0);
    assert_eq!(launch(function, 1, 1, 0, &[]), INVALID_HANDLE);
    assert_eq!(cuModuleUnload(module), INVALID_HANDLE);
    let linker = linker();
    assert_eq!(cuLinkDestroy(linker), 0);
    assert_eq!(cuLinkDestroy(linker), INVALID_HANDLE);
}

#[test]
fn handles_of_destroyed_graphs_and_nodes_are_refused() {
    if skipped("handles_of_destroyed_graphs_and_nodes_are_refused") {
        return;
    }
    let _context = Context::new();
    let stream = stream(0);
    let graph = capture(stream, zeros(2));
    let (mut node, mut count) = (0, 1);
    assert_eq!(cuGraphGetNodes(graph, Some(&mut node), &mut count), 0);
    let executable = instantiate(graph);
    assert_eq!(cuGraphDestroy(graph), 0);
    assert_eq!(cuGraphDestroy(graph), INVALID_VALUE);
    assert_eq!(cuGraphNodeGetType(node, &mut 0), INVALID_VALUE);
    assert_eq!(cuGraphExecDestroy(executable), 0);
    assert_eq!(cuGraphLaunch(executable, stream), INVALID_VALUE);
}

/// Destroys the first of two objects. A new object gets the first object's handle. Of two free handles, the handle that was freed last is
/// used first.
fn comes_back(what: &str, make: impl Fn() -> usize, destroy: impl Fn(usize) -> i32) {
    let (first, other) = (make(), make());
    assert_ne!(first, other, "{what}: both live");
    assert_eq!(destroy(first), 0, "{what}");
    assert_eq!(make(), first, "{what}: a new one");
    assert_eq!(destroy(first), 0, "{what}: the stale handle");
    assert_eq!(destroy(other), 0, "{what}");
    assert_eq!((make(), make()), (other, first), "{what}: the last first");
}

#[test]
fn the_next_object_of_a_kind_reuses_the_handle() {
    if skipped("the_next_object_of_a_kind_reuses_the_handle") {
        return;
    }
    let _context = Context::new();
    let (origin, words) = (stream(0), zeros(2));
    comes_back("stream", || stream(0), |handle| cuStreamDestroy_v2(handle));
    comes_back("event", event, |handle| cuEventDestroy_v2(handle));
    comes_back("module", || load(PTX), |handle| cuModuleUnload(handle));
    comes_back("linker", linker, |handle| cuLinkDestroy(handle));
    let graph = || capture(origin, words);
    comes_back("graph", graph, |handle| cuGraphDestroy(handle));
    let (graph, destroy) = (graph(), |handle| cuGraphExecDestroy(handle));
    comes_back("executable graph", || instantiate(graph), destroy);
    let module = load(PTX);
    let stale = function(module, c"trap");
    assert_eq!(cuModuleUnload(module), 0);
    assert_eq!(function(load(PTX), c"write"), stale);
    assert_eq!(launch(stale, 1, 1, 0, &[words, 7]), 0);
    assert_eq!(peek(words), 0, "the legacy stream is lazy");
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(peek(words), 7, "the newer function ran");
}

/// Handles of objects that are destroyed with their context are stale, too.
#[test]
fn handles_of_a_destroyed_context_are_reused() {
    if skipped("handles_of_a_destroyed_context_are_reused") {
        return;
    }
    let first = Context::new();
    let (old_stream, old_event) = (stream(0), event());
    drop(first);
    let _second = Context::new();
    assert_eq!(cuStreamSynchronize(old_stream), INVALID_HANDLE);
    assert_eq!((stream(0), event()), (old_stream, old_event));
    assert_eq!(cuStreamSynchronize(old_stream), 0);
}

#[test]
fn a_streams_id_is_never_reused() {
    if skipped("a_streams_id_is_never_reused") {
        return;
    }
    let _context = Context::new();
    let mut seen = Vec::new();
    for _ in 0..3 {
        let (stream, mut id) = (stream(0), 0);
        assert_eq!(cuStreamGetId(stream, &mut id), 0);
        assert_eq!(cuStreamDestroy_v2(stream), 0);
        seen.push((stream, id));
    }
    assert!(seen.iter().all(|(stream, _)| *stream == seen[0].0));
    assert!(seen.is_sorted_by(|a, b| a.1 < b.1), "{seen:?}");
}
