//! Graphs: inspecting, instantiating, launching and destroying them. Only captures make graphs.

use crate::driver::abi::{Handle, Out};
use crate::driver::calls::enqueue_after;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::graph::{ExecutableGraph, Graph, NodeName};
use crate::driver::objects::lock;
use crate::driver::objects::machine::machine;
use crate::driver::objects::stream::{Stream, resolve};
use crate::driver::objects::work::Action;
use std::ffi::c_char;
use std::sync::Arc;

/// The flags of graph instantiation.
const INSTANTIATE_FLAGS: u64 = 0xf;
const AUTO_FREE_ON_LAUNCH: u64 = 1;
/// The flag for launching the graph from kernels, which is not supported.
const DEVICE_LAUNCH: u64 = 4;

pub(crate) fn instantiate(
    executable: Out<Handle<ExecutableGraph>>,
    graph: Handle<Graph>,
    flags: u64,
) -> Outcome {
    let machine = machine()?;
    let graph = machine.graphs.get(graph)?;
    let place = executable.required()?;
    if flags & !INSTANTIATE_FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    if flags & DEVICE_LAUNCH != 0 {
        return Err(match flags & AUTO_FREE_ON_LAUNCH {
            0 => Code::NOT_SUPPORTED,
            _ => Code::INVALID_VALUE,
        });
    }
    place.write(machine.executable_graphs.insert(graph.instantiate()?))
}

/// The older form of `cuGraphInstantiate`. It has an error log, which stays empty.
pub(crate) fn instantiate_with_log(
    executable: Out<Handle<ExecutableGraph>>,
    graph: Handle<Graph>,
    error_node: Out<Handle<NodeName>>,
    log: Out<c_char>,
    log_bytes: usize,
) -> Outcome {
    instantiate(executable, graph, 0)?;
    error_node.write_unless_null(Handle::NULL);
    if !log.is_null() && log_bytes > 0 {
        log.write_text("", log_bytes)?;
    }
    Ok(())
}

/// The launch comes after the stream's earlier work. Unless it is captured, it also comes after the previous launch of the same executable
/// graph.
pub(crate) fn launch(executable: Handle<ExecutableGraph>, stream: Handle<Stream>) -> Outcome {
    let stream = resolve(stream)?;
    let executable = machine()?.executable_graphs.get(executable)?;
    let steps = Arc::clone(&executable.steps);
    let before = lock(&executable.last).clone();
    let launch = enqueue_after(&stream, Action::Graph(steps), before.into_iter().collect())?;
    if launch.is_some() {
        *lock(&executable.last) = launch;
    }
    Ok(())
}

pub(crate) fn destroy(graph: Handle<Graph>) -> Outcome {
    let machine = machine()?;
    machine.graphs.remove(graph)?.forget_names(machine)
}

pub(crate) fn destroy_executable(executable: Handle<ExecutableGraph>) -> Outcome {
    machine()?.executable_graphs.remove(executable)?;
    Ok(())
}

/// Writes the nodes' handles to the array `nodes`, and null to the rest of the array. Then writes the number of written handles to `count`.
/// If `nodes` is null, only writes the number of nodes to `count`.
pub(crate) fn nodes(
    graph: Handle<Graph>,
    nodes: Out<Handle<NodeName>>,
    count: Out<usize>,
) -> Outcome {
    let machine = machine()?;
    let graph = machine.graphs.get(graph)?;
    let names = graph.names(machine);
    if nodes.is_null() {
        return count.write(names.len());
    }
    for index in 0..count.read()? {
        nodes.write_element(index, names.get(index).copied().unwrap_or(Handle::NULL));
    }
    count.write(names.len().min(count.read()?))
}

/// Writes the handles of the two nodes of each edge to the arrays `from` and `to`. Surplus elements, null arrays and `count` are treated as
/// in [`nodes`].
pub(crate) fn edges(
    graph: Handle<Graph>,
    from: Out<Handle<NodeName>>,
    to: Out<Handle<NodeName>>,
    count: Out<usize>,
) -> Outcome {
    let machine = machine()?;
    let edges = machine.graphs.get(graph)?.edges(machine);
    if from.is_null() != to.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    if from.is_null() {
        return count.write(edges.len());
    }
    for index in 0..count.read()? {
        let none = (Handle::NULL, Handle::NULL);
        let edge = edges.get(index).copied().unwrap_or(none);
        from.write_element(index, edge.0);
        to.write_element(index, edge.1);
    }
    count.write(edges.len().min(count.read()?))
}

pub(crate) fn node_type(node: Handle<NodeName>, node_type: Out<i32>) -> Outcome {
    node_type.write(machine()?.graph_nodes.get(node)?.node_type)
}
